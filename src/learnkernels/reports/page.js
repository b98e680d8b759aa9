"use strict";
// Long tables start with their first rows; one button shows the others.
const FIRST = 15, ON_PAPER = 100;
for (const table of document.querySelectorAll("table[data-long]")) {
  const body = table.tBodies[0];
  const rows = () => Array.from(body.rows);
  let all = rows().length <= FIRST + 5;
  const cut = (most) => rows().forEach((row, at) => { row.hidden = at >= most; });
  const onScreen = () => cut(all ? Infinity : FIRST);
  if (!all) {
    const more = document.createElement("button");
    more.className = "more";
    more.textContent = `Show all ${rows().length.toLocaleString("en")} rows`;
    more.onclick = () => { all = true; onScreen(); more.remove(); };
    table.after(more);
  }
  if (rows().length > ON_PAPER) {
    const left = document.createElement("p");
    left.className = "paper";
    left.textContent = `${(rows().length - ON_PAPER).toLocaleString("en")} more rows in the page.`;
    table.after(left);
  }
  window.addEventListener("beforeprint", () => cut(ON_PAPER));
  window.addEventListener("afterprint", onScreen);
  onScreen();

  // Sort by a column: numbers from the largest, names from the first; again turns it round.
  table.querySelectorAll("th button").forEach((button) => {
    const head = button.closest("th");
    const column = head.cellIndex;
    button.onclick = () => {
      const names = head.dataset.kind === "name";
      const before = head.getAttribute("aria-sort");
      const down = before ? before === "ascending" : !names;
      table.querySelectorAll("th").forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].dataset.value;
      const order = names
        ? (a, b) => key(a).localeCompare(key(b), "en", { numeric: true })
        : (a, b) => Number(key(a)) - Number(key(b));
      body.append(...rows().sort((a, b) => (down ? -order(a, b) : order(a, b))));
      onScreen();
    };
  });
}

window.addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
});

// Values under the pointer, or the keyboard's focus.
const tip = document.createElement("div");
tip.id = "tip";
tip.hidden = true;
tip.setAttribute("role", "status");
document.body.append(tip);
let current = null;
const show = (target) => {
  current = target;
  tip.textContent = target.dataset.tip;
  tip.hidden = false;
  const place = target.getBoundingClientRect();
  const left = Math.min(Math.max(8, place.left), innerWidth - tip.offsetWidth - 8);
  const above = place.top - tip.offsetHeight - 6;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 4 ? above : place.bottom + 6}px`;
};
const follow = (event) => {
  const target = event.target.closest && event.target.closest("[data-tip]");
  if (target) show(target);
  else leave();
};
// What has the keyboard's focus keeps its value, wherever pointer and page move.
const leave = () => {
  if (current && current === document.activeElement) {
    show(current);
    return;
  }
  current = null;
  tip.hidden = true;
};
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") tip.hidden = true;
});
document.addEventListener("mouseover", follow);
document.addEventListener("focusin", follow);
document.addEventListener("scroll", leave, { passive: true });

"use strict";
// Show the first rows of long tables, and a button that shows all.
const ROWS_ON_SCREEN = 15, ROWS_ON_PAPER = 100;
for (const table of document.querySelectorAll("table[data-long]")) {
  const body = table.tBodies[0];
  const rows = () => Array.from(body.rows);
  let all = rows().length <= ROWS_ON_SCREEN + 5;
  const cut = (most) => rows().forEach((row, at) => { row.hidden = at >= most; });
  const onScreen = () => cut(all ? Infinity : ROWS_ON_SCREEN);
  if (!all) {
    const more = document.createElement("button");
    more.className = "more";
    more.textContent = `Show all ${rows().length.toLocaleString("en")} rows`;
    more.onclick = () => { all = true; onScreen(); more.remove(); };
    table.after(more);
  }
  if (rows().length > ROWS_ON_PAPER) {
    const left = document.createElement("p");
    left.className = "paper";
    left.textContent = `${(rows().length - ROWS_ON_PAPER).toLocaleString("en")} more rows in the HTML page.`;
    table.after(left);
  }
  window.addEventListener("beforeprint", () => cut(ROWS_ON_PAPER));
  window.addEventListener("afterprint", onScreen);
  onScreen();

  // Sort by a column: first numbers in descending, names in ascending order; then reverse.
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

// Tooltip with the values of the element under the pointer or with the keyboard focus.
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
// Keep the tooltip of the element with the keyboard focus when the pointer leaves or the page scrolls.
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

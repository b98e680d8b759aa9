// Attributes for screen readers and keyboards that the theme and the gallery leave out.
document.addEventListener("DOMContentLoaded", () => {
  const set = (selector, name, value) =>
    document.querySelectorAll(selector).forEach((one) => one.setAttribute(name, value));
  set("p.caption[role=heading]", "aria-level", "2");
  set("aside.sidebar-drawer", "aria-label", "All pages");
  set("aside.toc-drawer", "aria-label", "Contents of this page");
  set(".content-icon-container", "role", "navigation");
  set(".content-icon-container", "aria-label", "This page");
  set("article pre, div.table-wrapper", "tabindex", "0"); // wide ones are scrolled by keys
  set("iframe", "title", "A result of the code above");
  document.querySelectorAll(".sphx-glr-thumbcontainer a").forEach((one) =>
    one.setAttribute("aria-label", one.textContent.trim()));
  document.querySelectorAll("th").forEach((one) => {
    if (one.textContent.trim() === "") {
      const cell = document.createElement("td");
      cell.className = one.className;
      one.replaceWith(cell);
    }
  });
});

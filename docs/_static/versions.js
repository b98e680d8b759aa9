// List the published versions in the sidebar, from the file versions.json at the root of the site.
// Without scripts or without the file, pages show the version of the build only.
document.addEventListener("DOMContentLoaded", async () => {
  if (!location.protocol.startsWith("http")) return; // browsers do not let pages read local files
  // Pages of a release are in a folder of its tag; pages of the development version are at the root.
  const build = new URL(document.documentElement.dataset.content_root, location.href);
  const folder = build.pathname.split("/").at(-2);
  const current = /^v\d/.test(folder) ? folder : "";
  const root = new URL(current ? ".." : ".", build);

  const name = (tag) => (tag ? tag.slice(1) : "development");
  const element = (tag, attributes, ...children) => {
    const made = Object.assign(document.createElement(tag), attributes);
    made.append(...children);
    return made;
  };
  const link = (tag, text) => element("a", { href: new URL(tag ? `${tag}/` : ".", root) }, text);

  const { releases, newest } = await fetch(new URL("versions.json", root))
    .then((answer) => answer.json())
    .catch(() => ({ releases: [], newest: null }));
  if (releases.length === 0) return;
  const items = ["", ...releases].map((tag) => {
    const one = link(tag, tag && tag === newest ? `${name(tag)} (newest release)` : name(tag));
    if (tag === current) one.setAttribute("aria-current", "true");
    return element("li", {}, one);
  });
  const summary = element("summary", {}, `Version: ${name(current)}`);
  const list = element("details", {}, summary, element("ul", {}, ...items));
  document.querySelector(".versions").replaceChildren(list);
  if (current && newest && current !== newest) {
    const text = `This page describes version ${name(current)}. The newest release is `;
    const note = element("p", { className: "other-version" }, text, link(newest, name(newest)), ".");
    document.querySelector("article[role=main]").prepend(note);
  }
});

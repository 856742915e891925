// The page: blocks in their order, the table of contents, the theme.

const makers = {
  text: (block, place) => place.append(...block.paragraphs.map((text) => element("p", {}, text))),
  notice: (block, place) => place.append(...block.paragraphs.map((text, k) => element("p", { class: k > 0 ? "more" : null }, text))),
  facts: (block, place) => place.append(make_facts(block)),
  command: (block, place) => place.append(make_command(block)),
  table: (block, place) => new DataTable(block, place),
  matrix: (block, place) => place.append(make_matrix(block)),
  chart: (block, place) => new Chart(block, place),
  motion: (block, place) => new Motion(block, place),
  quantities: (block, place) => { block.made = new Quantities(block, place); },
};
const drawn_late = ["chart", "motion"];  // when they come near the view
const waiting = new Map();

function make_late(place) {
  const make = waiting.get(place);
  if (!make) return;
  waiting.delete(place);
  place.replaceChildren();
  make();
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) { near.unobserve(entry.target); make_late(entry.target); }
}, { rootMargin: "600px" });

/** Draws what was not seen yet. */
function make_all() {
  for (const place of [...waiting.keys()]) make_late(place);
}

function make_block(block) {
  const place = element("div", { class: "content" });
  const sign = block.kind === "notice" ? element("span", { class: "sign", "aria-hidden": "true" }, signs[block.mark]) : null;
  const heading = block.title && block.kind !== "motion" ? element("h3", {}, sign, block.title) : null;
  const kinds = "block of-" + block.kind + (block.small ? " small" : "") + (block.kind === "notice" ? " " + block.mark : "");
  const made = element("section", { class: kinds, "aria-label": block.title || null }, heading, block.note ? element("p", { class: "note" }, block.note) : null, place);
  if (drawn_late.includes(block.kind)) {
    place.classList.add("late");
    waiting.set(place, () => { place.classList.remove("late"); makers[block.kind](block, place); });
    near.observe(place);
  } else {
    makers[block.kind](block, place);
  }
  return made;
}

function make_page() {
  const main = document.getElementById("page"), contents = [];
  // What a motion is about stands beside it, and the charts of that below both.
  const made = data.blocks.flatMap((block, k) => {
    const before = data.blocks[k - 1], next = data.blocks[k + 1];
    if (block.kind === "motion" && next?.kind === "quantities") {
      block.beside = next;
      return [];
    }
    if (block.kind === "quantities") {
      const table = make_block(block);
      const screen = before?.kind === "motion" ? [element("div", { class: "screen" }, make_block(before), table)] : [table];
      block.made.draw();
      return [...screen, block.made.charts_place];
    }
    if (block.kind !== "section") return make_block(block);
    const id = "section-" + k;
    if (k === 0 && !block.text) return element("div", { id });  // the first screen needs no heading
    contents.push(element("li", {}, element("a", { href: "#" + id }, block.title)));
    return element("div", { class: "section", id }, element("h2", {}, block.title), block.text ? element("p", {}, block.text) : null);
  });
  const theme = element("button", { type: "button", class: "theme", "aria-label": "Switch between light and dark",
    onclick: () => set_theme(dark() ? "light" : "dark") }, "light / dark");
  document.querySelector("header").append(theme);
  if (contents.length > 1) main.append(element("nav", { class: "contents", "aria-label": "Contents" }, element("ul", {}, contents)));
  main.append(...made);
  addEventListener("beforeprint", make_all);
}

make_page();
window.gnomon = { charts, motions, make_all };

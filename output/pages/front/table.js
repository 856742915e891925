// Facts, tables that are sorted and searched, matrices, and commands that are copied.

const signs = { good: "\u2713", warn: "!", bad: "\u2717" };
const rows_a_page = 100, searchable_rows = 30;

/** Fills a td or th with a cell. */
function show_cell(place, cell) {
  if (cell.mark) {
    place.classList.add(cell.mark);
    if (cell.text !== signs[cell.mark]) place.append(element("span", { class: "sign", "aria-label": cell.mark }, signs[cell.mark]));
  }
  // A path may be broken after a slash.
  place.append(...cell.text.split(/(?<=\/)/).flatMap((part, k) => (k ? [element("wbr"), part] : [part])));
  if (cell.note) place.title = cell.note;
  return place;
}

function make_facts(block) {
  const cells = block.rows.map(([, stored]) => cell_of(stored));
  const wide = block.rows.some(([name]) => !name) || cells.some((cell) => cell.text.length > 32);
  return element("dl", { class: wide ? "facts wide" : "facts" }, block.rows.map(([name], i) =>
    element("div", block.rows[i + 1]?.[0] === "" ? { class: "more" } : {},
      element("dt", {}, name), show_cell(element("dd"), cells[i]))));
}

function make_command(block) {
  const done = element("span", { "aria-live": "polite" });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(block.text);
      done.textContent = "copied";
    } catch {
      getSelection().selectAllChildren(code);
      done.textContent = "selected: copy it with Ctrl-C";
    }
    setTimeout(() => { done.textContent = ""; }, 3000);
  };
  const code = element("code", {}, block.text);
  return element("div", { class: "command" }, element("pre", { tabindex: "0" }, code),
    element("button", { type: "button", onclick: copy }, "copy"), done);
}

/** Rows that are searched and sorted, a hundred of them at a time. */
class DataTable {
  constructor(block, place) {
    this.block = block;
    this.count = block.count;
    this.columns = block.data ? block.data.map((column) => ({ cells: column.cells.map(cell_of), at: numbers(column.at) }))
      : block.columns.map((_, c) => ({ cells: block.rows.map((row) => cell_of(row[c])), at: block.rows.map((_, r) => r) }));
    for (const column of this.columns) {
      const filled = column.cells.filter((cell) => cell.text !== "" && cell.text !== "-" && cell.text !== "\u2013");
      const readable = filled.filter((cell) => /^[\s<>=~(]*[-+\u2212]?[\d.]/.test(cell.text) && !/^\S*[A-Za-z]{3}/.test(cell.text) || /^(nan|-?inf)$/.test(cell.text));
      column.numeric = filled.length > 0 && readable.length > 0.8 * filled.length;
      if (column.numeric) for (const cell of column.cells) cell.value = number_of(cell.text);
      const longest = column.cells.reduce((most, cell) => Math.max(most, cell.text.length), 0);
      column.width = column.numeric ? "number" : longest <= 28 ? "brief" : longest > 70 ? "wordy" : "";
      column.searched = column.cells.map((cell) => (cell.text + " " + cell.mark).toLowerCase());
    }
    this.order = Array.from({ length: this.count }, (_, k) => k);
    this.found = this.order;
    this.first = 0;
    this.sorted = { column: -1, sign: 1 };
    this.body = element("tbody");
    this.heads = this.columns.map((column, c) => element("th", { scope: "col", class: column.width, "aria-sort": "none" },
      element("button", { type: "button", onclick: () => this.sort(c) }, block.columns[c])));
    this.status = element("span", { class: "status", "aria-live": "polite" });
    const bar = element("div", { class: "bar" });
    if (this.count >= searchable_rows)
      bar.append(element("input", { type: "search", placeholder: "filter: words that a row contains", "aria-label": "Filter rows of " + (block.title || "the table"),
        oninput: (event) => this.filter(event.target.value) }));
    this.back = element("button", { type: "button", onclick: () => this.turn(-1) }, "previous");
    this.next = element("button", { type: "button", onclick: () => this.turn(1) }, "next");
    if (this.count > rows_a_page) bar.append(this.back, this.next);
    bar.append(this.status);
    const frame = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": block.title || "Table" },
      element("table", { class: this.columns.length > 1 ? "sticky" : null }, element("thead", {}, element("tr", {}, this.heads)), this.body));
    if (this.count >= searchable_rows) place.append(bar);
    place.append(frame);
    this.show();
  }

  cell(column, row) { return column.cells[column.at[row]]; }

  sort(c) {
    const { column, sign } = this.sorted;
    this.sorted = { column: c, sign: column === c ? -sign : 1 };
    const key = this.columns[c];
    const keys = key.cells.map((cell) => (key.numeric ? (Number.isNaN(cell.value) ? Infinity : cell.value) : cell.text.toLowerCase()));
    const rank = new Float64Array(keys.length);
    const places = keys.map((_, k) => k).sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : 0));
    places.forEach((k, r) => { rank[k] = r && keys[k] === keys[places[r - 1]] ? rank[places[r - 1]] : r; });
    this.order.sort((a, b) => this.sorted.sign * (rank[key.at[a]] - rank[key.at[b]]) || a - b);
    this.heads.forEach((head, k) => head.setAttribute("aria-sort", k === c ? (this.sorted.sign > 0 ? "ascending" : "descending") : "none"));
    this.select();
  }

  filter(text) {
    this.words = text.toLowerCase().split(/\s+/).filter((word) => word);
    this.select();
  }

  /** The rows that contain every word, in the order that was sorted. */
  select() {
    const words = this.words || [];
    const holds = words.map((word) => this.columns.map((column) => column.searched.map((text) => text.includes(word))));
    this.found = words.length === 0 ? this.order
      : this.order.filter((row) => holds.every((columns) => columns.some((holding, c) => holding[this.columns[c].at[row]])));
    this.first = 0;
    this.show();
  }

  turn(pages) {
    this.first = Math.max(0, Math.min(this.first + pages * rows_a_page, Math.floor((this.found.length - 1) / rows_a_page) * rows_a_page));
    this.show();
  }

  show() {
    const last = Math.min(this.first + rows_a_page, this.found.length);
    const rows = [];
    for (let k = this.first; k < last; ++k)
      rows.push(element("tr", {}, this.columns.map((column, c) => show_cell(
        element(c === 0 ? "th" : "td", { scope: c === 0 ? "row" : null, class: column.width }), this.cell(column, this.found[k])))));
    this.body.replaceChildren(...rows);
    this.back.disabled = this.first === 0;
    this.next.disabled = last >= this.found.length;
    const some = this.found.length < this.count ? counted(this.found.length) + " of " : "";
    this.status.textContent = (this.found.length > rows_a_page ? "rows " + counted(this.first + 1) + "\u2013" + counted(last) + " of " : "") +
      some + counted(this.count) + " rows";
  }
}

function make_matrix(block) {
  const head = element("tr", {}, element("td"), block.columns.map((name) =>
    element("th", { scope: "col", class: "upright" }, element("span", {}, name))));
  const body = block.rows.map((name, r) => element("tr", {}, element("th", { scope: "row" }, name),
    block.cells[r].map((stored, c) => {
      const cell = cell_of(stored), place = show_cell(element("td"), cell);
      if (cell.text || cell.note) place.title = name + ", " + block.columns[c] + (cell.note ? ": " + cell.note : "");
      return place;
    })));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": block.title },
    element("table", { class: "matrix sticky" }, element("thead", {}, head), element("tbody", {}, body)));
}

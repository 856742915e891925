// Quantities over time: a table of their extremes, in which those are ticked that are drawn, a chart for each unit.

class Quantities {
  constructor(block, place) {
    this.block = block;
    this.times = numbers(block.times);
    this.all = block.all.map((one) => ({ ...one, values: numbers(one.values), shown: one.chosen }));
    // Rounding is shown as zero: what is small beside everything of that unit.
    this.shown_number = ({ size }, x) => short_number(Math.abs(x) < 1e-12 * size ? 0 : x, 3);
    this.extremes = this.all.map(({ values }) => {
      let low = -1, high = -1;
      for (let k = 0; k < values.length; ++k) {
        if (!Number.isFinite(values[k])) continue;
        if (low < 0 || values[k] < values[low]) low = k;
        if (high < 0 || values[k] > values[high]) high = k;
      }
      return { low, high };
    });
    const body = element("tbody"), status = element("span", { class: "status", "aria-live": "polite" });
    const rows = this.all.map((one, k) => this.row(one, k));
    const choose = (text) => {
      const words = text.toLowerCase().split(/\s+/).filter((word) => word);
      const found = rows.filter((row, k) => words.every((word) => (this.all[k].name + " " + this.all[k].unit).toLowerCase().includes(word)));
      body.replaceChildren(...found);
      status.textContent = found.length < rows.length ? found.length + " of " + rows.length : "";
    };
    const bar = element("div", { class: "bar" });
    if (rows.length > 12)
      bar.append(element("input", { type: "search", placeholder: "filter by name", "aria-label": "Filter quantities", oninput: (event) => choose(event.target.value) }));
    bar.append(element("button", { type: "button", onclick: () => this.tick(() => false) }, "draw none"), status);
    const head = element("tr", {}, ["", "quantity", "least", "at t", "largest", "at t"].map((text, k) =>
      element("th", { scope: "col", class: k > 1 ? "number" : null }, k === 0 ? element("span", { class: "hidden" }, "drawn") : text)));
    choose("");
    this.charts_place = element("div", { class: "of-unit" });
    place.append(bar, element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": block.title },
      element("table", {}, element("thead", {}, head), body)));
    this.place = place;
  }

  row(one, k) {
    const { low, high } = this.extremes[k], at = (j) => (j < 0 ? "\u2013" : short_number(this.times[j], 3));
    one.box = element("input", { type: "checkbox", "aria-label": "draw " + one.name, onchange: () => { one.shown = one.box.checked; this.draw(); } });
    one.box.checked = one.shown;
    const cell = (text) => element("td", { class: "number" }, text), value = (j) => (j < 0 ? "\u2013" : this.shown_number(one, one.values[j]));
    const name = element("th", { scope: "row" }, element("label", {}, one.name, one.unit ? element("span", { class: "unit" }, " [" + one.unit + "]") : null));
    name.firstChild.addEventListener("click", () => one.box.click());
    const size = Math.max(Math.abs(one.values[low] ?? 0), Math.abs(one.values[high] ?? 0), 1e-3 * one.size);
    if (low >= 0 && !(one.values[high] - one.values[low] > 1e-9 * size))
      return element("tr", { class: "constant" }, element("td", {}, one.box), name, cell(value(low)), element("td", { class: "number", colspan: 3 }, "constant"));
    return element("tr", {}, element("td", {}, one.box), name, cell(value(low)), cell(at(low)), cell(value(high)), cell(at(high)));
  }

  tick(rule) {
    for (const one of this.all) one.box.checked = one.shown = rule(one);
    this.draw();
  }

  /** Charts of what is ticked below the first screen. */
  draw() {
    for (const made of this.made ?? []) forget_chart(made);
    const units = [...new Set(this.all.filter((one) => one.shown).map((one) => one.unit))];
    this.made = [];
    this.charts_place.replaceChildren(...units.map((unit) => {
      const place = element("div", { class: "content" }), shown = this.all.filter((one) => one.shown && one.unit === unit);
      const names = shown.map((one) => one.name);
      const block = { title: names.length > 3 ? names.slice(0, 3).join(", ") + " and others" : names.join(", "), small: units.length > 1,
        x: { label: "t", unit: this.block.time_unit, log: false }, y: { label: names.length === 1 ? names[0] : "", unit, log: false },
        series: shown.map((one, k) => ({ name: one.name, style: "line", group: k, x: this.block.times, y: this.block.all[this.all.indexOf(one)].values })) };
      if (!block.y.label) block.y.label = unit ? "value" : "values";
      this.made.push({ block, place });
      return element("section", { class: "block of-chart" + (units.length > 1 ? " small" : ""), "aria-label": block.title }, element("h3", {}, block.title), place);
    }));
    for (const one of this.made) one.chart = new Chart(one.block, one.place);
  }
}

/** A chart that is drawn no more. */
function forget_chart({ chart }) {
  if (!chart) return;
  charts.splice(charts.indexOf(chart), 1);
  redraws.delete(chart.redraw);
  chart.plot.destroy();
}

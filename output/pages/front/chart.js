// Charts of curves, by uPlot: zoom by drag, a legend that hides, values under the pointer.

const charts = [];  // all that were drawn, for whoever asks on the page

class Chart {
  constructor(block, place) {
    this.block = block;
    this.log = { x: block.x.log, y: block.y.log };
    this.series = block.series.map((series) => ({ ...series, x: numbers(series.x), y: numbers(series.y), shown: true }));
    this.frame = element("div", { class: "plot", tabindex: "0", role: "group",
      "aria-label": block.title + ". Arrow keys read points, plus and minus zoom, 0 shows all." });
    this.reading = element("output", { class: "reading", "aria-live": "polite" });
    this.legend = element("div", { class: "legend", role: "group", "aria-label": "Curves shown" });
    this.buttons = element("div", { class: "buttons" });
    place.append(this.buttons, this.frame, this.reading, this.legend);
    this.make_buttons();
    this.make_legend();
    this.frame.addEventListener("keydown", (event) => this.key(event));
    this.draw();
    new ResizeObserver(() => this.resize()).observe(this.frame);
    this.redraw = () => { this.make_legend(); this.draw(); };
    redraws.add(this.redraw);
    charts.push(this);
  }

  /** Whether an axis can be logarithmic: some value is not zero, and abscissae are not negative. */
  can_be_log(axis) {
    return this.series.some((s) => s[axis].some((v) => Number.isFinite(v) && v !== 0)) &&
      (axis === "y" || this.series.every((s) => s.x.every((v) => !(v < 0))));
  }

  make_buttons() {
    for (const axis of ["x", "y"])
      if (this.can_be_log(axis))
        this.buttons.append(toggle("log " + axis, this.log[axis], (on) => { this.log[axis] = on; this.draw(); },
          { "aria-label": "logarithmic " + this.block[axis].label }));
      else
        this.log[axis] = false;
    this.buttons.append(element("button", { type: "button", onclick: () => this.zoom(0.5) , "aria-label": "zoom in" }, "+"),
      element("button", { type: "button", onclick: () => this.zoom(2), "aria-label": "zoom out" }, "\u2212"),
      element("button", { type: "button", onclick: () => this.draw() }, "all"));
  }

  /** Sample of the line of a series. */
  sample(series) {
    const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg");
    for (const [name, value] of Object.entries({ width: 30, height: 12, "aria-hidden": "true" })) svg.setAttribute(name, value);
    const draw = (tag, attributes) => {
      const made = document.createElementNS(ns, tag);
      for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
      svg.append(made);
    };
    const colour = this.colour(series);
    if (series.style !== "points") draw("line", { x1: 1, y1: 6, x2: 29, y2: 6, stroke: colour,
      "stroke-width": series.style === "guide" ? 1 : 2, "stroke-dasharray": this.dash(series).join(" ") });
    if (series.style.includes("points")) draw("path", { d: marker_path(series.group, 15, 6, 3.6), fill: colour });
    return svg;
  }

  colour(series) { return series.style === "guide" ? themed("guide") : colour_of(series.group); }
  dash(series) { return series.style === "guide" ? [4, 4] : dash_of(series.group); }

  make_legend() {
    this.legend.replaceChildren(...this.series.map((series, k) => {
      const button = toggle(this.sample(series), series.shown, (on) => {
        series.shown = on;
        this.plot.setSeries(k + 1, { show: on });
      });
      button.append(element("span", {}, series.name + (series.of ? " (" + counted(series.x.length) + " of " + counted(series.of) + " points)" : "")),
        element("span", { class: "value" }));
      return button;
    }));
  }

  /** A point as it is drawn: its magnitude on a logarithmic axis. */
  drawn(series, k) {
    const x = series.x[k], y = this.log.y ? Math.abs(series.y[k]) : series.y[k];
    return Number.isFinite(x) && Number.isFinite(y) && (!this.log.y || y > 0) && (!this.log.x || x > 0) ? [x, y] : null;
  }

  /** Guides do not widen the range of y: they may leave the chart. Curves over increasing x fill the width. */
  range(axis) {
    let low = Infinity, high = -Infinity;
    const only_guides = this.series.every((s) => s.style === "guide");
    const linear_x = axis === "x" && !this.log.x;
    for (const series of this.series) {
      if (series.style === "guide" && axis === "y" && !only_guides) continue;
      for (let k = 0; k < series.x.length; ++k) {
        const point = linear_x ? [series.x[k]] : this.drawn(series, k);
        if (!point) continue;
        const value = point[axis === "x" ? 0 : 1];
        if (value < low && value > -Infinity) low = value;
        if (value > high && value < Infinity) high = value;
      }
    }
    const fills = (series) => !series.style.includes("points") && this.increases(series);
    return linear_x && low < high && this.series.every(fills) ? [low, high] : padded(low, high, this.log[axis]);
  }

  /** Whether the abscissae of a series do not fall. */
  increases(series) {
    return series.increasing ??= series.x.every((v, k) => k === 0 || v >= series.x[k - 1]);
  }

  size() { return { width: Math.max(240, this.frame.clientWidth), height: innerWidth < 600 || this.block.small ? 270 : 340 }; }

  resize() {
    const size = this.size();
    if (size.width !== this.plot.width) this.plot.setSize(size);
  }

  axis(name) {
    const { label, unit } = this.block[name], log = this.log[name], vertical = name === "y", narrow = this.frame.clientWidth < 560;
    const magnitude = log && this.series.some((s) => s[name].some((v) => v < 0)) && !/^\|.*\|$/.test(label);
    return {
      scale: name, side: vertical ? 3 : 2, label: with_unit(magnitude ? "|" + label + "|" : label, unit),
      labelSize: 18, labelGap: vertical ? 2 : 0, labelFont: "13px system-ui, sans-serif", font: "12px system-ui, sans-serif",
      stroke: () => themed("ink"), grid: { stroke: () => themed("grid"), width: 1 },
      ticks: { stroke: () => themed("grid"), width: 1, size: 5 }, gap: 4,
      size: vertical ? (plot, labels) => 18 + 7 * Math.max(3, ...(labels || []).map((text) => text.length)) : 34,
      splits: (plot, k, low, high) => (log ? log_ticks : linear_ticks)(low, high, (vertical ? plot.bbox.height / devicePixelRatio / 34 : plot.bbox.width / devicePixelRatio / (narrow ? 60 : 75)) || 4),
      values: (plot, ticks) => tick_labels(ticks, log), filter: (plot, ticks) => ticks,
    };
  }

  draw() {
    this.ranges = { x: this.range("x"), y: this.range("y") };
    const scale = (name) => ({ time: false, distr: this.log[name] ? 3 : 1, log: 10, range: () => this.ranges[name] });
    const options = {
      ...this.size(), mode: 2, pxAlign: 0, legend: { show: false }, scales: { x: scale("x"), y: scale("y") },
      axes: [this.axis("x"), this.axis("y")],
      cursor: { drag: { x: true, y: true, uni: 30, setScale: false }, points: { show: false }, dataIdx: () => null },
      series: [{}, ...this.series.map((series) => ({
        label: series.name, show: series.shown, facets: [{ scale: "x", auto: false }, { scale: "y", auto: false }],
        stroke: this.colour(series), width: series.style === "guide" ? 1 : 1.8, dash: this.dash(series), cap: "butt",
        points: { show: false }, paths: (plot, k) => this.path(plot, series),
      }))],
      hooks: { drawSeries: [(plot, k) => this.draw_points(plot, this.series[k - 1])],
        setSelect: [(plot) => this.take_selection(plot)],
        setCursor: [(plot) => this.hover(plot.cursor.left, plot.cursor.top)] },
    };
    if (this.plot) this.plot.destroy();
    this.marks = [];
    this.plot = new uPlot(options, [null, ...this.series.map((s) => [s.x, s.y])], this.frame);
    this.plot.over.addEventListener("dblclick", () => this.draw());
    this.read(null);
  }

  /** Shows what was drawn around with the pointer. */
  take_selection(plot) {
    const { left, top, width, height } = plot.select;
    if (width > 4 && width < plot.over.clientWidth) this.ranges.x = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
    if (height > 4 && height < plot.over.clientHeight) this.ranges.y = [plot.posToVal(top + height, "y"), plot.posToVal(top, "y")];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.show_ranges();
  }

  show_ranges() {
    this.plot.batch(() => {
      for (const name of ["x", "y"]) this.plot.setScale(name, { min: this.ranges[name][0], max: this.ranges[name][1] });
    });
    this.place_marks();
  }

  path(plot, series) {
    const path = new Path2D();
    if (series.style === "points") return { stroke: path, fill: null, clip: null, flags: 0 };
    let open = false;
    for (let k = 0; k < series.x.length; ++k) {
      const point = this.drawn(series, k);
      if (!point) { if (!(this.log.y && series.y[k] === 0)) open = false; continue; }
      const x = plot.valToPos(point[0], "x", true), y = plot.valToPos(point[1], "y", true);
      if (open) path.lineTo(x, y);
      else path.moveTo(x, y);
      open = true;
    }
    return { stroke: path, fill: null, clip: null, flags: 0 };
  }

  draw_points(plot, series) {
    if (!series || !series.style.includes("points")) return;
    const { ctx, bbox } = plot, size = 3.6 * devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left - size, bbox.top - size, bbox.width + 2 * size, bbox.height + 2 * size);
    ctx.clip();
    ctx.fillStyle = this.colour(series);
    const few = series.x.length < 3000;
    for (let k = 0; k < series.x.length; ++k) {
      const point = this.drawn(series, k);
      if (!point) continue;
      const x = plot.valToPos(point[0], "x", true), y = plot.valToPos(point[1], "y", true);
      if (few) ctx.fill(new Path2D(marker_path(series.group, x, y, size)));
      else ctx.fillRect(x - size / 3, y - size / 3, size / 1.5, size / 1.5);
    }
    ctx.restore();
  }

  /** Rings around the points that are read. */
  place_marks() {
    const rings = this.marks.filter(({ series, k }) => series.shown && this.drawn(series, k)).map(({ series, k }) => {
      const point = this.drawn(series, k), ring = element("span", { class: "ring" });
      ring.style.left = this.plot.valToPos(point[0], "x") + "px";
      ring.style.top = this.plot.valToPos(point[1], "y") + "px";
      ring.style.borderColor = this.colour(series);
      return ring;
    });
    for (const ring of this.plot.over.querySelectorAll(".ring")) ring.remove();
    this.plot.over.append(...rings);
  }

  /** The point of a series that is drawn nearest to a place; of one whose abscissae increase only x counts. */
  nearest(series, left, top) {
    const plot = this.plot, { x } = series;
    let best = null, least = Infinity;
    const increasing = this.increases(series);
    let begin = 0, end = x.length;
    if (increasing && x.length > 200) {
      const at = plot.posToVal(left, "x");
      let low = 0, high = x.length - 1;
      while (high - low > 1) { const middle = (low + high) >> 1; if (x[middle] < at) low = middle; else high = middle; }
      begin = Math.max(0, low - 50);
      end = Math.min(x.length, high + 50);
    }
    for (let k = begin; k < end; ++k) {
      const point = this.drawn(series, k);
      if (!point) continue;
      const dx = plot.valToPos(point[0], "x") - left, dy = plot.valToPos(point[1], "y") - top;
      const away = increasing ? Math.abs(dx) + 1e-3 * Math.abs(dy) : Math.hypot(dx, dy);
      if (away < least) { least = away; best = k; }
    }
    return best;
  }

  /** A line at the time that a motion shows. */
  show_time(t) {
    if (this.block.x.label !== "t" || this.log.x) return;
    this.now ??= element("span", { class: "now", "aria-hidden": "true" });
    if (this.now.parentNode !== this.plot.over) this.plot.over.append(this.now);
    const left = this.plot.valToPos(t, "x");
    this.now.style.display = left >= 0 && left <= this.plot.over.clientWidth ? "" : "none";
    this.now.style.left = left + "px";
  }

  hover(left, top) {
    if (left < 0) { this.read(null); return; }
    this.read(this.series.map((series) => (series.shown ? this.nearest(series, left, top) : null)));
  }

  /** Shows the values at one point of each series, or none. */
  read(points) {
    this.points = points;
    this.marks = [];
    const notes = [];
    this.series.forEach((series, k) => {
      const at = points ? points[k] : null, value = this.legend.children[k].querySelector(".value");
      if (at === null || at === undefined || series.style === "guide") { value.textContent = ""; return; }
      this.marks.push({ series, k: at });
      const same = this.series.every((s, j) => s.style === "guide" || points[j] === null || s.x[points[j]] === series.x[at]);
      value.textContent = (same ? "" : short_number(series.x[at], 4) + ", ") + short_number(series.y[at], 5);
      if (same && notes.length === 0) notes.push(this.block.x.label + " " + short_number(series.x[at], 7) + (this.block.x.unit ? " " + this.block.x.unit : ""));
      if (series.notes) notes.push(series.notes[at]);
    });
    this.reading.textContent = notes.join("; ") || "\u00a0";
    this.place_marks();
  }

  /** Steps to the next or previous point of the first series shown. */
  step(by) {
    const lead = this.series.findIndex((s) => s.shown && s.style !== "guide" && s.x.length);
    if (lead < 0) return;
    const series = this.series[lead], last = this.points ? this.points[lead] : null;
    let k = last === null || last === undefined ? (by > 0 ? 0 : series.x.length - 1) : Math.min(series.x.length - 1, Math.max(0, last + by));
    while (k > 0 && k < series.x.length - 1 && !this.drawn(series, k)) k += Math.sign(by);
    const point = this.drawn(series, k);
    if (!point) return;
    const left = this.plot.valToPos(point[0], "x"), top = this.plot.valToPos(point[1], "y");
    this.read(this.series.map((s, j) => (j === lead ? k : s.shown ? this.nearest(s, left, top) : null)));
  }

  /** Shows so many times the range of x that is shown. */
  zoom(factor) {
    const [min, max] = this.ranges.x, log = this.log.x;
    const [a, b] = log ? [Math.log(min), Math.log(max)] : [min, max];
    let middle = (a + b) / 2;
    if (this.marks.length) {
      const x = this.marks[0].series.x[this.marks[0].k];
      const at = log ? Math.log(x) : x;
      if (at >= a && at <= b) middle = at;
    }
    const low = middle - (middle - a) * factor, high = middle + (b - middle) * factor;
    this.ranges.x = log ? [Math.exp(low), Math.exp(high)] : [low, high];
    this.show_ranges();
  }

  key(event) {
    if (event.target !== this.frame) return;
    const stride = event.shiftKey ? 10 : 1;
    const actions = { ArrowRight: () => this.step(stride), ArrowLeft: () => this.step(-stride), "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.draw(), Escape: () => this.draw() };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}

/** A disc, square, triangle, diamond or cross around (x, y), as the path of an SVG. */
function marker_path(group, x, y, r) {
  switch (((group % 5) + 5) % 5) {
    case 1: return `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`;
    case 2: return `M${x} ${y - 1.2 * r}l${1.2 * r} ${2.1 * r}h${-2.4 * r}z`;
    case 3: return `M${x} ${y - 1.3 * r}l${1.3 * r} ${1.3 * r}l${-1.3 * r} ${1.3 * r}l${-1.3 * r} ${-1.3 * r}z`;
    case 4: return `M${x - r / 3} ${y - 1.2 * r}h${r / 1.5}v${r}h${r}v${r / 1.5}h${-r}v${r}h${-r / 1.5}v${-r}h${-r}v${-r / 1.5}h${r}z`;
    default: return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  }
}

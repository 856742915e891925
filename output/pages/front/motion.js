// The animated view of a mechanism: curves of several runs that move together.

const motions = [];  // all that were made, for whoever asks on the page
const trace_shades = 12, longest_show = 20;

class Motion {
  constructor(block, place) {
    this.block = block;
    this.times = numbers(block.times);
    this.runs = block.runs.map((run) => ({ ...run, points: numbers(run.points), shown: true }));
    this.dimension = block.dimension;
    let points = 0;
    this.curves = block.curves.map((curve) => {
      const made = { ...curve, begin: points * this.dimension };
      points += curve.n;
      return made;
    });
    this.stride = points * this.dimension;
    const bounds = bounds_of(this.runs.map((run) => run.points), this.dimension);
    if (this.dimension === 3 && block.solids) widen_by_solids(bounds, block);
    this.view = this.dimension === 3 ? new SpaceView(bounds, block.up) : new PlaneView(bounds, block.equal);
    this.t = this.times[0];
    this.playing = false;
    const solids = (block.solids ?? []).filter((solid) => ["body", "inertia"].includes(solid.shape));
    this.bodies = (solids.length > 0 ? solids : this.curves.filter((curve) => curve.shape === "outline")).map((one) => one.name);
    this.with_forces = this.with_names = false;
    this.forces = ForceArrows.make(this, block.beside);
    this.traces = true;
    this.traced = this.find_traced();
    this.loop = true;
    this.surfaces = SurfaceScene.make(this);
    // The whole motion in its own time, or in the longest time that somebody looks at it.
    this.length = this.times[this.times.length - 1] - this.times[0];
    this.speed = this.length > longest_show || this.length < 1 ? nice_step(this.length / longest_show * 2) : 1;
    this.names = new Names(this);
    this.events = Events.make(this);
    this.make(place);
    motions.push(this);
  }

  make(place) {
    const { block } = this;
    this.canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": block.title + ". Space plays, " +
      (this.dimension === 3 ? "arrow keys turn the view" : "arrow keys move the view") + ", plus and minus zoom, 0 resets the view, comma and full stop step in time." });
    this.play_button = element("button", { type: "button", class: "play", onclick: () => this.play(!this.playing) }, "play");
    this.slider = element("input", { type: "range", min: this.times[0], max: this.times[this.times.length - 1], step: "any", value: this.t,
      "aria-label": "Time", oninput: () => { this.play(false); this.show(Number(this.slider.value)); },
      onkeydown: (event) => this.slider_key(event) });
    this.clock = element("output", { class: "clock" });
    const speeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000];
    if (!speeds.includes(this.speed)) speeds.push(this.speed);
    const speed = element("select", { "aria-label": "Speed", title: "speed", onchange: (event) => { this.speed = Number(event.target.value); } },
      speeds.sort((a, b) => a - b).filter((s) => s === this.speed || (s <= this.length && s >= this.length / 2000))
        .map((s) => element("option", { value: s, selected: s === this.speed }, short_number(s) + " \u00d7")));
    const options = [speed, check("loop", true, (on) => { this.loop = on; })];
    if (this.traced.length > 0) options.push(check("traces", true, (on) => { this.traces = on; this.draw(); },
      { title: "paths of markers: all of it faint, what came before strong" }));
    if (this.names.all.length > 0) options.push(check("names", false, (on) => { this.with_names = on; this.draw(); },
      { title: "names of bodies, markers and joints, as far as there is room" }));
    if (this.forces) options.push(check("forces", false, (on) => { this.with_forces = on; this.draw(); },
      { title: "forces of joints, on their second bodies" }));
    if (this.dimension === 3) {
      options.push(check("perspective", true, (on) => { this.view.perspective = on; this.draw(); }));
      options.push(element("span", { class: "views", role: "group", "aria-label": "Views along an axis" }, [0, 1, 2].map((k) =>
        element("button", { type: "button", "aria-label": "view along " + "xyz"[this.view.axes[k]],
          onclick: () => { this.view.face(k); this.draw(); } }, "xyz"[this.view.axes[k]]))));
    }
    options.push(element("button", { type: "button", onclick: () => this.reset() }, "reset"));
    const runs = this.runs.length < 2 ? [] : this.runs.map((run) => toggle(this.sample(run), true, (on) => { run.shown = on; this.draw(); }));
    this.legend = element("div", { class: "legend", role: "group", "aria-label": "Runs shown" }, runs);
    this.canvas.classList.toggle("over", this.surfaces !== null);
    place.append(element("div", { class: "stage" }, this.surfaces ? this.surfaces.canvas : null, this.canvas), element("div", { class: "player" }, this.play_button,
        element("div", { class: "track" }, this.slider, this.events ? this.events.ticks : null), this.clock),
      ...(this.events ? [this.events.row] : []), element("div", { class: "buttons" }, options), this.legend, ...this.make_trace_legend());
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.listen_to_pointers();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    redraws.add(() => {
      this.legend.replaceChildren(...this.legend.children);
      this.runs.forEach((run, k) => { if (this.legend.children[k]) this.legend.children[k].replaceChildren(...this.sample(run)); });
      if (this.surfaces) this.surfaces.colour();
      for (const { dot, curve } of this.trace_dots) dot.style.background = this.colour_of_curve(curve, this.runs[0]);
      this.draw();
    });
    this.start_when_seen();
    this.show(this.t);
  }

  sample(run) {
    const dot = element("span", { class: "dot", "aria-hidden": "true" });
    dot.style.background = colour_of(run.group);
    dot.style.opacity = run.reference ? 0.5 : 1;
    return [dot, element("span", {}, run.name + (run.reference ? " (reference)" : ""))];
  }

  /** The dots that leave a trace: what moves, and of several at one place one. */
  find_traced() {
    const found = [], small = 1e-4 * this.view.extent(), [run] = this.runs, d = this.dimension, count = this.times.length;
    for (const curve of this.curves) {
      if (!curve.traced) continue;
      const apart = (other, from) => {  // the largest distance, from another curve or from where it was first
        let most = 0;
        for (let k = 0; k < count; ++k)
          for (let c = 0; c < d; ++c) {
            const away = Math.abs(run.points[k * this.stride + curve.begin + c] - run.points[(from ?? k) * this.stride + other.begin + c]);
            if (away > most) most = away;
          }
        return most;
      };
      if (!(apart(curve, 0) > small)) continue;
      const same = found.find((one) => !(apart(one.curve) > small));
      if (same) same.names.push(curve.name);
      else found.push({ curve, names: [curve.name] });
    }
    for (const { curve } of found) curve.with_trace = true;
    return found;
  }

  /** The markers whose paths are drawn, each of which can be left out; folded where there are many. */
  make_trace_legend() {
    this.trace_dots = [];
    if (this.traced.length === 0) return [];
    const chips = this.traced.map(({ curve, names }) => {
      const dot = element("span", { class: "dot", "aria-hidden": "true" });
      dot.style.background = this.colour_of_curve(curve, this.runs[0]);
      this.trace_dots.push({ dot, curve });
      const chip = toggle(dot, true, (on) => { curve.with_trace = on; this.draw(); }, { "aria-label": "trace of " + names.join(" and ") });
      chip.append(names.length > 2 ? names[0] + " and " + (names.length - 1) + " more" : names.join(", "));
      return chip;
    });
    const legend = element("div", { class: "legend", role: "group", "aria-label": "Traces of markers" }, chips);
    if (chips.reduce((sum, chip) => sum + chip.textContent.length + 5, 0) <= 120) {
      legend.prepend(element("span", { class: "status" }, "traces of"));
      return [legend];
    }
    return [element("details", { class: "traces" }, element("summary", {}, "traces of " + chips.length + " markers"), legend)];
  }

  /** Plays by itself when it comes into view first, unless less motion is wanted. */
  start_when_seen() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || this.times.length < 2) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      this.play(true);
    }, { threshold: 0.6 });
    observer.observe(this.canvas);
  }

  play(on) {
    if (on === this.playing) return;
    this.playing = on;
    this.play_button.textContent = on ? "pause" : "play";
    if (!on) return;
    const last = this.times[this.times.length - 1];
    if (this.t >= last) this.t = this.times[0];
    let before = null;
    const tick = (now) => {
      if (!this.playing) return;
      if (before !== null) this.show(this.t + Math.min(0.2, (now - before) / 1000) * this.speed);
      before = now;
      if (this.t >= last) {
        if (this.loop) this.t = this.times[0];
        else { this.play(false); return; }
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  show(t) {
    this.t = Math.min(Math.max(t, this.times[0]), this.times[this.times.length - 1]);
    this.slider.value = this.t;
    const text = this.time_text(this.t), here = this.events ? this.events.here(this.t) : "";
    if (motions[0] === this || motions.length === 0) for (const chart of charts) chart.show_time(this.t);
    this.clock.textContent = text;
    this.slider.setAttribute("aria-valuetext", here ? text + ", " + here : text);
    if (this.events) this.events.show(this.t);
    this.draw();
  }

  /** With as many decimals as tell the frames apart. */
  time_text(t) {
    const decimals = Math.min(12, Math.max(0, 3 - Math.floor(Math.log10(this.length || 1))));
    const size = Math.max(Math.abs(this.times[0]), Math.abs(this.times[this.times.length - 1]));
    return "t = " + (size < 1e6 ? t.toFixed(decimals) : t.toPrecision(9)) + (this.block.time_unit ? " " + this.block.time_unit : "");
  }

  /** The last of the times that is not later than t, and how far it is to the next one, from 0 to 1. */
  place_in_time() {
    let low = 0, high = this.times.length - 1;
    while (high - low > 1) { const middle = (low + high) >> 1; if (this.times[middle] <= this.t) low = middle; else high = middle; }
    if (this.times.length < 2) return [0, 0];
    return [low, Math.min(1, (this.t - this.times[low]) / (this.times[high] - this.times[low]))];
  }

  step(frames) {
    this.play(false);
    const [k, part] = this.place_in_time();
    const at = frames > 0 ? Math.floor(k + part + 1e-9) + frames : Math.ceil(k + part - 1e-9) + frames;
    this.show(this.times[Math.min(this.times.length - 1, Math.max(0, at))]);
  }

  /** The points of a run at time t, straight between neighbouring times. */
  pose(run) {
    const [k, part] = this.place_in_time(), { points } = run, begin = k * this.stride;
    this.now ??= new Float64Array(this.stride);
    for (let j = 0; j < this.stride; ++j) {
      const a = points[begin + j];
      this.now[j] = part > 0 ? a + part * (points[begin + this.stride + j] - a) : a;
    }
    return this.now;
  }

  /** The points of a run in frame k. */
  pose_at(run, k) { return run.points.subarray(k * this.stride, (k + 1) * this.stride); }

  draw() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, ratio = devicePixelRatio || 1;
    if (width === 0) return;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const ctx = this.canvas.getContext("2d");
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    this.view.fit(width, height);
    ctx.save();
    if (this.surfaces) this.surfaces.draw();
    const inside = this.view.backdrop(ctx, this.block.unit, this.surfaces !== null);
    ctx.beginPath();
    ctx.rect(...inside);
    ctx.clip();
    ctx.lineJoin = ctx.lineCap = "round";
    if (this.surfaces) { this.draw_over(ctx, inside); ctx.restore(); return; }
    const shown = this.runs.filter((run) => run.shown), ours = shown.find((run) => !run.reference) || shown[0];
    for (const run of [...shown.filter((r) => r.reference), ...shown.filter((r) => !r.reference)]) {
      if (this.traces) this.draw_traces(ctx, run);
      this.draw_curves(ctx, run, this.pose(run), run === ours);
    }
    this.draw_over(ctx, inside);
    ctx.restore();
  }

  /** Before everything else: arrows with their scale, that the run has stopped, names. */
  draw_over(ctx, inside) {
    const taken = this.dimension === 3 ? [[0, this.view.height - 112, 140, 112]] : [];
    if (this.with_forces) {
      this.forces.draw(ctx);
      taken.push(this.forces.draw_legend(ctx, inside));
    }
    const stop = this.events?.all.find((one) => one.kind === "stop");
    if (stop && this.t >= this.times[this.times.length - 1]) {
      ctx.font = "600 13px system-ui, sans-serif";
      ctx.textAlign = "left";
      ctx.fillStyle = themed("bad");
      const text = "stopped at t = " + short_number(stop.t, 6) + (this.block.time_unit ? " " + this.block.time_unit : "");
      ctx.fillText(text, inside[0] + 10, inside[1] + 20);
      taken.push([inside[0] + 8, inside[1] + 6, ctx.measureText(text).width + 4, 20]);
    }
    if (this.with_names) this.names.draw(ctx, inside, taken);
  }

  /** How many times of the past traces show. */
  memory() { return Math.max(8, Math.ceil(this.times.length / 4)); }

  /** Where a solid of a run is, straight between neighbouring times. */
  origin_of(run, solid, k, part) {
    const poses = numbers(run.poses), count = this.block.solids.length, s = this.block.solids.indexOf(solid);
    return [0, 1, 2].map((i) => {
      const a = poses[9 * (k * count + s) + i];
      return part > 0 ? a + part * (poses[9 * ((k + 1) * count + s) + i] - a) : a;
    });
  }

  /** Of several runs one colour each, of a single one a colour a body and its markers. */
  body_colour(name, run) {
    const single = this.runs.length === 1, number = this.bodies.indexOf(name);
    return colour_of(single && number >= 0 ? number : run.group);
  }
  colour_of_curve(curve, run) {
    if (curve.shape === "outline") return this.body_colour(curve.name, run);
    return this.body_colour(curve.name.slice(0, Math.max(0, curve.name.lastIndexOf("."))), run);
  }

  draw_traces(ctx, run) {
    const [last, part] = this.place_in_time();
    for (const curve of this.curves) {
      if (!curve.with_trace) continue;
      ctx.strokeStyle = this.colour_of_curve(curve, run);
      ctx.lineWidth = 1;
      ctx.globalAlpha = run.reference ? 0.12 : 0.28;
      ctx.beginPath();
      for (let k = 0, open = false; k < this.times.length; ++k) {
        const [x, y] = this.view.project(run.points, k * this.stride + curve.begin);
        if (!Number.isFinite(x)) { open = false; continue; }
        if (open) ctx.lineTo(x, y);
        else ctx.moveTo(x, y);
        open = true;
      }
      ctx.stroke();
      ctx.lineWidth = 1.4;
      const oldest = Math.max(0, last - this.memory());
      for (let shade = 0; shade < trace_shades; ++shade) {
        const begin = oldest + Math.floor((last - oldest) * shade / trace_shades), end = oldest + Math.floor((last - oldest) * (shade + 1) / trace_shades);
        ctx.globalAlpha = (run.reference ? 0.35 : 0.8) * (shade + 1) / trace_shades;
        ctx.beginPath();
        let open = false;
        for (let k = begin; k <= end; ++k) {
          const [x, y] = this.view.project(run.points, k * this.stride + curve.begin);
          if (!Number.isFinite(x)) { open = false; continue; }
          if (open) ctx.lineTo(x, y);
          else ctx.moveTo(x, y);
          open = true;
        }
        if (shade === trace_shades - 1 && part > 0) ctx.lineTo(...this.view.project(this.pose(run), curve.begin));
        ctx.stroke();
      }
    }
    ctx.globalAlpha = 1;
  }

  /** What never moves is drawn of one run only. */
  draw_curves(ctx, run, pose, with_fixed) {
    for (const curve of this.curves) {
      if (curve.fixed && !with_fixed) continue;
      const colour = curve.fixed ? themed("soft") : this.colour_of_curve(curve, run);
      ctx.globalAlpha = run.reference ? 0.4 : 1;
      ctx.strokeStyle = ctx.fillStyle = colour;
      ctx.lineWidth = run.reference ? 5 : 2.4;
      if (curve.shape === "trace") continue;
      if (curve.n === 1) {
        const [x, y] = this.view.project(pose, curve.begin);
        if (!Number.isFinite(x)) continue;
        if (curve.fixed && curve.shape !== "joint" && this.dimension === 2) { this.draw_support(ctx, x, y); continue; }
        ctx.beginPath();
        ctx.arc(x, y, run.reference ? 7 : curve.shape === "joint" ? 4 : 4.5, 0, 2 * Math.PI);
        if (curve.shape === "joint") {
          ctx.fillStyle = themed("raised");
          ctx.lineWidth = 2;
          ctx.strokeStyle = themed("ink");
          ctx.fill();
          ctx.stroke();
        } else {
          ctx.fill();
        }
        continue;
      }
      if (curve.shape === "spring" || curve.shape === "ground") {
        this.draw_symbol(ctx, curve, this.view.project(pose, curve.begin), this.view.project(pose, curve.begin + this.dimension));
        continue;
      }
      ctx.beginPath();
      let open = false;
      for (let k = 0; k < curve.n; ++k) {
        const [x, y] = this.view.project(pose, curve.begin + k * this.dimension);
        if (!Number.isFinite(x)) { open = false; continue; }
        if (open) ctx.lineTo(x, y);
        else ctx.moveTo(x, y);
        open = true;
      }
      if (curve.shape === "outline" && curve.n > 3) {
        const alpha = ctx.globalAlpha;
        ctx.globalAlpha = 0.22 * alpha;
        ctx.fill();
        ctx.globalAlpha = alpha;
        ctx.lineWidth = run.reference ? 4 : 1.6;
      }
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  }

  /** A point that is fixed in the plane: a triangle on hatched ground. */
  draw_support(ctx, x, y) {
    const size = 11;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x - 0.7 * size, y + size);
    ctx.lineTo(x + 0.7 * size, y + size);
    ctx.closePath();
    for (let k = -1; k <= 1; ++k) { ctx.moveTo(x + 5 * k + 3, y + size); ctx.lineTo(x + 5 * k - 2, y + size + 6); }
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = themed("ink");
    ctx.stroke();
  }

  /** A zigzag, or a line with strokes on its right. */
  draw_symbol(ctx, curve, [x0, y0], [x1, y1]) {
    const size = Math.hypot(x1 - x0, y1 - y0);
    if (!(size > 0)) return;
    const [u, v] = [(x1 - x0) / size, (y1 - y0) / size], at = (along, across) => [x0 + along * u - across * v, y0 + along * v + across * u];
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.lineWidth = 1.6;
    if (curve.shape === "spring") {
      ctx.strokeStyle = themed("soft");
      const teeth = 9;
      for (let k = 0; k <= teeth; ++k) ctx.lineTo(...at(size * (0.15 + 0.7 * k / teeth), k === 0 || k === teeth ? 0 : k % 2 ? 7 : -7));
      ctx.lineTo(x1, y1);
    } else {
      ctx.strokeStyle = themed("soft");
      ctx.lineTo(x1, y1);
      for (let along = 0; along < size; along += 9) { ctx.moveTo(...at(along + 7, 0)); ctx.lineTo(...at(along, 7)); }
    }
    ctx.stroke();
  }

  reset() { this.view.reset(); this.draw(); }

  magnify(factor, left = this.canvas.clientWidth / 2, top = this.canvas.clientHeight / 2) {
    this.view.magnify(factor, left, top);
    this.draw();
  }

  /** Only while the view has the focus, so that the page scrolls past it otherwise. */
  wheel(event) {
    if (document.activeElement !== this.canvas) return;
    event.preventDefault();
    const { left, top } = this.canvas.getBoundingClientRect();
    this.magnify(Math.exp(-event.deltaY * 0.0015), event.clientX - left, event.clientY - top);
  }

  listen_to_pointers() {
    const pointers = new Map();
    const done = (event) => pointers.delete(event.pointerId);
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.focus({ preventScroll: true });
      this.canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const others = [...pointers.values()].filter((p) => p.pointerId !== event.pointerId);
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
      pointers.set(event.pointerId, event);
      if (others.length === 1) {  // two fingers
        const apart = (p) => Math.hypot(p.clientX - others[0].clientX, p.clientY - others[0].clientY) || 1;
        this.magnify(apart(event) / apart(before));
        return;
      }
      this.view.drag(dx, dy, event.shiftKey || event.buttons === 4);
      this.draw();
    });
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, done);
  }

  slider_key(event) {
    const frames = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    if (event.key === " ") this.play(!this.playing);
    else if (frames) this.step(frames);
    else return;
    event.preventDefault();
  }

  key(event) {
    const far = 30, actions = { " ": () => this.play(!this.playing), ",": () => this.step(-1), ".": () => this.step(1),
      "+": () => this.magnify(1.25), "=": () => this.magnify(1.25), "-": () => this.magnify(0.8), 0: () => this.reset(),
      ArrowLeft: () => this.view.drag(-far, 0), ArrowRight: () => this.view.drag(far, 0), ArrowUp: () => this.view.drag(0, -far), ArrowDown: () => this.view.drag(0, far) };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
    this.draw();
  }
}

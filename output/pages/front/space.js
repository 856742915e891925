// Views of points: of the plane with equal or free scales, and of space from a direction.

/** Bounds of points, of which the coordinates of each are neighbours; what is not finite is left out. */
function bounds_of(lists, dimension) {
  const low = Array(dimension).fill(Infinity), high = Array(dimension).fill(-Infinity);
  for (const list of lists)
    for (let k = 0; k < list.length; ++k) {
      const c = k % dimension, x = list[k];
      if (x < low[c] && x > -Infinity) low[c] = x;
      if (x > high[c] && x < Infinity) high[c] = x;
    }
  for (let c = 0; c < dimension; ++c) if (!(low[c] <= high[c])) [low[c], high[c]] = [-1, 1];
  return { low, high };
}

/** Bounds that hold solids too, wherever they turn; planes of contact are as large as the rest. */
function widen_by_solids({ low, high }, block) {
  block.solids.forEach((solid, s) => {
    if (solid.shape === "contact") return;
    const points = numbers(solid.points);
    let reach = 0;
    for (let k = 0; k < points.length; k += 3) reach = Math.max(reach, Math.hypot(points[k], points[k + 1], points[k + 2]));
    for (const run of block.runs) {
      const poses = numbers(run.poses), stride = 9 * block.solids.length;
      for (let at = 9 * s; at < poses.length; at += stride)
        for (let c = 0; c < 3; ++c) {
          const x = poses[at + c];
          if (x - reach < low[c]) low[c] = x - reach;
          if (x + reach > high[c]) high[c] = x + reach;
        }
    }
  });
}

class PlaneView {
  constructor(bounds, equal) {
    this.bounds = bounds;
    this.equal = equal;
    this.reset();
  }
  reset() {
    this.middle = [0, 1].map((c) => (this.bounds.low[c] + this.bounds.high[c]) / 2);
    this.zoom = 1;
  }
  fit(width, height) {
    this.width = width;
    this.height = height;
    const widths = [0, 1].map((c) => this.bounds.high[c] - this.bounds.low[c]);
    const least = Math.max(...widths) * 1e-6 || 1;
    const room = [width - 84, height - 68];
    let scale = [0, 1].map((c) => room[c] / Math.max(widths[c], least) * 0.94);
    if (this.equal) scale = [Math.min(...scale), Math.min(...scale)];
    this.scale = scale.map((s) => s * this.zoom);
  }
  /** Middle of the picture, right of the labels of the axis. */
  place(x, y) {
    return [this.width / 2 + 16 + (x - this.middle[0]) * this.scale[0], this.height / 2 - 10 - (y - this.middle[1]) * this.scale[1]];
  }
  back(left, top) {
    return [this.middle[0] + (left - this.width / 2 - 16) / this.scale[0], this.middle[1] - (top - this.height / 2 + 10) / this.scale[1]];
  }
  drag(dx, dy) {
    this.middle[0] -= dx / this.scale[0];
    this.middle[1] += dy / this.scale[1];
  }
  magnify(factor, left, top) {
    const before = this.back(left, top);
    this.zoom = Math.min(1e4, Math.max(0.05, this.zoom * factor));
    this.fit(this.width, this.height);
    const after = this.back(left, top);
    this.middle = [0, 1].map((c) => this.middle[c] + before[c] - after[c]);
  }
  project(list, k) { return this.place(list[k], list[k + 1]); }
  extent() { return Math.max(...[0, 1].map((c) => this.bounds.high[c] - this.bounds.low[c])) || 1; }

  /** Grid lines and their numbers. */
  backdrop(ctx, unit) {
    const [left, top, right, bottom] = [58, 10, this.width - 10, this.height - 42];
    const [x0, y1] = this.back(left, top), [x1, y0] = this.back(right, bottom);
    const xs = linear_ticks(x0, x1, (right - left) / 80), ys = linear_ticks(y0, y1, (bottom - top) / 45);
    ctx.lineWidth = 1;
    ctx.strokeStyle = themed("grid");
    ctx.beginPath();
    for (const x of xs) { const [at] = this.place(x, 0); ctx.moveTo(at, top); ctx.lineTo(at, bottom); }
    for (const y of ys) { const [, at] = this.place(0, y); ctx.moveTo(left, at); ctx.lineTo(right, at); }
    ctx.stroke();
    ctx.fillStyle = themed("soft");
    ctx.font = "12px system-ui, sans-serif";
    ctx.textAlign = "center";
    tick_labels(xs, false).forEach((text, k) => ctx.fillText(text, this.place(xs[k], 0)[0], bottom + 16));
    ctx.fillText(with_unit("x", unit), (left + right) / 2, bottom + 34);
    ctx.textAlign = "right";
    tick_labels(ys, false).forEach((text, k) => ctx.fillText(text, left - 5, this.place(0, ys[k])[1] + 4));
    ctx.save();
    ctx.translate(13, (top + bottom) / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.textAlign = "center";
    ctx.fillText(with_unit("y", unit), 0, 0);
    ctx.restore();
    return [left, top, right - left, bottom - top];
  }
}

const first_tilt = 0.38;

class SpaceView {
  constructor(bounds, up) {
    this.bounds = bounds;
    // The axis that is drawn upwards last, the others in cyclic order: a right-handed picture.
    this.axes = [(up + 1) % 3, (up + 2) % 3, up];
    this.perspective = true;
    this.reset();
  }
  reset() {
    this.turn = -0.9;
    this.tilt = first_tilt;
    this.zoom = 1;
    this.shift = [0, 0];
  }
  fit(width, height) {
    this.width = width;
    this.height = height;
    const { low, high } = this.bounds;
    this.middle = this.axes.map((c) => (low[c] + high[c]) / 2);
    this.radius = Math.hypot(...this.axes.map((c) => high[c] - low[c])) / 2 || 1;
    // All of it at the first tilt however it is turned, with a margin that holds what perspective brings nearer.
    const half = this.axes.map((c) => (high[c] - low[c]) / 2), across = Math.hypot(half[0], half[1]);
    const up = Math.max(across, half[2] * Math.cos(first_tilt) + across * Math.sin(first_tilt));
    this.scale = 0.42 * Math.min(width / (across || 1), height / (up || 1)) * this.zoom;
    [this.sin_turn, this.cos_turn, this.sin_tilt, this.cos_tilt] = [Math.sin(this.turn), Math.cos(this.turn), Math.sin(this.tilt), Math.cos(this.tilt)];
  }
  drag(dx, dy, moving) {
    if (moving) { this.shift[0] += dx; this.shift[1] += dy; return; }
    this.turn += dx * 0.01;
    this.tilt = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.tilt + dy * 0.01));
  }
  magnify(factor) { this.zoom = Math.min(1e3, Math.max(0.05, this.zoom * factor)); }
  project(list, k) { return this.place(list[k + this.axes[0]], list[k + this.axes[1]], list[k + this.axes[2]]); }
  /** Of a point with the axis upwards last. */
  place(a, b, c) {
    const x = a - this.middle[0], y = b - this.middle[1], z = c - this.middle[2];
    const right = this.cos_turn * x - this.sin_turn * y, away = this.sin_turn * x + this.cos_turn * y;
    const upwards = this.cos_tilt * z + this.sin_tilt * away, depth = this.cos_tilt * away - this.sin_tilt * z;
    const distance = 5 * this.radius;
    const scale = this.perspective ? this.scale * distance / Math.max(distance * 0.05, distance + depth) : this.scale;
    return [this.width / 2 + this.shift[0] + right * scale, this.height / 2 + this.shift[1] - upwards * scale];
  }
  /** The greatest extent of the motion. */
  extent() { return Math.max(...this.axes.map((c) => this.bounds.high[c] - this.bounds.low[c])) || 1; }
  step() { return nice_step(Math.hypot(...this.axes.map((c) => this.bounds.high[c] - this.bounds.low[c])) / 8 || 1); }
  /** Ends of the lines of a grid on the ground below everything, the axis upwards last. */
  grid() {
    const { low, high } = this.bounds, [a, b, c] = this.axes, step = this.step(), ground = low[c], lines = [];
    const from = (axis) => Math.floor(low[axis] / step - 0.5) * step, to = (axis) => Math.ceil(high[axis] / step + 0.5) * step;
    for (let x = from(a); x <= to(a) + step / 2; x += step) lines.push([[x, from(b), ground], [x, to(b), ground]]);
    for (let y = from(b); y <= to(b) + step / 2; y += step) lines.push([[from(a), y, ground], [to(a), y, ground]]);
    return lines;
  }
  /** The three directions as arrows in a corner of the view. */
  draw_triad(ctx) {
    const [left, top] = [44, this.height - 62], long = 30;
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach(([x, y, z], k) => {
      const right = this.cos_turn * x - this.sin_turn * y, away = this.sin_turn * x + this.cos_turn * y;
      const up = this.cos_tilt * z + this.sin_tilt * away;
      ctx.beginPath();
      ctx.moveTo(left, top);
      ctx.lineTo(left + long * right, top - long * up);
      ctx.stroke();
      ctx.textAlign = "center";
      ctx.fillText("xyz"[this.axes[k]], left + 1.35 * long * right, top - 1.35 * long * up + 4);
    });
  }
  /** Seen along the axis that is drawn as number 0, 1 or 2; from above where it is the one upwards. */
  face(k) {
    [this.turn, this.tilt] = k === 2 ? [0, Math.PI / 2] : [k === 0 ? -Math.PI / 2 : 0, 0];
    this.shift = [0, 0];
  }
  /** The grid and the directions; only letters where surfaces are drawn behind. */
  backdrop(ctx, unit, letters_only) {
    const step = this.step(), line = (p, q) => { ctx.moveTo(...this.place(...p)); ctx.lineTo(...this.place(...q)); };
    if (!letters_only) {
      ctx.lineWidth = 1;
      ctx.strokeStyle = themed("grid");
      ctx.beginPath();
      for (const [p, q] of this.grid()) line(p, q);
      ctx.stroke();
    }
    ctx.font = "12px system-ui, sans-serif";
    ctx.fillStyle = themed("soft");
    ctx.strokeStyle = themed("soft");
    ctx.lineWidth = 1.4;
    this.draw_triad(ctx);
    ctx.textAlign = "left";
    ctx.fillText("one square: " + with_unit(short_number(step), unit).replace(/[[\]]/g, ""), 10, this.height - 10);
    return [0, 0, this.width, this.height];
  }
}

// Forces of joints as arrows of one scale, which a corner of the view says.

const longest_arrow = 0.3;  // in parts of the extent of the motion

class ForceArrows {
  /** null where no joint of the motion has outputs "J.force.x", .. among the quantities. */
  static make(motion, quantities) {
    if (!quantities) return null;
    const made = new ForceArrows(motion, quantities);
    return made.joints.length > 0 && made.largest > 0 ? made : null;
  }

  constructor(motion, quantities) {
    this.motion = motion;
    const at = new Map(quantities.all.map((one) => [one.name, one])), letters = ["x", "y", "z"].slice(0, motion.dimension);
    const places = [...(motion.block.solids ?? []).filter((solid) => solid.shape === "joint").map((solid) => ({ name: solid.name, solid })),
      ...motion.curves.filter((curve) => curve.shape === "joint").map((curve) => ({ name: curve.name, curve }))];
    const found = places.map((place) => ({ ...place, outputs: letters.map((c) => at.get(place.name + ".force." + c)) }))
      .filter(({ outputs }) => outputs.every((one) => one));
    this.times = numbers(quantities.times);
    this.unit = found.length > 0 ? found[0].outputs[0].unit : "";
    this.joints = found.map((place) => ({ ...place, force: place.outputs.map((one) => numbers(one.values)) }));
    this.choose_scale();
  }

  /** The largest force is the longest arrow, unless few moments go far beyond all others, as where a mechanism locks. */
  choose_scale() {
    const { times } = this, last = times.length - 1, lasts = (j) => times[Math.min(j + 1, last)] - times[Math.max(j - 1, 0)];
    const found = this.joints.flatMap(({ force }) => Array.from(force[0], (_, j) => ({ size: Math.hypot(...force.map((f) => f[j])), time: lasts(j) })))
      .filter(({ size }) => size > 0 && size < Infinity).sort((a, b) => a.size - b.size);
    const most = found[found.length - 1]?.size ?? 0, all = found.reduce((sum, { time }) => sum + time, 0);
    let time = 0;
    const usual = found.find((one) => { time += one.time; return time >= 0.95 * all; })?.size ?? 0;
    this.cut = most > 5 * usual;
    this.largest = this.cut ? usual : most;
    const longest = longest_arrow * this.motion.view.extent();
    this.scale = this.largest > 0 ? nice_step(this.largest / longest) : 1;  // of force for a unit of length
    this.longest = (this.cut ? 1.5 : 1) * longest;
  }

  /** "arrows: 200 N per m" */
  text() {
    const of = this.motion.block.unit;
    return "arrows: " + short_number(this.scale) + (this.unit ? " " + this.unit : "") + " per " + (of || "unit of length") + (this.cut ? ", the longest cut" : "");
  }

  draw(ctx) {
    const { motion, times } = this, { view } = motion, [k, part] = motion.place_in_time(), pose = motion.pose(motion.runs[0]);
    let low = 0, high = times.length - 1;
    while (low < high) { const middle = (low + high + 1) >> 1; if (times[middle] <= motion.t) low = middle; else high = middle - 1; }
    ctx.strokeStyle = ctx.fillStyle = themed("bad");
    ctx.lineWidth = 2;
    for (const { solid, curve, force } of this.joints) {
      const from = solid ? motion.origin_of(motion.runs[0], solid, k, part) : Array.from(pose.slice(curve.begin, curve.begin + motion.dimension));
      const now = force.map((f) => f[low] / this.scale), size = Math.hypot(...now), shown = Math.min(1, this.longest / size);
      if (size > 0) draw_arrow(ctx, view.project(from, 0), view.project(from.map((x, i) => x + shown * now[i]), 0));
    }
  }

  /** An arrow of a round force, as long as that is in the middle of the view, and the scale. */
  draw_legend(ctx, [left, top, width]) {
    const { view } = this.motion, pixels = Array.isArray(view.scale) ? view.scale[0] : view.scale;
    let force = nice_step(this.scale * 100 / pixels);
    if (force * pixels / this.scale > 110) force /= 2;
    const long = force * pixels / this.scale, text = short_number(force) + (this.unit ? " " + this.unit : "");
    ctx.font = "12px system-ui, sans-serif";
    const wide = Math.max(long + 8 + ctx.measureText(text).width, ctx.measureText(this.text()).width) + 12, x = left + width - wide - 6, y = top + 6;
    ctx.globalAlpha = 0.85;
    ctx.fillStyle = themed("raised");
    ctx.fillRect(x, y, wide, 40);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = ctx.fillStyle = themed("bad");
    ctx.lineWidth = 2;
    draw_arrow(ctx, [x + 6, y + 12], [x + 6 + long, y + 12]);
    ctx.fillStyle = themed("soft");
    ctx.textAlign = "left";
    ctx.fillText(text, x + 14 + long, y + 16);
    ctx.fillText(this.text(), x + 6, y + 33);
    return [x, y, wide, 40];
  }
}

/** In the colour that is set; nothing where it is too short to be seen. */
function draw_arrow(ctx, [x0, y0], [x1, y1]) {
  const size = Math.hypot(x1 - x0, y1 - y0);
  if (!(size > 2)) return;
  const [u, v] = [(x1 - x0) / size, (y1 - y0) / size], head = Math.min(9, size / 2);
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1 - head * u, y1 - head * v);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x1 - head * u - head / 2 * v, y1 - head * v + head / 2 * u);
  ctx.lineTo(x1 - head * u + head / 2 * v, y1 - head * v - head / 2 * u);
  ctx.fill();
}

// Names at bodies, markers and joints of a motion. Those that have no room are left out.

class Names {
  constructor(motion) {
    this.motion = motion;
    const { block, curves, dimension, runs } = motion, bodies = (block.solids ?? []).filter((solid) => ["body", "inertia"].includes(solid.shape));
    const solid_names = new Set((block.solids ?? []).map((solid) => solid.name));
    const curve_at = (curve) => (pose) => {
      const mean = Array(dimension).fill(0), last = pose.subarray(curve.begin + (curve.n - 1) * dimension, curve.begin + curve.n * dimension);
      // A closed outline has its first point twice.
      const count = curve.n > 2 && last.every((x, c) => x === pose[curve.begin + c]) ? curve.n - 1 : curve.n;
      for (let k = 0; k < count * dimension; ++k) mean[k % dimension] += pose[curve.begin + k] / count;
      return mean;
    };
    const solid_at = (solid) => (pose, k, part) => motion.origin_of(runs[0], solid, k, part);
    const of_curves = (shapes, rank) => curves.filter((curve) => shapes.includes(curve.shape) && curve.name && !solid_names.has(curve.name))
      .map((curve) => ({ names: [curve.name], at: curve_at(curve), rank, body: rank === 0 ? curve.name : null }));
    this.all = this.merged([...bodies.map((solid) => ({ names: [solid.name], at: solid_at(solid), rank: 0, body: solid.name })),
      ...of_curves(["outline"], 0), ...of_curves(["trace"], 1),
      ...of_curves(["line", "spring"], 2), ...of_curves(["joint"], 3),
      ...(block.solids ?? []).filter((solid) => solid.shape === "joint").map((solid) => ({ names: [solid.name], at: solid_at(solid), rank: 3, body: null }))]);
  }

  /** What is at one place at all times, as a pin and the markers that it joins, has one label. */
  merged(all) {
    const { motion } = this, near = 1e-5 * motion.view.extent(), count = motion.times.length;
    const shown = [0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => Math.floor(part * (count - 1)));
    const way = (one) => shown.flatMap((k) => one.at(motion.pose_at(motion.runs[0], k), k, 0)), kept = [];
    for (const one of all) {
      one.way = way(one);
      const close = (x, i) => Math.abs(x - one.way[i]) <= near || (Number.isNaN(x) && Number.isNaN(one.way[i]));
      const same = one.rank > 0 && kept.find((other) => other.rank > 0 && other.way.every(close));
      if (same) same.names.push(...one.names.filter((name) => !same.names.includes(name)));
      else kept.push(one);
    }
    return kept.sort((a, b) => a.rank - b.rank);
  }

  text(one) {
    const [first, ...more] = one.names, all = one.names.join(", ");
    return all.length <= 30 || more.length === 0 ? all : first + " and " + more.length + " more";
  }

  /** Labels beside their places: where the last one was if there is room, further away with a line, or not at all. */
  draw(ctx, [left, top, width, height], taken) {
    const { motion } = this, [k, part] = motion.place_in_time(), pose = motion.pose(motion.runs[0]);
    const used = [...taken], free = ([x, y, w, h]) => x >= left && y >= top && x + w <= left + width && y + h <= top + height &&
      used.every(([a, b, c, d]) => x >= a + c || a >= x + w || y >= b + d || b >= y + h);
    const places = this.all.map((one) => ({ one, at: motion.view.project(one.at(pose, k, part), 0) }))
      .filter(({ at: [x, y] }) => x >= left && y >= top && x <= left + width && y <= top + height);
    for (const { at: [x, y] } of places) used.push([x - 3, y - 3, 6, 6]);
    ctx.font = "12px system-ui, sans-serif";
    ctx.textAlign = "left";
    ctx.lineJoin = "round";
    this.shown = [];
    for (const { one, at: [x, y] } of places) {
      const text = this.text(one), w = ctx.measureText(text).width + 4, h = 15, ways = [];
      for (const far of [8, 24, 42])
        for (const [u, v] of [[1, -0.6], [1, 0.6], [-1, -0.6], [-1, 0.6], [0, -1], [0, 1]])
          ways.push([x + far * u - (u < 0 ? w : u === 0 ? w / 2 : 0), y + far * v - h / 2, w, h, far]);
      let chosen = one.last !== undefined && free(ways[one.last]) ? one.last : ways.findIndex(free);
      one.last = chosen < 0 ? undefined : chosen;
      if (chosen < 0) continue;
      const [a, b, , , far] = ways[chosen];
      used.push(ways[chosen].slice(0, 4));
      this.shown.push({ text, box: ways[chosen].slice(0, 4) });
      if (far > 8) {
        ctx.strokeStyle = themed("guide");
        ctx.lineWidth = 1;
        ctx.beginPath();
        ctx.moveTo(x, y);
        ctx.lineTo(Math.min(Math.max(x, a), a + w), Math.min(Math.max(y, b + 2), b + h - 2));
        ctx.stroke();
      }
      ctx.strokeStyle = themed("raised");
      ctx.lineWidth = 4;
      ctx.strokeText(text, a + 2, b + 12);
      ctx.fillStyle = one.body !== null ? motion.body_colour(one.body, motion.runs[0]) : themed(one.rank === 3 ? "soft" : "ink");
      ctx.fillText(text, a + 2, b + 12);
    }
  }
}

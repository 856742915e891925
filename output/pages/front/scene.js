// Bodies as surfaces with light, by three.js behind the canvas of a Motion, seen as its SpaceView says.

const thin_part = 0.004, crease = Math.cos(35 * Math.PI / 180);  // radii of lines in parts of the extent; smooth below

/** The normals of corners of triangles: smooth over edges that are nearly flat. */
function smooth_normals(points) {
  const count = points.length / 3, faces = new Float32Array(points.length), at = new Map();
  for (let k = 0; k < count; k += 3) {
    const [a, b, c] = [k, k + 1, k + 2].map((i) => points.subarray(3 * i, 3 * i + 3));
    const u = [0, 1, 2].map((i) => b[i] - a[i]), v = [0, 1, 2].map((i) => c[i] - a[i]);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const size = Math.hypot(...n) || 1;
    for (const corner of [k, k + 1, k + 2]) {
      for (let i = 0; i < 3; ++i) faces[3 * corner + i] = n[i] / size;
      const key = [0, 1, 2].map((i) => points[3 * corner + i].toPrecision(5)).join();
      if (!at.has(key)) at.set(key, []);
      at.get(key).push(corner);
    }
  }
  const normals = new Float32Array(points.length);
  for (const corners of at.values())
    for (const one of corners)
      for (const other of corners) {
        const dot = [0, 1, 2].reduce((sum, i) => sum + faces[3 * one + i] * faces[3 * other + i], 0);
        if (dot >= crease) for (let i = 0; i < 3; ++i) normals[3 * one + i] += faces[3 * other + i];
      }
  return normals;  // three.js makes their length one
}

/** Points of a coil between two points: a zigzag in two directions across. */
function coil(a, b, radius, turns = 8, pieces = 12) {
  const along = [0, 1, 2].map((i) => b[i] - a[i]), length = Math.hypot(...along) || 1, w = along.map((x) => x / length);
  const least = w.reduce((m, x, i) => (Math.abs(x) < Math.abs(w[m]) ? i : m), 0), e = [0, 1, 2].map((i) => (i === least ? 1 : 0));
  const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
  let u = cross(w, e);
  const size = Math.hypot(...u);
  u = u.map((x) => x / size);
  const v = cross(w, u), points = [a];
  for (let k = 0; k <= turns * pieces; ++k) {
    const part = 0.1 + 0.8 * k / (turns * pieces), angle = 2 * Math.PI * k / pieces;
    points.push([0, 1, 2].map((i) => a[i] + part * along[i] + radius * (Math.cos(angle) * u[i] + Math.sin(angle) * v[i])));
  }
  points.push(b);
  return points;
}

class SurfaceScene {
  /** null where there is nothing to show, or no WebGL. */
  static make(motion) {
    if (!motion.block.solids || motion.block.solids.length === 0 || typeof THREE === "undefined") return null;
    try {
      return new SurfaceScene(motion);
    } catch {
      return null;
    }
  }

  constructor(motion) {
    this.motion = motion;
    this.canvas = element("canvas", { class: "surfaces", "aria-hidden": "true" });
    const context = this.canvas.getContext("webgl2", { antialias: true, alpha: true, preserveDrawingBuffer: true });
    if (!context) throw new Error("no WebGL");
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, context, alpha: true });
    this.renderer.setClearColor(0, 0);
    this.world = new THREE.Scene();
    this.camera = new THREE.Camera();
    this.camera.matrixAutoUpdate = false;
    this.root = new THREE.Group();  // the axis upwards last
    const { axes } = motion.view;
    this.root.matrixAutoUpdate = false;
    this.root.matrix.set(...[0, 1, 2].flatMap((r) => [0, 1, 2, 3].map((c) => (c === axes[r] ? 1 : 0))), 0, 0, 0, 1);
    this.world.add(this.root);
    this.light = new THREE.DirectionalLight(0xffffff, 2.2);
    this.world.add(new THREE.AmbientLight(0xffffff, 1.25), this.light);
    this.size = motion.view.extent();
    this.make_grid();
    this.runs = motion.runs.map((run, k) => this.make_run(run, k));
    this.colour();
  }

  make_grid() {
    const { view } = this.motion, lines = view.grid().flat(2);
    const place = (points) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
      return geometry;
    };
    this.grid = new THREE.LineSegments(place(lines), new THREE.LineBasicMaterial());
    this.world.add(this.grid);
  }

  /** A unit bar along the third axis, of radius one. */
  bar() {
    if (!this.bar_geometry) {
      const points = [], normals = [], corners = 10;
      for (let k = 0; k < corners; ++k) {
        const [a, b] = [k, k + 1].map((i) => [Math.cos(2 * Math.PI * i / corners), Math.sin(2 * Math.PI * i / corners)]);
        for (const [p, z] of [[a, 0], [b, 0], [b, 1], [a, 0], [b, 1], [a, 1]]) { points.push(...p, z); normals.push(...p, 0); }
      }
      this.bar_geometry = new THREE.BufferGeometry();
      this.bar_geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
      this.bar_geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(normals), 3));
    }
    return this.bar_geometry;
  }
  ball() {
    if (!this.ball_geometry) {
      const points = [], rows = 8, columns = 12;
      const at = (i, j) => [Math.sin(Math.PI * i / rows) * Math.cos(2 * Math.PI * j / columns),
        Math.sin(Math.PI * i / rows) * Math.sin(2 * Math.PI * j / columns), Math.cos(Math.PI * i / rows)];
      for (let i = 0; i < rows; ++i)
        for (let j = 0; j < columns; ++j) points.push(...at(i, j), ...at(i + 1, j), ...at(i + 1, j + 1), ...at(i, j), ...at(i + 1, j + 1), ...at(i, j + 1));
      this.ball_geometry = new THREE.BufferGeometry();
      this.ball_geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(points), 3));
      this.ball_geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(points), 3));
    }
    return this.ball_geometry;
  }

  mesh(geometry, material, group) {
    const made = new THREE.Mesh(geometry, material);
    made.matrixAutoUpdate = false;
    group.add(made);
    return made;
  }

  make_run(run, place) {
    const { block, curves } = this.motion, group = new THREE.Group();
    const material = (role, k) => {
      const made = new THREE.MeshLambertMaterial({ side: role === "contact" ? THREE.DoubleSide : 0, transparent: run.reference || ["contact", "inertia"].includes(role),
        opacity: role === "contact" ? 0.28 : role === "inertia" ? 0.3 : run.reference ? 0.35 : 1, depthWrite: !run.reference && !["contact", "inertia"].includes(role) });
      made.userData = { role, k, group: run.group };
      return made;
    };
    this.geometries ??= block.solids.map((solid) => {
      const from = this.points_of(solid, run), corners = numbers(solid.triangles), points = new Float32Array(3 * corners.length);
      corners.forEach((corner, k) => { for (let i = 0; i < 3; ++i) points[3 * k + i] = from[3 * corner + i]; });
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
      geometry.setAttribute("normal", new THREE.BufferAttribute(smooth_normals(points), 3));
      return geometry;
    });
    const bodies = new Map(block.solids.filter((solid) => ["body", "inertia"].includes(solid.shape)).map((solid, k) => [solid.name, k]));
    const solids = block.solids.map((solid, k) => {
      const made = this.mesh(this.geometries[k], material(solid.shape, bodies.get(solid.name)), group);
      if (solid.shape === "contact") return made;
      this.edges ??= [];
      this.edges[k] ??= new THREE.EdgesGeometry(this.geometries[k], 35);
      const lines = new THREE.LineSegments(this.edges[k], new THREE.LineBasicMaterial({ transparent: true, opacity: run.reference ? 0.2 : 0.45 }));
      lines.material.userData = { role: "edge", group: run.group };
      made.add(lines);
      return made;
    });
    const lines = curves.filter((curve) => !["outline", "trace", "joint"].includes(curve.shape)).map((curve) => {
      const colour = material(curve.shape === "spring" ? "spring" : curve.fixed ? "joint" : "line");
      if (curve.n === 1) return { curve, dot: this.mesh(this.ball(), colour, group) };
      const pieces = curve.shape === "spring" ? 8 * 12 + 2 : curve.n - 1;
      return { curve, bars: Array.from({ length: Math.min(pieces, 400) }, () => this.mesh(this.bar(), colour, group)) };
    });
    const traces = curves.filter((curve) => curve.with_trace).map((curve) => {
      const count = this.motion.times.length, points = new Float32Array(3 * count);
      for (let k = 0; k < count; ++k) for (let i = 0; i < 3; ++i) points[3 * k + i] = run.points[k * this.motion.stride + curve.begin + i];
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
      const made = new THREE.Line(geometry, new THREE.LineBasicMaterial({ transparent: true, opacity: run.reference ? 0.35 : 0.85 }));
      made.material.userData = { role: "trace", k: bodies.get(curve.name.slice(0, curve.name.lastIndexOf("."))), group: run.group };
      const whole = new THREE.Line(geometry.clone(), new THREE.LineBasicMaterial({ transparent: true, opacity: run.reference ? 0.12 : 0.3 }));
      whole.material.userData = made.material.userData;
      made.userData = { curve, whole };
      for (const line of [made, whole]) {
        line.frustumCulled = false;
        group.add(line);
      }
      return made;
    });
    this.root.add(group);
    return { group, solids, lines, traces, poses: numbers(run.poses), place };
  }

  /** Corners of a solid; a plane of contact reaches as far as anything moves, up to four times its size. */
  points_of(solid, run) {
    const points = numbers(solid.points);
    if (solid.shape !== "contact") return points;
    const { low, high } = this.motion.view.bounds, s = 9 * this.motion.block.solids.indexOf(solid), pose = numbers(run.poses).subarray(s, s + 9);
    const mean = [0, 1, 2].map((c) => points.reduce((sum, x, k) => sum + (k % 3 === c ? x : 0), 0) / (points.length / 3));
    const half = Math.hypot(...mean.map((x, c) => points[c] - x)) / Math.SQRT2;
    const w = [pose[4] * pose[8] - pose[5] * pose[7], pose[5] * pose[6] - pose[3] * pose[8], pose[3] * pose[7] - pose[4] * pose[6]];
    const middle = [0, 1, 2].map((c) => pose[c] + pose[3 + c] * mean[0] + pose[6 + c] * mean[1] + w[c] * mean[2]);
    const reach = Math.max(...middle.map((x, c) => Math.max(high[c] - x, x - low[c])));
    const factor = Math.min(4, Math.max(1, 1.05 * reach / half));
    return points.map((x, k) => mean[k % 3] + factor * (x - mean[k % 3]));
  }

  /** Colours of the theme: of several runs one each, of a single one a colour a body and its traces. */
  colour() {
    const single = this.motion.runs.length === 1, of = (name) => new THREE.Color(themed(name));
    this.world.fog = new THREE.Fog(of("raised"), 1, 2);
    this.grid.material.color = of("grid");
    this.root.traverse(({ material }) => {
      if (!material) return;
      const { role, k, group } = material.userData;
      const number = single ? k ?? group : group;
      const grey = { joint: "soft", contact: "guide", spring: "soft", edge: "ink" }[role];
      material.color = grey ? of(grey) : new THREE.Color(colour_of(number));
    });
  }

  /** A bar or a ball between points; a body by the axes of its frame. */
  static set_bar(mesh, a, b, radius) {
    const w = [0, 1, 2].map((i) => b[i] - a[i]), length = Math.hypot(...w);
    mesh.visible = length > 0 && Number.isFinite(length);
    if (!mesh.visible) return;
    const n = w.map((x) => x / length), e = Math.abs(n[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0];
    let u = [n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]];
    const size = Math.hypot(...u) / radius;
    u = u.map((x) => x / size);
    const v = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
    mesh.matrix.set(u[0], v[0], w[0], a[0], u[1], v[1], w[1], a[1], u[2], v[2], w[2], a[2], 0, 0, 0, 1);
  }

  /** Poses straight between neighbouring times, the axes made perpendicular again. */
  place_solids(run, k, part) {
    const stride = 9 * run.solids.length;
    run.solids.forEach((mesh, s) => {
      const x = [];
      for (let i = 0; i < 9; ++i) {
        const a = run.poses[k * stride + 9 * s + i];
        x.push(part > 0 ? a + part * (run.poses[(k + 1) * stride + 9 * s + i] - a) : a);
      }
      mesh.visible = x.every(Number.isFinite);
      if (!mesh.visible) return;
      const u = x.slice(3, 6), v = x.slice(6, 9), size = Math.hypot(...u) || 1;
      for (let i = 0; i < 3; ++i) u[i] /= size;
      const along = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
      for (let i = 0; i < 3; ++i) v[i] -= along * u[i];
      const across = Math.hypot(...v) || 1;
      for (let i = 0; i < 3; ++i) v[i] /= across;
      const w = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      mesh.matrix.set(u[0], v[0], w[0], x[0], u[1], v[1], w[1], x[1], u[2], v[2], w[2], x[2], 0, 0, 0, 1);
      mesh.origin = x.slice(0, 3);
    });
  }

  place_lines(run, pose) {
    const point = (at) => [pose[at], pose[at + 1], pose[at + 2]], radius = thin_part * this.size;
    for (const { curve, dot, bars } of run.lines) {
      if (dot) {
        const p = point(curve.begin), r = 2.5 * radius;
        dot.visible = p.every(Number.isFinite);
        dot.matrix.set(r, 0, 0, p[0], 0, r, 0, p[1], 0, 0, r, p[2], 0, 0, 0, 1);
        continue;
      }
      const ends = curve.shape === "spring" ? coil(point(curve.begin), point(curve.begin + 3), 5 * radius)
        : Array.from({ length: curve.n }, (_, k) => point(curve.begin + 3 * k));
      bars.forEach((bar, k) => SurfaceScene.set_bar(bar, ends[k], ends[k + 1], curve.shape === "spring" ? 0.6 * radius : radius));
    }
  }

  look(view) {
    const { width, height, radius, scale, middle, sin_turn: s, cos_turn: c, sin_tilt: st, cos_tilt: ct } = view, far = 5 * radius;
    // Rows: right, upwards, towards the eye.
    const rows = [[c, -s, 0], [st * s, st * c, ct], [-ct * s, -ct * c, st]], [a, b, m] = middle;
    const eye = rows.map((row) => -(row[0] * a + row[1] * b + row[2] * m));
    const { camera } = this;
    camera.matrix.set(...rows[0], eye[0], ...rows[1], eye[1], ...rows[2], eye[2] - far, 0, 0, 0, 1).invert();
    camera.matrixWorldNeedsUpdate = true;
    const near = 0.05 * far, end = 40 * far, [left, down] = view.shift;
    const x = 2 * scale / width, y = 2 * scale / height;
    if (view.perspective)
      camera.projectionMatrix.set(x * far, 0, -2 * left / width, 0, 0, y * far, 2 * down / height, 0,
        0, 0, -(end + near) / (end - near), -2 * end * near / (end - near), 0, 0, -1, 0);
    else
      camera.projectionMatrix.set(x, 0, 0, 2 * left / width, 0, y, 0, -2 * down / height, 0, 0, -1 / end, -far / end, 0, 0, 0, 1);
    camera.projectionMatrixInverse.copy(camera.projectionMatrix).invert();
    const from = [-0.5, 0.8, 1.2];
    this.light.position.set(...[0, 1, 2].map((k) => rows[0][k] * from[0] + rows[1][k] * from[1] + rows[2][k] * from[2]));
    this.world.fog.near = far - 0.5 * radius;
    this.world.fog.far = far + 4 * radius;
  }

  draw() {
    const { motion } = this, { view } = motion, ratio = devicePixelRatio || 1;
    this.renderer.setPixelRatio(ratio);
    if (this.width !== view.width || this.height !== view.height || this.ratio !== ratio) {
      [this.width, this.height, this.ratio] = [view.width, view.height, ratio];
      this.renderer.setSize(view.width, view.height, false);
    }
    const [k, part] = motion.place_in_time(), memory = motion.memory();
    this.runs.forEach((run) => {
      const of = motion.runs[run.place];
      run.group.visible = of.shown;
      if (!of.shown) return;
      this.place_solids(run, k, part);
      this.place_lines(run, motion.pose(of));
      for (const trace of run.traces) {
        trace.visible = trace.userData.whole.visible = motion.traces && trace.userData.curve.with_trace;
        const oldest = Math.max(0, k - memory);
        trace.geometry.setDrawRange(oldest, k - oldest + 1);
      }
    });
    this.look(view);
    this.renderer.render(this.world, this.camera);
  }
}

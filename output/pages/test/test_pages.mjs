// What pages do in a browser: node test_pages.mjs, with GNOMON_PROGRAM, GNOMON_EVERY_BLOCK, GNOMON_CHROMIUM and
// GNOMON_NODE_MODULES in the environment.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { close_browser, drawn, look_at } from "./browser.mjs";
import { pages } from "./pages.mjs";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gnomon-pages-"));
after(async () => {
  await close_browser();
  fs.rmSync(folder, { recursive: true, force: true });
});

function write(page) {
  const file = path.join(folder, page.name + ".html");
  if (fs.existsSync(file)) return file;
  if (page.writer) fs.writeFileSync(file, execFileSync(process.env.GNOMON_EVERY_BLOCK, { maxBuffer: 1 << 28 }));
  else {
    const rows = path.join(path.dirname(fileURLToPath(import.meta.url)), "rows.json");
    const words = page.arguments.split(" ").map((word) => ({ FILE: file, ROWS: rows })[word] ?? word);
    const { status, stderr } = spawnSync(process.env.GNOMON_PROGRAM, words, { cwd: folder, encoding: "utf8" });
    assert.equal(status, page.status ?? 0, page.arguments + ": " + stderr);
  }
  return file;
}
const every = () => write(pages[0]);

for (const page of pages)
  test(page.name + ": nothing is asked for, and all of it is drawn", async () => {
    const file = write(page);
    for (const [width, theme] of [[1280, "light"], [380, "dark"]])
      await look_at(file, async (tab) => {
        const ready = await tab.evaluate(() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd);
        assert.ok(ready > 0);
        await drawn(tab);
        const found = await tab.evaluate(() => ({
          charts: gnomon.charts.map((c) => ({ title: c.block.title, points: c.series.reduce((n, s) => n + s.x.length, 0),
            shown: c.series.some((s) => [...s.x.keys()].some((k) => c.drawn(s, k))), plot: c.plot.ctx.canvas.width })),
          motions: gnomon.motions.length, tables: document.querySelectorAll("tbody tr").length,
          wide: document.documentElement.scrollWidth - innerWidth,
        }));
        assert.ok(found.charts.length >= (page.charts || 0), "charts");
        assert.ok(found.motions >= (page.motions || 0), "motions");
        if (page.tables) assert.ok(found.tables > 0, "rows");
        for (const chart of found.charts) assert.ok(chart.points > 0 && chart.shown && chart.plot > 0, chart.title + " is empty");
        assert.ok(found.wide <= 0, "the page is wider than the window by " + found.wide + " at " + width);
      }, { width, theme });
  });

test("points are drawn where they belong, in the colour of their series", () => look_at(every(), async (tab) => {
  await drawn(tab);
  const away = await tab.evaluate(() => {
    /** The picture of a canvas, drawn again where reading it is cheap. */
    const picture = (canvas) => {
      const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
      const ctx = copy.getContext("2d", { willReadFrequently: true });
      ctx.drawImage(canvas, 0, 0);
      return ctx.getImageData(0, 0, copy.width, copy.height);
    };
    /** Whether a pixel near a place has the colour, as far as blending leaves it. */
    const has = ({ data, width }, x, y, colour) => {
      const wanted = [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16)), reach = 3;
      for (let row = Math.round(y) - reach; row <= Math.round(y) + reach; ++row)
        for (let column = Math.round(x) - reach; column <= Math.round(x) + reach; ++column) {
          const at = 4 * (row * width + column);
          if (data[at + 3] > 100 && wanted.every((w, c) => Math.abs(w - data[at + c]) < 60)) return true;
        }
      return false;
    };
    let missing = 0, looked = 0;
    for (const chart of gnomon.charts) {
      const shown = picture(chart.plot.ctx.canvas);
      for (const series of chart.series) {
        if (series.style === "guide" || chart.dash(series).length && series.style === "line") continue;
        for (let k = 0; k < series.x.length; k += Math.ceil(series.x.length / 40)) {
          const point = chart.drawn(series, k);
          if (!point) continue;
          ++looked;
          if (!has(shown, chart.plot.valToPos(point[0], "x", true), chart.plot.valToPos(point[1], "y", true), chart.colour(series))) ++missing;
        }
      }
    }
    for (const motion of gnomon.motions.filter((m) => !m.surfaces && !m.block.solids.length)) {
      motion.play(false);
      motion.show(motion.times[50]);
      const [run] = motion.runs, shown = picture(motion.canvas), ratio = devicePixelRatio;
      for (const curve of motion.curves.filter((c) => !c.fixed)) {
        const [x, y] = motion.view.project(run.points, 50 * motion.stride + curve.begin);
        ++looked;
        if (!has(shown, x * ratio, y * ratio, "#0069a8")) ++missing;
      }
    }
    return { missing, looked };
  });
  assert.ok(away.looked > 80);
  assert.equal(away.missing, 0, away.missing + " of " + away.looked + " points are not there");
}));

test("a motion plays, pauses, and follows the slider and the keys", () => look_at(every(), async (tab) => {
  await drawn(tab);
  const canvas = tab.locator("canvas[role=img]").first(), button = tab.locator(".play").first();
  const time = () => tab.evaluate(() => gnomon.motions[0].t);
  const picture = () => canvas.evaluate((c) => c.toDataURL());
  await tab.evaluate(() => gnomon.motions[0].play(false));
  const start = await picture(), t0 = await time();
  await button.click();
  await tab.waitForFunction((t) => gnomon.motions[0].t > t + 0.2, t0);
  await button.click();
  assert.notEqual(await picture(), start, "frames do not differ");
  const t1 = await time(), still = await picture();
  await tab.waitForTimeout(100);
  assert.equal(await time(), t1);
  assert.equal(await picture(), still);
  await tab.locator("input[type=range]").first().fill("5");
  assert.ok(Math.abs(await time() - 5) < 1e-6);
  await canvas.focus();
  await tab.keyboard.press(".");
  assert.ok(Math.abs(await time() - 5.05) < 1e-6);
  await tab.keyboard.press(",");
  const before = await picture();
  await tab.keyboard.press("ArrowLeft");
  assert.notEqual(await picture(), before, "arrow keys do not turn the view");
  await tab.keyboard.press("0");
  assert.equal(await picture(), before, "0 does not reset the view");
  await tab.keyboard.press("Space");
  assert.equal(await tab.evaluate(() => gnomon.motions[0].playing), true);
}, { motion: "no-preference" }));

/** How many pixels of the surfaces of the motion are not transparent. */
const painted = (tab, k) => tab.evaluate((at) => {
  const { canvas } = gnomon.motions[at].surfaces, copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const ctx = copy.getContext("2d", { willReadFrequently: true });
  ctx.drawImage(canvas, 0, 0);
  const { data } = ctx.getImageData(0, 0, copy.width, copy.height), colours = new Set();
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) { ++count; colours.add(data.slice(i, i + 3).join()); }
  return { count, colours: colours.size, picture: canvas.toDataURL().length };
}, k);

test("bodies are surfaces with light where there is WebGL, and lines elsewhere", async () => {
  await look_at(every(), async (tab) => {
    await drawn(tab);
    const whole = await painted(tab, 2);
    assert.ok(whole.count > 5000 && whole.colours > 3, JSON.stringify(whole));
    const size = () => tab.evaluate(() => {
      const m = gnomon.motions[2];
      m.play(false);
      m.show(1);
      return m.surfaces.canvas.toDataURL();
    });
    const free = await size();
    for (const axis of ["x", "y", "z"]) {
      await tab.locator("button[aria-label='view along " + axis + "']").last().click();
      assert.notEqual(await size(), free);
    }
    await tab.locator("label", { hasText: "forces" }).last().click();
    assert.equal(await tab.evaluate(() => gnomon.motions[2].with_forces && gnomon.motions[2].forces.joints.length), 1);
  }, { webgl: true });
  await look_at(every(), async (tab) => {
    await drawn(tab);
    assert.equal(await tab.evaluate(() => gnomon.motions[2].surfaces), null);
  });
});

test("forces have a scale that fits the view, drawn while they are shown", () => look_at(every(), async (tab) => {
  await drawn(tab);
  await tab.evaluate(() => { gnomon.motions[2].play(false); gnomon.motions[2].show(0.3); });
  const corner = () => tab.evaluate(() => {
    const { canvas } = gnomon.motions[2], ratio = devicePixelRatio, copy = Object.assign(document.createElement("canvas"), { width: 200 * ratio, height: 50 * ratio });
    const ctx = copy.getContext("2d", { willReadFrequently: true });
    ctx.drawImage(canvas, copy.width - canvas.width, 0);
    const { data } = ctx.getImageData(0, 0, copy.width, copy.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] > 140 && data[i + 1] < 90 && data[i + 3] > 100) ++count;
    return count;
  });
  assert.equal(await corner(), 0);
  await tab.locator("label", { hasText: "forces" }).last().click();
  assert.ok(await corner() > 50, "no arrow in the legend");
  const { text, longest, scale, extent } = await tab.evaluate(() => {
    const { forces, view } = gnomon.motions[2];
    return { text: forces.text(), longest: forces.largest, scale: forces.scale, extent: view.extent() };
  });
  assert.equal(text, "arrows: " + scale + " N per m");
  assert.ok(longest / scale > 0.1 * extent && longest / scale <= 0.3 * extent, longest + " N at " + scale);
}, { motion: "reduce" }));

test("names are off at first, and do not cover each other", async () => {
  for (const webgl of [true, false])
    await look_at(every(), async (tab) => {
      await drawn(tab);
      const box = tab.locator("label", { hasText: "names" }).last().locator("input");
      assert.equal(await box.isChecked(), false);
      await tab.evaluate(() => { gnomon.motions[2].play(false); gnomon.motions[2].show(0.3); });
      await box.check();
      for (const t of [0, 0.7, 2]) {
        const shown = await tab.evaluate((at) => { gnomon.motions[2].show(at); return gnomon.motions[2].names.shown; }, t);
        const texts = shown.map((one) => one.text);
        for (const name of ["box", "corner", "hinge"]) assert.ok(texts.includes(name), name + " is not among " + texts);
        for (const [k, { box: [x, y, w, h], text }] of shown.entries())
          for (const { box: [a, b, c, d], text: other } of shown.slice(0, k))
            assert.ok(x >= a + c || a >= x + w || y >= b + d || b >= y + h, text + " covers " + other);
      }
    }, { webgl, motion: "reduce" });
});

test("events are ticks below the slider, with names, and are gone to by buttons", () => look_at(every(), async (tab) => {
  await drawn(tab);
  await tab.evaluate(() => { gnomon.motions[2].play(false); gnomon.motions[2].show(0); });
  const ticks = tab.locator(".ticks .tick"), row = tab.locator(".bar.events"), slider = tab.locator("input[type=range]").last();
  assert.equal(await ticks.count(), 3);  // two events share one
  assert.equal(await ticks.first().getAttribute("aria-label"), "t = 0.500 s to 0.501, 2 events: landing, floor.corner; sticking, floor.corner");
  assert.equal(await ticks.first().getAttribute("title"), await ticks.first().getAttribute("aria-label"));
  assert.match(await row.locator("output").textContent(), /4 events, the first at t = 0.500 s/);
  assert.ok(await row.getByLabel("previous event").isDisabled());
  await row.getByLabel("next event").click();
  assert.equal(await tab.evaluate(() => gnomon.motions[2].t), 0.5);
  assert.match(await slider.getAttribute("aria-valuetext"), /landing, floor.corner/);
  await row.getByLabel("next event").click();
  assert.equal(await tab.evaluate(() => gnomon.motions[2].t), 0.501);
  await ticks.last().click();
  assert.equal(await tab.evaluate(() => gnomon.motions[2].t), 2);
  assert.match(await row.locator("output").textContent(), /4 of 4: the run stopped/);
  assert.ok(await row.getByLabel("next event").isDisabled());
  const places = await ticks.evaluateAll((all) => all.map((one) => { const box = one.getBoundingClientRect(); return box.left + box.width / 2; }));
  const track = await slider.boundingBox();
  for (const [k, t] of [0.5, 1.2, 2].entries()) {
    const at = track.x + 8 + (track.width - 16) * t / 2;
    assert.ok(Math.abs(places[k] - at) < 1, "tick " + k + " is at " + places[k] + ", the thumb at " + at);
  }
}, { motion: "reduce" }));

const locks = `format = 1
planar = true
points = { O = [0, 0], P = [2, 0] }
start = { assemble = true }
[bodies]
crank = { shape = { box = [1, 0.05], density = 10 }, markers = { left = [-0.5, 0], right = [0.5, 0] }, orientation = "60*deg", place = { left = "O" } }
coupler = { shape = { box = [1.2, 0.05], density = 10 }, markers = { left = [-0.6, 0], right = [0.6, 0] }, place = { left = "crank.right", right = [2, 1.4] } }
rocker = { mass = 2, inertia = 1.5, markers = { top = [0, 0.6], bottom = [0, -0.6] }, place = { bottom = "P", top = "coupler.right" } }
[joints]
A = { type = "revolute", between = ["O", "crank.left"] }
B = { type = "revolute", between = ["crank.right", "coupler.left"] }
C = { type = "revolute", between = ["coupler.right", "rocker.top"] }
D = { type = "revolute", between = ["P", "rocker.bottom"] }
[motors]
M = { joint = "A", angle = "t" }
`;

test("a run that stopped says so, when and why, above its motion", async () => {
  fs.writeFileSync(path.join(folder, "locks.toml"), locks);
  const file = write({ name: "locks", arguments: "run locks.toml --rtol 1e-6 --until 3 --report FILE", status: 3 });
  for (const [width, height] of [[1280, 900], [390, 800]])
    await look_at(file, async (tab) => {
      const notice = tab.locator(".of-notice"), box = await notice.boundingBox();
      assert.match(await notice.locator("h3").textContent(), /Stopped at t = 0\.71\d* s, before the end at 3 s/);
      assert.match(await notice.textContent(), /constraints lose rank.*dead centre or a locked position/);
      assert.ok(box.y < 300, "it begins at " + box.y);
      await drawn(tab);
      const [stage] = await tab.locator(".stage").all();
      assert.ok((await stage.boundingBox()).y > box.y, "it is not above the motion");
      const slider = tab.locator("input[type=range]");
      assert.ok(Math.abs(Number(await slider.getAttribute("max")) - 0.715) < 0.01, "the slider goes further than the run");
      assert.equal(await tab.locator(".tick.stop").getAttribute("aria-label"), "t = 0.7148 s: the run stopped");
      // Pins that join two markers leave one trace, and what stands still leaves none.
      assert.deepEqual(await tab.locator(".legend[aria-label='Traces of markers'] button").allTextContents(),
        ["crank.right, coupler.left", "coupler.right, rocker.top"]);
    }, { width, height, motion: "reduce" });
});

test("errors of energy are parts of one energy, which the page names", () => look_at(write(pages.find((page) => page.name === "run")), async (tab) => {
  await drawn(tab);
  const text = await tab.locator("main").textContent();
  const [, said] = /E = max\(max \|T\|, max \|U\|\) = ([\d.e+-]+) J of energy-momentum, h = 0.01\./.exec(text);
  const { label, most } = await tab.evaluate(() => {
    const chart = gnomon.charts.find((one) => one.block.title === "Energy error");
    return { label: chart.block.y.label, most: Math.max(...chart.series[0].y.map(Math.abs)) };
  });
  assert.match(label, / \/ E$/);
  const cells = await tab.locator("section[aria-label='Largest errors'] tbody tr").first().locator("th, td").allTextContents();
  assert.ok(Math.abs(Number(cells[3]) / most - 1) < 0.01, cells[3] + " in the table, " + most + " in the chart");
  assert.ok(Math.abs(Number(cells[2]) / Number(said) / most - 1) < 0.02, cells[2] + " of " + said);
  assert.match(text, new RegExp("in parts of E: " + cells[3].replace(".", "\\.")));
}));

test("a sweep shows charts first, then tables, and at last what was run", () => look_at(write(pages.find((page) => page.name === "sweep")), async (tab) => {
  const order = await tab.evaluate(() => [...document.querySelectorAll("main > .section h2")].map((one) => one.textContent));
  const places = ["Figures against what varies", "Distributions", "Figures", "What was run", "Basis"].map((one) => order.indexOf(one));
  assert.ok(places.every((place, k) => place >= 0 && (k === 0 || place > places[k - 1])), order.join(" | "));
  const first = await tab.locator(".of-chart").first().boundingBox();
  assert.ok(first.y < 400, "the first chart begins at " + first.y);
}));

test("quantities are ticked by name", () => look_at(every(), async (tab) => {
  await drawn(tab);
  const titles = () => tab.evaluate(() => gnomon.charts.map((c) => c.block.title));
  const before = await titles();
  assert.ok(before.includes("hinge.angle"));
  await tab.locator(".of-quantities label", { hasText: "hinge.force.z" }).click();
  assert.ok((await titles()).includes("hinge.force.z"));
  const cells = await tab.locator(".of-quantities tbody tr").first().locator("td").allTextContents();
  assert.deepEqual(cells.slice(1), ["0", "0", "2", "2"]);
  await tab.locator(".of-quantities button", { hasText: "draw none" }).click();
  assert.deepEqual((await titles()).length, before.length - 1);
}));

test("nothing plays by itself where less motion is wanted", () => look_at(every(), async (tab) => {
  await drawn(tab);
  await tab.locator("canvas[role=img]").first().scrollIntoViewIfNeeded();
  await tab.waitForTimeout(300);
  assert.deepEqual(await tab.evaluate(() => gnomon.motions.map((m) => m.t)), [0, 0, 0]);
}, { motion: "reduce" }));

test("it plays when it is seen otherwise", () => look_at(every(), async (tab) => {
  await tab.locator(".of-motion").first().scrollIntoViewIfNeeded();
  await tab.waitForFunction(() => gnomon.motions.length > 0);
  await tab.locator("canvas[role=img]").first().evaluate((c) => c.scrollIntoView({ block: "center", behavior: "instant" }));
  await tab.waitForFunction(() => gnomon.motions[0].t > 0);
}));

test("curves are zoomed, read and hidden", () => look_at(every(), async (tab) => {
  await drawn(tab);
  const block = tab.locator("section[aria-label='Energy error over time']");
  const plot = block.locator(".plot"), over = block.locator(".u-over");
  await tab.evaluate(() => { gnomon.energy = gnomon.charts.find((c) => c.block.title === "Energy error over time"); });
  await plot.scrollIntoViewIfNeeded();
  const range = () => tab.evaluate(() => [gnomon.energy.plot.scales.x.min, gnomon.energy.plot.scales.x.max]);
  const all = await range(), box = await over.boundingBox();
  await tab.mouse.move(box.x + 0.3 * box.width, box.y + 0.5 * box.height);
  await tab.mouse.down();
  await tab.mouse.move(box.x + 0.6 * box.width, box.y + 0.5 * box.height, { steps: 3 });
  await tab.mouse.up();
  await tab.waitForFunction(() => gnomon.energy.plot.scales.x.min > 1);
  const [low, high] = await range();
  assert.ok(Math.abs(low - 3) < 0.1 && Math.abs(high - 6) < 0.1, "zoomed to " + low + " .. " + high);
  await over.dblclick({ position: { x: 20, y: 20 } });
  await tab.waitForFunction(([a]) => gnomon.energy.plot.scales.x.min === a, all);
  await tab.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  assert.match(await block.locator(".reading").textContent() + await block.locator(".legend .value").first().textContent(), /5\.0|4\.9|5/);
  await plot.focus();
  await tab.keyboard.press("ArrowRight");
  await tab.keyboard.press("+");
  await tab.waitForFunction(([a, b]) => gnomon.energy.plot.scales.x.max - gnomon.energy.plot.scales.x.min < 0.6 * (b - a), all);
  await tab.keyboard.press("0");
  const button = block.locator(".legend button").first();
  await button.focus();
  await tab.keyboard.press("Enter");
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  assert.equal(await tab.evaluate(() => gnomon.energy.plot.series[1].show), false);
  await block.locator(".buttons button", { hasText: "log y" }).click();
  assert.equal(await tab.evaluate(() => gnomon.energy.plot.scales.y.distr), 1);
}));

test("tables are searched, sorted and turned", () => look_at(every(), async (tab) => {
  const rows = tab.locator(".of-table tbody tr"), status = tab.locator(".of-table .status");
  assert.equal(await rows.count(), 100);
  await tab.locator("input[type=search]").fill("scheme-7/ pass");
  assert.match(await status.textContent(), /of 5.000 rows/);
  assert.ok((await rows.allTextContents()).every((text) => text.includes("scheme-7/") && text.includes("pass")));
  await tab.locator("input[type=search]").fill("");
  const head = tab.locator(".of-table thead button").nth(1);
  await head.click();
  await head.click();
  assert.equal(await tab.locator(".of-table thead th").nth(1).getAttribute("aria-sort"), "descending");
  assert.match(await rows.first().textContent(), /4999e-16/);
  await tab.locator(".of-table button", { hasText: "next" }).click();
  assert.match(await rows.first().textContent(), /4899e-16/);
}));

test("dark and light differ, by the system and by the button; all controls have names", () => look_at(every(), async (tab) => {
  await drawn(tab);
  const paper = () => tab.evaluate(() => getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).reduce((sum, c) => sum + Number(c), 0) / 3);
  assert.ok(await paper() < 60);
  await tab.locator(".theme").click();
  assert.ok(await paper() > 200);
  assert.equal(await tab.evaluate(() => gnomon.charts[0].colour(gnomon.charts[0].series[0])), "#0069a8");
  const nameless = await tab.evaluate(() => [...document.querySelectorAll("button, input, select, canvas[tabindex], [tabindex='0']")]
    .filter((one) => !(one.getAttribute("aria-label") || one.textContent.trim() || one.labels?.[0]?.textContent.trim())).map((one) => one.outerHTML.slice(0, 80)));
  assert.deepEqual(nameless, []);
}, { theme: "dark" }));

test("on paper tables have heads, commands are whole, motions keep their proportions, and nothing is left to press", () => look_at(every(), async (tab) => {
  await drawn(tab);
  await tab.emulateMedia({ media: "print" });
  assert.ok(await tab.locator(".of-table thead button").first().isVisible());
  for (const name of [".of-table .bar input", ".of-chart .buttons", ".player", ".of-motion .buttons", ".theme"])
    assert.ok(!(await tab.locator(name).first().isVisible()), name);
  assert.equal(await tab.locator(".command pre").first().evaluate((one) => getComputedStyle(one).whiteSpace), "pre-wrap");
  await tab.setViewportSize({ width: 700, height: 900 });
  const stretch = await tab.locator(".of-motion canvas").first().evaluate((one) => {
    const box = one.getBoundingClientRect();
    return (box.width / one.width) / (box.height / one.height);
  });
  assert.ok(Math.abs(stretch - 1) < 0.02, `the canvas is stretched by ${stretch}`);
}));

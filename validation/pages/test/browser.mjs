// A browser of its own for each test, with what pages must not do written down.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { GNOMON_NODE_MODULES, GNOMON_CHROMIUM } = process.env;
const { chromium } = createRequire(path.join(GNOMON_NODE_MODULES, "x.js"))("playwright-core");
const switches = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** Opens a file, hands the page to `look`, and throws where the page asked for something or complained. */
export async function look_at(file, look, { width = 1280, height = 900, theme = "light", motion = "no-preference" } = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gnomon-browser-"));
  const browser = await chromium.launchPersistentContext(folder, { executablePath: GNOMON_CHROMIUM, headless: true,
    args: switches, viewport: { width, height }, colorScheme: theme, reducedMotion: motion });
  try {
    const page = await browser.newPage(), url = pathToFileURL(file).href, faults = [];
    page.on("request", (request) => { if (request.url() !== url) faults.push("asks for " + request.url().slice(0, 100)); });
    page.on("console", (message) => { if (["error", "warning"].includes(message.type())) faults.push(message.text()); });
    page.on("pageerror", (error) => faults.push(error.stack));
    await page.goto(url);
    const result = await look(page);
    if (faults.length) throw new Error(path.basename(file) + ": " + faults.join("; "));
    return result;
  } finally {
    await browser.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Draws everything, and waits until it is drawn. */
export async function drawn(page) {
  await page.evaluate(async () => {
    gnomon.make_all();
    for (let k = 0; k < 3; ++k) await new Promise(requestAnimationFrame);
  });
}

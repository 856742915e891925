// A browser, a context of its own for each page, and what pages must not do written down.
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { GNOMON_NODE_MODULES, GNOMON_CHROMIUM } = process.env;
const { chromium } = createRequire(path.join(GNOMON_NODE_MODULES, "x.js"))("playwright-core");
const switches = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

const software = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

const browsers = new Map();  // with WebGL, by software, and without

export async function close_browser() {
  for (const one of browsers.values()) await one.close();
}

async function browser_with(webgl) {
  if (!browsers.has(webgl))
    browsers.set(webgl, await chromium.launch({ executablePath: GNOMON_CHROMIUM, headless: true,
      args: webgl ? [...switches.filter((one) => one !== "--disable-gpu"), ...software] : [...switches, "--disable-3d-apis"] }));
  return browsers.get(webgl);
}

/** Opens a file, hands the page to `look`, and throws where the page asked for something or complained. */
export async function look_at(file, look, { width = 1280, height = 900, theme = "light", motion = "no-preference", webgl = false } = {}) {
  const context = await (await browser_with(webgl)).newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: motion });
  try {
    const page = await context.newPage(), url = pathToFileURL(file).href, faults = [];
    page.on("request", (request) => { if (request.url() !== url) faults.push("asks for " + request.url().slice(0, 100)); });
    page.on("console", (message) => { if (["error", "warning"].includes(message.type())) faults.push(message.text()); });
    page.on("pageerror", (error) => faults.push(error.stack));
    await page.goto(url);
    const result = await look(page);
    if (faults.length) throw new Error(path.basename(file) + ": " + faults.join("; "));
    return result;
  } finally {
    await context.close();
  }
}

/** Draws everything, and waits until it is drawn. */
export async function drawn(page) {
  await page.evaluate(async () => {
    gnomon.make_all();
    for (let k = 0; k < 3; ++k) await new Promise(requestAnimationFrame);
  });
}

// The picture of a report in the manual: node picture.mjs REPORT.html PICTURE.png, with GNOMON_CHROMIUM and
// GNOMON_NODE_MODULES in the environment. The page is that of
//     gnomon run manual/gallery/robot-arm.toml --report REPORT.html
import { close_browser, drawn, look_at } from "./browser.mjs";

const [, , report, picture] = process.argv, width = 1280, height = 700, t = 0.5;
await look_at(report, async (tab) => {
  await drawn(tab);
  await tab.evaluate((at) => { gnomon.motions[0].show(at); }, t);
  for (const name of ["names", "forces"]) await tab.locator("label", { hasText: name }).locator("input").check();
  await tab.evaluate(() => document.activeElement.blur());
  await tab.mouse.move(0, 0);
  await tab.screenshot({ path: picture });
}, { width, height, webgl: true, motion: "reduce" });
await close_browser();

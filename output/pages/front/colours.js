// Colours and dashes of runs: after Okabe and Ito, apart for the colour-blind; dashes keep them apart in grey.

const palette = {
  light: ["#0069a8", "#d55e00", "#00855f", "#b0508f", "#a07800", "#2a8fc4", "#444444", "#7a2e8c"],
  dark: ["#5bb5ee", "#ff8f4a", "#2fc79c", "#e79bc6", "#efcf4d", "#9fd8f7", "#c9c9c9", "#c79be0"],
};
const dashes = [[], [9, 4], [2, 3], [9, 3, 2, 3], [14, 4], [5, 3], [2, 6], [14, 3, 2, 3, 2, 3]];

function dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function colour_of(group) {
  const colours = palette[dark() ? "dark" : "light"];
  return colours[((group % colours.length) + colours.length) % colours.length];
}

function dash_of(group) {
  return dashes[((group % dashes.length) + dashes.length) % dashes.length];
}

/** A colour of page.css. */
function themed(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

const redraws = new Set();  // called when the theme changes

function set_theme(theme) {
  document.documentElement.dataset.theme = theme;
  for (const redraw of redraws) redraw();
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const redraw of redraws) redraw(); });

// Elements of the page, and numbers as texts.

/** An element with attributes ("on..." are listeners) and children, which are elements or plain text. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** A button that stays pressed, or not. */
function toggle(label, pressed, change, attributes = {}) {
  const button = element("button", { type: "button", "aria-pressed": String(pressed), ...attributes }, label);
  button.addEventListener("click", () => {
    const now = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(now));
    change(now);
  });
  return button;
}

/** A box to be ticked, with its name. */
function check(label, ticked, change, attributes = {}) {
  const box = element("input", { type: "checkbox", onchange: () => change(box.checked) });
  box.checked = ticked;
  return element("label", { class: "check", ...attributes }, box, label);
}

const superscripts = { "-": "\u207b", 0: "\u2070", 1: "\u00b9", 2: "\u00b2", 3: "\u00b3", 4: "\u2074", 5: "\u2075",
  6: "\u2076", 7: "\u2077", 8: "\u2078", 9: "\u2079" };

/** 10 to the power n, as a text. */
function power_of_ten(n) {
  return "10" + [...String(n)].map((c) => superscripts[c]).join("");
}

/** A number with so many significant digits, and no more characters than it needs. */
function short_number(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "\u2013";
  if (!Number.isFinite(x)) return x > 0 ? "\u221e" : "\u2212\u221e";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 1e5) return String(Number(x.toPrecision(Math.max(digits, Math.floor(Math.log10(size)) + 1))))
    .replace("-", "\u2212");
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  return String(Number(mantissa)).replace("-", "\u2212") + "e" + Number(exponent);
}

/** The number that a text of a table shows, or NaN: "1e-3", "<= 2", "12 / 30" (12), "35 012". */
function number_of(text) {
  const found = /^[\s<>=~(]*([-+\u2212]?(\d[\d\u202f]*\.?\d*|\.\d+)([eE][-+]?\d+)?)/.exec(text);
  return found ? Number(found[1].replace("\u2212", "-").replace(/\u202f/g, "")) : NaN;
}

/** 35 012 */
function counted(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Something with its unit: "time [s]". */
function with_unit(label, unit) {
  return unit ? label + " [" + unit + "]" : label;
}

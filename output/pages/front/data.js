// The data of the page, and its arrays of numbers.

const data = JSON.parse(document.getElementById("data").textContent);
const array_types = { f4: Float32Array, f8: Float64Array, u2: Uint16Array, u4: Uint32Array };
const decoded = new Map();

/** The typed array that {"i": place, "t": type} stands for. All machines that run browsers are little-endian. */
function numbers(reference) {
  const key = reference.t + reference.i;
  if (!decoded.has(key)) {
    const text = atob(data.arrays[reference.i]);
    const bytes = new Uint8Array(text.length);
    for (let k = 0; k < text.length; ++k) bytes[k] = text.charCodeAt(k);
    decoded.set(key, new array_types[reference.t](bytes.buffer));
  }
  return decoded.get(key);
}

/** A cell in one form: {text, mark, note}. */
function cell_of(stored) {
  if (stored === undefined) return { text: "", mark: "", note: "" };
  return typeof stored === "string" ? { text: stored, mark: "", note: "" }
    : { text: stored[0], mark: stored[1], note: stored[2] || "" };
}

// Renders what Sphinx leaves between \( \) or \[ \] with KaTeX.
document.querySelectorAll(".math").forEach((place) => {
  const text = place.textContent.trim();
  katex.render(text.slice(2, -2), place, { displayMode: text.startsWith("\\["), throwOnError: false });
});

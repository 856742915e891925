"""Sphinx' settings for the manual; build.py calls it."""
import os

project = "Gnomon"
author = "the authors of Gnomon"
copyright = "BSD 3-clause"
release = version = os.environ.get("GNOMON_VERSION", "")

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
myst_update_mathjax = False
suppress_warnings = ["myst.mathjax"]
nitpicky = False
exclude_patterns = ["generated"]

# KaTeX from Debian in the place of MathJax: Sphinx writes \( \) and \[ \], formulas.js has them rendered.
mathjax_path = "formulas.js"
mathjax_options = {"defer": "defer"}

html_theme = "furo"
html_title = "Gnomon"
html_static_path = ["static"]
html_css_files = ["katex/katex.min.css", "manual.css"]
html_js_files = [("katex/katex.min.js", {"defer": "defer", "priority": 300})]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "monokai"

breathe_projects = {"gnomon": os.environ.get("GNOMON_XML", "")}
breathe_default_project = "gnomon"
breathe_domain_by_extension = {"hpp": "cpp", "h": "c"}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = False
napoleon_use_ivar = True

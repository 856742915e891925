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
html_show_sphinx = html_show_copyright = False
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


def setup(app):
    """Attributes that are documented in one entry, "q, v : ndarray", become one each: napoleon knows that of parameters only."""
    import re

    def split(app, what, name, obj, options, lines):
        out = []
        for i, line in enumerate(lines):
            found = re.match(r"(\w+(?:, \w+)+) : (.*)", line)
            if what != "class" or not found or "Attributes" not in lines[:i]:
                out.append(line)
                continue
            more = [
                text
                for text in lines[
                    i + 1 : next((k for k in range(i + 1, len(lines)) if lines[k][:1].strip()), len(lines))
                ]
            ]
            names = found.group(1).split(", ")
            for one in names:
                out.append(f"{one} : {found.group(2)}")
                if one != names[-1]:
                    out += more
        lines[:] = out

    app.connect("autodoc-process-docstring", split, priority=100)

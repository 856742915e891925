#!/usr/bin/env python3
"""Builds the manual: pages of this folder and pages generated from the program, the sources and the gallery.

    build.py BUILD_DIR OUT_DIR [VALIDATION.json]

OUT_DIR/html has the result, OUT_DIR/source what Sphinx was given. The rows of `gnomon validate --json` are those of the
pages of the schemes; without a file a few problems are measured now. Nothing is downloaded. Ends with status 1 on a
warning or a broken link.
"""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
KATEX = pathlib.Path("/usr/share/javascript/katex")
NORMALIZE = "/javascript/normalize.css/normalize.css"
sys.path.insert(0, str(HERE / "generate"))


def copy_pages(source):
    """What is written by hand or kept, KaTeX, the examples that pages include."""
    shutil.rmtree(source, ignore_errors=True)
    for file in HERE.rglob("*.md"):
        target = source / file.relative_to(HERE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    shutil.copy(HERE / "conf.py", source)
    shutil.copytree(HERE / "static", source / "static")
    katex = source / "static" / "katex"
    katex.mkdir()
    for name in ("katex.min.js", "katex.min.css"):
        shutil.copy(KATEX / name, katex)
    shutil.copytree(KATEX / "fonts", katex / "fonts", ignore=shutil.ignore_patterns("*.ttf", "*.woff"))
    shutil.copytree(ROOT / "validation" / "embed" / "ports", source / "porting" / "programs")
    shutil.copytree(HERE / "pictures", source / "pictures")


def generate(build, out, source, rows):
    """The generated pages; those that take long in two processes."""
    import concurrent.futures

    import drift
    import errors
    import gallery
    import ports
    import problems
    import reference
    import report
    import schemes
    import size
    import which

    (source / "generated").mkdir()
    parts = [
        (gallery.write, build, source),
        (report.write, build, source, rows),
        (drift.write, build, source),
        (ports.write, build, source),
        (problems.write, build, source),
        (which.write, build, source),
        (reference.write, source, out / "doxygen" / "xml"),
        (errors.write, source),
        (size.write, source),
    ]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for future in [pool.submit(*part) for part in parts]:
            future.result()
    schemes.write(build, source)


def doxygen(out):
    """The public headers as XML."""
    settings = (HERE / "Doxyfile").read_text() + f"OUTPUT_DIRECTORY = {out}/doxygen\n"
    (out / "doxygen").mkdir(parents=True, exist_ok=True)
    subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=ROOT, check=True)


def main():
    build, out = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    rows = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
    source = out / "source"
    sys.path.insert(0, str(build / "python"))
    environment = dict(
        os.environ,
        PYTHONPATH=str(build / "python"),
        MPLBACKEND="Agg",
        GNOMON_XML=str(out / "doxygen" / "xml"),
        PYTHONDONTWRITEBYTECODE="1",
    )
    os.environ.update(environment)
    copy_pages(source)
    doxygen(out)
    generate(build, out, source, rows)
    version = subprocess.check_output([str(build / "bin" / "gnomon"), "--version"], text=True).split()[-1]
    call = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-j",
        "2",
        "-b",
        "html",
        str(source),
        str(out / "html"),
    ]
    shutil.rmtree(out / "html", ignore_errors=True)
    done = subprocess.run(call, env=dict(environment, GNOMON_VERSION=version))
    # Debian's furo asks for this file at a place that only Debian's web servers have.
    style = out / "html" / "_static" / "styles" / "furo.css"
    style.write_text(
        style.read_text(encoding="utf-8").replace(f"url({NORMALIZE})", "url(normalize.css)"), encoding="utf-8"
    )
    shutil.copy(pathlib.Path(f"/usr/share{NORMALIZE}"), style.parent)
    import links

    broken = links.broken(out / "html")
    print("\n".join(broken), end="\n" if broken else "")
    if done.returncode or broken:
        sys.exit(1)
    shutil.rmtree(out / "html" / ".doctrees", ignore_errors=True)
    print(f"the manual is in {out}/html/index.html")


if __name__ == "__main__":
    main()

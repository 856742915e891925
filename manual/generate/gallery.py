"""The gallery: for each model of manual/gallery and problems a page with its picture, drawn by `gnomon run --plot`, and its
text, and one page with all of them, small."""
import concurrent.futures
import html
import re
import tomllib

from common import Program, listing, models
from thumbnails import HEIGHT, WIDTH, thumbnail

PAGE = """# {name}

{says}.

![{alt} at some times of its motion](../../pictures/gallery/{name}.svg)

```text
$ {command}
$ ./gnomon.sh run {typed}{how} --report {name}.html
```

The first command draws this picture, the second one writes a page with the motion, quantities over time and errors.{place}

Source: {source}.

{text}"""

ALL = """# Gallery

Mechanisms as text files, each with its source and its motion, drawn by the program; a picture leads to the page of its model, which has
the file and the commands. `gnomon validate gallery` runs every scheme that takes them and compares the motions with IDA. The files are in
`manual/gallery`, and installed in `share/gnomon/gallery`; those of `problems` are [built in](problems.md), and validated with the problems.

```{{raw}} html
<div class="gallery">
{cards}
</div>
```

:::{{toctree}}
:hidden:

{pages}
:::
"""


def _plain(text):
    """Text that Markdown shows as it is."""
    return re.sub(r"([*_`$<\[\]\\])", r"\\\1", text)


def _drawn(program, source, name, file):
    text = file.read_text(encoding="utf-8")
    model = tomllib.loads(text)
    folder, picture = source / "models" / "gallery", source / "pictures" / "gallery" / f"{name}.svg"
    how = [] if {"rtol", "step"} & model.get("run", {}).keys() else ["--rtol", "1e-6"]
    built_in = file.parent.name == "problems"
    typed = name if built_in else f"gallery/{file.name}"
    program("run", typed, *how, "--plot", picture)
    small = thumbnail(picture.read_text(encoding="utf-8"))
    (source / "static" / "gallery" / f"{name}.svg").write_text(small, encoding="utf-8")
    (folder / file.name).write_text(text, encoding="utf-8")
    says = model.get("description") or name.replace("-", " ")
    page = PAGE.format(
        name=name,
        says=_plain(says[:1].upper() + says[1:]),
        alt=name.replace("-", " "),
        typed=typed,
        how="".join(" " + one for one in how),
        command=" ".join(["./gnomon.sh run", typed, *how, "--plot", f"{name}.svg"]),
        place=f" `{name}` is [built in](../problems.md): the program needs no file." if built_in else "",
        source=_plain(model.get("source", "")),
        text=f"## The model\n\n[{file.name}]({file.name}):\n\n{listing(text, 'toml')}",
    )
    (folder / f"{name}.md").write_text(page, encoding="utf-8")
    return (
        f'<a href="gallery/{name}.html">\n<img src="../_static/gallery/{name}.svg" width="{WIDTH}" height="{HEIGHT}" alt="">\n'
        f"<strong>{name}</strong>\n<span>{html.escape(says)}</span>\n</a>"
    )


def write(build, source):
    for folder in ("static", "models", "pictures"):
        (source / folder / "gallery").mkdir(exist_ok=True)
    program = Program(build, source)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        cards = list(pool.map(lambda model: _drawn(program, source, *model), models()))
    pages = "\n".join(f"gallery/{name}" for name, _ in models())
    (source / "models" / "gallery.md").write_text(ALL.format(cards="\n".join(cards), pages=pages), encoding="utf-8")

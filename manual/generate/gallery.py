"""The gallery: a picture of each model of manual/gallery and problems, drawn by `gnomon run --plot`."""
import concurrent.futures
import tomllib

from common import Program, models


def _drawn(program, source, name, file):
    text = file.read_text(encoding="utf-8")
    model = tomllib.loads(text)
    picture = source / "static" / "gallery" / f"{name}.svg"
    how = [] if {"rtol", "step"} & model.get("run", {}).keys() else ["--rtol", "1e-6"]
    typed = name if file.parent.name == "problems" else f"gallery/{file.name}"
    program("run", typed, *how, "--plot", picture)
    picture.with_suffix(".toml").write_text(text, encoding="utf-8")
    command = " ".join(["./gnomon.sh run", typed, *how, "--plot", picture.name])
    says = model.get("description") or name.replace("-", " ")
    return (
        f'<div>\n<img src="../_static/gallery/{name}.svg" alt="{says}">\n'
        f'<p><strong>{name}</strong>: {says}.</p>\n<p>Source: {model.get("source", "")}.</p>\n'
        f'<p><a href="../_static/gallery/{name}.toml">{file.name}</a></p>\n</div>'
    ), command


def write(build, source):
    (source / "static" / "gallery").mkdir(exist_ok=True)
    program = Program(build, source)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        drawn = list(pool.map(lambda model: _drawn(program, source, *model), models()))
    cards = "\n".join(card for card, _ in drawn)
    commands = "\n".join(f"$ {command}" for _, command in drawn)
    page = f"""# Gallery

Mechanisms as text files, each with its source, its motion drawn by the program. `gnomon validate gallery` runs every scheme
that takes them and compares the motions with IDA. The files are in `manual/gallery`, and installed in
`share/gnomon/gallery`; those of `problems` are [built in](problems.md), and validated with the problems.

```{{raw}} html
<div class="gallery">
{cards}
</div>
```

The pictures were drawn by

```text
{commands}
```
"""
    (source / "models" / "gallery.md").write_text(page, encoding="utf-8")

"""The gallery: a picture of each model of manual/gallery, drawn by `gnomon run --plot`."""
import concurrent.futures
import re
import shutil

from common import ROOT, Program

GALLERY = ROOT / "manual" / "gallery"


def _value(text, key):
    found = re.search(rf'^{key} = "(.*)"', text, re.M)
    return found.group(1) if found else ""


def _drawn(program, source, model):
    text = model.read_text(encoding="utf-8")
    picture = source / "static" / "gallery" / f"{model.stem}.svg"
    if "[run]" in text and re.search(r"^(rtol|step) = ", text[text.index("[run]") :], re.M):
        how = []
    else:
        how = ["--rtol", "1e-6"]
    program("run", model, *how, "--plot", picture)
    picture.with_suffix(".toml").write_text(text, encoding="utf-8")
    command = " ".join(["./gnomon.sh run", f"gallery/{model.name}", *how, "--plot", f"{model.stem}.svg"])
    says = _value(text, "description") or _value(text, "name").replace("-", " ")
    return (
        f'<div>\n<img src="../_static/gallery/{model.stem}.svg" alt="{says}">\n'
        f'<p><strong>{model.stem}</strong>: {says}.</p>\n<p>Source: {_value(text, "source")}.</p>\n'
        f'<p><a href="../_static/gallery/{model.stem}.toml">{model.name}</a></p>\n</div>'
    ), command


def write(build, source):
    (source / "static" / "gallery").mkdir(exist_ok=True)
    program = Program(build, source)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        drawn = list(pool.map(lambda model: _drawn(program, source, model), sorted(GALLERY.glob("*.toml"))))
    cards = "\n".join(card for card, _ in drawn)
    commands = "\n".join(f"$ {command}" for _, command in drawn)
    page = f"""# Gallery

Mechanisms as text files, each with its source, its motion drawn by the program. `gnomon validate gallery` runs every scheme
that takes them and compares the motions with IDA. The files are in `manual/gallery`, and installed in
`share/gnomon/gallery`.

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

"""Links of the built pages: those inside must lead somewhere, those outside must be addresses."""
import html.parser
import re
import urllib.parse


class _Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.targets, self.links = set(), []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.targets.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def broken(folder):
    """One sentence for each link that leads nowhere."""
    pages = {}
    for file in folder.rglob("*.html"):
        page = pages[file.resolve()] = _Page()
        page.feed(file.read_text(encoding="utf-8"))
    found = []
    for file, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            where = f"{file.relative_to(folder.resolve())}: the link {link}"
            if parts.scheme in ("http", "https"):
                if "." not in parts.netloc or " " in link:
                    found.append(f"{where} is no address")
            elif parts.scheme in ("", "file"):
                target = (file.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else file
                if not target.exists():
                    found.append(f"{where} leads to no file")
                elif (
                    parts.fragment
                    and target in pages
                    and urllib.parse.unquote(parts.fragment) not in pages[target].targets
                ):
                    found.append(f"{where} leads to no place in that page")
    for style in folder.rglob("*.css"):
        for link in re.findall(r"url\([\"']?([^\"')]+)", style.read_text(encoding="utf-8")):
            if (
                not link.startswith("data:")
                and not (style.parent / link.split("?")[0]).exists()
                and "katex" not in style.parts
            ):
                found.append(f"{style.relative_to(folder)}: the link {link} leads to no file")
    return sorted(set(found))

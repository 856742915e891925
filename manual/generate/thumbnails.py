"""Small pictures of the gallery: of a picture that gnuplot drew the mechanism alone, as large as there is room."""
import re
import xml.etree.ElementTree

WIDTH, HEIGHT, MARGIN = 272, 190, 9
SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
FAINT = "rgb(224,224,224)"  # poses between those that are coloured, left out where there are paths
PATH = "rgb(127,147,166)"


def _points(path):
    """The polylines of a path of gnuplot, which has M and L alone."""
    lines = []
    for word, x, y in re.findall(r"([ML]?)\s*(-?[\d.]+),(-?[\d.]+)", path):
        if word == "M" or not lines:
            lines.append([])
        lines[-1].append((float(x), float(y)))
    return lines


def _shapes(picture):
    """[(kind, points, colour, width)] of what is drawn between the axes; kind: line, dot, ring or triangle."""
    shapes = []
    for group in xml.etree.ElementTree.fromstring(picture).iter(SVG + "g"):
        if not group.get("id", "").startswith("gnuplot_plot_"):
            continue
        texts = [g.get("transform") for g in group.iter(SVG + "g") if g.find(SVG + "text") is not None]
        keys = [tuple(map(float, re.search(r"\((-?[\d.]+),(-?[\d.]+)\)", text).groups())) for text in texts]
        own = []
        for part in group.iter(SVG + "g"):
            width = float(part.get("stroke-width", 1))
            for path in part.findall(SVG + "path"):
                colour = (path.get("stroke") or part.get("color") or "black").replace(" ", "")
                own += [("line", line, colour, width) for line in _points(path.get("d"))]
            for use in part.findall(SVG + "use"):
                place = re.search(r"translate\((-?[\d.]+),(-?[\d.]+)\)", use.get("transform"))
                kind = {"#gpPt5": "ring", "#gpPt8": "triangle"}.get(use.get(LINK), "dot")
                own.append((kind, [tuple(map(float, place.groups()))], use.get("color", "black").replace(" ", ""), 1))

        def of_the_key(points):
            return any(all(a - 80 < x <= a and abs(y - b) < 9 for x, y in points) for a, b in keys)

        shapes += [shape for shape in own if not of_the_key(shape[1])]
    has_paths = any(colour == PATH for _, _, colour, _ in shapes)
    return [shape for shape in shapes if shape[2] != FAINT or not has_paths]


def thumbnail(picture):
    """The text of an SVG of WIDTH by HEIGHT pixels."""
    shapes = _shapes(picture)
    xs, ys = ([point[c] for kind, points, _, _ in shapes if kind != "triangle" for point in points] for c in (0, 1))
    wide, high = max(max(xs) - min(xs), 1e-6), max(max(ys) - min(ys), 1e-6)
    scale = min((WIDTH - 2 * MARGIN) / wide, (HEIGHT - 2 * MARGIN) / high)
    left, top = (WIDTH - scale * wide) / 2 - scale * min(xs), (HEIGHT - scale * high) / 2 - scale * min(ys)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">']
    out.append('<g fill="none" stroke-linecap="round" stroke-linejoin="round">')
    for kind, points, colour, width in shapes:
        placed = [(left + scale * x, top + scale * y) for x, y in points]
        if kind == "line":
            kept = [placed[0]]
            for k, (x, y) in enumerate(placed[1:], 1):
                if abs(x - kept[-1][0]) + abs(y - kept[-1][1]) > 0.4 or k == len(placed) - 1:
                    kept.append((x, y))
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y in kept)
            out.append(f'<polyline points="{line}" stroke="{colour}" stroke-width="{min(0.75 * width, 1.8):.2g}"/>')
            continue
        x, y = placed[0]
        if not (0 <= x <= WIDTH and 0 <= y <= HEIGHT):
            continue  # a fixed point far from what moves
        if kind == "triangle":
            out.append(f'<path d="M{x:.1f} {y - 4.5:.1f}l4.5 8h-9z" fill="{colour}"/>')
        elif kind == "ring":
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="#fff" stroke="{colour}" stroke-width="1.3"/>')
        else:
            out.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.8" fill="{colour}"/>')
    return "\n".join([*out, "</g>", "</svg>", ""])

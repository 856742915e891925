"""Formulas as they stand in the comments of the source, "p1 - p0 = -h (D_U(q0,q1) + G(q_m)^T lambda)", as TeX."""
import re

GREEK = set("alpha beta gamma delta eps lambda mu nu phi psi rho sigma tau theta xi zeta eta omega pi kappa".split())
GREEK |= set("Psi Omega Lambda Phi Delta Sigma Theta Gamma".split())
NAMED = {
    "grad": r"\nabla ",
    "Hess": r"\operatorname{Hess}",
    "sum": r"\sum ",
    "int": r"\int ",
    "max": r"\max",
    "min": r"\min",
    "eps": r"\varepsilon ",
    "deg": r"\deg ",
    "diag": r"\operatorname{diag}",
    "sqrt": r"\operatorname{sqrt}",
    "o": r"\circ ",
}
SYMBOLS = {
    "<=": r"\le ",
    ">=": r"\ge ",
    "!=": r"\ne ",
    "->": r"\to ",
    "...": r"\ldots ",
    "..": r"\ldots ",
    "*": r"\cdot ",
}
TOKEN = re.compile(
    r"""(?P<hat>[A-Za-z]+\^(?=[\s,;)(]|$)(?!\())   # q^ = ..
      | (?P<side>m[+-](?=[,)\s]|$))                  # m+, m-
      | (?P<word>[A-Za-z]+)
      | (?P<number>\d+(?:\.\d+)?(?:e-?\d+)?|\.\d+)
      | (?P<symbol><=|>=|!=|->|\.\.\.|\.\.)
      | (?P<dot>(?<=\s)\.(?=\s)|(?<=[\w)\]'|}])\.(?=[A-Za-z([]))
      | (?P<script>[_^](?:\{[^}]*\}|\([^)]*\)|-?\d+[a-z]?(?![a-z])|-?\d+|[+]|[A-Za-z][A-Za-z0-9]*))
      | (?P<space>\s+)
      | (?P<other>.)""",
    re.X,
)


def _word(word):
    if word in NAMED:
        return NAMED[word]
    if word in GREEK:
        return f"\\{word} "
    if len(word) == 1:
        return word
    if word in ("ch", "ij", "pq", "pp", "tt", "qq"):
        return word
    if len(word) == 2 and word[0] == "d" and word[1] in "qpzvxytcHTU":
        return (r"\Delta " if word[1] in "qpzvxy" else r"\mathrm{d}") + word[1]
    if len(word) == 2 and word[0] == "D" and word[1].isupper():
        return r"\mathrm{D}" + word[1]
    return None


def _script(text):
    """A sub- or superscript; D_pPsi is D_p Psi."""
    kind, inner = text[0], text[1:]
    if inner[0] in "{(":
        inner = inner[1:-1]
    plain = re.fullmatch(r"[a-z]\d", inner)
    return kind + "{" + (inner if plain else tex(inner).strip()) + "}"


def tex(text):
    """One formula."""
    out, base = [], ""
    text = re.sub(r"\b([mn]) x ([mn])\b", "\\1 × \\2", re.sub(r"(?<=[A-Z])\*(?=[ ,.)]|$)", "^{*}", text))
    for found in TOKEN.finditer(text):
        kind, piece = found.lastgroup, found.group()
        if kind == "hat":
            made = _word(piece[:-1])
            out.append(r"\hat{" + (made or piece[:-1]).strip() + "}")
        elif kind == "side":
            out.append(f"m^{piece[1]}")
        elif kind == "word":
            rate = len(piece) == 2 and piece[0] == "d" and text[found.end() : found.end() + 2] == "/d"
            made = r"\mathrm{d}" + piece[1] if rate else _word(piece)
            out.append(made if made is not None else r"\text{ " + piece + " }" if len(piece) > 1 else piece)
        elif kind == "number":
            if out and base and not base.isspace() and re.fullmatch(r"[A-Za-z]+", base) and _word(base) is not None:
                out.append("_{" + piece + "}")
            elif "e" in piece:
                digits, power = piece.split("e")
                out.append(("" if digits == "1" else digits + r"\cdot ") + "10^{" + power + "}")
            else:
                out.append(piece)
        elif kind == "symbol":
            out.append(SYMBOLS[piece])
        elif kind == "dot":
            out.append(r"\cdot ")
        elif kind == "script":
            if base == "D" and piece[0] == "_" and piece[1:2].isalpha() and len(piece) > 2 and piece[1] in "qpz":
                out.append("_" + piece[1] + tex(piece[2:]))
            else:
                out.append(_script(piece))
        elif kind == "space":
            out.append(" ")
        else:
            out.append(
                {
                    "×": r"\times ",
                    "*": r"\cdot ",
                    "%": r"\%",
                    "#": r"\#",
                    "&": r"\&",
                    ",": r",\,",
                    ":": r":\ ",
                    ";": r";\ ",
                }.get(piece, piece)
            )
        base = piece
    return "".join(out).replace("( )", r"(\,\cdot\,)")


def _cells(line):
    made = []
    for cell in re.split(r"(?<!=)\s{2,}(?!=)", line.strip()):
        numbers = re.fullmatch(r"[()\d, ]+", cell)
        plain = (
            not re.search(r"[=<>+_^/()\[\]']", cell) and re.search(r"[a-z]{4,}", cell) and cell.split()[0] not in GREEK
        )
        made.append(r"\text{" + cell + "}" if numbers or plain else tex(cell))
    return r"\qquad ".join(made)


def is_formula(lines):
    """Whether lines of a comment are formulas, and not a list in words."""
    words = [w for line in lines for w in re.findall(r"[A-Za-z]{2,}", line)]
    unknown = [w for w in words if _word(w) is None]
    return any("=" in line for line in lines) and len(unknown) <= 0.4 * max(1, len(words)) + 1


def display(lines):
    """The lines of one block as a displayed formula, in TeX."""
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    rows = []
    for line in lines:
        deeper = len(line) - len(line.lstrip()) > indent + 1
        rows.append("&" + (r"\qquad\qquad " if deeper else "") + _cells(line))
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


_OPERATORS = {"=", "+", "-", "<", ">", "<=", ">=", "->", "/", "!=", "o"}
_ALSO_WORDS = {"a", "A", "max", "min", "sum", "int", "deg", "diag", "pi", "grad", "Hess", "alpha"}
_CODE = re.compile(r"[\w:/.-]*(?:::\w+|\.[ch]pp\b)|[a-z][\w-]*=[a-z][\w|-]{2,}|[a-z-]+=[a-z]+")


def _kind(word):
    """What a word of a paragraph is: "symbol", "operator", "number", "perhaps" (an English word too), or None."""
    core = word.rstrip(".,;:")
    if core in _OPERATORS:
        return "operator"
    letters = re.findall(r"[A-Za-z]+", core)
    if not letters:
        return "number" if re.fullmatch(r"[-+(\[]*[\d./]+[)\]]*", core) and not re.fullmatch(r"\(\d+\)", core) else None
    if any(
        _word(w) is None
        for w in re.sub(r"_(\{[^}]*\}|\w+)", "", core)
        and re.findall(r"[A-Za-z]+", re.sub(r"_(\{[^}]*\}|\w+)", "", core))
    ):
        return None
    if (
        "`" in core
        or "::" in core
        or re.fullmatch(r"[A-Z]\.|[IVX]+\.[\d.]+", word)
        or re.search(r"[a-z]{3,}\.[ch]pp", core)
    ):
        return None
    return "perhaps" if core in _ALSO_WORDS else "symbol"


def _balanced(text):
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}")) and text.count("|") % 2 == 0


def _formula(words):
    """A run of words as a formula, or as it is where its brackets do not close."""
    text = " ".join(words)
    tail = re.search(r"[.,;:]*$", text).group()
    text = text[: len(text) - len(tail)]
    before = after = ""
    while not _balanced(text) and text[:1] in "([" and text[:1]:
        before, text = before + text[0], text[1:]
    while not _balanced(text) and text[-1:] in ")]" and text[-1:]:
        after, text = text[-1] + after, text[:-1]
        more = re.search(r"[.,;:]*$", text).group()
        text, after = text[: len(text) - len(more)], more + after
    if not text or not _balanced(text):
        return before + text + after + tail
    return before + "$" + tex(text).strip() + "$" + after + tail


def prose(text):
    """A paragraph of a comment in Markdown: formulas are set, names of files and options are code."""
    words, out, i = text.split(), [], 0
    cited = text.startswith(("Source", "Sources"))
    kinds = [None if cited else _kind(w) for w in words]
    for k in range(len(words) - 1, -1, -1):
        if kinds[k] == "perhaps":
            close = words[k][-1] in ".,;:" or k + 1 == len(words)
            before = ("operator",) if words[k] in ("a", "A") else ("symbol", "operator")
            inside = words[k].rstrip(".,;:") == "A" and k > 0 and words[k - 1][-1] not in ".:;"
            kinds[k] = "symbol" if inside or (not close and kinds[k + 1] in before) else None
    while i < len(words):
        end = i
        open_brackets = 0
        while end < len(words) and kinds[end]:
            open_brackets += words[end].count("(") - words[end].count(")")
            end += 1
            if words[end - 1][-1] in ".;:" or (words[end - 1][-1] == "," and open_brackets <= 0):
                break
        while end > i and kinds[end - 1] == "operator":
            end -= 1
        if end > i and kinds[i] != "operator" and "symbol" in kinds[i:end]:
            out.append(_formula(words[i:end]))
            i = end
            continue
        word = words[i]
        code = _CODE.search(word) if "`" not in word and not word.startswith("http") else None
        if code:
            word = word[: code.start()] + "`" + code.group() + "`" + word[code.end() :]
        else:
            word = word.replace("|", r"\|").replace("<", r"\<").replace("[", r"\[")
        out.append(word)
        i += 1
    return " ".join(out)


def markdown(comment):
    """A file's leading comment (without its comment marks) as Markdown: indented blocks of formulas become displays."""
    out, lines = [], comment.splitlines()
    i = 0
    while i < len(lines):
        if re.match(r" {4,}\S", lines[i]):
            block = []
            while i < len(lines) and (
                re.match(r" {4,}\S", lines[i])
                or (not lines[i].strip() and i + 1 < len(lines) and re.match(r" {4,}\S", lines[i + 1]))
            ):
                block.append(lines[i])
                i += 1
            filled = [line for line in block if line.strip()]
            if is_formula(filled):
                out += ["", "$$", display(filled), "$$", ""]
            else:
                indent = min(len(line) - len(line.lstrip()) for line in filled)
                out += ["", "```text", *(line[indent:] for line in block), "```", ""]
            continue
        out.append(lines[i])
        i += 1
    # Paragraphs are joined before they are set, so that a formula may go over the end of a line.
    text, made, inside = [], [], None
    for line in [*out, ""]:
        if inside is None and line.strip() and line not in ("$$", "```text"):
            item = re.match(r" *- ", line)
            if item and text:
                made.append(prose(" ".join(text)))
                text = []
            text.append(("- " if item else "") + re.sub(r"^ *(- )?", "", line))
            continue
        if text:
            made.append(prose(" ".join(text)))
            text = []
        made.append(line)
        if line in ("$$", "```text", "```"):
            inside = None if inside else line
    return "\n".join(made)

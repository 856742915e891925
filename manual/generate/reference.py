"""Pages of the C++ reference: one a room of lib/include/gnomon, one section a header."""
import collections
import re
from xml.etree import ElementTree

from common import ROOT

ROOMS = {
    "model": "What a model is: systems, overdetermined DAEs, and models whose functions are written once",
    "mechanism": "Mechanisms of bodies and joints, and model files",
    "registry": "Names, plug-ins, and the scheme that a tolerance chooses",
    "run": "The integrator, its monitor, tolerances, dense output, checkpoints, references",
    "contact": "Obstacles",
    "start": "Consistent starts, and the check of a model",
    "scheme": "What a scheme is, for authors of schemes",
    "solve": "What solves the equations of a step",
    "sundials": "Solvers and matrices of SUNDIALS that are attached",
    "base": "Errors, options, archives",
}
INTERNAL = {
    "sun_linear_system",
    "frozen_iteration",
    "fixed_point_iteration",
    "chord_steps",
    "stagnation",
    "split_form",
    "forward_kinetic",
    "forward_seeds",
    "forward_system",
    "found_traits",
    "function_system",
    "model_calls",
    "model_names",
    "model_parts",
    "model_signatures",
    "one_variable",
    "quadratic_forms",
    "recorded_model",
    "recorded_system",
    "taped_functions",
    "kinetic_energy",
    "sundials_compat",
    "dense_lu",
    "finite",
    "uniform",
    "largest_eigenvalue",
    "start_velocity",
    "whole_file",
    "thrown",
    "numbers",
    "minimum",
    "symmetric_factors",
    "simplified_newton",
    "scaled_equations",
    "jacobian_system",
    "band_order",
    "overdetermined_in_time",
    "system_at",
}


def _free_members(xml):
    """{header: [(directive, what it names)]} of the documented functions, enumerations and types of the namespace."""
    found, names = collections.defaultdict(list), collections.Counter()
    members = ElementTree.parse(xml / "namespacegnomon.xml").getroot().findall("compounddef/sectiondef/memberdef")
    names.update(m.findtext("name") for m in members if m.get("kind") == "function")
    for member in members:
        kind, name = member.get("kind"), member.findtext("name")
        if (
            kind not in ("function", "enum", "typedef")
            or not "".join(member.find("briefdescription").itertext()).strip()
        ):
            continue
        if kind == "function" and names[name] > 1:
            name += re.sub(r"\)[^)]*$", ")", member.findtext("argsstring"))
        found[member.find("location").get("file")].append(
            (int(member.find("location").get("line")), f"doxygen{kind}", f"gnomon::{name}")
        )
    return found


def _header(xml, header, free):
    """The section of one header: what its file says, then its classes and functions in their order."""
    name = str(header.relative_to(ROOT / "lib" / "include"))
    out = [
        f"## {header.stem}",
        "",
        f"`#include <{name}>`",
        "",
        f"```{{doxygenfile}} {name}",
        ":sections: briefdescription detaileddescription",
        "```",
        "",
    ]
    file = xml / (header.name.replace("_", "__").replace(".", "_8") + ".xml")
    entries = []
    for inner in ElementTree.parse(file).getroot().findall("compounddef/innerclass"):
        if "<" in inner.text or inner.text.count("::") != 1 or inner.text.startswith("std::"):
            continue
        own = ElementTree.parse(xml / f"{inner.get('refid')}.xml").getroot().find("compounddef")
        entries.append((int(own.find("location").get("line")), f"doxygen{own.get('kind')}", inner.text))
    entries += [entry for path, listed in free.items() if path.endswith(name) for entry in listed]
    for _, directive, what in sorted(entries):
        members = [":members:"] if directive in ("doxygenclass", "doxygenstruct") else []
        out += [f"```{{{directive}}} {what}", *members, "```", ""]
    return out


def write(source, xml):
    folder = source / "reference" / "cpp"
    folder.mkdir(parents=True, exist_ok=True)
    free = _free_members(xml)
    for room, says in ROOMS.items():
        out = [f"# {room}", "", says + ".", ""]
        for header in sorted((ROOT / "lib" / "include" / "gnomon" / room).rglob("*.hpp")):
            if header.stem not in INTERNAL:
                out += _header(xml, header, free)
        (folder / f"{room}.md").write_text("\n".join(out), encoding="utf-8")

"""Pages of the C++ reference: one a room of lib/include/gnomon, one section a header."""
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
INTERNAL = {"sun_linear_system", "frozen_jacobian", "fixed_point_iteration", "chord_steps", "stagnation", "split_form",
            "forward_kinetic", "forward_seeds", "forward_system", "found_traits", "function_system", "model_calls",
            "model_names", "model_parts", "model_signatures", "one_variable", "quadratic_forms", "recorded_model",
            "recorded_system", "taped_functions", "kinetic_energy", "sundials_compat", "dense_lu", "finite", "uniform",
            "largest_eigenvalue", "start_velocity", "whole_file", "thrown", "numbers", "minimum", "symmetric_factors",
            "simplified_newton", "scaled_equations", "jacobian_system", "band_order", "overdetermined_in_time", "system_at"}


def write(source):
    folder = source / "reference" / "cpp"
    folder.mkdir(parents=True, exist_ok=True)
    for room, says in ROOMS.items():
        out = [f"# {room}", "", says + ".", ""]
        headers = sorted((ROOT / "lib" / "include" / "gnomon" / room).rglob("*.hpp"))
        for header in headers:
            if header.stem in INTERNAL:
                continue
            name = header.relative_to(ROOT / "lib" / "include")
            out += [f"## {header.stem}", "", f"`#include <{name}>`", "", "```{doxygenfile} " + str(name),
                    ":sections: briefdescription detaileddescription innerclass func enum typedef var public-type public-func public-attrib public-static-func define", "```", ""]
        (folder / f"{room}.md").write_text("\n".join(out), encoding="utf-8")

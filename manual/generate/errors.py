"""The table of errors: codes and messages are those of flags.h and nonlinear_solver.hpp, each with its remedy."""
import re

from common import ROOT, table

INCLUDE = ROOT / "lib" / "include" / "gnomon"
REMEDIES = {
    "UNKNOWN_NAME": "Take the nearest name, which the sentence has; `gnomon list` has all, `gnomon describe NAME` the options.",
    "BAD_VALUE": "The sentence has the range. Of a model: a function contradicts another, `gnomon check MODEL` says where.",
    "BAD_SIZE": "$y$ has the length $2n$; multipliers $m$ and one for each obstacle.",
    "INCONSISTENT_START": "Correct the start, or move it: `--project-start`, `GnomonCalcIC`, `project_start=True`; of a mechanism `assemble = true`.",
    "RANK_DEFICIENT": "The start is a singular position: start beside it.",
    "NOT_FINITE": "A function of the model is NaN or infinite at the start: look at divisions and roots there.",
    "CALLBACK_FAILED": "A callback threw or returned a negative value at the start; its own message is in the sentence.",
    "REFUSED": "Scheme, solver and model do not fit; the sentence names the reason and who takes the model. `gnomon list --matrix`.",
    "BAD_PLUGIN": "Compile the module again with the installed headers: version, compiler or SUNDIALS differ, as the sentence says.",
    "BAD_FILE": "The path, the permission or the format; of a checkpoint: the same model, scheme, options and release that wrote it.",
    "SUCCESS": "",
    "TSTOP_RETURN": "No error: the stop time was reached.",
    "ROOT_RETURN": "No error: call again to go on.",
    "PROMISE_WARN": "`GnomonGetBrokenPromises` says which and when. A smaller step, another solver; a model that is less smooth than it says.",
    "MEM_NULL": "`GnomonCreate` was not called, or failed.",
    "NO_INIT": "Call `GnomonInit` first.",
    "NOT_CONVERGED": "A smaller step; a fallback (`--fallback`, `GnomonSetFallback`); halving (`GnomonSetMaxHalvings`); a tolerance in place of a step. A solution that h -> 0 does not lead to is refused as one that was not found, [which solution](../schemes/solvers.md#which-solution).",
    "SINGULAR_JACOBIAN": "The constraints lose rank there, [singular positions](../dae/singular.md).",
    "EVALUATION_FAILED": "The model has no value there (a callback returned > 0, a root of a negative number): a smaller step, or bounds in the model.",
    "OUT_OF_MEMORY": "Sparse algebra for large models: `algebra=klu`, `block-tree`.",
    "INTERNAL": "A callback threw something that is no `std::exception`; else report it.",
    "STEP_TOO_SMALL": "The motion has a discontinuity or a singularity there, or the tolerance is too tight; a smaller `GnomonSetMinStep`.",
    "TOO_MUCH_WORK": "`GnomonSetMaxNumSteps`, or a looser tolerance.",
}
ENDS = {
    "converged": "",
    "not_converged": "As NOT_CONVERGED. Stagnation above the floor of rounding: scales differ by many powers of ten; change units.",
    "singular_jacobian": "As SINGULAR_JACOBIAN.",
    "evaluation_failed": "As EVALUATION_FAILED.",
    "error_too_large": "None: the step is taken again, smaller.",
    "step_too_small": "As STEP_TOO_SMALL.",
    "too_many_steps": "As TOO_MUCH_WORK.",
    "held_at_switch": "The model: a potential or constraint that jumps, or branches that both lead back to their switch.",
}


def write(source):
    flags = (INCLUDE / "flags.h").read_text(encoding="utf-8")
    errors = re.findall(r'X\((\w+), (\w+), (-?\d+), "([^"]+)"\)', flags)
    returns = re.findall(r'X\(([A-Z_]+), (-?\d+), "([^"]+)"\)', flags)
    listed = [(flag, value, text) for _, flag, value, text in errors] + [
        entry for entry in returns if entry[0] != "SUCCESS"
    ]
    rows = [[f"`{flag}`", value, text, REMEDIES[flag]] for flag, value, text in listed]
    (source / "generated" / "flags.md").write_text(
        table(["flag", "value", "message", "remedy"], rows), encoding="utf-8"
    )
    solver = (INCLUDE / "solve" / "nonlinear_solver.hpp").read_text(encoding="utf-8")
    listed = re.search(r"enum class SolveStatus \{(.*?)\};", solver, re.S).group(1)
    rows = [[f"`{name}`", said.strip(), ENDS[name]] for name, said in re.findall(r"(\w+),(?:\s*///< (.*))?", listed)]
    (source / "generated" / "ends.md").write_text(table(["`SolveStatus`", "meaning", "remedy"], rows), encoding="utf-8")

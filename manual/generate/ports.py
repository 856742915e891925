"""What the programs of validation/embed/ports print, compiled with the build tree and run."""
import subprocess

from common import ROOT, listing

LIBRARIES = {
    "cvode": ["-lsundials_cvode", "-lsundials_sunmatrixdense", "-lsundials_sunlinsoldense"],
    "arkode": ["-lsundials_arkode"],
    "ida": ["-lsundials_ida", "-lsundials_sunmatrixdense", "-lsundials_sunlinsoldense"],
    "gnomon": ["-lgnomon_c"],
}


def write(build, source):
    for name in ("pendulum_cvode", "pendulum_gnomon", "kepler_arkode", "kepler_gnomon", "rod_ida", "rod_gnomon"):
        program = source / "generated" / name
        call = [
            "cc",
            "-std=c11",
            "-O2",
            "-I",
            ROOT / "lib" / "include",
            ROOT / "validation" / "embed" / "ports" / f"{name}.c",
            "-o",
            program,
            "-L",
            build / "lib",
            f"-Wl,-rpath,{build / 'lib'}",
            *LIBRARIES[name.split("_")[1]],
            "-lsundials_nvecserial",
            "-lm",
        ]
        subprocess.run([str(part) for part in call], check=True)
        printed = subprocess.check_output([str(program)], text=True)
        program.unlink()
        (source / "generated" / f"{name}.md").write_text(listing(printed), encoding="utf-8")

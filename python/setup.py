"""The wheel: CMake builds the package, setuptools packs it. From a clone,

    pip wheel python --no-deps --no-build-isolation --wheel-dir FOLDER

GNOMON_BUILD names a build folder of the clone to use, build/wheel/cmake if left out; CMAKE_ARGS are further arguments for
configuring. The wheel holds Gnomon's libraries and links those of the system: SUNDIALS, SuiteSparse, jsoncpp and fmt, of the
versions it was built with.
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "wheel"
WORK.mkdir(parents=True, exist_ok=True)
shutil.rmtree(WORK / "package", ignore_errors=True)  # modules of an earlier version


class CMakeBuild(build_ext):
    """The extension module, with the libraries that it needs beside it."""

    def build_extension(self, extension):
        package = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve().parent
        folder = ROOT / (os.environ.get("GNOMON_BUILD") or WORK / "cmake")
        staged = WORK / "staged"
        configure = ["cmake", "-S", str(ROOT), "-B", str(folder)]
        configure += [f"-DPython_EXECUTABLE={sys.executable}", "-DGNOMON_PYTHON=ON"]
        if not (folder / "CMakeCache.txt").exists():
            configure += ["-DCMAKE_BUILD_TYPE=Release", "-DGNOMON_TESTS=OFF"]
        subprocess.run(configure + shlex.split(os.environ.get("CMAKE_ARGS", "")), check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "gnomon_python", "--parallel"], check=True)
        shutil.rmtree(staged, ignore_errors=True)
        subprocess.run(["cmake", "--install", str(folder), "--prefix", str(staged), "--component", "wheel"], check=True)
        package.mkdir(parents=True, exist_ok=True)
        for file in staged.glob("gnomon/*.so*"):
            # Of a library the loader asks for one name, libgnomon.so.10; links become no files of a wheel.
            if file.is_symlink() or file.resolve() not in {one.resolve() for one in staged.glob("gnomon/*") if one.is_symlink()}:
                shutil.copy2(file.resolve(), package / file.name)


class BinaryDistribution(Distribution):
    def has_ext_modules(self):
        return True


setup(
    packages=["gnomon", "gnomon.fitting", "gnomon.formulas"],
    package_data={"gnomon": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("gnomon._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    distclass=BinaryDistribution,
    options=dict(build=dict(build_base=str(WORK), build_lib=str(WORK / "package")), egg_info=dict(egg_base=str(WORK))),
)

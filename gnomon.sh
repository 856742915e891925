#!/bin/sh
# Gnomon from a clone: sets the machine up on first use, builds, and forwards to the `gnomon` program.
#
#   ./gnomon.sh validate            the main job: what was validated, scheme by scheme and paper by paper
#   ./gnomon.sh test [ctest args]   builds and runs the tests (quick tier unless -L says otherwise)
#   ./gnomon.sh packages [MORE...]  installs what is needed, and MORE, and does nothing else
#   ./gnomon.sh python [args]       Python with the package gnomon on its path
#   ./gnomon.sh manual              builds the manual into build/manual/html, with its own packages; the rows of
#                                   build/validation.json are shown where `validate --json` wrote them there
#   ./gnomon.sh run PROBLEM ...     anything else goes to the program; see ./gnomon.sh --help
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build="$root/build/release"
stamp="$root/build/packages-installed"
log="$root/build/build.log"

packages="g++ make cmake ninja-build pkg-config libsundials-dev libsuitesparse-dev libeigen3-dev libboost-dev
libboost-test-dev libjsoncpp-dev libtomlplusplus-dev libcli11-dev libfmt-dev libbenchmark-dev libhdf5-dev openmpi-bin
gnuplot-nox abigail-tools python3 python3-dev pybind11-dev python3-numpy python3-scipy python3-matplotlib python3-pandas python3-sympy
python3-h5py python3-pytest groff-base chromium nodejs"
# npm may have come with node from elsewhere.
command -v npm >/dev/null 2>&1 || packages="$packages npm"
manual_packages="python3-sphinx python3-myst-parser python3-breathe doxygen furo libjs-katex"

install_packages() {
  command -v dpkg-query >/dev/null 2>&1 || return 0 # not Debian: CMake says what is missing
  missing=""
  for package in $packages; do
    status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
  done
  if [ -n "$missing" ]; then
    command="apt-get update && apt-get install -y --no-install-recommends$missing"
    if [ "$(id -u)" = 0 ]; then
      run="sh -c"
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
      run="sudo sh -c"
    else
      printf 'gnomon.sh: packages are missing; run this as root, then try again:\n  %s\n' "$command" >&2
      exit 2
    fi
    printf 'gnomon.sh: installing%s\n' "$missing" >&2
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    if ! $run "$command" >"$root/build/packages.log" 2>&1; then
      tail -n 20 "$root/build/packages.log" >&2
      printf 'gnomon.sh: the packages could not be installed; the full output is in build/packages.log\n' >&2
      exit 2
    fi
  fi
  : >"$stamp"
}

build_target() {
  if [ ! -f "$build/build.ninja" ]; then
    printf 'gnomon.sh: configuring\n' >&2
    if ! (cd "$root" && cmake --preset release) >"$log" 2>&1; then
      tail -n 30 "$log" >&2
      printf 'gnomon.sh: configuring failed; the full output is in build/build.log\n' >&2
      rm -rf "$build/CMakeCache.txt" "$build/build.ninja"
      exit 2
    fi
    printf 'gnomon.sh: building (a few minutes)\n' >&2
  fi
  if ! cmake --build "$build" --target "$1" >"$log" 2>&1; then
    grep -E -A 5 'error|FAILED' "$log" | head -n 40 >&2 || true
    printf 'gnomon.sh: the build failed; the full output is in build/build.log\n' >&2
    exit 2
  fi
}

mkdir -p "$root/build"
if [ "${1:-}" = packages ]; then
  shift
  packages="$packages $*"
  install_packages
  exit 0
fi
if [ ! -f "$stamp" ] || [ "$0" -nt "$stamp" ]; then
  install_packages
fi

if [ "${1:-}" = test ]; then
  shift
  build_target all
  [ $# -gt 0 ] || set -- -L quick
  exec ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "$@"
fi
if [ "${1:-}" = python ]; then
  shift
  build_target gnomon_python
  PYTHONPATH="$build/python${PYTHONPATH:+:$PYTHONPATH}"
  export PYTHONPATH
  exec "$(sed -n 's/^_\{0,1\}Python_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt" | head -n 1)" "$@"
fi
if [ "${1:-}" = manual ]; then
  packages="$packages $manual_packages"
  install_packages
  build_target gnomon
  build_target gnomon_python
  build_target gnomon_c
  rows="$root/build/validation.json"
  [ -f "$rows" ] || rows=""
  exec /usr/bin/python3 "$root/validation/manual/build.py" "$build" "$root/build/manual" ${rows:+"$rows"}
fi
build_target gnomon
exec "$build/bin/gnomon" "$@"

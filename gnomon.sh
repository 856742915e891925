#!/bin/sh
# Gnomon from a clone: sets the machine up on first use, builds, and forwards to the `gnomon` program.
#
#   ./gnomon.sh validate            the main job: what was validated, scheme by scheme and paper by paper
#   ./gnomon.sh test [ctest args]   builds everything and runs the tests (quick tier unless -L says otherwise)
#   ./gnomon.sh run PROBLEM ...     any command of the program, see below
#   ./gnomon.sh python [args]       Python with the package gnomon on its path
#   ./gnomon.sh manual              builds the manual into build/manual/html; the rows of build/validation.json are
#                                   shown where `validate --standard --json` wrote them there
#   ./gnomon.sh packages [MORE...]  installs what all of these need, and MORE, and does nothing else
#
# Packages of Debian and parts of the program are installed and built when a command first needs them.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build="$root/build/release"
log="$root/build/build.log"
help="$root/program/cli/help.txt" # what `gnomon --help` prints; one of the tests compares them
program_seconds=900                         # of processor time, to build the program alone

# The program; pictures (--plot), measuring beside hand-coded integrators, many processes; Python; tests; the manual.
program_packages="g++ make cmake ninja-build pkg-config libsundials-dev libsuitesparse-dev libeigen3-dev libboost-dev
libjsoncpp-dev libtomlplusplus-dev libcli11-dev libfmt-dev libhdf5-dev libtinygltf-dev nlohmann-json3-dev libtinyxml2-dev
libsdformat-dev libceres-dev"
plot_packages="gnuplot-nox"
bench_packages="libbenchmark-dev gnuplot-nox"
sweep_packages="openmpi-bin"
python_packages="python3 python3-dev pybind11-dev python3-numpy python3-scipy python3-matplotlib python3-pandas python3-h5py"
test_packages="libsiconos-numerics-dev $bench_packages $sweep_packages $python_packages libboost-test-dev abigail-tools python3-sympy
python3-pytest python3-xarray mypy groff-base chromium nodejs"
# npm may have come with node from elsewhere.
command -v npm >/dev/null 2>&1 || test_packages="$test_packages npm"
manual_packages="$python_packages python3-sphinx python3-myst-parser python3-breathe doxygen furo libjs-katex"

say() { printf 'gnomon.sh: %s\n' "$*" >&2; }

# Sets `installed` where it installed something.
install_packages() { # packages
  installed=""
  command -v dpkg-query >/dev/null 2>&1 || return 0 # not Debian: CMake says what is missing
  present=$(dpkg-query -W -f='${Package} ${Status}\n' "$@" 2>/dev/null | sed -n 's/ install ok installed$//p')
  missing=""
  for package in "$@"; do
    printf '%s\n' "$present" | grep -qx -e "$package" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  command="apt-get update && apt-get install -y --no-install-recommends$missing"
  if [ "$(id -u)" = 0 ]; then
    run="sh -c"
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    run="sudo sh -c"
  else
    say "packages are missing; run this as root, then try again:
  $command"
    exit 2
  fi
  say "installing$missing"
  DEBIAN_FRONTEND=noninteractive
  export DEBIAN_FRONTEND
  if ! $run "$command" >"$root/build/packages.log" 2>&1; then
    tail -n 20 "$root/build/packages.log" >&2
    say "the packages could not be installed; the full output is in build/packages.log"
    exit 2
  fi
  installed=yes
}

configure() { # options of cmake
  say "configuring"
  if ! (cd "$root" && cmake --preset release "$@") >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    say "configuring failed; the full output is in build/build.log"
    rm -rf "$build/CMakeCache.txt" "$build/build.ninja"
    exit 2
  fi
}

# How far a build is, after every tenth of its steps.
show_progress() {
  awk 'BEGIN { "date +%s" | getline start; close("date +%s"); next_tenth = 1 }
    match($0, /^\[[0-9]+\/[0-9]+\]/) {
      split(substr($0, 2, RLENGTH - 2), step, "/")
      if (step[2] < 20 || step[1] * 10 < step[2] * next_tenth) next
      "date +%s" | getline now; close("date +%s")
      printf "gnomon.sh: built %d of %d steps in %d min %02d s\n", step[1], step[2], (now - start) / 60, (now - start) % 60
      fflush(); next_tenth = int(step[1] * 10 / step[2]) + 1
    }' >&2
}

build_targets() { # targets of cmake
  if [ ! -d "$build/lib" ]; then
    say "building, about $((program_seconds / $(nproc) / 60 + 1)) minutes for the program with $(nproc) processors"
  fi
  { cmake --build "$build" --target "$@" 2>&1 || : >"$log.failed"; } | tee "$log" | show_progress
  if [ -f "$log.failed" ]; then
    rm -f "$log.failed"
    grep -E -A 5 'error|FAILED' "$log" | head -n 40 >&2 || true
    say "the build failed; the full output is in build/build.log"
    exit 2
  fi
}

# What a command needs; the build is configured again where something new may be found.
prepare() { # packages, ON for the tests
  mkdir -p "$root/build"
  # shellcheck disable=SC2086
  install_packages $program_packages $1
  if [ ! -f "$build/build.ninja" ]; then
    configure "-DGNOMON_TESTS=${2:-OFF}"
  elif [ -n "${2:-}" ] && ! grep -q "^GNOMON_TESTS:BOOL=$2" "$build/CMakeCache.txt"; then
    configure "-DGNOMON_TESTS=$2"
  elif [ -n "$installed" ]; then
    configure
  fi
}

show_help() {
  sed -n 's/^# \{0,1\}//p; /^set -eu/q' "$0" | sed '1d'
  cat "$help"
}

command=${1:-}
case $command in
"" | -h | --help)
  show_help
  [ -n "$command" ] || exit 2
  ;;
packages)
  shift
  mkdir -p "$root/build"
  # shellcheck disable=SC2086
  install_packages $program_packages $test_packages $manual_packages "$@"
  ;;
test)
  shift
  prepare "$test_packages" ON
  build_targets all
  [ $# -gt 0 ] || set -- -L quick
  exec ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "$@"
  ;;
python)
  shift
  prepare "$python_packages"
  build_targets gnomon_python
  PYTHONPATH="$build/python${PYTHONPATH:+:$PYTHONPATH}"
  export PYTHONPATH
  exec "$(sed -n 's/^_\{0,1\}Python_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt" | head -n 1)" "$@"
  ;;
manual)
  prepare "$bench_packages $sweep_packages $manual_packages"
  build_targets gnomon_commands gnomon_python gnomon_c
  rows="$root/build/validation.json"
  [ -f "$rows" ] || rows=""
  exec /usr/bin/python3 "$root/manual/build.py" "$build" "$root/build/manual" ${rows:+"$rows"}
  ;;
*)
  commands=$(sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p' "$help")
  if [ "${command#-}" = "$command" ] && ! printf '%s\n' "$commands" | grep -qx -e "$command"; then
    say "unknown command \"$command\"; expected one of: test python manual packages $(printf "%s" "$commands" | tr "\n" " ")"
    exit 2
  fi
  case $command in
  advise | bench) needed="$bench_packages" target=gnomon_bench_command ;;
  sweep) needed="$sweep_packages" target=gnomon_sweep_command ;;
  completion | man) needed="" target=gnomon_commands ;;
  *) needed="" target=gnomon ;;
  esac
  case "$*" in
  *--plot*) needed="$needed $plot_packages" ;;
  esac
  prepare "$needed"
  build_targets $target
  exec "$build/bin/gnomon" "$@"
  ;;
esac

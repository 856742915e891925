#!/bin/sh
# Installs a built tree into a scratch prefix and uses it as a stranger would: the example of the README through
# find_package and through pkg-config, and the plug-in template, whose scheme must pass the conformance cases.
#
#   embed/run.sh BUILD_DIR SOURCE_DIR SCRATCH_DIR
set -eu
build=$1
source=$2
scratch=$3

rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"
PATH="$scratch/prefix/bin:$PATH"

echo "== the README's example through find_package"
cp -r "$source/validation/embed/cpp" "$scratch/cpp"
awk '/^```cpp$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/README.md" >"$scratch/cpp/main.cpp"
test -s "$scratch/cpp/main.cpp"
cmake -S "$scratch/cpp" -B "$scratch/cpp/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/cpp.log"
cmake --build "$scratch/cpp/build" >>"$scratch/cpp.log"
"$scratch/cpp/build/consumer" >"$scratch/cpp.out"
cat "$scratch/cpp.out"
grep -q "energy error" "$scratch/cpp.out"

echo "== the same through pkg-config"
libdir=$(find "$scratch/prefix" -name gnomon.pc -exec dirname {} \;)
PKG_CONFIG_PATH="$libdir${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
${CXX:-c++} -std=c++17 -O2 "$scratch/cpp/main.cpp" -o "$scratch/consumer" $(pkg-config --cflags --libs gnomon) \
  -Wl,-rpath,"$(dirname "$libdir")"
"$scratch/consumer" | cmp - "$scratch/cpp.out"

echo "== the installed plug-in template, copied elsewhere, in one command"
cp -r "$scratch/prefix/share/gnomon/plugin_template" "$scratch/plugin"
make -C "$scratch/plugin" PREFIX="$scratch/prefix" >"$scratch/plugin.log"
modules="$scratch/plugin/build"
gnomon list --plugin-path "$modules" >"$scratch/plugin.list"
for name in constrained_trapezoidal bead_on_parabola damped_newton; do
  grep -q "from $modules/$name.so" "$scratch/plugin.list"
done
GNOMON_PLUGIN_PATH="$modules" gnomon check bead-on-parabola | grep "all checks passed"
GNOMON_PLUGIN_PATH="$modules" gnomon run bead-on-parabola --solver damped-newton --step 1e-2 --steps 1000
status=0
gnomon validate conformance/constrained-trapezoidal --tier quick --plugin "$modules/constrained_trapezoidal.so" \
  >"$scratch/plugin.out" || status=$?
cat "$scratch/plugin.out"
grep -q "constrained-trapezoidal.* pass" "$scratch/plugin.out"
exit "$status"

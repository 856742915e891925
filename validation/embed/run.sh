#!/bin/sh
# Installs a built tree into a scratch prefix and uses it as a stranger would: the example of the README through
# find_package and through pkg-config, and a plug-in scheme that must pass the conformance cases.
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

echo "== a plug-in scheme out of tree"
cp -r "$source/validation/embed/plugin" "$scratch/plugin"
cmake -S "$scratch/plugin" -B "$scratch/plugin/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" >"$scratch/plugin.log"
cmake --build "$scratch/plugin/build" >>"$scratch/plugin.log"
module="$scratch/plugin/build/constrained_trapezoidal.so"
gnomon list schemes --plugin "$module" | grep constrained-trapezoidal
status=0
gnomon validate conformance/constrained-trapezoidal --tier quick --plugin "$module" >"$scratch/plugin.out" || status=$?
cat "$scratch/plugin.out"
grep -q "constrained-trapezoidal.* pass" "$scratch/plugin.out"
exit "$status"

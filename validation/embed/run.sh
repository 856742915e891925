#!/bin/sh
# Installs a built tree into a scratch prefix and uses it as a stranger would: the examples of the README, of the manual and
# in C through find_package and through pkg-config, programs of CVODE and ARKODE switched to Gnomon, and the plug-in
# template, whose scheme must pass the conformance cases.
#
#   embed/run.sh BUILD_DIR SOURCE_DIR SCRATCH_DIR
#   embed/run.sh --installed PREFIX SOURCE_DIR SCRATCH_DIR    of a tree that is installed already, by a package
set -eu
installed=""
if [ "$1" = --installed ]; then
  installed=$2
  shift
fi
build=$1
source=$2
scratch=$3
prefix=${installed:-$scratch/gnomon/prefix} # as below a clone, or a home folder, of that name

rm -rf "$scratch"
mkdir -p "$scratch"
if [ -z "$installed" ]; then
  # Folders of others, empty and not, which the end of this test must find as they are.
  mkdir -p "$prefix/share/doc" "$prefix/lib/gnomon-of-others" "$prefix/include/gnomon"
  : >"$prefix/lib/gnomon-of-others/file"
  find "$prefix" | sort >"$scratch/before"
  cmake --install "$build" --prefix "$prefix" >"$scratch/install.log"
fi
PATH="$prefix/bin:$PATH"
snippets() { python3 "$source/manual/snippets.py" "$@"; }

echo "== the model files of the README and of the manual"
snippets "$source/README.md" toml "$scratch/readme" .toml "format = 1"
snippets "$source/manual/models/formulas.md" toml "$scratch/formulas" .toml "format = 1"
for model in "$scratch"/readme1.toml "$scratch"/formulas1.toml; do
  gnomon run "$model" --rtol 1e-6 --until 1 --plot "$model.svg" --reference ida-ggl >"$model.out" || { cat "$model.out" && exit 1; }
  grep -q "energy " "$model.out"
done
test -s "$scratch/readme1.toml.svg"
test -s "$scratch/formulas1.toml.svg"

echo "== manual pages and completion"
share=$(dirname "$(dirname "$(command -v gnomon)")")/share
test -n "$(find "$share/man/man1" -name "gnomon.1*" -size +0)"
test -n "$(find "$share/man/man1" -name "gnomon-run.1*" -size +0)"
bash -n "$share/bash-completion/completions/gnomon"

echo "== the README's example and the manual's mechanism through find_package"
cp -r "$source/validation/embed/cpp" "$scratch/cpp"
snippets "$source/README.md" cpp "$scratch/cpp/readme" .cpp "#include <cstdio>"
mv "$scratch/cpp/readme1.cpp" "$scratch/cpp/main.cpp"
snippets "$source/manual/models/mechanisms.md" cpp "$scratch/cpp/mechanisms" .cpp "#include <cstdio>"
mv "$scratch/cpp/mechanisms1.cpp" "$scratch/cpp/mechanism.cpp"
cmake -S "$scratch/cpp" -B "$scratch/cpp/build" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/cpp.log"
cmake --build "$scratch/cpp/build" >>"$scratch/cpp.log"
"$scratch/cpp/build/consumer" >"$scratch/cpp.out"
cat "$scratch/cpp.out"
grep -q "energy error" "$scratch/cpp.out"
"$scratch/cpp/build/mechanism" | grep "energy error [0-9.]*e-1[2-9]"

echo "== the same through pkg-config, without a word about where the loader looks"
libdir=$(find "$prefix/lib"* -name gnomon.pc -exec dirname {} \;)
PKG_CONFIG_PATH="$libdir${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
${CXX:-c++} -std=c++17 "$scratch/cpp/main.cpp" -o "$scratch/consumer" $(pkg-config --cflags --libs gnomon)
"$scratch/consumer" | cmp - "$scratch/cpp.out"

echo "== the manual's programs"
# Whole programs are built and run; pieces of C++ are compiled together, each in a namespace of its own.
mkdir "$scratch/manual"
n=0
echo "#include <gnomon/gnomon.hpp>" >"$scratch/manual/pieces.cpp"
for page in $(cd "$source/manual" && grep -lE '^```c(pp)?$' ./*.md ./*/*.md); do
  n=$((n + 1))
  for language in c cpp; do
    snippets "$source/manual/$page" $language "$scratch/manual/$n-" .$language || true
  done
done 2>"$scratch/manual/none"
for program in "$scratch"/manual/[0-9]*.c "$scratch"/manual/[0-9]*.cpp; do
  if ! grep -q "^int main" "$program"; then
    printf 'namespace piece_%s {\n' "$(basename "$program" .cpp | tr - _)"
    cat "$program"
    echo '}'
    continue
  fi >>"$scratch/manual/pieces.cpp"
  case $program in
  *.c) compile="${CC:-cc} -std=c11 -Wall -Wextra -Werror" package=gnomon_c ;;
  *) compile="${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -Werror" package=gnomon ;;
  esac
  cmp -s "$program" "$scratch/cpp/main.cpp" || cmp -s "$program" "$scratch/cpp/mechanism.cpp" || {
    # shellcheck disable=SC2046
    $compile "$program" -o "$scratch/manual/program" $(pkg-config --cflags --libs $package)
    "$scratch/manual/program" | grep "energy error [0-9.]*e-1[2-9]"
  }
done
# shellcheck disable=SC2046
${CXX:-c++} -std=c++17 -fsyntax-only -Wall -Wextra -Werror "$scratch/manual/pieces.cpp" $(pkg-config --cflags gnomon)

echo "== the kernels of the schemes, from outside"
schemes="$prefix/include/gnomon/schemes"
(cd "$schemes" && find kernels -name '*.hpp' | sort | sed 's/.*/#include <&>/') >"$scratch/kernels.cpp"
test -s "$scratch/kernels.cpp"
echo 'int main() { return gnomon::kernels::LegendreTable(2, 2).c[0] < gnomon::kernels::LegendreTable(1, 1).c[0] ? 0 : 1; }' \
  >>"$scratch/kernels.cpp"
# shellcheck disable=SC2046
${CXX:-c++} -std=c++17 -I"$schemes" $(pkg-config --cflags gnomon) "$scratch/kernels.cpp" -o "$scratch/kernels" \
  -lgnomon_kernels -lgnomon_eigen $(pkg-config --libs gnomon)
"$scratch/kernels"

echo "== views of arrays, both ways"
(cd "$scratch" && cpp/build/views >views.out) || { cat "$scratch/views.out" && exit 1; }
# shellcheck disable=SC2046
${CXX:-c++} -std=c++17 "$scratch/cpp/views.cpp" -o "$scratch/views" $(pkg-config --cflags --libs gnomon)
(cd "$scratch" && ./views | cmp - views.out)
cat "$scratch/views.out"

echo "== the C example through find_package"
cp -r "$source/validation/embed/c" "$scratch/c"
cmake -S "$scratch/c" -B "$scratch/c/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_FLAGS=-Werror \
  >"$scratch/c.log"
cmake --build "$scratch/c/build" >>"$scratch/c.log"
(cd "$scratch" && c/build/double_pendulum >c.out) || { cat "$scratch/c.out" && exit 1; }
tail -n 3 "$scratch/c.out"

echo "== the same through pkg-config"
# shellcheck disable=SC2046
${CC:-cc} -std=c11 -O2 "$scratch/c/double_pendulum.c" -o "$scratch/double_pendulum" \
  $(pkg-config --cflags --libs gnomon_c) -lm -Wl,--no-undefined
(cd "$scratch" && ./double_pendulum | cmp - c.out)

echo "== serial vectors in C and C++, with what pkg-config prints and nothing else"
mkdir "$scratch/pkgconfig"
# shellcheck disable=SC2046
${CC:-cc} -std=c11 -Wall -Wextra -Werror "$source/validation/embed/pkgconfig/free_particle.c" \
  -o "$scratch/pkgconfig/free_particle" $(pkg-config --cflags --libs gnomon_c)
"$scratch/pkgconfig/free_particle"
# shellcheck disable=SC2046
${CXX:-c++} -std=c++17 -Wall -Wextra -Werror "$source/validation/embed/pkgconfig/serial_vector.cpp" \
  -o "$scratch/pkgconfig/serial_vector" $(pkg-config --cflags --libs gnomon)
"$scratch/pkgconfig/serial_vector"
# A SUNDIALS outside the system's folders is named too.
for package in gnomon gnomon_c; do
  PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 pkg-config --cflags --libs "$package" \
    >"$scratch/pkgconfig/$package.flags"
  for flag in $(cat "$scratch/pkgconfig/$package.flags"); do
    case $flag in
    -I*) include=${flag#-I} && test -e "$include/nvector/nvector_serial.h" && : >"$scratch/pkgconfig/$package.include" ;;
    -L*) folder=${flag#-L} && ls "$folder"/libsundials_nvecserial.* >"$scratch/pkgconfig/$package.folder" 2>&1 ;;
    esac || true
  done
  test -e "$scratch/pkgconfig/$package.include" || { echo "$package.pc names no folder of SUNDIALS headers" && exit 1; }
  grep -q nvecserial "$scratch/pkgconfig/$package.folder" || { echo "$package.pc names no folder of SUNDIALS" && exit 1; }
done

echo "== a CVODE program, switched"
cp -r "$source/validation/embed/cvode_switched" "$scratch/cvode"
cmake -S "$scratch/cvode" -B "$scratch/cvode/build" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/cvode.log"
cmake --build "$scratch/cvode/build" >>"$scratch/cvode.log"
"$scratch/cvode/build/henon_heiles_cvode" | head -n 1
"$scratch/cvode/build/henon_heiles_gnomon" >"$scratch/cvode.out"
head -n 1 "$scratch/cvode.out"
grep -q "energy error up to t = 1000: [0-9.]*e-1[3-9]" "$scratch/cvode.out"
changed=$(diff "$scratch/cvode/henon_heiles_cvode.c" "$scratch/cvode/henon_heiles_gnomon.c" | grep -c '^>') || true
echo "$changed new lines"
test "$changed" -le 15

echo "== programs of CVODE, ARKODE and IDA, switched"
cmake -S "$source/validation/embed/ports" -B "$scratch/ports" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" >"$scratch/ports.log"
cmake --build "$scratch/ports" >>"$scratch/ports.log"
"$scratch/ports/pendulum_cvode"
"$scratch/ports/pendulum_gnomon" >"$scratch/ports.out"
"$scratch/ports/kepler_arkode"
"$scratch/ports/kepler_gnomon" >>"$scratch/ports.out"
"$scratch/ports/rod_ida"
"$scratch/ports/rod_gnomon" >>"$scratch/ports.out"
cat "$scratch/ports.out"
test "$(grep -c "^rtol .* energy [0-9]e-1[3-9]  g [0-9]e-1[5-9]  Gv [0-9]e-1[4-9]" "$scratch/ports.out")" = 2
grep -q "^h = 0.01 .* energy [0-9]e-1[3-9]  g [0-9]e-1[5-9]" "$scratch/ports.out"
grep -q "^energy-momentum-general .* energy [0-9]e-1[4-9]" "$scratch/ports.out"
grep -q "^t = 1000: energy error [0-9]e-1[3-9], q off by [0-9]e-1[0-9]" "$scratch/ports.out"
grep -q "^rattle .* angular momentum [0-9]e-1[4-9]" "$scratch/ports.out"

echo "== the installed plug-in template, copied elsewhere, in one command"
cp -r "$prefix/share/gnomon/plugin_template" "$scratch/plugin"
make -C "$scratch/plugin" PREFIX="$prefix" >"$scratch/plugin.log"
modules="$scratch/plugin/build"
gnomon list --plugin-path "$modules" >"$scratch/plugin.list"
for name in constrained_trapezoidal bead_on_parabola damped_newton; do
  grep -q "from $modules/$name.so" "$scratch/plugin.list"
done
GNOMON_PLUGIN_PATH="$modules" gnomon check bead-on-parabola | grep "all checks passed"
GNOMON_PLUGIN_PATH="$modules" gnomon run bead-on-parabola --solver damped-newton --step 1e-2 --steps 1000
status=0
gnomon validate conformance/constrained-trapezoidal --tier quick --share 1/8 \
  --plugin "$modules/constrained_trapezoidal.so" \
  >"$scratch/plugin.out" || status=$?
cat "$scratch/plugin.out"
grep -q "^PASSED: all [1-9][0-9]* gated rows hold" "$scratch/plugin.out"
grep -Eq "^ +constrained-trapezoidal +[1-9][0-9]* +([0-9]+)/\1 " "$scratch/plugin.out" # of every promise, all rows
if [ -z "$installed" ]; then
  echo "== uninstalled"
  cmake -DMANIFEST="$build/install_manifest.txt" -DFOLDERS="$build/folders_before_install.txt" \
    -P "$source/cmake/GnomonUninstall.cmake"
  find "$prefix" | sort >"$scratch/after"
  diff "$scratch/before" "$scratch/after"
fi
exit "$status"

#!/bin/sh
# Builds the project of this folder, which takes in Gnomon's sources, with the example of the README, and runs it.
#
#   embed/fetch/run.sh SOURCE_DIR SCRATCH_DIR [cmake arguments]
set -eu
source=$1
scratch=$2
shift 2

mkdir -p "$scratch"
cp "$source"/validation/embed/fetch/* "$scratch"
python3 "$source/manual/snippets.py" "$source/README.md" cpp "$scratch/readme" .cpp "#include <cstdio>"
mv "$scratch/readme1.cpp" "$scratch/main.cpp"
cmake -S "$scratch" -B "$scratch/build" -DGNOMON_SOURCE="$source" "$@" >"$scratch/configure.log" 2>&1 ||
  { cat "$scratch/configure.log" && exit 1; }
for missing in "no algebra klu and krylov" "no algebra sparse-qr"; do
  grep "$missing" "$scratch/configure.log"
done
cmake --build "$scratch/build" --target consumer library_only >"$scratch/build.log" 2>&1 ||
  { cat "$scratch/build.log" && exit 1; }
"$scratch/build/consumer" | tee "$scratch/consumer.out"
grep -q "energy error" "$scratch/consumer.out"
"$scratch/build/library_only"

#!/bin/sh
# libgnomon_c exports the functions of gnomon.h and nothing else but type information of gnomon's classes, which must be
# one with that of libgnomon; its soname carries the number of abi.h.
#
#   exported_symbols.sh NM LIBRARY INCLUDE_DIR
set -eu
nm=$1
library=$2
headers=$3/gnomon

exported=$("$nm" -D --defined-only "$library" | awk '{ print $NF }' | sort -u)
# What is compiled in depends on SUNDIALS: SUNStepper came with 7.2.
declared=$(sed -n 's/^[a-z].*\(Gnomon[A-Z][A-Za-z0-9]*\)(.*/\1/p' "$headers/gnomon.h" | sort -u |
  grep -v '^GnomonCreateSUNStepper$')
test "$(echo "$declared" | wc -l)" -ge 50 || { echo "gnomon.h was not understood: $declared" && exit 1; }

failed=0
for name in $declared; do
  if ! echo "$exported" | grep -qx "$name"; then
    echo "$name is declared in gnomon.h and not exported"
    failed=1
  fi
done
for name in $exported; do
  case $name in
  GnomonCreateSUNStepper | _ZTIN6gnomon* | _ZTSN6gnomon*) ;;
  *)
    if ! echo "$declared" | grep -qx "$name"; then
      echo "$name is exported and not declared in gnomon.h"
      failed=1
    fi
    ;;
  esac
done

number=$(sed -n 's/^#define GNOMON_C_ABI_VERSION \([0-9]*\)$/\1/p' "$headers/abi.h")
case $(basename "$library") in
libgnomon_c.so."$number".*) ;;
*)
  echo "$library does not carry the number of abi.h, $number"
  failed=1
  ;;
esac
exit "$failed"

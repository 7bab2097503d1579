#!/bin/sh
# check-object.sh <object> <hash> <directory>
#
# Shows that <object> is what a plugin must make of Inputs/vadd.hip compiled
# with a -cuid= of this hash: no fat binary, the wrapper marked, and the device
# code in .kpack.devobj equal, byte for byte, to the files <target>.co that the
# directory holds.
set -eu
object=$1 hash=$2 expected=$3
work=$object.check
checks=$(dirname "$0")/check-object.txt
rm -rf "$work"
mkdir "$work"

llvm-readelf -SW "$object" |
  FileCheck "$checks" --check-prefix=SECTIONS --implicit-check-not=' .hip_fatbin '
llvm-nm "$object" |
  FileCheck "$checks" --check-prefix=SYMBOLS -DHASH="$hash"

llvm-objcopy --dump-section .hipFatBinSegment="$work/wrapper" \
  --dump-section .kpack.devobj="$work/devobj" "$object" "$work/copy"
# Magic, version, a pointer that the linker fills in, the hash.
printf '48 49 50 4b 01 00 00 00 00 00 00 00 00 00 00 00 %s\n' \
  "$(printf '%016x' "0x$hash" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)\(..\)/\8 \7 \6 \5 \4 \3 \2 \1/')" \
  >"$work/wrapper.expected"
od -An -v -w24 -tx1 "$work/wrapper" | sed 's/^ //' | diff "$work/wrapper.expected" -

for image in "$expected"/*.co; do
  target=$(basename "$image" .co)
  clang-offload-packager "$work/devobj" \
    --image=file="$work/image",arch="$target",kind=hip,kpack.token="$(printf '%016x' "0x$hash")"
  cmp "$work/image" "$image"
  rm "$work/image"
done

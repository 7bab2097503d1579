#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What a shared library exports, a symbol a line, with its version and kind: what
# test/Install/abi/ has lists of. A change is made there by
#   PATH=/usr/lib/llvm-22/bin:$PATH test/Install/exported.sh LIBRARY > test/Install/abi/NAME.txt
set -eu
echo "# $(llvm-readelf -d "$1" | sed -n 's/.*Library soname: \[\(.*\)\]/\1/p')"
# A version node is a symbol itself (A); what is in a private one is no ABI.
llvm-nm -D --defined-only --format=posix "$1" |
  awk '$2 != "A" && NF && $1 !~ /_PRIVATE$/ { print $1, ($2 ~ /[TtWw]/ ? "function" : "data") }' | LC_ALL=C sort

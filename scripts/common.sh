# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Shared by scripts/*: where things are, and how missing packages are installed.
# Sourced, never run.

KPACK_SOURCE_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
KPACK_LLVM_VERSION=${KPACK_LLVM_VERSION:-22}
KPACK_BUILD_DIR=${KPACK_BUILD_DIR:-$KPACK_SOURCE_DIR/build}
# Some commands run in other folders, and "-asan" and its like are appended.
[[ $KPACK_BUILD_DIR == /* ]] || KPACK_BUILD_DIR=$PWD/$KPACK_BUILD_DIR
KPACK_BUILD_DIR=${KPACK_BUILD_DIR%/}
KPACK_JOBS=${KPACK_JOBS:-$(nproc)}
# Tools that debootstrap leaves out of PATH for a plain `su`.
export PATH=$PATH:/usr/sbin:/sbin

say() { printf '==> %s\n' "$*"; }

fail() {
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# as_root COMMAND...: as it is for root, through sudo for others.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    fail "$1: needs root; run as root or install sudo"
  fi
}

# is_installed NAME...: one of them.
is_installed() {
  # It fails where it does not know one of the names.
  local states
  states=$(dpkg-query -W -f '${db:Status-Status}\n' "$@" 2>/dev/null) || true
  grep -qx installed <<<"$states"
}

# known_package NAME...: the first that apt knows.
known_package() {
  local name
  for name; do
    # Of a name that others only ask for it says nothing, and means it well.
    if [ -n "$(apt-cache show --no-all-versions "$name" 2>/dev/null)" ]; then
      echo "$name"
      return
    fi
  done
  return 1
}

# Servers are installed as programs for tests: none is started. That is what
# policy-rc.d is for; ours says so only while this process lives.
INSTALL_WITHOUT_SERVICES='
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap "rm -f $policy" EXIT
  trap "exit 1" HUP INT TERM
  printf "#!/bin/sh\nkill -0 $$ 2>/dev/null && exit 101\nexit 0\n" >$policy
  chmod 755 $policy
fi
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  -o Dpkg::Use-Pty=0 "$@"'

# all_products: a CMake list of them, from lib/floors.txt.
all_products() {
  awk '$1 == "product" && !seen[$2]++ { print $2 }' "$KPACK_SOURCE_DIR/lib/floors.txt" | paste -sd';'
}

# cached_value DIR NAME: of the CMake cache; empty where nothing is configured.
cached_value() {
  [ ! -f "$1/CMakeCache.txt" ] || sed -n "s/^$2:[A-Z]*=//p" "$1/CMakeCache.txt"
}

# install_packages [--products=LIST] WHEN...: what scripts/dependencies lists for these
# uses; with a list of products, what these need.
install_packages() {
  command -v dpkg-query >/dev/null 2>&1 ||
    fail "dpkg: not found; the scripts install packages of Debian 12 and 13, elsewhere install what scripts/dependencies lists and run cmake yourself"
  local missing=() when line names products=all
  case ${1-} in
  --products=*)
    products=${1#*=}
    shift
    ;;
  esac
  for when in "$@"; do
    while read -r line; do
      IFS='|' read -r -a names <<<"$line"
      is_installed "${names[@]}" || missing+=("$line")
    done < <(awk -v w="$when" -v products="$products" '
      BEGIN { split(products, list, ";"); for (i in list) chosen[list[i]] }
      $1 == w { take = NF == 2 || products == "all"; for (i = 3; i <= NF; i++) take = take || $i in chosen; if (take) print $2 }
      ' "$KPACK_SOURCE_DIR/scripts/dependencies")
  done
  [ ${#missing[@]} = 0 ] && return
  as_root apt-get update -qq || fail "apt-get update: failed; check the package sources"
  known_package "clang-$KPACK_LLVM_VERSION" >/dev/null ||
    fail "clang-$KPACK_LLVM_VERSION: no such package; Debian 12 and 13 have it in their security suites, add that suite to the package sources"
  local chosen=() package
  for line in "${missing[@]}"; do
    IFS='|' read -r -a names <<<"$line"
    package=$(known_package "${names[@]}") ||
      fail "${line//|/ or }: no such package; the scripts know Debian 12 and 13: name in scripts/dependencies what it is called here"
    chosen+=("$package")
  done
  say "installing ${#chosen[@]} packages: ${chosen[*]}"
  local log
  log=$(mktemp)
  if ! as_root sh -c "$INSTALL_WITHOUT_SERVICES" install "${chosen[@]}" >"$log" 2>&1; then
    tail -20 "$log" >&2
    rm -f "$log"
    fail "apt-get install: failed"
  fi
  rm -f "$log"
}

# configure_build DIR [CMAKE ARGS...]: clang builds everything, also the
# sanitized configuration and the fuzzers; ccache is used where it is installed.
configure_build() {
  local dir=$1
  shift
  local launcher=()
  if command -v ccache >/dev/null 2>&1; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER="$KPACK_SOURCE_DIR/cmake/launcher"
      -DCMAKE_CXX_COMPILER_LAUNCHER="$KPACK_SOURCE_DIR/cmake/launcher")
  fi
  CC=clang-22 CXX=clang++-22 cmake -G Ninja -S "$KPACK_SOURCE_DIR" -B "$dir" \
    -DKPACK_LLVM_VERSION="$KPACK_LLVM_VERSION" -DKPACK_WERROR=ON \
    -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld \
    -DCMAKE_MODULE_LINKER_FLAGS=-fuse-ld=lld \
    "${launcher[@]}" "$@" >"$dir.log" 2>&1 || { cat "$dir.log" >&2; fail "cmake: configuration failed"; }
  rm -f "$dir.log"
}

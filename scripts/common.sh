# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Shared by scripts/*: where things are, and how missing packages are installed.
# Sourced, never run.

KPACK_SOURCE_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
KPACK_LLVM_VERSION=${KPACK_LLVM_VERSION:-22}
KPACK_BUILD_DIR=${KPACK_BUILD_DIR:-$KPACK_SOURCE_DIR/build}
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

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
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

# install_packages WHEN...: what scripts/dependencies lists for these uses.
install_packages() {
  command -v dpkg-query >/dev/null 2>&1 ||
    fail "dpkg: not found; the scripts install Debian 12 packages, elsewhere install what scripts/dependencies lists and run cmake yourself"
  local missing=() when package
  for when in "$@"; do
    while read -r package; do
      is_installed "$package" || missing+=("$package")
    done < <(awk -v w="$when" '$1 == w { print $2 }' "$KPACK_SOURCE_DIR/scripts/dependencies")
  done
  [ ${#missing[@]} = 0 ] && return
  say "installing ${#missing[@]} packages: ${missing[*]}"
  as_root apt-get update -qq || fail "apt-get update: failed; check the package sources"
  if ! apt-cache show "clang-$KPACK_LLVM_VERSION" >/dev/null 2>&1; then
    fail "clang-$KPACK_LLVM_VERSION: no such package; Debian 12 has it in bookworm-security, add that suite to the package sources"
  fi
  local log
  log=$(mktemp)
  if ! as_root sh -c "$INSTALL_WITHOUT_SERVICES" install "${missing[@]}" >"$log" 2>&1; then
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
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  CC=clang-22 CXX=clang++-22 cmake -G Ninja -S "$KPACK_SOURCE_DIR" -B "$dir" \
    -DKPACK_LLVM_VERSION="$KPACK_LLVM_VERSION" -DKPACK_WERROR=ON \
    -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld \
    -DCMAKE_MODULE_LINKER_FLAGS=-fuse-ld=lld \
    "${launcher[@]}" "$@" >"$dir.log" 2>&1 || { cat "$dir.log" >&2; fail "cmake: configuration failed"; }
  rm -f "$dir.log"
}

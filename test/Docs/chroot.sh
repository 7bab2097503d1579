#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The pages in a bare Debian 12; scripts/check-docs runs this as root in a mount
# namespace of its own, so that what is mounted here goes with it.
#   chroot.sh ROOT SOURCE_TREE JOBS [BUILD]
# Each page is a script (run-blocks.py --print) in a folder as its reader has it. The
# source tree has the same path inside as outside: a compiler cache, if there is one,
# then knows its files.
set -euo pipefail
root=$1 source=$2 jobs=$3 build=${4-}
here=$(cd "$(dirname "$0")" && pwd)

say() { printf '==> %s\n' "$*"; }

# A Debian of the packages that apt here would take.
if [ ! -x "$root/usr/bin/apt-get" ]; then
  site=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
  [ -n "$site" ] || { echo "check-docs: error: apt: no source of bookworm main" >&2; exit 1; }
  say "a Debian 12"
  debootstrap --variant=minbase bookworm "$root" "$site" >"$root.log" 2>&1 ||
    { tail -20 "$root.log" >&2; exit 1; }
  rm -f "$root.log"
fi
rm -f "$root/etc/apt/sources.list"
for part in sources.list sources.list.d preferences.d keyrings; do
  [ ! -e "/etc/apt/$part" ] || cp -r "/etc/apt/$part" "$root/etc/apt/"
done
# How to reach them: proxies and the like.
apt-config dump --format '%F "%v";%n' Acquire | grep -E '^Acquire::https?::' >"$root/etc/apt/apt.conf.d/50-outside" || true
rm -f "$root/etc/resolv.conf" "$root/etc/hosts"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
if [ -d /usr/local/share/ca-certificates ]; then
  mkdir -p "$root/usr/local/share" "$root/etc/ssl/certs"
  cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
fi
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir -p "$root/dev/shm" "$root/dev/pts"
mount -t devpts devpts "$root/dev/pts" -o newinstance,ptmxmode=0666
ln -s pts/ptmx "$root/dev/ptmx"
mount -t tmpfs tmpfs "$root/dev/shm"
ln -s /proc/self/fd "$root/dev/fd"

# The source tree, as git has it, at its path.
rm -rf "$root$source"
mkdir -p "$root$source"
git -c safe.directory="$source" -C "$source" ls-files -z | (cd "$source" && tar -c --null -T - --ignore-failed-read) |
  tar -x -C "$root$source" --no-same-owner

# What is built already is up to date inside as well: files keep their times.
if [ -n "$build" ]; then
  cp -a "$build" "$root$source/build"
  sed -i 's/^\(KPACK_BUILD_TESTS:.*=\).*/\1OFF/' "$root$source/build/CMakeCache.txt"
fi

inside() { chroot "$root" /usr/bin/env -i HOME=/root LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin KPACK_JOBS="$jobs" "$@"; }
inside apt-get update -qq
cache=$(ccache -k cache_dir 2>/dev/null || true)
if [ -d "$cache" ]; then
  inside apt-get install -y -qq --no-install-recommends ccache >/dev/null
  mkdir -p "$root/root/.cache/ccache" "$root/root/.config/ccache"
  mount --bind "$cache" "$root/root/.cache/ccache"
  ccache -p | sed -n 's/^([^d)][^)]*) \(base_dir\|hash_dir\|compiler_check\|max_size\) = /\1 = /p' \
    >"$root/root/.config/ccache/ccache.conf"
fi

passed=0
failed=0
# page FILE FOLDER: runs it there.
page() {
  local status=0 log=$root/root/${1##*/}.log
  python3 "$here/run-blocks.py" --print "$source/$1" >"$root/root/page.sh"
  say "$1"
  inside bash -c "cd '$2' && exec bash /root/page.sh" >"$log" 2>&1 </dev/null || status=$?
  if [ $status = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    tail -40 "$log"
    say "$1: exit status $status"
  fi
}
# project NAME: a reader's project, with kpack's programs in PATH, as the page says.
project() {
  rm -rf "${root:?}/root/$1"
  "$here/Inputs/sandbox.sh" "$root/root/$1" "$source"
}

# In the source tree; the README builds.
page README.md "$source"
page docs/tutorial.md "$source"
page docs/howto/stock-clang.md "$source"
# Installed, as a reader of the others has it.
inside cmake --install "$source/build" --prefix /opt/kpack >/dev/null
inside() { chroot "$root" /usr/bin/env -i HOME=/root LC_ALL=C PATH=/opt/kpack/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
inside apt-get install -y -qq --no-install-recommends cmake make g++ python3 >/dev/null
project gpu
mkdir "$root/root/gpu/build"
echo 'add_test(app "/root/gpu/app")' >"$root/root/gpu/build/CTestTestfile.cmake"
page docs/howto/emulated-gpu.md /root/gpu
project build-systems
page docs/howto/build-systems.md /root/build-systems
project rocm
mkdir "$root/root/rocm/.kpack"
inside bash -c 'cd /root/rocm && for unit in app:main b:kernels; do kpack-clang++ --offload-arch=gfx90a --emit-kpack -c ${unit%:*}.hip -o ${unit#*:}.o; done'
page docs/howto/stock-rocm.md /root/rocm

echo "$passed passed, $failed failed"
[ $failed = 0 ]

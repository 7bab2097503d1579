#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The pages in a bare Debian; scripts/check-docs runs this as root in a mount
# namespace of its own, so that what is mounted here goes with it.
#   chroot.sh VERSION ROOT SOURCE_TREE JOBS QUICK BUILD
# Each page is a script (run-blocks.py --print) in a folder as its reader has it. The
# source tree has the same path inside as outside: a compiler cache, if there is one,
# then knows its files.
set -euo pipefail
version=$1 root=$2 source=$3 jobs=$4 quick=$5 build=$6
here=$(cd "$(dirname "$0")" && pwd)
declare -A names=([12]=bookworm [13]=trixie)
name=${names[$version]}
own=$(. /etc/os-release && echo "${VERSION_CODENAME-}")

say() { printf '==> %s\n' "$*"; }
fail() {
  printf 'check-docs: error: %s\n' "$*" >&2
  exit 1
}

# own_sources: of the Debian that runs here, "SITE SUITE COMPONENT" a line.
own_sources() {
  apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    awk -v own="$own" '$2 == own || index($2, own "-") == 1' | sort -u
}

# A Debian of the packages that apt here would take, kept as it is before any page.
bare=$root.tar
if [ ! -f "$bare" ]; then
  [ -z "$(ls -A "$root")" ] || fail "$root: is not empty, and has no $bare of an earlier run; name another folder"
  site=$(own_sources | awk -v own="$own" '$2 == own && $3 == "main" { print $1; exit }')
  [ -n "$site" ] || fail "apt: no source of ${own:-any Debian} main; add one"
  say "a Debian $version"
  rm -rf --one-file-system "$root.new"
  debootstrap --variant=minbase "$name" "$root.new" "$site" >"$root.log" 2>&1 ||
    { tail -20 "$root.log" >&2; exit 1; }
  tar -C "$root.new" --exclude='./var/cache/apt/archives/*.deb' -cf "$bare.new" .
  mv "$bare.new" "$bare"
  rm -rf --one-file-system "$root.new" "$root.log"
fi
# Each run begins with it anew: what the pages of an earlier one have installed would
# hide what they lack. Packages are not fetched again.
fetched=$root.packages
[ -d "$fetched" ] || ! [ -d "$root/var/cache/apt/archives" ] || mv "$root/var/cache/apt/archives" "$fetched"
rm -rf --one-file-system "$root"
mkdir "$root"
tar -C "$root" -xpf "$bare"
is=$(. "$root/etc/os-release" && echo "$VERSION_ID")
[ "$is" = "$version" ] || fail "$bare: is of a Debian $is; name another folder for a Debian $version"
if [ -d "$fetched" ]; then
  rm -rf "$root/var/cache/apt/archives"
  mv "$fetched" "$root/var/cache/apt/archives"
fi
rm -f "$root/etc/apt/sources.list"
if [ "$name" = "$own" ]; then
  for part in sources.list sources.list.d preferences.d keyrings; do
    [ ! -e "/etc/apt/$part" ] || cp -r "/etc/apt/$part" "$root/etc/apt/"
  done
else
  # The same suites of the other Debian, where this one's are.
  own_sources | while read -r site suite component; do
    echo "deb $site $name${suite#"$own"} $component"
  done >"$root/etc/apt/sources.list"
fi
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
mkdir -p "$root$source"
git -c safe.directory="$source" -C "$source" ls-files -z | (cd "$source" && tar -c --null -T - --ignore-failed-read) |
  tar -x -C "$root$source" --no-same-owner

# A checkout, as its reader has one.
git_here=(git -c safe.directory="$root$source" -C "$root$source")
"${git_here[@]}" init -q
"${git_here[@]}" add -A
"${git_here[@]}" -c user.name=kpack -c user.email=kpack@localhost commit -q -m "The pages' source tree"

# What is built already is up to date inside as well: files keep their times. Not the
# folder of the tiers, in which this very Debian may be.
if [ -n "$build" ]; then
  mkdir "$root$source/build"
  find "$build" -mindepth 1 -maxdepth 1 ! -name nightly -exec cp -a -t "$root$source/build" {} +
  sed -i 's/^\(KPACK_BUILD_TESTS:.*=\).*/\1OFF/' "$root$source/build/CMakeCache.txt"
fi

# What packages install is not started: ports are those of this machine. Pages say
# themselves what is to run.
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod +x "$root/usr/sbin/policy-rc.d"

around=()
settings=()
path=/usr/sbin:/usr/bin:/sbin:/bin
# The language is that of this machine: compiler caches ask for it.
for name in LANG LC_ALL LC_CTYPE LC_MESSAGES; do
  [ -z "${!name-}" ] || settings+=("$name=${!name}")
done
inside() {
  "${around[@]}" chroot "$root" /usr/bin/env -i HOME=/root PATH="$path" KPACK_JOBS="$jobs" "${settings[@]}" "$@"
}
install() { inside DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }
inside apt-get update -qq
cache=$(ccache -k cache_dir 2>/dev/null || true)
if [ -d "$cache" ]; then
  install ccache
  mkdir -p "$root/root/.cache/ccache" "$root/root/.config/ccache"
  mount --bind "$cache" "$root/root/.cache/ccache"
  ccache -p | sed -n 's/^([^d)][^)]*) \(base_dir\|hash_dir\|compiler_check\|max_size\) = /\1 = /p' \
    >"$root/root/.config/ccache/ccache.conf"
  # As scripts/build would have it.
  settings+=(CMAKE_C_COMPILER_LAUNCHER="$source/cmake/launcher" CMAKE_CXX_COMPILER_LAUNCHER="$source/cmake/launcher")
fi
reader=("${settings[@]}")

passed=0
failed=0
# page FILE FOLDER WANTED...: runs it there; what is wanted it says in lines that match.
page() {
  python3 "$here/run-blocks.py" --print "$source/$1" >"$root/root/page.sh"
  try "$@"
}
# try NAME FOLDER WANTED...: the same of what is in page.sh.
try() {
  local status=0 what=$1 folder=$2 log=$root/root/${1##*/}.log began=$SECONDS wanted
  shift 2
  say "$what"
  inside bash -c "cd '$folder' && exec bash /root/page.sh" >"$log" 2>&1 </dev/null || status="exit status $?"
  for wanted; do
    [ "$status" != 0 ] || grep -qE "$wanted" "$log" || status="nothing like '$wanted'"
  done
  if [ "$status" = 0 ]; then
    passed=$((passed + 1))
    say "$what: $((SECONDS - began)) s"
  else
    failed=$((failed + 1))
    tail -40 "$log"
    say "$what: $status"
  fi
}
# project NAME: a reader's project, with kpack's programs in PATH, as the page says.
project() {
  rm -rf "${root:?}/root/$1"
  "$here/Inputs/sandbox.sh" "$root/root/$1" "$source"
}

# In the source tree; the README builds.
page README.md "$source" '5000 elements right'
page docs/tutorial.md "$source" 'out/app: ok: 1 wrapper, 1 architecture'
page docs/howto/stock-clang.md "$source" 'app#1'
page docs/howto/packaging.md "$source" '^kpack [0-9]'
# Installed, as a reader of the others has it.
inside cmake --install "$source/build" --prefix /opt/kpack >/dev/null
path=/opt/kpack/bin:$path
project gpu
mkdir "$root/root/gpu/build"
echo 'add_test(app "/root/gpu/app")' >"$root/root/gpu/build/CTestTestfile.cmake"
page docs/howto/emulated-gpu.md /root/gpu '100% tests passed'
install cmake make g++ python3 pkg-config
page docs/tutorial-executor.md "$source" 'twice 999 is 1998'
page docs/tutorial-graphs.md "$source" 'and again -1.3863'
page docs/howto/cache-for-a-dsl.md "$source" '5 made, 2 kept'
project build-systems
page docs/howto/build-systems.md /root/build-systems 'pkg/bin/app: ok'
project convert
page docs/howto/convert-binaries.md /root/convert 'elements right' 'not for a gfx90a'
project rocm
mkdir "$root/root/rocm/.kpack"
inside bash -c 'cd /root/rocm && for unit in app:main b:kernels; do kpack-clang++ --offload-arch=gfx90a --emit-kpack -c ${unit%:*}.hip -o ${unit#*:}.o; done'
page docs/howto/stock-rocm.md /root/rocm 'trained'

# A project with late kernels, where other users may read; then its library, used.
rm -rf "$root"/opt/attention "$root"/opt/kernels "$root"/srv/kernels "$root"/shared
"$here/Inputs/attention.sh" "$root/opt/attention" "$source"
flags="-nogpulib -nogpuinc"
settings+=(ROCM_PATH=/opt/attention/rocm FAKE_VARIANTS=6 "FAKE_FLAGS=$flags" "CXXFLAGS=$flags")
page docs/howto/ck-jit-build.md /opt/attention/aiter 'installed 2 libraries' 'installed 1 library'
# Nodes of a cluster share a folder.
mkdir "$root/shared"
cp "$here"/Inputs/cluster/* "$root/usr/local/bin"
path=$path:/usr/local/bin
page docs/howto/prebuild-kernels.md /opt/attention/install 'trained: 2 loaded, 0 compiled, 2 from a cache' '^all +6 '
# The page's servers have the page's address, in a network of their own.
install redis-server nginx-light
around=(unshare --net bash -c 'ip link set lo up && ip address add 10.0.0.5/24 dev lo && exec "$@"' -)
page docs/howto/shared-jit-cache.md /opt/attention/install 'ck-jit: fetched .* from redis:' 'ck-jit: fetched .* from http:'

# What a contributor does in the source tree, of which the pages are no part any more.
if [ -n "$quick" ]; then
  around=() settings=("${reader[@]}") path=/usr/sbin:/usr/bin:/sbin:/bin
  echo 'scripts/check --quick' >"$root/root/page.sh"
  try scripts/check "$source" ' 0 failed, '
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]

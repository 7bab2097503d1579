# File systems that are full, read-only or noexec, as they are: run in a mount
# name space of its own. What the program prints and says is checked by
# mounts.test.
#   mounts.sh FOLDER    with the program in it and its settings in the environment
set -eu
here=$1 disk=$1/disk
export CK_JIT_CACHE_DIR=$disk/cache
mkdir -p "$disk"
real=$CK_JIT_HELPER
run() { # TITLE ARGUMENTS...
  echo "== $1"
  shift
  code=0
  "$here/main" "$@" >"$here/out" 2>&1 || code=$?
  grep -vE '^ck-jit: (still )?compil' "$here/out" # progress: says more when it takes long
  echo "exit $code"
}
again() { mount -o "remount,$1" "$disk"; }
leftovers() { find "$disk/cache" -name 'tmp-*' | wc -l; }
fill() { dd if=/dev/zero of="$disk/ballast" bs=4k 2>"$here/ballast" || true; }

mount -t tmpfs -o size=1m,mode=700 none "$disk"

# Every size between too small for anything and large enough.
CK_JIT_HELPER=$here/helper
export CK_JIT_HELPER
"$here/main" 0 >"$here/filled" 2>&1 # the replies
size=0
while [ $size -lt 44 ]; do
  umount "$disk"
  size=$((size + 4))
  mount -t tmpfs -o size=${size}k,mode=700 none "$disk"
  "$here/main" 0 >"$here/out" 2>"$here/err" || { echo "size $size: stopped"; cat "$here/out" "$here/err"; }
  grep -q 'run<0> = 10' "$here/out" || echo "size $size: wrong"
  objects=$(grep -l ELF "$disk"/cache/objects/*/*.entry 2>"$here/ignored" | wc -l)
  said=$(grep -c 'warning: .*No space left on device; free space there or name another cache directory' "$here/err" || true)
  [ "$objects$said" = 10 ] || [ "$objects$said" = 01 ] || { echo "size $size: $objects kept, told $said times"; cat "$here/err"; }
  [ ! -d "$disk/cache/objects" ] || [ "$(leftovers)" = 0 ] || echo "size $size: leaves temporary files"
  "$here/main" 0 >"$here/out" 2>"$here/err" || true
  grep -q 'run<0> = 10' "$here/out" || echo "size $size: wrong the second time"
  if grep -q 'not used' "$here/err"; then echo "size $size: half an entry"; fi
  echo "size $size: $objects kept"
done
umount "$disk"
mount -t tmpfs -o size=1m,mode=700 none "$disk"

fill
run "full" 0
rm "$disk/ballast"
run "has space again" 0
run "warm" 0
fill
run "full, warm" 0
again ro
run "read-only, warm" 0
run "read-only, cold" 1
CK_JIT_MODE=strict run "read-only, strict, warm" 0
CK_JIT_MODE=strict run "read-only, strict, cold" try 1
CK_JIT_CACHE_DIR=$disk/new run "read-only, no directory" 0
again rw
rm "$disk/ballast"

again noexec
run "noexec, warm" 0
CK_JIT_CACHE_DIR=$disk/second run "noexec, cold" 0
CK_JIT_CACHE_DIR=$disk/second run "noexec, then warm" 0
again exec

# Where compilers write.
CK_JIT_HELPER=$real
fill
TMPDIR=$disk run "no space for the compiler" try 2
again ro
TMPDIR=$disk run "TMPDIR is read-only" 3
again rw
rm "$disk/ballast"

chown 12345 "$disk/cache"
run "of another user" 0
CK_JIT_MODE=strict run "of another user, strict" try 0
chown 0 "$disk/cache"
chmod 777 "$disk/cache"
run "others may write" 0

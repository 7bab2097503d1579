# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The program ./app with its archive, set-user-id, and ./jit with a helper program
# and with a cache (jit-swapped.c, which swaps nothing here), set-group-id, in
# places that are more or less the user's: run in a mount name space of its own. setuid.test checks what it
# prints.
set -eu
owner=12345 user=12346
export FAKE_HIP_ARCHS=gfx1100
mount -t tmpfs -o mode=755 none /mnt
top=/mnt/top archive=/mnt/top/.kpack/app_gfx1100.kpack

# Everything as it is installed by root.
fresh() { # TITLE
  echo "== $1"
  rm -rf "$top"
  mkdir -m 755 "$top"
  cp -R --no-preserve=mode,ownership app .kpack "$top"
  chown $owner "$top/app"
  chmod 4755 "$top/app"
}
run() {
  said=$(setpriv --reuid=$user --regid=$user --clear-groups "$top/app" 2>&1 || true)
  case $said in
  *bytes*) echo used ;;
  *) echo "refused: $(echo "$said" | sed -n 's/^kpack: warning: //p')" ;;
  esac
}

fresh "all is root's"
run
fresh "the archive is the program owner's"
chown $owner $archive
run
fresh "so is the folder"
chown -R $owner $top/.kpack
run
fresh "the archive is the user's"
chown $user $archive
run
fresh "the archive is everybody's"
chmod o+w $archive
run
fresh "the archive is a group's"
chmod g+w $archive
run
fresh "its folder is the user's"
chown $user $top/.kpack
run
fresh "the folder above is everybody's"
chmod 777 $top
run
fresh "there, nobody renames what is not his"
chmod 1777 $top
run
fresh "root's link to the archive"
mv $top/.kpack $top/elsewhere
ln -s elsewhere $top/.kpack
run
fresh "the user's link to it"
mv $top/.kpack $top/elsewhere
ln -s elsewhere $top/.kpack
chown -h $user $top/.kpack
run
fresh "root's link in the user's folder"
mv $archive $top/elsewhere
ln -s ../elsewhere $archive
chown $user $top/.kpack
run
fresh "set-group-id, and the archive is the user's"
chown root:$owner $top/app
chmod 2755 $top/app
chown $user $archive
run
fresh "a file capability, and the archive is root's, then the user's"
chown $owner $top/app
chmod 755 $top/app
python3 - $top/app <<'PY'
import os, struct, sys
# Revision 2, effective: CAP_NET_BIND_SERVICE (capabilities(7))
os.setxattr(sys.argv[1], "security.capability", struct.pack("<5I", 0x02000001, 1 << 10, 0, 0, 0))
PY
run
chown $user $archive
run
# The number that stands for all users whom a user name space does not know.
fresh "an owner who is not known"
nobody=$(cat /proc/sys/kernel/overflowuid)
chown "$nobody" $top/app $archive
chmod 4755 $top/app
run
fresh "no rights but the user's own"
chmod 755 $top/app
chown -R $user $top/.kpack
run

# The process's user is who started it.
jit() { # TITLE [MODE]
  fresh "$1"
  cp --no-preserve=mode,ownership jit code.so $top
  chown $owner:$owner $top/jit
  chmod "${2:-2755}" $top/jit
}
as_user() {
  setpriv --reuid=$user --regid=$user --clear-groups "$@" 2>/dev/null
}

# No helper program is run, whoever has put it there.
helper() {
  rm -rf /mnt/ran /mnt/cache
  mkdir -m 777 /mnt/ran /mnt/cache
  printf '#!/bin/sh\nexec touch /mnt/ran/yes\n' >$top/helper
  chmod 755 $top/helper
}
try() {
  said=$(as_user $top/jit helper /mnt/cache $top/jit $top/helper)
  if [ -e /mnt/ran/yes ]; then
    echo run
  else
    echo "refused: $(echo "$said" | sed -n 's/^source: //p')"
  fi
}
jit "a helper that is root's"
helper
try
jit "a helper that is the user's"
helper
chown $user $top/helper
try
jit "set-user-id, and a helper that is root's" 4755
helper
try
jit "a helper, and no rights but the user's own" 755
helper
try

# A cache in which root has compiled a kernel: it is loaded from there, or the
# program makes one for itself.
cache() {
  mkdir -m 755 $top/store
  cp jit $top/fill
  $top/fill name $top/store $top/code.so >$top/entry
  chmod -R a+rX $top/store
  objects=$top/store/cache/objects
}
load() {
  case $(as_user $top/jit name $top/store $top/code.so) in
  "$(cat $top/entry)") echo cached ;;
  /proc/self/fd/*) echo made ;;
  *) echo failed ;;
  esac
}
jit "a cache that is root's"
cache
load
jit "a cache that is the program owner's"
cache
chown -R $owner $top/store
load
jit "an entry that is the user's"
cache
find $objects -type f -exec chown $user {} +
load
jit "an entry that a group writes to"
cache
find $objects -type f -exec chmod g+w {} +
load
jit "a folder of entries that is the user's"
cache
chown $user $objects
load
jit "a cache that is the user's"
cache
chown -R $user $top/store/cache
load
jit "the folder above the cache is everybody's"
cache
chmod 777 $top/store
load
jit "set-user-id, and a cache that is the program owner's" 4755
cache
chown -R $owner $top/store
load
jit "set-user-id, and a cache that is the user's" 4755
cache
chown -R $user $top/store
load
jit "a cache that is the user's, and no rights but his own" 755
cache
chown -R $user $top/store
load

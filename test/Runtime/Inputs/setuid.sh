# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The program ./app with its archive, set-user-id, and ./jit with a helper program
# (jit-swapped.c, which swaps nothing here), set-group-id, in places that are more or less
# the user's: run in a mount name space of its own. setuid.test checks what it
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
fresh "no rights but the user's own"
chmod 755 $top/app
chown -R $user $top/.kpack
run

# The process's user is who started it; its cache is his.
helper() { # TITLE
  fresh "$1"
  rm -rf /mnt/cache
  mkdir -m 755 /mnt/cache $top/tools
  chown $user /mnt/cache
  cp --no-preserve=mode,ownership jit $top
  chown root:$owner $top/jit
  chmod 2755 $top/jit
  printf '#!/bin/sh\nexec touch /mnt/cache/ran\n' >$top/helper
  chmod 755 $top/helper
}
try() { # HELPER
  said=$(setpriv --reuid=$user --regid=$user --clear-groups $top/jit helper /mnt/cache $top/jit "$1" 2>/dev/null)
  if [ -e /mnt/cache/ran ]; then
    echo run
  else
    echo "refused: $(echo "$said" | sed -n 's/^source: //p')"
  fi
}
helper "a helper that is root's"
try $top/helper
helper "a helper that is the user's"
chown $user $top/helper
try $top/helper
helper "a helper in the user's folder"
mv $top/helper $top/tools
chown $user $top/tools
try $top/tools/helper

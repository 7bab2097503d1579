# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The program ./app, set-user-id and set-group-id, whose cache is /mnt/cache: run
# in a mount name space of its own. setuid.test checks what it prints.
set -eu
owner=12345 user=12346
mount -t tmpfs -o mode=755 none /mnt
cp --no-preserve=mode,ownership app /mnt/app
cp --no-preserve=mode,ownership app /mnt/fill
chmod 755 /mnt/fill

run() { # TITLE MODE
  echo "== $1"
  chown $owner:$owner /mnt/app
  chmod "$2" /mnt/app
  setpriv --reuid=$user --regid=$user --clear-groups /mnt/app 2>&1 || true
}
run "nothing is compiled" 4755
# As the message says: what a compiler calls is looked for there.
PATH=/usr/local/bin:/usr/bin:/bin /mnt/fill >/dev/null 2>&1
chmod -R a+rX /mnt/cache
run "what root has compiled" 4755
run "set-group-id" 2755
chown -R $user /mnt/cache
run "what the user has compiled" 4755
run "set-group-id" 2755
run "no rights but the user's own" 755

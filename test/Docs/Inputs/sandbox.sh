#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# sandbox.sh FOLDER SOURCE [BUILD]: what the pages of the documentation are run in,
# where it is not a copy of the source tree in a chroot. With BUILD a source tree
# that is built, whose scripts/ do nothing; without it a project of a reader's.
set -eu
mkdir -p "$1"
cd "$1"
if [ $# = 3 ]; then
  cp -r "$2/examples" .
  ln -s "$3" build
  mkdir scripts
  for script in build demo; do
    printf '#!/bin/sh\necho "scripts/%s: done already"\n' "$script" >scripts/"$script"
    chmod +x scripts/"$script"
  done
else
  cp "$2"/test/Docs/Inputs/project/* .
  cp "$2/examples/vector_add/vector_add.hip" app.hip
fi

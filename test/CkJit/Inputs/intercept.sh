# A folder to call the drop-in compiler in: blobs and dispatchers in m/blob, dir
# for records, and a "real" compiler that prints its arguments and ends with 7.
#   sh intercept.sh FOLDER
set -e
rm -rf "$1"
mkdir -p "$1/m/blob/a b\$" "$1/dir"
cd "$1"
printf '%s\n' '#!/bin/sh' 'printf "<%s>\n" "$@"; exit 7' > real
chmod +x real
touch m/blob/x.cpp 'm/blob/a b$/it"s#.cpp' m/blob/fmha_fwd_api.cpp other.cpp m/x.h
echo '#include "x.h"' > m/blob/fmha_bwd_api.cu

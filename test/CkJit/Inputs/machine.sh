# Runs a program as one more machine does: with a cache directory of its own, and a
# remote cache that it waits for. A new machine knows which headers there are where
# FOLDER/lists has that, so that tests are short.
#   sh machine.sh FOLDER NAME [VARIABLE=VALUE...] PROGRAM...
cache=$1/$2
test -d "$cache" || if test -d "$1/lists"; then cp -r "$1/lists" "$cache"; else mkdir -m 700 "$cache"; fi
shift 2
exec env CK_JIT_VERBOSE=1 CK_JIT_REMOTE_MODE=sync "CK_JIT_CACHE_DIR=$cache" "$@"

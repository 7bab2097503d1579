# Two objects of each named source of the folder that this runs in: fat-NAME.o with a
# fat binary, as stock clang makes it, and NAME.o with a wrapper for ld.kpack.
#   sh objects.sh 'NAME...' PLUGIN COMPILER...
set -e
names=$1
plugin=$2
shift 2
for name in $names; do
  "$@" "-cuid=$name" -c "$name.hip" -o "fat-$name.o"
  "$@" "-cuid=$name" "-fpass-plugin=$plugin" -c "$name.hip" -o "$name.o"
done

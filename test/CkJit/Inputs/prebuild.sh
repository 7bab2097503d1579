# Sources of a small library in tree, and manifests of them: as a build records
# them (recorded.json), with an index of their symbols (index.json).
#   sh prebuild.sh <folder of inputs>
set -e
cp -r "$1/small" tree
tree=$PWD/tree
for n in 0 1 2 3 4; do
  printf '{"source":"blob_%s.cpp","cwd":"%s","argv":["-O1","-c","blob_%s.cpp","-o","x.o","-fvisibility=hidden","-I%s"]}\n' \
    $n "$tree" $n "$tree"
done > recorded.json
printf '{"source":"%s/mixed_9.cpp","cwd":"%s","argv":["-O1","-c"]}\n' "$tree" "$tree" >> recorded.json
{
  echo '{"stubs":['
  for n in 0 1 2 3 4; do
    printf '{"symbol":"_Z3runILi%sEEfRK6Config9Arguments","stem":"blob_%s"},\n' $n $n
  done
  echo '{"symbol":"_Z5mixedILi9EE5LargeifPKcdlS0_iiif","stem":"mixed_9"}]}'
} > index.json

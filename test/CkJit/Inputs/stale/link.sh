# Programs that were linked with the numbers of the blob tree/c.cpp, three of them:
# `seam` has the stubs of the link seam, `rewritten` has them in its source, and `old`
# has a manifest without numbers, as older tools wrote it.
#   sh link.sh CK_JIT CLANG SOURCE_TREE LIBRARIES
set -e
ck_jit=$1
clang="$2 -std=c++17 -I $3/include"
library="-L$4 -lckjit -Wl,-rpath,$4"
top=$PWD
printf '[{"source":"c.cpp","cwd":"%s/tree","argv":["-std=c++17","-O2","-I."]}]\n' "$top" > blobs.json
cd tree
"$ck_jit" index --blobs=c.cpp main_api.cpp -o "$top/index.json" -- -std=c++17 -I.
"$ck_jit" rewrite --blobs=c.cpp main_api.cpp -o "$top/rewritten.cpp" -- -std=c++17 -I.
$clang -O1 -c main_api.cpp -o "$top/main.o"
cd "$top"
"$ck_jit" embed --index=index.json "--root=$top/tree" --name=stale blobs.json -o manifest.cpp
"$ck_jit" seam --index=index.json main.o -o seam.s
sed 's/CK_JIT_ABI/1u/; s/, Constants, 10}/}/; /^static const ck_jit_constant/,/^};/d' manifest.cpp > old.cpp
$clang main.o seam.s manifest.cpp $library -o seam
$clang main.o seam.s old.cpp $library -o old
$clang -O1 -Itree rewritten.cpp manifest.cpp $library -o rewritten

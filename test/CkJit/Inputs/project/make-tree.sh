# make-tree.sh FOLDER CLANG: a project with generated blobs, and a ROCm whose
# hipcc compiles HIP without ROCm.
set -e
here=$(dirname "$0")
rm -rf "$1"
mkdir -p "$1/rocm/bin" "$1/rocm/include"
cp -r "$here/tree" "$1/aiter"
mkdir "$1/aiter/3rdparty"
cp -r "$here/../minick" "$1/aiter/3rdparty/minick"
cat > "$1/rocm/bin/hipcc" <<END
#!/bin/sh
for A; do case \$A in -c) exec $2 -x hip "\$@";; esac; done
exec $2 "\$@"
END
chmod +x "$1/rocm/bin/hipcc"

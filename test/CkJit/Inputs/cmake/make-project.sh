# make-project.sh FOLDER CLANG: the project, and a ROCm whose hipcc compiles HIP
# without ROCm.
set -e
here=$(dirname "$0")
rm -rf "$1"
mkdir -p "$1/rocm/bin" "$1/project"
cp "$here/CMakeLists.txt" "$1/project"
cp -r "$here/../minick" "$1/project/minick"
cp "$here/../project/tree/csrc/cpp_itfs/mha_fwd.cu" "$1/project/mha_fwd.cpp"
cat > "$1/rocm/bin/hipcc" <<END
#!/bin/sh
for A; do case \$A in -c) exec $2 -x hip "\$@";; esac; done
exec $2 "\$@"
END
chmod +x "$1/rocm/bin/hipcc"

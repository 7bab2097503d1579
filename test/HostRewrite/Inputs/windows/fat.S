// A wrapper and its bundle with code for two targets, as clang writes them for
// Windows. NAME is the wrapper's; the code objects are files.
.section .hipFatBinSegment,"dr"
.p2align 3
.globl NAME
NAME:
.long 0x48495046, 1
.quad bundle
.quad 0
.section .hip_fatbin,"dr"
.p2align 12
bundle:
.ascii "__CLANG_OFFLOAD_BUNDLE__"
.quad 3
.quad 0, 0, 25
.ascii "host-x86_64-unknown-linux"
.quad 4096, end1 - start1, 32
.ascii "hipv4-amdgcn-amd-amdhsa--gfx1100"
.quad 12288, end2 - start2, 38
.ascii "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
.org 4096
start1:
.incbin "gfx1100.co"
end1:
.org 12288
start2:
.incbin "gfx90a.co"
end2:

# A wrapper and its bundle with code for two targets, as clang writes them.
.section .hipFatBinSegment,"aw",%progbits
.p2align 3
.long 0x48495046, 1
.quad bundle
.quad 0
.section .hip_fatbin,"a",%progbits
.p2align 12
.globl bundle
.hidden bundle
bundle:
.ascii "__CLANG_OFFLOAD_BUNDLE__"
.quad 3
.quad 0, 0, 25
.ascii "host-x86_64-unknown-linux"
.quad 4096, 5000, 32
.ascii "hipv4-amdgcn-amd-amdhsa--gfx1100"
.quad 12288, 5000, 38
.ascii "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+"
.org 4096
.fill 5000, 1, 0x11
.org 12288
.fill 5000, 1, 0x22
.section .note.GNU-stack,"",%progbits

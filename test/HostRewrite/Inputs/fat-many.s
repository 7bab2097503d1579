# Wrappers as -fgpu-rdc and AddressSanitizer leave them: some share a bundle, some
# have 40 bytes of redzone behind them. The file `bundle` is another kind of bundle.
.section .hipFatBinSegment,"aw",%progbits
.p2align 3
.irp n, 0, 1, 0, 2
.long 0x48495046, 1
.quad bundle\n
.quad 0
.zero 40
.endr
.irp n, 0, 1
.section .hip_fatbin,"a",%progbits
.p2align 12
bundle\n:
.ascii "__CLANG_OFFLOAD_BUNDLE__"
.quad 2
.quad 0, 0, 25
.ascii "host-x86_64-unknown-linux"
.quad 4096, 3000 + \n, 32
.ascii "hipv4-amdgcn-amd-amdhsa--gfx1100"
.zero 3931
.fill 3000 + \n, 1, 0x33 + \n
.endr
.p2align 12
bundle2:
.incbin "bundle"
.section .note.GNU-stack,"",%progbits

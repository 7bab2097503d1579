# What the link step defines: a marker, and the symbols that stand for it.
        .section .rocm_kpack_ref,"a",@progbits
        .globl __rocm_kpack_ref
        .hidden __rocm_kpack_ref
__rocm_kpack_ref:
        .ascii "marker"
        .section .note.GNU-stack,"",@progbits

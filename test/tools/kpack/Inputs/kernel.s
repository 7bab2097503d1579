# One kernel, NAME, with metadata, without a size.
        .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
        .text
        .globl NAME
        .p2align 8
        .type NAME,@function
NAME:
        s_nop 0
        s_nop 0
        s_endpgm
        .rodata
        .p2align 6
        .amdhsa_kernel NAME
          .amdhsa_group_segment_fixed_size 1024
          .amdhsa_next_free_vgpr 8
          .amdhsa_next_free_sgpr 16
          .amdhsa_accum_offset 8
        .end_amdhsa_kernel
        .amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx90a
amdhsa.kernels:
  - .name: NAME
    .symbol: NAME.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 4
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 8
    .agpr_count: 0
    .max_flat_workgroup_size: 256
...
        .end_amdgpu_metadata
        .text

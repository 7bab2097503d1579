//===- kernels/entry.h - entry points of kernels ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// KPACK_CONV_KERNEL(name, configuration, body, auxiliary operands, threads)
// defines the entry point of a blob, which is extern "C":
//
//   on a GPU    a kernel that takes AllArguments by value
//   on the CPU  void(const void *, unsigned, unsigned, unsigned): a pointer to
//               AllArguments, and the index of the work-group to compute
//
// On the CPU the threads of a work-group run one after another, which is valid
// for bodies without barriers.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONV_KERNELS_ENTRY_H
#define KPACK_CONV_KERNELS_ENTRY_H

#include "kpack/ConvBuilder/kernels/view.h"

#if defined(__HIP__)
#define KPACK_CONV_KERNEL(NAME, CONFIG, BODY, AUXILIARY, THREADS)              \
  extern "C" __attribute__((global))                                           \
  __attribute__((amdgpu_flat_work_group_size(1, THREADS))) void                \
  NAME(kpack::conv::device::AllArguments<AUXILIARY> A) {                       \
    kpack::conv::device::Place Here = {{__builtin_amdgcn_workgroup_id_x(),     \
                                        __builtin_amdgcn_workgroup_id_y(),     \
                                        __builtin_amdgcn_workgroup_id_z()},    \
                                       __builtin_amdgcn_workitem_id_x()};      \
    BODY(CONFIG{}, A.All, A.Auxiliary, Here);                                  \
  }
#define KPACK_CONV_NOTE                                                        \
  __attribute__((device, used, aligned(4), section(".note.kpack.conv")))
#else
#define KPACK_CONV_KERNEL(NAME, CONFIG, BODY, AUXILIARY, THREADS)              \
  extern "C" __attribute__((visibility("default"))) void NAME(                 \
      const void *From, unsigned X, unsigned Y, unsigned Z) {                  \
    const auto &A =                                                            \
        *static_cast<const kpack::conv::device::AllArguments<AUXILIARY> *>(    \
            From);                                                             \
    for (unsigned Thread = 0; Thread < THREADS; ++Thread)                      \
      BODY(CONFIG{}, A.All, A.Auxiliary,                                       \
           kpack::conv::device::Place{{X, Y, Z}, Thread});                     \
  }
#define KPACK_CONV_NOTE                                                        \
  __attribute__((used, aligned(4), section(".note.kpack.conv")))
#endif

#endif // KPACK_CONV_KERNELS_ENTRY_H

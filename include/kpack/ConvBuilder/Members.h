//===- Members.h - tag types of foreign structs' members --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A type for the name of each member that is read from foreign structs, so that
// a name can be a template argument:
//
//   member::layout::of(Value)       Value.layout
//
// Names are CK's, the model of such structs. Shapes.h tests whether a struct
// has them.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_MEMBERS_H
#define KPACK_CONVBUILDER_MEMBERS_H

namespace kpack::conv::detail::member {

/// Never called: its return type, for the address of a member, is the type as
/// which of() reads the member. Bit-fields have no address and are excluded.
template <typename Type> const Type &constant(const Type *);

/// addressOf() is never called: its type tells whether the member is static.
#define KPACK_CONV_MEMBER(NAME)                                                \
  struct NAME {                                                                \
    static constexpr const char *Name = #NAME;                                 \
    template <typename Object>                                                 \
    static constexpr auto of(const Object &From)                               \
        -> decltype(constant(&From.NAME)) {                                    \
      return From.NAME;                                                        \
    }                                                                          \
    template <typename Object>                                                 \
    static auto addressOf() -> decltype(&Object::NAME);                        \
  };

// Of signatures (Canonical.h).
KPACK_CONV_MEMBER(accumulation_data_type)
KPACK_CONV_MEMBER(activation)
KPACK_CONV_MEMBER(auxiliary_operand_configs)
KPACK_CONV_MEMBER(chain)
KPACK_CONV_MEMBER(compute_type)
KPACK_CONV_MEMBER(config)
KPACK_CONV_MEMBER(data_type)
KPACK_CONV_MEMBER(direction)
KPACK_CONV_MEMBER(elementwise_operation)
KPACK_CONV_MEMBER(input)
KPACK_CONV_MEMBER(layout)
KPACK_CONV_MEMBER(operation)
KPACK_CONV_MEMBER(output)
KPACK_CONV_MEMBER(spatial_dim)
KPACK_CONV_MEMBER(weight)

// Of algorithms (CkParts.h).
KPACK_CONV_MEMBER(DoPadGemmM)
KPACK_CONV_MEMBER(DoPadGemmN)
KPACK_CONV_MEMBER(a)
KPACK_CONV_MEMBER(a_scalar_per_vector)
KPACK_CONV_MEMBER(ak1)
KPACK_CONV_MEMBER(b)
KPACK_CONV_MEMBER(b_scalar_per_vector)
KPACK_CONV_MEMBER(base_algorithm)
KPACK_CONV_MEMBER(bk1)
KPACK_CONV_MEMBER(block_gemm)
KPACK_CONV_MEMBER(block_gemm_pipeline)
KPACK_CONV_MEMBER(block_size)
KPACK_CONV_MEMBER(block_transfer)
KPACK_CONV_MEMBER(bwd_data_specialization)
KPACK_CONV_MEMBER(bwd_weight_specialization)
KPACK_CONV_MEMBER(c)
KPACK_CONV_MEMBER(c_scalar_per_vector)
KPACK_CONV_MEMBER(depthwise_params)
KPACK_CONV_MEMBER(dilation_h)
KPACK_CONV_MEMBER(dilation_w)
KPACK_CONV_MEMBER(double_smem_buffer)
KPACK_CONV_MEMBER(dst_scalar_per_vector)
KPACK_CONV_MEMBER(dst_vector_tensor_lengths)
KPACK_CONV_MEMBER(enabled)
KPACK_CONV_MEMBER(epilogue)
KPACK_CONV_MEMBER(explicit_gemm)
KPACK_CONV_MEMBER(filter_h)
KPACK_CONV_MEMBER(filter_w)
KPACK_CONV_MEMBER(fwd_specialization)
KPACK_CONV_MEMBER(gemm_padding)
KPACK_CONV_MEMBER(gemm_specialization)
KPACK_CONV_MEMBER(gridwise_gemm)
KPACK_CONV_MEMBER(in_vec)
KPACK_CONV_MEMBER(is_direct_load)
KPACK_CONV_MEMBER(k)
KPACK_CONV_MEMBER(k0)
KPACK_CONV_MEMBER(k0_per_block)
KPACK_CONV_MEMBER(k1)
KPACK_CONV_MEMBER(k_batch_size)
KPACK_CONV_MEMBER(k_per_thread)
KPACK_CONV_MEMBER(lds_dst_scalar_per_vector)
KPACK_CONV_MEMBER(lds_padding)
KPACK_CONV_MEMBER(lds_transfer)
KPACK_CONV_MEMBER(loop_scheduler)
KPACK_CONV_MEMBER(m)
KPACK_CONV_MEMBER(m1_per_thread)
KPACK_CONV_MEMBER(m1_xs)
KPACK_CONV_MEMBER(m_block)
KPACK_CONV_MEMBER(m_n)
KPACK_CONV_MEMBER(m_per_wmma)
KPACK_CONV_MEMBER(m_per_xdl)
KPACK_CONV_MEMBER(m_wave_per_xdl)
KPACK_CONV_MEMBER(m_wmma_per_wave)
KPACK_CONV_MEMBER(m_xdl_per_wave)
KPACK_CONV_MEMBER(m_xdl_per_wave_per_shuffle)
KPACK_CONV_MEMBER(max_transpose_transfer_dst_scalar_per_vector)
KPACK_CONV_MEMBER(max_transpose_transfer_src_scalar_per_vector)
KPACK_CONV_MEMBER(n)
KPACK_CONV_MEMBER(n1_per_thread)
KPACK_CONV_MEMBER(n1_xs)
KPACK_CONV_MEMBER(n_block)
KPACK_CONV_MEMBER(n_per_wmma)
KPACK_CONV_MEMBER(n_per_xdl)
KPACK_CONV_MEMBER(n_wave_per_xdl)
KPACK_CONV_MEMBER(n_wmma_per_wave)
KPACK_CONV_MEMBER(n_xdl_per_wave)
KPACK_CONV_MEMBER(n_xdl_per_wave_per_shuffle)
KPACK_CONV_MEMBER(nbatch)
KPACK_CONV_MEMBER(num_conv_groups_to_merge)
KPACK_CONV_MEMBER(num_gemm_k_prefetch_stages)
KPACK_CONV_MEMBER(num_groups_to_merge)
KPACK_CONV_MEMBER(num_wave_groups)
KPACK_CONV_MEMBER(optimizations)
KPACK_CONV_MEMBER(order)
KPACK_CONV_MEMBER(out_vec)
KPACK_CONV_MEMBER(pad_h)
KPACK_CONV_MEMBER(pad_w)
KPACK_CONV_MEMBER(persistent)
KPACK_CONV_MEMBER(pipeline_version)
KPACK_CONV_MEMBER(reduction_strategy)
KPACK_CONV_MEMBER(scalar_per_vector)
KPACK_CONV_MEMBER(scheduler)
KPACK_CONV_MEMBER(specialization)
KPACK_CONV_MEMBER(split_image)
KPACK_CONV_MEMBER(src_access_order)
KPACK_CONV_MEMBER(src_dst_access_order)
KPACK_CONV_MEMBER(src_dst_vector_dim)
KPACK_CONV_MEMBER(src_scalar_per_vector)
KPACK_CONV_MEMBER(src_vector_dim)
KPACK_CONV_MEMBER(src_vector_tensor_contiguous_dim_order)
KPACK_CONV_MEMBER(src_vector_tensor_lengths)
KPACK_CONV_MEMBER(streamk)
KPACK_CONV_MEMBER(stride_h)
KPACK_CONV_MEMBER(stride_w)
KPACK_CONV_MEMBER(subtile_h)
KPACK_CONV_MEMBER(subtile_w)
KPACK_CONV_MEMBER(thread_block)
KPACK_CONV_MEMBER(thread_cluster)
KPACK_CONV_MEMBER(thread_cluster_arrange_order)
KPACK_CONV_MEMBER(thread_cluster_dims)
KPACK_CONV_MEMBER(thread_cluster_lengths)
KPACK_CONV_MEMBER(thread_config)
KPACK_CONV_MEMBER(thread_slice_lengths)
KPACK_CONV_MEMBER(tile_h)
KPACK_CONV_MEMBER(tile_size)
KPACK_CONV_MEMBER(tile_w)
KPACK_CONV_MEMBER(transfer)
KPACK_CONV_MEMBER(two_stage)
KPACK_CONV_MEMBER(warp_tile)
KPACK_CONV_MEMBER(warps)
KPACK_CONV_MEMBER(xdl_params)

#undef KPACK_CONV_MEMBER

} // namespace kpack::conv::detail::member

#endif // KPACK_CONVBUILDER_MEMBERS_H

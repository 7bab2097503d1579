//===- CkLookAlikes.h - structs shaped like CK's algorithms -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structs of the 19 shapes, put together as they are there: a component is a
// base with one or two members, or with a static one. Enumerations are their
// own, with other numbers than ours. Only names are CK's; values are such that
// no two fields have the same where they could be mixed up.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_CKLOOKALIKES_H
#define KPACK_UNITTESTS_CONVBUILDER_CKLOOKALIKES_H

#include <array>
#include <cstddef>

namespace lookalike {

using Size = std::size_t;

enum class Version { WEIGHT_ONLY, V5, V4, V3, V2, V1, V6, ASYNC_V4, ASYNC_V1 };
enum class Scheduler { INTERWAVE = 7, INTRAWAVE, DEFAULT };
enum class Filter {
  ODD_C,
  FILTER_5x5,
  FILTER_3x3,
  FILTER_1X1_STRIDE1_PAD0,
  FILTER_1X1_PAD0,
  DEFAULT
};
enum class Reduction { TREE, LINEAR };
enum class Special { NONE, REFERENCE, LARGE_TENSOR, MULTIPLE_D, TWO_STAGE };
enum class Gemm { MNKPadding = 20, MNPadding, NKPadding, Default };
enum class GemmByUnderscore { DEFAULT = 3, MNK_PADDING, MK_PADDING, O_PADDING };

struct Sizes {
  Size m = 0, n = 0, k = 0;
};

//===----------------------------------------------------------------------===//
// Blocks and instructions
//===----------------------------------------------------------------------===//

struct Block {
  Size block_size = 256;
  Sizes tile_size{256, 128, 32};
};
struct HasBlock {
  Block thread_block;
};

struct XdlInstruction {
  Size m_per_xdl = 32, n_per_xdl = 16, m_xdl_per_wave = 4, n_xdl_per_wave = 2;
};
struct XdlByTwoPacks {
  Size ak1 = 8, bk1 = 4;
  XdlInstruction xdl_params;
};
struct XdlByOnePack {
  Size k1 = 8;
  XdlInstruction xdl_params;
};
struct HasXdl {
  XdlByTwoPacks gridwise_gemm;
};
struct HasXdlOnePack {
  XdlByOnePack gridwise_gemm;
};

struct WmmaByOnePack {
  Size k1 = 8;
  Size m_per_wmma = 16, n_per_wmma = 16;
  Size m_wmma_per_wave = 8, n_wmma_per_wave = 2;
};
struct WmmaByTwoPacks {
  Size ak1 = 8, bk1 = 4;
  Size m_per_wmma = 16, n_per_wmma = 16;
  Size m_wmma_per_wave = 8, n_wmma_per_wave = 2;
};
struct HasWmma {
  WmmaByOnePack gridwise_gemm;
};
struct HasWmmaTwoPacks {
  WmmaByTwoPacks gridwise_gemm;
};

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

template <Size Rank> struct Cluster;
template <> struct Cluster<3> {
  Size k0 = 4, m_n = 64, k1 = 1;
};
template <> struct Cluster<4> {
  Size k0 = 4, m_n = 32, k1 = 1, k_batch_size = 2;
};
struct Lds {
  Size src_vector_dim = 2;
  Size src_scalar_per_vector = 4;
  Size lds_dst_scalar_per_vector = 8;
  bool is_direct_load = false;
  bool lds_padding = true;
};
template <Size Rank> struct Order {
  std::array<Size, Rank> order;
};
template <Size Rank> constexpr Order<Rank> clusterOrder() {
  if constexpr (Rank == 3)
    return {{1, 0, 2}};
  else
    return {{0, 3, 1, 2}};
}
template <Size Rank> constexpr Order<Rank> accessOrder() {
  if constexpr (Rank == 3)
    return {{2, 0, 1}};
  else
    return {{0, 2, 1, 3}};
}
template <Size Rank> struct Load {
  Cluster<Rank> block_transfer;
  Lds lds_transfer;
  Order<Rank> thread_cluster_arrange_order = clusterOrder<Rank>();
  Order<Rank> src_access_order = accessOrder<Rank>();
};
struct StoreCluster {
  Size m_block = 1, m_wave_per_xdl = 32, n_block = 2, n_wave_per_xdl = 4;
};
struct Epilogue {
  Size m_xdl_per_wave_per_shuffle = 1;
  Size n_xdl_per_wave_per_shuffle = 2;
  Size scalar_per_vector = 8;
};
struct Store {
  StoreCluster thread_cluster_dims;
  Epilogue epilogue;
};
template <Size Rank> struct Transfer {
  Load<Rank> a;
  Load<Rank> b{{}, {1, 2, 16, true, false}};
  Store c;
};
template <Size Rank = 3> struct HasTransfer {
  Transfer<Rank> transfer;
};

template <Size Rank> struct DlLoad;
template <> struct DlLoad<4> {
  std::array<Size, 4> thread_slice_lengths{8, 1, 1, 2};
  std::array<Size, 4> thread_cluster_lengths{2, 1, 128, 1};
  std::array<Size, 4> thread_cluster_arrange_order{1, 2, 0, 3};
  std::array<Size, 4> src_access_order{2, 1, 0, 3};
  std::array<Size, 4> src_vector_tensor_lengths{4, 1, 1, 2};
  std::array<Size, 4> src_vector_tensor_contiguous_dim_order{0, 1, 2, 3};
  std::array<Size, 4> dst_vector_tensor_lengths{1, 1, 1, 2};
};
template <> struct DlLoad<5> {
  std::array<Size, 5> thread_slice_lengths{1, 8, 1, 1, 3};
  std::array<Size, 5> thread_cluster_lengths{1, 2, 1, 128, 4};
  std::array<Size, 5> thread_cluster_arrange_order{0, 2, 3, 1, 4};
  std::array<Size, 5> src_access_order{0, 4, 3, 1, 2};
  std::array<Size, 5> src_vector_tensor_lengths{1, 1, 1, 1, 5};
  std::array<Size, 5> src_vector_tensor_contiguous_dim_order{4, 3, 2, 1, 0};
  std::array<Size, 5> dst_vector_tensor_lengths{1, 1, 2, 1, 1};
};
struct DlStore {
  std::array<Size, 6> src_dst_access_order{0, 1, 2, 3, 4, 5};
  Size src_dst_vector_dim = 5;
  Size dst_scalar_per_vector = 4;
};
template <Size Rank> struct DlTransfer {
  DlLoad<Rank> a, b;
  DlStore c;
};
template <Size Rank> struct HasDlTransfer {
  DlTransfer<Rank> transfer;
};
struct DlConfig {
  Size k0_per_block = 16, k1 = 2;
  Size m1_per_thread = 4, n1_per_thread = 8, k_per_thread = 1;
};
struct HasDlConfig {
  DlConfig thread_config;
};
struct DlCluster {
  std::array<Size, 2> m1_xs{8, 2}, n1_xs{4, 3};
};
struct HasDlCluster {
  DlCluster thread_cluster;
};

//===----------------------------------------------------------------------===//
// What else there is
//===----------------------------------------------------------------------===//

struct HasFwdFilter {
  Filter fwd_specialization = Filter::FILTER_3x3;
  Gemm gemm_specialization = Gemm::MNKPadding;
};
struct HasFwdFilterByUnderscore {
  Filter fwd_specialization = Filter::ODD_C;
  GemmByUnderscore gemm_specialization = GemmByUnderscore::MK_PADDING;
};
struct HasBwdWeightFilter {
  Filter bwd_weight_specialization = Filter::FILTER_1X1_PAD0;
};
struct HasBwdDataFilter {
  Filter bwd_data_specialization = Filter::FILTER_1X1_STRIDE1_PAD0;
};
struct HasPrefetch {
  Size num_gemm_k_prefetch_stages = 2;
  Scheduler loop_scheduler = Scheduler::DEFAULT;
};
struct HasMerge {
  Size num_conv_groups_to_merge = 4;
};
struct BlockPipeline {
  Version pipeline_version = Version::V4;
  Scheduler scheduler = Scheduler::INTRAWAVE;
};
struct HasBlockPipeline {
  BlockPipeline block_gemm_pipeline;
};
struct HasGridPipeline {
  Version pipeline_version = Version::V2;
};
struct HasTranspose {
  Size max_transpose_transfer_src_scalar_per_vector = 2;
  Size max_transpose_transfer_dst_scalar_per_vector = 4;
};
struct HasPads {
  Size DoPadGemmM = 0;
  Size DoPadGemmN = 1;
};
template <Special Which> struct HasSpecial {
  static constexpr Special specialization = Which;
};

/// Components side by side, as bases.
template <typename... Components> struct Put : Components... {};

//===----------------------------------------------------------------------===//
// The 19 shapes
//===----------------------------------------------------------------------===//

struct Reference {
  static constexpr auto specialization = Special::REFERENCE;
};

struct TileBlock {
  Sizes tile_size{128, 64, 32};
};
struct TileTransfer {
  Size a_scalar_per_vector = 8;
  Size b_scalar_per_vector = 4;
  Size c_scalar_per_vector = 2;
};
struct TileSizes {
  int m = 0, n = 0, k = 0;
};
struct TileGemm {
  TileSizes warps{2, 4, 1};
  TileSizes warp_tile{32, 16, 8};
  bool double_smem_buffer = true;
  int num_wave_groups = 2;
  Version pipeline_version = Version::V3;
  Scheduler scheduler = Scheduler::INTERWAVE;
};
struct TileOptimizations {
  int num_groups_to_merge = 1;
  bool split_image = true;
  bool explicit_gemm = false;
  bool two_stage = true;
};
struct HasTileBlock {
  TileBlock thread_block;
};
struct HasTileTransfer {
  TileTransfer transfer;
};
struct HasTileGemm {
  TileGemm block_gemm;
};
struct HasTileFilter {
  Filter specialization = Filter::FILTER_5x5;
};
template <typename Optimizations> struct HasOptimizations {
  Optimizations optimizations;
};
template <typename Optimizations>
using TileWith = Put<HasTileBlock, HasTileGemm, HasTileTransfer, HasTileFilter,
                     HasOptimizations<Optimizations>>;
using Tile = TileWith<TileOptimizations>;

struct DepthwiseParams {
  int block_size = 64;
  int tile_h = 16, tile_w = 28;
  int filter_h = 3, filter_w = 5;
  int stride_h = 1, stride_w = 2;
  int dilation_h = 3, dilation_w = 4;
  int pad_h = 0, pad_w = 6;
  int nbatch = 8;
  int subtile_h = 2, subtile_w = 7;
  int in_vec = 4, out_vec = 1;
};
struct Depthwise {
  DepthwiseParams depthwise_params;
};

using FwdXdl =
    Put<HasBlock, HasXdl, HasTransfer<>, HasFwdFilter, HasPrefetch, HasMerge>;
using FwdXdlV3 = Put<HasBlock, HasXdl, HasTransfer<>, HasFwdFilter,
                     HasBlockPipeline, HasMerge>;
using FwdWmma = Put<HasBlock, HasWmma, HasTransfer<>, HasFwdFilter,
                    HasGridPipeline, HasPrefetch, HasMerge>;
using FwdWmmaV3 = Put<HasBlock, HasWmmaTwoPacks, HasTransfer<>,
                      HasFwdFilterByUnderscore, HasBlockPipeline, HasMerge>;
using FwdDl =
    Put<HasBlock, HasFwdFilter, HasDlConfig, HasDlCluster, HasDlTransfer<4>>;
using LargeTensor =
    Put<HasBlock, HasXdl, HasTransfer<>, HasFwdFilter, HasPrefetch, HasMerge,
        HasSpecial<Special::LARGE_TENSOR>>;

using BwdXdl = Put<HasBlock, HasXdlOnePack, HasTransfer<4>, HasBwdWeightFilter,
                   HasTranspose>;
using BwdXdlV3 = Put<HasBlock, HasXdlOnePack, HasTransfer<>, HasBwdWeightFilter,
                     HasBlockPipeline, HasMerge>;
using BwdTwoStageXdl = Put<HasBlock, HasXdlOnePack, HasTransfer<>,
                           HasBwdWeightFilter, HasBlockPipeline, HasTranspose,
                           HasMerge, HasSpecial<Special::TWO_STAGE>>;
using BwdMultiDXdl =
    Put<HasBlock, HasXdl, HasTransfer<>, HasBwdDataFilter,
        HasSpecial<Special::MULTIPLE_D>, HasPrefetch, HasTranspose, HasPads>;
using BwdDl = Put<HasBlock, HasDlConfig, HasDlCluster, HasDlTransfer<5>,
                  HasBwdWeightFilter>;
using BwdWmma = Put<HasBlock, HasWmma, HasTransfer<>, HasBwdWeightFilter,
                    HasGridPipeline, HasPrefetch>;
using BwdWmmaV3 = Put<HasBlock, HasWmma, HasTransfer<>, HasBwdWeightFilter,
                      HasBlockPipeline, HasTranspose>;
using BwdTwoStageWmmaV3 =
    Put<HasBlock, HasWmma, HasTransfer<>, HasBwdWeightFilter, HasBlockPipeline,
        HasTranspose, HasMerge, HasSpecial<Special::TWO_STAGE>>;
using BwdMultiDWmma =
    Put<HasBlock, HasWmma, HasTransfer<>, HasBwdDataFilter, HasGridPipeline,
        HasSpecial<Special::MULTIPLE_D>, HasPrefetch>;
using BwdMultiDWmmaV3 =
    Put<HasBlock, HasWmmaTwoPacks, HasTransfer<>, HasBwdDataFilter,
        HasBlockPipeline, HasSpecial<Special::MULTIPLE_D>, HasPrefetch,
        HasTranspose, HasPads>;

} // namespace lookalike

#endif // KPACK_UNITTESTS_CONVBUILDER_CKLOOKALIKES_H

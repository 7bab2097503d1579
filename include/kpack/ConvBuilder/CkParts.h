//===- kpack/ConvBuilder/CkParts.h - parts of CK's algorithms ---*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Readers of the members of algorithms in CK's builder, one function for each
// struct. Members that a reader calls "required" exist in every struct of that
// kind. A reader stores into the Algorithm; the CkReader keeps the set of
// parts, and values that depend on other parts.
//
// Siblings: Members.h (the names), CkShapes.h (algorithms from the parts).
// Siblings: Members.h (the names), CkShapes.h, which puts the parts together.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_CKPARTS_H
#define KPACK_CONVBUILDER_CKPARTS_H

#include "kpack/ConvBuilder/Algorithm.h"
#include "kpack/ConvBuilder/CkVariants.h"
#include "kpack/ConvBuilder/Shapes.h"

namespace kpack::conv {

namespace detail {

//===----------------------------------------------------------------------===//
// Words of these shapes only
//===----------------------------------------------------------------------===//

/// Reads GemmSpecialization and GemmPadding, ours and others'.
template <> struct Reading<Padding> {
  static constexpr std::string_view What = "padding";
  template <typename Theirs>
  static constexpr bool From =
      AnyNumberEnum<Theirs> &&
      (requires { Theirs::MNKPadding; } || requires { Theirs::MNK_PADDING; });
  template <typename Theirs>
  static constexpr bool read(const Theirs &Value, Padding &To) {
    return readPaddingWord(WordsOf<Theirs>[Value], To);
  }
};

/// Reads ConvAlgorithmSpecialization, ours and others', some of which have
/// NONE.
template <> struct Reading<SpecialWord> {
  static constexpr std::string_view What = "specialization of an algorithm";
  template <typename Theirs>
  static constexpr bool From =
      AnyNumberEnum<Theirs> && requires { Theirs::LARGE_TENSOR; };
  template <typename Theirs>
  static constexpr bool read(const Theirs &Value, SpecialWord &To) {
    return readSpecialWord(WordsOf<Theirs>[Value], To);
  }
};

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The algorithm so far, and values that are needed once all parts are read.
struct CkReader {
  Algorithm &To;
  unsigned Parts = 0;
  SpecialWord Special{};
  Shuffle Repeat{}; ///< of the instruction in a wave
  Optional<PipelineScheduler> LoopScheduler{};
  bool PadA = false;
  bool PadB = false;
  bool ExplicitGemm = false;
  Optional<bool> StreamKEnabled{};
};

template <typename Object> constexpr void readMNK(Walk<Object> &From, MNK &To) {
  required<member::m>(From, To.m);
  required<member::n>(From, To.n);
  required<member::k>(From, To.k);
}

template <typename Object>
constexpr void readThreadBlock(Walk<Object> &From, CkReader &In) {
  if (optional<member::block_size>(From, In.To.block_size))
    In.Parts |= part::BlockSize;
  requiredPart<member::tile_size>(
      From, "tile", [&](auto &Inner) { readMNK(Inner, In.To.tile.make()); });
}

template <typename Object>
constexpr void readXdl(Walk<Object> &From, CkReader &In) {
  MNK &Instruction = In.To.wave.make().instr;
  required<member::m_per_xdl>(From, Instruction.m);
  required<member::n_per_xdl>(From, Instruction.n);
  required<member::m_xdl_per_wave>(From, In.Repeat.m);
  required<member::n_xdl_per_wave>(From, In.Repeat.n);
}

/// Reads k1, or ak1 and bk1; then the instruction of XDL or of WMMA.
template <typename Object>
constexpr void readGridwise(Walk<Object> &From, CkReader &In) {
  int &PackA = In.To.a.make().k_pack, &PackB = In.To.b.make().k_pack;
  if constexpr (Walk<Object>::template Has<member::k1>) {
    required<member::k1>(From, PackA);
    PackB = PackA;
  } else {
    required<member::ak1>(From, PackA);
    required<member::bk1>(From, PackB);
  }
  if (optionalPart<member::xdl_params>(
          From, "tile", [&](auto &Inner) { readXdl(Inner, In); })) {
    In.Parts |= part::Xdl;
    return;
  }
  In.Parts |= part::Wmma;
  MNK &Instruction = In.To.wave.make().instr;
  required<member::m_per_wmma>(From, Instruction.m);
  required<member::n_per_wmma>(From, Instruction.n);
  required<member::m_wmma_per_wave>(From, In.Repeat.m);
  required<member::n_wmma_per_wave>(From, In.Repeat.n);
}

template <typename Object>
constexpr void readCluster(Walk<Object> &From, LoadCluster &To) {
  required<member::k0>(From, To.k0);
  required<member::m_n>(From, To.mn);
  required<member::k1>(From, To.k1);
  optional<member::k_batch_size>(From, To.kb);
}

template <typename Object>
constexpr void readLds(Walk<Object> &From, Operand &To, bool &Pad) {
  required<member::src_vector_dim>(From, To.vector_dim);
  required<member::src_scalar_per_vector>(From, To.load_vector);
  required<member::lds_dst_scalar_per_vector>(From, To.lds_vector);
  required<member::is_direct_load>(From, To.direct_to_lds);
  required<member::lds_padding>(From, Pad);
}

/// Reads an order, which may be in a nested struct.
template <typename Member, typename Object>
constexpr void readOrder(Walk<Object> &From, List<int, 5> &To) {
  if constexpr (Walk<Object>::template Has<Member>)
    if constexpr (IsIn<member::order,
                       typename Walk<Object>::template TypeOf<Member>>) {
      requiredPart<Member>(From, "order", [&](auto &Inner) {
        required<member::order>(Inner, To);
      });
      return;
    }
  required<Member>(From, To);
}

template <typename Object>
constexpr void readDlOperand(Walk<Object> &From, Operand &To) {
  ThreadSlice &Slice = To.slice.make();
  required<member::thread_slice_lengths>(From, Slice.lengths);
  required<member::thread_cluster_lengths>(From, Slice.cluster);
  readOrder<member::thread_cluster_arrange_order>(From, To.cluster_order);
  readOrder<member::src_access_order>(From, To.access_order);
  required<member::src_vector_tensor_lengths>(From, Slice.source_vector);
  required<member::src_vector_tensor_contiguous_dim_order>(From,
                                                           Slice.vector_order);
  required<member::dst_vector_tensor_lengths>(From, Slice.target_vector);
}

template <typename Object>
constexpr void readOperand(Walk<Object> &From, CkReader &In, Operand &To,
                           bool &Pad) {
  if constexpr (Walk<Object>::template Has<member::thread_slice_lengths>) {
    In.Parts |= part::DlTransfer;
    readDlOperand(From, To);
  } else {
    In.Parts |= part::BlockTransfer;
    requiredPart<member::block_transfer>(
        From, "cluster", [&](auto &Inner) { readCluster(Inner, To.cluster); });
    requiredPart<member::lds_transfer>(
        From, "transfer", [&](auto &Inner) { readLds(Inner, To, Pad); });
    readOrder<member::thread_cluster_arrange_order>(From, To.cluster_order);
    readOrder<member::src_access_order>(From, To.access_order);
  }
}

template <typename Object>
constexpr void readStoreCluster(Walk<Object> &From, StoreCluster &To) {
  required<member::m_block>(From, To.mb);
  required<member::m_wave_per_xdl>(From, To.mw);
  required<member::n_block>(From, To.nb);
  required<member::n_wave_per_xdl>(From, To.nw);
}

template <typename Object>
constexpr void readEpilogue(Walk<Object> &From, ResultPath &To) {
  required<member::m_xdl_per_wave_per_shuffle>(From, To.shuffle.m);
  required<member::n_xdl_per_wave_per_shuffle>(From, To.shuffle.n);
  required<member::scalar_per_vector>(From, To.store_vector);
}

template <typename Object>
constexpr void readResult(Walk<Object> &From, ResultPath &To) {
  if constexpr (Walk<Object>::template Has<member::src_dst_access_order>) {
    required<member::src_dst_access_order>(From, To.access_order);
    required<member::src_dst_vector_dim>(From, To.vector_dim);
    required<member::dst_scalar_per_vector>(From, To.store_vector);
  } else {
    To.through_lds = true;
    requiredPart<member::thread_cluster_dims>(
        From, "cluster",
        [&](auto &Inner) { readStoreCluster(Inner, To.cluster); });
    requiredPart<member::epilogue>(
        From, "epilogue", [&](auto &Inner) { readEpilogue(Inner, To); });
  }
}

template <typename Object>
constexpr void readTransfer(Walk<Object> &From, CkReader &In) {
  Algorithm &To = In.To;
  if constexpr (Walk<Object>::template Has<member::a_scalar_per_vector>) {
    In.Parts |= part::TileTransfer;
    To.c.make().through_lds = true;
    required<member::a_scalar_per_vector>(From, To.a.make().load_vector);
    required<member::b_scalar_per_vector>(From, To.b.make().load_vector);
    required<member::c_scalar_per_vector>(From, To.c->store_vector);
  } else {
    requiredPart<member::a>(From, "transfer", [&](auto &Inner) {
      readOperand(Inner, In, To.a.make(), In.PadA);
    });
    requiredPart<member::b>(From, "transfer", [&](auto &Inner) {
      readOperand(Inner, In, To.b.make(), In.PadB);
    });
    requiredPart<member::c>(
        From, "transfer", [&](auto &Inner) { readResult(Inner, To.c.make()); });
  }
}

template <typename Object>
constexpr void readPipeline(Walk<Object> &From, Pipeline &To) {
  required<member::pipeline_version>(From, To.version);
  required<member::scheduler>(From, To.scheduler);
}

template <typename Object>
constexpr void readBlockGemm(Walk<Object> &From, Algorithm &To) {
  Pipeline &Loop = To.pipeline.make();
  requiredPart<member::warps>(
      From, "tile", [&](auto &Inner) { readMNK(Inner, To.wave.make().waves); });
  requiredPart<member::warp_tile>(
      From, "tile", [&](auto &Inner) { readMNK(Inner, To.wave.make().instr); });
  required<member::double_smem_buffer>(From, Loop.double_lds);
  required<member::num_wave_groups>(From, Loop.wave_groups);
  readPipeline(From, Loop);
}

/// Reads a member of the algorithm, or one of its optimizations with enabled.
template <typename Object>
constexpr void readStreamK(Walk<Object> &From, CkReader &In) {
  StreamK Read;
  bool Enabled = true;
  optional<member::enabled>(From, Enabled);
  required<member::reduction_strategy>(From, Read.reduction);
  required<member::persistent>(From, Read.persistent);
  Optional<StreamK> &To = In.To.split.make().stream_k;
  Optional<StreamK> Given = Enabled ? Optional<StreamK>(Read) : To;
  if (In.StreamKEnabled &&
      !(*In.StreamKEnabled == Enabled && (!Enabled || To == Given))) {
    From.Report.say("A17", From.At, "contradicts the other streamk");
    ++From.Report.Value;
  }
  In.StreamKEnabled = Optional<bool>(Enabled);
  To = Given;
}

template <typename Object>
constexpr void readOptimizations(Walk<Object> &From, CkReader &In) {
  Split &To = In.To.split.make();
  required<member::num_groups_to_merge>(From, To.groups_merge);
  required<member::split_image>(From, To.split_image);
  required<member::explicit_gemm>(From, In.ExplicitGemm);
  optional<member::two_stage>(From, To.two_stage);
  optionalPart<member::streamk>(From, "streamk",
                                [&](auto &Inner) { readStreamK(Inner, In); });
}

template <typename Object>
constexpr void readThreadConfig(Walk<Object> &From, ThreadTile &To) {
  required<member::k0_per_block>(From, To.k0);
  required<member::k1>(From, To.k1);
  required<member::m1_per_thread>(From, To.m1);
  required<member::n1_per_thread>(From, To.n1);
  required<member::k_per_thread>(From, To.k_per_thread);
}

template <typename Object>
constexpr void readThreadCluster(Walk<Object> &From, ThreadTile &To) {
  required<member::m1_xs>(From, To.m1_xs);
  required<member::n1_xs>(From, To.n1_xs);
}

template <typename Object>
constexpr void readDepthwise(Walk<Object> &From, Algorithm &To) {
  Depthwise &Way = To.depthwise.make();
  FilterFacts &Filter = Way.filter.make();
  required<member::block_size>(From, To.block_size);
  required<member::tile_h>(From, Way.tile.h);
  required<member::tile_w>(From, Way.tile.w);
  required<member::filter_h>(From, Filter.size.h);
  required<member::filter_w>(From, Filter.size.w);
  required<member::stride_h>(From, Filter.stride.h);
  required<member::stride_w>(From, Filter.stride.w);
  required<member::dilation_h>(From, Filter.dilation.h);
  required<member::dilation_w>(From, Filter.dilation.w);
  required<member::pad_h>(From, Filter.pad.h);
  required<member::pad_w>(From, Filter.pad.w);
  required<member::nbatch>(From, Way.nbatch);
  required<member::subtile_h>(From, Way.subtile.h);
  required<member::subtile_w>(From, Way.subtile.w);
  required<member::in_vec>(From, Way.in_vector);
  required<member::out_vec>(From, Way.out_vector);
}

} // namespace detail

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CKPARTS_H

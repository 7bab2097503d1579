//===- CkParts.h - readers of CK's algorithm structs ------------*- C++ -*-===//
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
  static constexpr bool read(const Theirs &Value, Padding &Parsed) {
    return readPaddingWord(WordsOf<Theirs>[Value], Parsed);
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
  static constexpr bool read(const Theirs &Value, SpecialWord &Parsed) {
    return readSpecialWord(WordsOf<Theirs>[Value], Parsed);
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

template <typename Object>
constexpr void readMNK(Walk<Object> &Walker, MNK &Parsed) {
  required<member::m>(Walker, Parsed.m);
  required<member::n>(Walker, Parsed.n);
  required<member::k>(Walker, Parsed.k);
}

template <typename Object>
constexpr void readThreadBlock(Walk<Object> &Walker, CkReader &In) {
  if (optional<member::block_size>(Walker, In.To.block_size))
    In.Parts |= part::BlockSize;
  requiredPart<member::tile_size>(
      Walker, "tile", [&](auto &Inner) { readMNK(Inner, In.To.tile.make()); });
}

template <typename Object>
constexpr void readXdl(Walk<Object> &Walker, CkReader &In) {
  MNK &Instruction = In.To.wave.make().instr;
  required<member::m_per_xdl>(Walker, Instruction.m);
  required<member::n_per_xdl>(Walker, Instruction.n);
  required<member::m_xdl_per_wave>(Walker, In.Repeat.m);
  required<member::n_xdl_per_wave>(Walker, In.Repeat.n);
}

/// Reads k1, or ak1 and bk1; then the instruction of XDL or of WMMA.
template <typename Object>
constexpr void readGridwise(Walk<Object> &Walker, CkReader &In) {
  int &PackA = In.To.a.make().k_pack, &PackB = In.To.b.make().k_pack;
  if constexpr (Walk<Object>::template Has<member::k1>) {
    required<member::k1>(Walker, PackA);
    PackB = PackA;
  } else {
    required<member::ak1>(Walker, PackA);
    required<member::bk1>(Walker, PackB);
  }
  if (optionalPart<member::xdl_params>(
          Walker, "tile", [&](auto &Inner) { readXdl(Inner, In); })) {
    In.Parts |= part::Xdl;
    return;
  }
  In.Parts |= part::Wmma;
  MNK &Instruction = In.To.wave.make().instr;
  required<member::m_per_wmma>(Walker, Instruction.m);
  required<member::n_per_wmma>(Walker, Instruction.n);
  required<member::m_wmma_per_wave>(Walker, In.Repeat.m);
  required<member::n_wmma_per_wave>(Walker, In.Repeat.n);
}

template <typename Object>
constexpr void readCluster(Walk<Object> &Walker, LoadCluster &Parsed) {
  required<member::k0>(Walker, Parsed.k0);
  required<member::m_n>(Walker, Parsed.mn);
  required<member::k1>(Walker, Parsed.k1);
  optional<member::k_batch_size>(Walker, Parsed.kb);
}

template <typename Object>
constexpr void readLds(Walk<Object> &Walker, Operand &Parsed, bool &Pad) {
  required<member::src_vector_dim>(Walker, Parsed.vector_dim);
  required<member::src_scalar_per_vector>(Walker, Parsed.load_vector);
  required<member::lds_dst_scalar_per_vector>(Walker, Parsed.lds_vector);
  required<member::is_direct_load>(Walker, Parsed.direct_to_lds);
  required<member::lds_padding>(Walker, Pad);
}

/// Reads an order, which may be in a nested struct.
template <typename Member, typename Object>
constexpr void readOrder(Walk<Object> &Walker, List<int, 5> &Parsed) {
  if constexpr (Walk<Object>::template Has<Member>)
    if constexpr (IsIn<member::order,
                       typename Walk<Object>::template TypeOf<Member>>) {
      requiredPart<Member>(Walker, "order", [&](auto &Inner) {
        required<member::order>(Inner, Parsed);
      });
      return;
    }
  required<Member>(Walker, Parsed);
}

template <typename Object>
constexpr void readDlOperand(Walk<Object> &Walker, Operand &Parsed) {
  ThreadSlice &Slice = Parsed.slice.make();
  required<member::thread_slice_lengths>(Walker, Slice.lengths);
  required<member::thread_cluster_lengths>(Walker, Slice.cluster);
  readOrder<member::thread_cluster_arrange_order>(Walker, Parsed.cluster_order);
  readOrder<member::src_access_order>(Walker, Parsed.access_order);
  required<member::src_vector_tensor_lengths>(Walker, Slice.source_vector);
  required<member::src_vector_tensor_contiguous_dim_order>(Walker,
                                                           Slice.vector_order);
  required<member::dst_vector_tensor_lengths>(Walker, Slice.target_vector);
}

template <typename Object>
constexpr void readOperand(Walk<Object> &Walker, CkReader &In, Operand &Parsed,
                           bool &Pad) {
  if constexpr (Walk<Object>::template Has<member::thread_slice_lengths>) {
    In.Parts |= part::DlTransfer;
    readDlOperand(Walker, Parsed);
  } else {
    In.Parts |= part::BlockTransfer;
    requiredPart<member::block_transfer>(Walker, "cluster", [&](auto &Inner) {
      readCluster(Inner, Parsed.cluster);
    });
    requiredPart<member::lds_transfer>(
        Walker, "transfer", [&](auto &Inner) { readLds(Inner, Parsed, Pad); });
    readOrder<member::thread_cluster_arrange_order>(Walker,
                                                    Parsed.cluster_order);
    readOrder<member::src_access_order>(Walker, Parsed.access_order);
  }
}

template <typename Object>
constexpr void readStoreCluster(Walk<Object> &Walker, StoreCluster &Parsed) {
  required<member::m_block>(Walker, Parsed.mb);
  required<member::m_wave_per_xdl>(Walker, Parsed.mw);
  required<member::n_block>(Walker, Parsed.nb);
  required<member::n_wave_per_xdl>(Walker, Parsed.nw);
}

template <typename Object>
constexpr void readEpilogue(Walk<Object> &Walker, ResultPath &Parsed) {
  required<member::m_xdl_per_wave_per_shuffle>(Walker, Parsed.shuffle.m);
  required<member::n_xdl_per_wave_per_shuffle>(Walker, Parsed.shuffle.n);
  required<member::scalar_per_vector>(Walker, Parsed.store_vector);
}

template <typename Object>
constexpr void readResult(Walk<Object> &Walker, ResultPath &Parsed) {
  if constexpr (Walk<Object>::template Has<member::src_dst_access_order>) {
    required<member::src_dst_access_order>(Walker, Parsed.access_order);
    required<member::src_dst_vector_dim>(Walker, Parsed.vector_dim);
    required<member::dst_scalar_per_vector>(Walker, Parsed.store_vector);
  } else {
    Parsed.through_lds = true;
    requiredPart<member::thread_cluster_dims>(
        Walker, "cluster",
        [&](auto &Inner) { readStoreCluster(Inner, Parsed.cluster); });
    requiredPart<member::epilogue>(
        Walker, "epilogue", [&](auto &Inner) { readEpilogue(Inner, Parsed); });
  }
}

template <typename Object>
constexpr void readTransfer(Walk<Object> &Walker, CkReader &In) {
  Algorithm &Algo = In.To;
  if constexpr (Walk<Object>::template Has<member::a_scalar_per_vector>) {
    In.Parts |= part::TileTransfer;
    Algo.c.make().through_lds = true;
    required<member::a_scalar_per_vector>(Walker, Algo.a.make().load_vector);
    required<member::b_scalar_per_vector>(Walker, Algo.b.make().load_vector);
    required<member::c_scalar_per_vector>(Walker, Algo.c->store_vector);
  } else {
    requiredPart<member::a>(Walker, "transfer", [&](auto &Inner) {
      readOperand(Inner, In, Algo.a.make(), In.PadA);
    });
    requiredPart<member::b>(Walker, "transfer", [&](auto &Inner) {
      readOperand(Inner, In, Algo.b.make(), In.PadB);
    });
    requiredPart<member::c>(Walker, "transfer", [&](auto &Inner) {
      readResult(Inner, Algo.c.make());
    });
  }
}

template <typename Object>
constexpr void readPipeline(Walk<Object> &Walker, Pipeline &Parsed) {
  required<member::pipeline_version>(Walker, Parsed.version);
  required<member::scheduler>(Walker, Parsed.scheduler);
}

template <typename Object>
constexpr void readBlockGemm(Walk<Object> &Walker, Algorithm &Algo) {
  Pipeline &Loop = Algo.pipeline.make();
  requiredPart<member::warps>(Walker, "tile", [&](auto &Inner) {
    readMNK(Inner, Algo.wave.make().waves);
  });
  requiredPart<member::warp_tile>(Walker, "tile", [&](auto &Inner) {
    readMNK(Inner, Algo.wave.make().instr);
  });
  required<member::double_smem_buffer>(Walker, Loop.double_lds);
  required<member::num_wave_groups>(Walker, Loop.wave_groups);
  readPipeline(Walker, Loop);
}

/// Reads a member of the algorithm, or one of its optimizations with enabled.
template <typename Object>
constexpr void readStreamK(Walk<Object> &Walker, CkReader &In) {
  StreamK Read;
  bool Enabled = true;
  optional<member::enabled>(Walker, Enabled);
  required<member::reduction_strategy>(Walker, Read.reduction);
  required<member::persistent>(Walker, Read.persistent);
  Optional<StreamK> &Current = In.To.split.make().stream_k;
  Optional<StreamK> Given = Enabled ? Optional<StreamK>(Read) : Current;
  if (In.StreamKEnabled &&
      !(*In.StreamKEnabled == Enabled && (!Enabled || Current == Given))) {
    Walker.Report.say("A17", Walker.At, "contradicts the other streamk");
    ++Walker.Report.Value;
  }
  In.StreamKEnabled = Optional<bool>(Enabled);
  Current = Given;
}

template <typename Object>
constexpr void readOptimizations(Walk<Object> &Walker, CkReader &In) {
  Split &Parsed = In.To.split.make();
  required<member::num_groups_to_merge>(Walker, Parsed.groups_merge);
  required<member::split_image>(Walker, Parsed.split_image);
  required<member::explicit_gemm>(Walker, In.ExplicitGemm);
  optional<member::two_stage>(Walker, Parsed.two_stage);
  optionalPart<member::streamk>(Walker, "streamk",
                                [&](auto &Inner) { readStreamK(Inner, In); });
}

template <typename Object>
constexpr void readThreadConfig(Walk<Object> &Walker, ThreadTile &Parsed) {
  required<member::k0_per_block>(Walker, Parsed.k0);
  required<member::k1>(Walker, Parsed.k1);
  required<member::m1_per_thread>(Walker, Parsed.m1);
  required<member::n1_per_thread>(Walker, Parsed.n1);
  required<member::k_per_thread>(Walker, Parsed.k_per_thread);
}

template <typename Object>
constexpr void readThreadCluster(Walk<Object> &Walker, ThreadTile &Parsed) {
  required<member::m1_xs>(Walker, Parsed.m1_xs);
  required<member::n1_xs>(Walker, Parsed.n1_xs);
}

template <typename Object>
constexpr void readDepthwise(Walk<Object> &Walker, Algorithm &Algo) {
  Depthwise &Way = Algo.depthwise.make();
  FilterFacts &Filter = Way.filter.make();
  required<member::block_size>(Walker, Algo.block_size);
  required<member::tile_h>(Walker, Way.tile.h);
  required<member::tile_w>(Walker, Way.tile.w);
  required<member::filter_h>(Walker, Filter.size.h);
  required<member::filter_w>(Walker, Filter.size.w);
  required<member::stride_h>(Walker, Filter.stride.h);
  required<member::stride_w>(Walker, Filter.stride.w);
  required<member::dilation_h>(Walker, Filter.dilation.h);
  required<member::dilation_w>(Walker, Filter.dilation.w);
  required<member::pad_h>(Walker, Filter.pad.h);
  required<member::pad_w>(Walker, Filter.pad.w);
  required<member::nbatch>(Walker, Way.nbatch);
  required<member::subtile_h>(Walker, Way.subtile.h);
  required<member::subtile_w>(Walker, Way.subtile.w);
  required<member::in_vec>(Walker, Way.in_vector);
  required<member::out_vec>(Walker, Way.out_vector);
}

} // namespace detail

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_CKPARTS_H

//===- Candidates.cpp - algorithms for a problem --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over a closed space. Each point is completed as resolve() does,
// checked, lowered and estimated.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Candidates.h"

#include "kpack/ConvBuilder/Hash.h"
#include "kpack/ConvBuilder/Kernel.h"
#include "kpack/ConvBuilder/LowerAlgorithm.h"
#include "kpack/ConvBuilder/Machines.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

using namespace kpack;
using namespace kpack::conv;

namespace {

/// Pieces of a sum. With more, the additions of their results take most of the
/// time.
constexpr int MostPieces = 64;
/// Groups of a tile, which multiplies each of them with all of them.
constexpr int MostGroups = 64;

/// More than any processor has, so that no list moves to a larger place.
/// Untouched memory costs nothing.
constexpr size_t MostCandidates = 4096;

/// Requirements that depend on the algorithm. The others, which depend on the
/// signature and the problem only, are checked once before.
constexpr auto OfAlgorithms = [] {
  constexpr auto DependsOnIt = [](const Requirement &Row) {
    return Row.Check &&
           (Row.group() == RequirementGroup::Algorithm ||
            (Row.group() == RequirementGroup::Problem &&
             Row.Check != checks::sizes && Row.Check != checks::outputSizes &&
             Row.Check != checks::tensorStrides));
  };
  std::array<const Requirement *,
             std::count_if(std::begin(Requirements), std::end(Requirements),
                           DependsOnIt)>
      Rows{};
  size_t Count = 0;
  for (const Requirement &Row : Requirements)
    if (DependsOnIt(Row))
      Rows[Count++] = &Row;
  return Rows;
}();

/// Hashes all differences between the kernels of one signature: the numbers
/// before its tensors. Four sums run at once, since each multiplication waits
/// for the one before.
uint64_t hashOfTile(const Lowered &L) {
  static_assert(std::has_unique_object_representations_v<Lowered>);
  int Numbers[offsetof(Lowered, input) / sizeof(int)];
  std::memcpy(Numbers, &L, sizeof(Numbers));
  uint64_t Sums[4] = {1, 2, 3, 4};
  for (size_t I = 0; I < std::size(Numbers); ++I)
    Sums[I % 4] =
        (Sums[I % 4] + static_cast<uint32_t>(Numbers[I])) * 0x9E3779B97F4A7C15u;
  Hasher H;
  for (uint64_t Sum : Sums)
    addTo(H, static_cast<long long>(Sum ^ Sum >> 32));
  return H.finish();
}

/// A set of hashes in one block of memory.
class HashSet {
public:
  /// Returns false if the hash is present already.
  bool insert(uint64_t Hash) {
    if (++Count * 2 > Places.size())
      grow();
    uint64_t &Place = placeOf(Hash | 1);
    return std::exchange(Place, Hash | 1) != (Hash | 1);
  }

private:
  /// Returns the hash's place, or the empty (zero) place where it belongs.
  uint64_t &placeOf(uint64_t Hash) {
    size_t I = Hash / 2 % Places.size();
    while (Places[I] && Places[I] != Hash)
      I = (I + 1) % Places.size();
    return Places[I];
  }
  void grow() {
    std::vector<uint64_t> Old(std::max<size_t>(4096, Places.size() * 2));
    Old.swap(Places);
    for (uint64_t Hash : Old)
      if (Hash)
        placeOf(Hash) = Hash;
  }

  std::vector<uint64_t> Places; ///< their number is a power of two
  size_t Count = 0;
};

/// One walk over the space.
class Walk {
public:
  Walk(const Signature &Sig, const Problem &Sizes, std::string_view Name,
       const Constraints &Within, std::vector<Refusal> *Refused)
      : Sig(Sig), Sizes(Sizes), For(Name), Gpu(findProcessor(For)),
        Speed(findMachine(Name)), Within(Within), Refused(Refused),
        Asked{Sig, Sig, nullptr, For, Gpu, Sizes, {}, Why, true} {
    Want.WorkspaceLimit = Within.workspace_limit;
    Want.Deterministic = Within.deterministic;
    Asked.Want = Want;
  }

  std::vector<Candidate> run() {
    Algorithm Nothing;
    Conditions Open = Want;
    Open.Parts = Absent::IsOpen; // none is there yet
    Report Whole = detail::validate(Sig, Sig, Nothing, For, Sizes, Open);
    if (!Whole.ok()) {
      refuse(Nothing, Whole);
      return {};
    }
    if (!Gpu) {
      refuse(Nothing, "algorithm.isa: no processor is named; give one");
      return {};
    }
    if (!detail::lowerSignature(Made, Sig, For.Name)) {
      refuse(Nothing, std::string(Made.Error.view()));
      return {};
    }
    OfSignature = Made.Value;
    Found.reserve(MostCandidates);
    walkElements();
    walkDepthwise();
    for (Isa In : {Isa::VALU, Isa::DOT})
      walkThreads(In);
    for (Isa In : {Isa::MFMA, Isa::WMMA})
      walkWaves(In);
    return inOrder();
  }

private:
  /// Sorts indexes, because algorithms are large, and then moves each algorithm
  /// to its place without further memory.
  std::vector<Candidate> inOrder() {
    std::vector<std::pair<double, size_t>> Order;
    Order.reserve(Found.size());
    for (const Candidate &One : Found)
      Order.push_back({One.estimate.total, Order.size()});
    std::sort(Order.begin(), Order.end());
    for (size_t Start = 0; Start < Order.size(); ++Start) {
      if (Order[Start].second == Start)
        continue;
      // A cycle of the permutation: each place receives its candidate.
      Candidate First = Found[Start];
      size_t Place = Start;
      while (Order[Place].second != Start) {
        size_t Source = std::exchange(Order[Place].second, Place);
        Found[Place] = Found[Source];
        Place = Source;
      }
      Found[Place] = First;
      Order[Place].second = Place;
    }
    return std::move(Found);
  }

  bool isWanted(Kind KernelKind, Isa In) const {
    return (!Within.kind || *Within.kind == KernelKind) &&
           (!Within.isa || *Within.isa == In);
  }

  /// Offers algorithms whose threads compute one result each.
  void walkElements() {
    for (Kind KernelKind : {Kind::DIRECT, Kind::REFERENCE})
      for (int Threads : {256, 64, 128, 512, 1024}) {
        if (!isWanted(KernelKind, Isa::VALU) ||
            (KernelKind == Kind::REFERENCE && !Within.allow_reference))
          continue;
        Algorithm Algo;
        Algo.kind = KernelKind;
        Algo.isa = Isa::VALU;
        Algo.block_size = Threads;
        offer(Algo);
      }
  }

  void walkDepthwise() {
    if (Sizes.c != 1 || Sizes.k != 1 || !isWanted(Kind::DEPTHWISE, Isa::VALU))
      return;
    for (int Threads : {256, 64, 128})
      for (int Columns : {2, 1, 4}) {
        Algorithm Algo;
        Algo.kind = Kind::DEPTHWISE;
        Algo.isa = Isa::VALU;
        Algo.block_size = Threads;
        Algo.depthwise.make().subtile = {1, Columns};
        offer(Algo);
      }
  }

  /// Refuses an isa that cannot multiply once, not for each tile.
  bool isGemmWith(Isa In) {
    if (!isWanted(Kind::IMPLICIT_GEMM, In))
      return false;
    if (canMultiply(In, Sig, Gpu))
      return true;
    offer(gemm(In));
    return false;
  }
  static Algorithm gemm(Isa In) {
    Algorithm Algo;
    Algo.kind = Kind::IMPLICIT_GEMM;
    Algo.isa = In;
    return Algo;
  }

  void walkThreads(Isa In) {
    if (!isGemmWith(In))
      return;
    for (int M : {64, 32, 128})
      for (int N : {64, 32, 128})
        for (int K : {16, 8, 32})
          for (auto [Rows, Columns] :
               {std::pair(4, 4), std::pair(2, 2), std::pair(8, 4),
                std::pair(4, 8), std::pair(8, 8)}) {
            Algorithm Algo = gemm(In);
            Algo.tile = MNK{M, N, K};
            Algo.thread.make().m1 = Rows;
            Algo.thread->n1 = Columns;
            Algo.thread->m1_xs = {M / Rows / 2, 2};
            Algo.thread->n1_xs = {N / Columns / 2, 2};
            offer(Algo);
          }
  }

  void walkWaves(Isa In) {
    if (!isGemmWith(In))
      return;
    for (const Instruction &I : Instructions)
      if (isUsable(I, In, Sig, Gpu))
        for (auto [M, N] : {std::pair(2, 2), std::pair(1, 1), std::pair(1, 2),
                            std::pair(2, 1), std::pair(1, 4), std::pair(4, 1)})
          for (int RepeatM : {2, 1, 4})
            for (int RepeatN : {2, 1, 4})
              for (int RepeatK : {2, 1, 4}) {
                Algorithm Algo = gemm(In);
                Algo.wave = WaveTile{{M, N, 1}, {I.Rows, I.Columns, I.Depth}};
                Algo.tile = MNK{M * RepeatM * I.Rows, N * RepeatN * I.Columns,
                                RepeatK * I.Depth};
                offerVariants(Algo);
              }
  }

  /// Offers variants of one tile: as completed, with several groups, with
  /// another loop, with narrow loads, with its sum in pieces, and shared.
  void offerVariants(const Algorithm &Partial) {
    Algorithm Algo = Partial;
    if (!complete(Algo))
      return;
    if (isGoingToSpill(Sig, Algo, *Gpu))
      Algo.pipeline->version = PipelineVersion::V1;
    judge(Algo);
    offerMerged(Algo);
    Algorithm Other = Algo;
    Other.pipeline->version = PipelineVersion::V4;
    judge(Other);
    if (Algo.a->load_vector > 1 || Algo.b->load_vector > 1) {
      Other = Algo;
      Other.a->load_vector = 1;
      Other.b->load_vector = 1;
      judge(Other);
    }
    offerPieces(Algo);
    if (isWorthSharing(Algo)) {
      Other = Algo;
      Other.split->stream_k.make();
      judge(Other);
    }
  }

  void offerPieces(const Algorithm &Algo) {
    int Pieces = usefulPieces(Algo);
    for (bool TwoStage : {true, false})
      if (Pieces > 1 && (TwoStage || CanAdd)) {
        Algorithm Other = Algo;
        Other.split->k_batch = Pieces;
        Other.split->two_stage = TwoStage;
        // A result type that memory cannot add is refused once, not for each
        // tile.
        if (judge(Other) == "A18")
          CanAdd = false;
      }
  }

  /// True if the last round of tiles, which may be the only one, leaves a good
  /// part of the GPU idle, and sums are long enough to share them.
  bool isWorthSharing(const Algorithm &Algo) const {
    constexpr long long FewestSteps = 8, MostRounds = 3;
    if (Sizes.k_batch > 1 ||
        ceilDiv(Asked.Facts.Product.Depth, Algo.tile->k) < FewestSteps)
      return false;
    long long Tiles = workGroupsOf(Sig, Algo, Sizes, Asked.Facts.Product, Gpu);
    if (Tiles > MostRounds * MostResident)
      return false;
    int Resident = residentOf(Sig, Algo, Gpu);
    long long Last = Tiles % Resident;
    return Tiles < MostRounds * Resident && Last > 0 && Last * 4 < Resident * 3;
  }

  /// Offers as many groups as the tile has room for if one leaves most of it
  /// empty; vectors may be longer then. Not for floats that are multiplied with
  /// the zeros between groups: an infinity in one group would become a NaN in
  /// all, which a caller with an open algorithm does not expect.
  void offerMerged(const Algorithm &Algo) {
    bool HasZeros = Sig.direction != ConvDirection::BACKWARD_WEIGHT;
    if (HasZeros && Sig.accumulation_data_type != DataType::I32)
      return;
    int Groups = usefulGroups(Algo);
    if (Groups == 1)
      return;
    Algorithm Other = Algo;
    Other.split->groups_merge = Groups;
    Other.a->load_vector = Other.b->load_vector = Other.c->store_vector = 0;
    Other.padding = {};
    if (!complete(Other))
      return;
    judge(Other);
    offerPieces(Other);
  }

  /// Returns a power of two. Groups are in columns. For BACKWARD_WEIGHT they
  /// are in rows as well, and rows decide, since a group has fewer of them.
  int usefulGroups(const Algorithm &Algo) const {
    bool IsWeight = Sig.direction == ConvDirection::BACKWARD_WEIGHT;
    const ProductSize &Size = Asked.Facts.Product;
    long long Channels = IsWeight ? Size.Rows : Size.Columns;
    long long Room = IsWeight ? Algo.tile->m : Algo.tile->n;
    int Groups = 1;
    while (Groups < Sizes.groups && Groups < MostGroups &&
           Groups * 2 * Channels <= Room)
      Groups *= 2;
    return Groups;
  }

  /// Returns the number of the problem if it has one; else the power of two
  /// that gives every unit of the GPU a work-group, or 1 if there are enough
  /// tiles.
  int usefulPieces(const Algorithm &Algo) const {
    if (Sizes.k_batch > 0)
      return Sizes.k_batch;
    long long Tiles = workGroupsOf(Sig, Algo, Sizes, Asked.Facts.Product, Gpu);
    long long Steps = ceilDiv(
        productOfTile(Sig, Algo, Asked.Facts.Product).Depth, Algo.tile->k);
    int Pieces = 1;
    while (Pieces * Tiles < Speed->Units && Pieces * 2 <= Steps &&
           Pieces < MostPieces)
      Pieces *= 2;
    return Pieces;
  }

  void offer(const Algorithm &Partial) {
    Algorithm Algo = Partial;
    if (!complete(Algo))
      return;
    judge(Algo);
    if (Algo.kind == Kind::IMPLICIT_GEMM)
      offerMerged(Algo);
  }

  /// Returns false, and refuses the algorithm, if no instruction fits it.
  bool complete(Algorithm &Algo) {
    if (detail::Completion(Sig, Algo, *Gpu, Sizes, Asked.Facts).run())
      return true;
    Conditions Open = Want;
    Open.Parts = Absent::IsOpen;
    refuse(Algo, detail::validate(Sig, Sig, Algo, For, Sizes, Open));
    return false;
  }

  /// Returns the id of the requirement that does not hold; empty if all hold.
  /// An algorithm that is slow only because of its registers is neither offered
  /// nor refused.
  std::string_view judge(const Algorithm &Algo) {
    if (Algo.kind == Kind::IMPLICIT_GEMM && isGoingToSpill(Sig, Algo, *Gpu))
      return {};
    if (std::string_view Id = missing(Algo); !Id.empty())
      return Id;
    Made.Value = OfSignature;
    if (!detail::lowerAlgorithm(Made, Sig, Algo, For.Name)) {
      refuse(Algo, std::string(Made.Error.view()));
      Made.Error = {};
    } else if (Kernels.insert(hashOfTile(Made.Value))) {
      Found.emplace_back(
          Algo,
          estimate(Sig, Algo, Made.Value, Sizes, Asked.Facts, *Gpu, *Speed),
          workspaceBytes(Sig, Made.Value, Sizes));
    }
    return {};
  }

  /// Like validate(), up to the first finding, whose id it returns.
  /// Requirements of the signature hold already, and there is no code object
  /// yet.
  std::string_view missing(const Algorithm &Algo) {
    checks::Context &C = Asked;
    C.Algo = &Algo;
    for (const Requirement *Row : OfAlgorithms) {
      C.Id = Row->Id;
      Row->Check(C);
      if (!Why.ok()) {
        refuse(Algo, Why);
        Why.clear();
        return Row->Id;
      }
    }
    return {};
  }

  void refuse(const Algorithm &Algo, const Report &Why) {
    if (!Refused)
      return;
    Finding First = Why[0];
    Refused->push_back({Algo, std::string(First.Id), std::string(First.Path),
                        std::string(First.Fact), std::string(First.Remedy)});
  }
  /// Takes a message of lower(), "path: fact; remedy".
  void refuse(const Algorithm &Algo, const std::string &Message) {
    if (!Refused)
      return;
    size_t Colon = std::min(Message.find(": "), Message.size());
    std::string Rest = Colon < Message.size() ? Message.substr(Colon + 2) : "";
    size_t Semicolon = std::min(Rest.find("; "), Rest.size());
    Refused->push_back(
        {Algo, "A16", Message.substr(0, Colon), Rest.substr(0, Semicolon),
         Semicolon < Rest.size() ? Rest.substr(Semicolon + 2) : ""});
  }

  const Signature &Sig;
  const Problem &Sizes;
  Target For;
  const Processor *Gpu;
  const Machine *Speed;
  const Constraints &Within;
  std::vector<Refusal> *Refused;
  Conditions Want;
  bool CanAdd = true; ///< pieces of a sum in memory, in any order
  Report Why;         ///< empty between two algorithms; reused, since it is
                      ///< large
  checks::Context Asked;
  Lowered OfSignature; ///< the signature's part of kernels
  Lowering Made;       ///< of one algorithm; holds no error between two
  std::vector<Candidate> Found;
  HashSet Kernels; ///< hashes of the lowered kernels
};

} // namespace

std::string Refusal::text() const {
  return "[" + id + "] " + path + ": " + fact +
         (remedy.empty() ? "" : "; " + remedy);
}

std::vector<Candidate> conv::candidates(const Signature &Resolved,
                                        const Problem &Sizes,
                                        std::string_view Processor,
                                        const Constraints &Within,
                                        std::vector<Refusal> *Refused) {
  return Walk(Resolved, Sizes, Processor, Within, Refused).run();
}

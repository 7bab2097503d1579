//===- Requirements/OfClusters.h - checks of thread clusters ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks how the threads of a work-group share the blocks that they load and
// store. Clusters and orders are hints: they are checked because a wrong one
// indicates that the author means another algorithm.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REQUIREMENTS_OFCLUSTERS_H
#define KPACK_CONVBUILDER_REQUIREMENTS_OFCLUSTERS_H

#include "kpack/ConvBuilder/Requirements/Context.h"

namespace kpack::conv::checks {

constexpr bool isGiven(const LoadCluster &L) {
  return L.k0 > 0 || L.mn > 0 || L.k1 > 0 || L.kb > 0;
}
constexpr bool isGiven(const StoreCluster &S) {
  return S.mb > 0 || S.mw > 0 || S.nb > 0 || S.nw > 0;
}

constexpr void product(const Context &C, Literal Name, long long Threads) {
  int Block = C.Algo->block_size;
  if (Block < 1 || Threads == Block)
    return;
  FindingOut F = C.find();
  F << "algorithm." << Name << ".cluster";
  F.fact(Block) << "arranges " << Threads << " threads, and block_size is "
                << Block;
  F.remedy() << "the product of its numbers is block_size";
}

/// A11: the product of a cluster is block_size.
constexpr void clusterProducts(Context &C) {
  for (int Which : {0, 1})
    if (detail::OperandWay Way = detail::wayOf(C, Which);
        Way.Way && isGiven(Way.Way->cluster)) {
      const LoadCluster &L = Way.Way->cluster;
      product(C, Way.Name,
              times(atLeastOne(L.k0), atLeastOne(L.mn), atLeastOne(L.k1),
                    atLeastOne(L.kb)));
    }
  if (C.Algo->c && isGiven(C.Algo->c->cluster)) {
    const StoreCluster &S = C.Algo->c->cluster;
    product(C, "c",
            times(atLeastOne(S.mb), atLeastOne(S.mw), atLeastOne(S.nb),
                  atLeastOne(S.nw)));
  }
}

template <unsigned Most>
constexpr void permutation(const Context &C, Literal Name, Literal Member,
                           const List<int, Most> &Order) {
  for (unsigned I = 0; I < Order.size(); ++I) {
    bool IsDouble = false;
    for (unsigned J = 0; J < I; ++J)
      IsDouble |= Order[J] == Order[I];
    int Last = static_cast<int>(Order.size()) - 1;
    if (!IsDouble && Order[I] >= 0 && Order[I] <= Last)
      continue;
    FindingOut F = C.find();
    F << "algorithm." << Name << Member;
    F.fact(Last) << "has " << Order[I]
                 << (IsDouble ? " twice" : ", which is no dimension");
    F.remedy() << "an order of " << Last + 1 << " has each of 0 to " << Last
               << " once";
    return;
  }
}

/// A12: orders are permutations.
constexpr void orders(Context &C) {
  for (int Which : {0, 1})
    if (detail::OperandWay Way = detail::wayOf(C, Which); Way.Way) {
      permutation(C, Way.Name, ".cluster_order", Way.Way->cluster_order);
      permutation(C, Way.Name, ".access_order", Way.Way->access_order);
    }
  if (C.Algo->c)
    permutation(C, "c", ".access_order", C.Algo->c->access_order);
}

/// Reports if \p By does not divide \p Whole.
constexpr void covers(const Context &C, Literal Name, Literal Member,
                      long long By, long long Whole, Literal NamesOfWhole) {
  if (By <= 1 || Whole < 1 || Whole % By == 0)
    return;
  FindingOut F = C.find();
  F << "algorithm." << Name << Member;
  F.fact(Whole) << By << " does not divide " << Whole << ", which is "
                << NamesOfWhole;
  F.remedy() << "a divisor of " << Whole;
}

/// A13 and A14: vectors and the cluster of an operand divide its tile.
constexpr void loadCovers(const Context &C, int Which) {
  detail::OperandWay Way = detail::wayOf(C, Which);
  if (!C.isGemm() || !Way.Way || !C.Algo->tile)
    return;
  const MNK &Tile = *C.Algo->tile;
  const Operand &O = *Way.Way;
  int Rows = Way.rows(Tile);
  Literal NameOfRows = Way.Rows == 'm' ? "tile.m" : "tile.n";
  Side Along = sideOfNeighbours(C.Sig, Way.From, *C.Algo);
  if (Along == Side::Depth)
    covers(C, Way.Name, ".load_vector", O.load_vector, Tile.k, "tile.k");
  else if (Along == Side::Mn)
    covers(C, Way.Name, ".load_vector", O.load_vector, Rows, NameOfRows);
  covers(C, Way.Name, ".lds_vector", O.lds_vector, Tile.k, "tile.k");
  covers(C, Way.Name, ".cluster.mn", O.cluster.mn, Rows, NameOfRows);
  if (O.k_pack > 0 && Tile.k % O.k_pack == 0) {
    covers(C, Way.Name, ".cluster.k0", O.cluster.k0, Tile.k / O.k_pack,
           "tile.k / k_pack");
    covers(C, Way.Name, ".cluster.k1", O.cluster.k1, O.k_pack, "k_pack");
  }
}
constexpr void coversA(Context &C) { loadCovers(C, 0); }
constexpr void coversB(Context &C) { loadCovers(C, 1); }

/// A15: vectors and the cluster of c divide the part of C that passes at once.
constexpr void coversC(Context &C) {
  const Algorithm &Algo = *C.Algo;
  if (!C.isGemm() || !Algo.c || !Algo.tile)
    return;
  const ResultPath &R = *Algo.c;
  covers(C, "c", ".store_vector", R.store_vector, Algo.tile->n, "tile.n");
  if (!Algo.wave)
    return;
  const MNK &W = Algo.wave->waves, &I = Algo.wave->instr;
  covers(C, "c", ".cluster.mw",
         times(atLeastOne(R.cluster.mb), atLeastOne(R.cluster.mw)),
         times(W.m, I.m, atLeastOne(R.shuffle.m)),
         "wave.waves.m times wave.instr.m times shuffle.m");
  covers(C, "c", ".cluster.nw",
         times(atLeastOne(R.cluster.nb), atLeastOne(R.cluster.nw),
               isGiven(R.cluster) ? atLeastOne(R.store_vector) : 1),
         times(W.n, I.n, atLeastOne(R.shuffle.n)),
         "wave.waves.n times wave.instr.n times shuffle.n");
}

} // namespace kpack::conv::checks

#endif // KPACK_CONVBUILDER_REQUIREMENTS_OFCLUSTERS_H

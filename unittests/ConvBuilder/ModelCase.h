//===- ModelCase.h - network layer with exact numbers -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers of networks add up to 20,000 products, more than FP16 can count. So
// most numbers are zero where sums are long: each sum, in whatever order it is
// added, and each result is an integer that FP16 has. And layers are large: the
// right results come from loops over integers, with neighbours in memory
// innermost, which a compiler makes vectors of. They share nothing with the
// host reference, and a test says that both agree.
//
// Sibling: ConvCase.h, whose cases are small and have everything.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_MODELCASE_H
#define KPACK_UNITTESTS_CONVBUILDER_MODELCASE_H

#include "ConvCase.h"
#include "ModelLayers.h"

namespace kpack::conv {

/// One group, channels last.
class ModelCase {
public:
  /// Numbers are from -2 to 2, or, with \p NoSigns, from 0 to 2.
  ModelCase(const ModelLayer &Layer, ConvDirection Direction, DataType Type,
            bool NoSigns, unsigned Seed);

  const ConvCase &conv() const { return Case; }
  /// As ConvCase::expected(). Empty where a sum is one that FP16 does not have.
  std::vector<TensorBytes> expected() const;

private:
  std::vector<int> sums() const;
  std::vector<int> makeNumbers(unsigned Tensor) const;

  ConvCase Case;
};

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_MODELCASE_H

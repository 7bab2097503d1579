//===- Lower.cpp - numbers that define a kernel ---------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implements lower() with LowerAlgorithm.h, and proves that kernels give the
// numbers the same meaning: they include no header of the builder, so each
// number is compared here.
//
//===----------------------------------------------------------------------===//
#include "kpack/ConvBuilder/Lower.h"

#include "kpack/ConvBuilder/LowerAlgorithm.h"
#include "kpack/ConvBuilder/kernels/shared.h"

using namespace kpack;
using namespace kpack::conv;

namespace {

// A name that kernels lack, or that has another number there, does not compile.
#define KPACK_CONV_SAME(SPACE, ENUM, NAME)                                     \
  static_assert(int(device::SPACE::NAME) == int(ENUM::NAME));
#define KPACK_CONV_DATA_TYPE(NAME, TEXT) KPACK_CONV_SAME(type, DataType, NAME)
#define KPACK_CONV_DIRECTION(NAME, TEXT)                                       \
  KPACK_CONV_SAME(direction, ConvDirection, NAME)
#define KPACK_CONV_OPERATION(NAME, AUXILIARY, PARAMETERS, TEXT)                \
  KPACK_CONV_SAME(op, ElementwiseOperation, NAME)
#include "kpack/ConvBuilder/Enums.def"
#undef KPACK_CONV_SAME

static_assert(device::MaxAuxiliaryOfTensor == int(MaxAuxiliary));
static_assert(MaxChain == 4, "LoweredTensor has as many links");
// stepsOf() uses these numbers.
static_assert(device::split::ADDED == 1 && device::split::WORKSPACE == 2 &&
              device::split::SHARED == 3);

} // namespace

long long conv::ldsBytes(const Lowered &L) { return detail::ldsBytesOf(L); }

Result<Lowered> conv::lower(const Signature &Sig, const Algorithm &Algo,
                            std::string_view Processor) {
  Lowering Done = lowerValues(Sig, Algo, Processor);
  if (!Done.Error.ok())
    return Status(Done.Error.Code, std::string(Done.Error.view()));
  return Done.Value;
}

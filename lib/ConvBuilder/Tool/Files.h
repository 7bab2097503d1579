//===- Files.h - tensors of a call in files ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raw tensors: the elements in the order of the layout, as memory has them,
// little endian, nothing before and nothing after. With a strided layout the
// file is what the strides span, gaps included.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_FILES_H
#define KPACK_LIB_CONVBUILDER_TOOL_FILES_H

#include "Command.h"

#include "kpack/ConvBuilder/CallTensors.h"

namespace kpack::conv {

/// An error where the machine does not have the memory for them.
llvm::Error checkMemory(llvm::ArrayRef<CallTensor> Tensors);

/// The files that the command line names, one for each of callTensors(); each
/// is there.
llvm::Expected<std::vector<std::string>>
filesOf(const Invocation &I, llvm::ArrayRef<CallTensor> Tensors);

/// The content of all but the result, which is zeros.
llvm::Expected<std::vector<TensorBytes>>
readTensors(const Signature &Sig, llvm::ArrayRef<CallTensor> Tensors,
            llvm::ArrayRef<std::string> Files);

/// "FP16, NHWGC 1x8x8x2x16", or with strides "FP32, G_NHW_C_strided, from the
/// first to the last element by its strides".
std::string formText(const Signature &Sig, const CallTensor &T);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_FILES_H

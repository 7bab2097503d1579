//===- TensorFiles.h - raw files of tensors ---------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raw tensors: the elements in the order of the layout, as in memory, little
// endian, without a header or trailer. With a strided layout the file has all
// bytes that the strides span, including gaps.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_CONVBUILDER_TOOL_TENSORFILES_H
#define KPACK_LIB_CONVBUILDER_TOOL_TENSORFILES_H

#include "ConvVerb.h"

#include "kpack/ConvBuilder/CallTensors.h"

namespace kpack::conv {

/// Returns an error if the machine does not have the memory for the tensors.
llvm::Error checkMemory(llvm::ArrayRef<CallTensor> Tensors);

/// Returns the files of the command line, one for each of callTensors().
/// Errors: a file is missing.
llvm::Expected<std::vector<std::string>>
getFiles(const Invocation &I, llvm::ArrayRef<CallTensor> Tensors);

/// Reads all tensors but the result, which is filled with zeros.
llvm::Expected<std::vector<TensorBytes>>
readTensors(const Signature &Sig, llvm::ArrayRef<CallTensor> Tensors,
            llvm::ArrayRef<std::string> Files);

/// Returns "FP16, NHWGC 1x8x8x2x16", or with strides "FP32, G_NHW_C_strided,
/// from the first to the last element by its strides".
std::string formText(const Signature &Sig, const CallTensor &T);

} // namespace kpack::conv

#endif // KPACK_LIB_CONVBUILDER_TOOL_TENSORFILES_H

//===- Processors.cpp - processors that can be emulated -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the list of processors that kpack-run reads from its command line and
// passes to the driver in a variable.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Kfd/Processors.h"

#include "SoftGpu/Kfd/Preload/Emulator.h"

#include "ToolSupport/Errors.h"
#include "llvm/ADT/SmallVector.h"

using namespace kpack;
using namespace kpack::softgpu;
using namespace llvm;

Expected<std::vector<const GpuProcessor *>>
kpack::softgpu::readProcessors(StringRef Object, StringRef List) {
  SmallVector<StringRef, 4> Names;
  List.split(Names, ',');
  std::vector<const GpuProcessor *> Found;
  for (StringRef Name : Names) {
    Found.push_back(findProcessor(std::string_view(Name.data(), Name.size())));
    if (Found.back())
      continue;
    std::string Known;
    for (const GpuProcessor &P : GpuProcessors)
      Known += (Known.empty() ? "" : ", ") + std::string(P.Name);
    return objectError(Object, "no GPU '" + Name + "'; there are " + Known);
  }
  if (Found.size() > MostGpus)
    return objectError(Object, "more than 16 GPUs; give fewer");
  return Found;
}

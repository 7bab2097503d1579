//===- Backends.cpp - devices that --on= selects --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Backends.h.
//
//===----------------------------------------------------------------------===//
#include "Backends.h"

#include "ConvBuilder/SoftGpu/SoftGpuBackend.h"
#include "ToolSupport/Errors.h"
#include "kpack/ConvBuilder/Capabilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

/// Returns \p Gpu, or an error if it was not made or has no kernels.
static Expected<std::unique_ptr<Backend>>
made(StringRef Device, Result<std::unique_ptr<Backend>> Gpu) {
  if (!Gpu)
    return objectError("--on=" + Device.str(), Gpu.status().message());
  Target For{std::string_view((*Gpu)->processor())};
  if (!findProcessor(For))
    return objectError(
        "--on=" + Device.str(),
        "no kernels are for a " + std::string(For.Name) + "; choose one of " +
            join(ArrayRef(ProcessorNames), ", ") + ", or take cpu");
  return std::move(*Gpu);
}

Expected<std::unique_ptr<Backend>> conv::chooseBackend(StringRef Device) {
  if (Device == StringRef(CpuProcessor))
    return makeCpuBackend();
  if (Device == "hip")
    return made(Device, makeHipBackend());
  StringRef Processor = Device;
  if (Processor.consume_front("softgpu:"))
    return made(Device, makeSoftGpuBackend(std::string_view(Processor)));
  return objectError("--on=" + Device.str(),
                     "no such device; give cpu, hip, or softgpu:gfx90a");
}

void conv::reportKernel(Session &S, Error E) {
  std::string Message = toString(std::move(E));
  auto [First, Rest] = StringRef(Message).split('\n');
  S.error(First);
  for (StringRef Line : split(Rest, '\n'))
    if (!Rest.empty())
      S.err() << printable(Line) << '\n';
}

Fp8Form conv::readFp8Form(const Backend &On) {
  return hasFnuz(On.processor()) ? Fp8Form::Fnuz : Fp8Form::Ocp;
}

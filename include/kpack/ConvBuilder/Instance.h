//===- kpack/ConvBuilder/Instance.h - kernels of a program ------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution that is compiled with the program, out of constants:
//
//   constexpr Signature SIG{.spatial_dim = 2, .data_type = DataType::FP16};
//   constexpr Algorithm ALGO{.kind = Kind::IMPLICIT_GEMM};
//   constexpr auto Conv = make_conv_instance<SIG, ALGO, "1", "gfx942">();
//   static_assert(Conv.lds_bytes() <= 65536);
//   Status S = Conv.run(Stream, Problem, Args);          // in a HIP source
//
// What is left open is chosen, and all requirements are checked, while
// compiling; what is wrong is the text of the error. Signature and algorithm
// may be structs of others, as of CK's builder (Canonical.h, CkShapes.h).
//
// Without a processor each pass of the compiler chooses for its own, those for
// which the values are not valid get no kernel, and the host takes the one that
// is for the device.
//
// Everything but run() is for any C++20 compiler. A program that runs one is
// linked with libkpackConvBuilder; kernels leave it by --emit-kpack as all do.
//
// Sibling: Kernel.h, the same kernel compiled when it is needed.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_INSTANCE_H
#define KPACK_CONVBUILDER_INSTANCE_H

#ifdef __HIP__
#include <cstdlib> // before <new>, whose form for HIP calls malloc() and free()
#endif

#include "kpack/ConvBuilder/CkShapes.h"
#include "kpack/ConvBuilder/InstanceValues.h"

#ifdef __HIP__
#include "kpack/ConvBuilder/InstanceKernel.h"
#endif

namespace kpack::conv {

/// The values of an instance at run time, as traits<> has them.
struct InstanceTraits {
  Signature signature; ///< resolved
  Algorithm algorithm; ///< resolved for processor; as it was given without one
  Lowered lowered;     ///< zeros without a processor
  std::string_view processor; ///< empty: each device's own
};

/// Of resolved or partial values, in our form. Has no state: any number of them
/// is one.
template <Signature Sig, Algorithm Algo, detail::TargetName For>
class Instance {
public:
  /// Stops the compilation with the reason, where values are none of an
  /// instance, or have no kernel. For ConvBuilder.
  static constexpr bool isChecked() {
    if constexpr (!detail::ChoiceOf<Sig, Algo, For>.IsValid)
      requireEmpty<detail::ReportOf<Sig, Algo, For>>();
    else if constexpr (!For.view().empty())
      if constexpr (!detail::isLowered(detail::ChoiceOf<Sig, Algo, For>,
                                       For.view()))
        requireEmpty<detail::LoweringErrorOf<Sig, Algo, For>>();
    return true;
  }
  static constexpr const Signature &signature() {
    return detail::ChoiceOf<Sig, Algo, For>.Sig;
  }
  /// Without a processor, what was given.
  static constexpr const Algorithm &algorithm() {
    return detail::ChoiceOf<Sig, Algo, For>.Algo;
  }
  /// Empty: for each device what is best there.
  static constexpr std::string_view processor() { return For.view(); }
  /// The kernel's integers.
  static constexpr const Lowered &lowered()
    requires(!For.view().empty())
  {
    return detail::LoweringOf<Sig, Algo, For>.Value;
  }
  /// Bytes of LDS that a work-group takes.
  static constexpr long long lds_bytes()
    requires(!For.view().empty())
  {
    return detail::ldsBytesOf(lowered());
  }
  /// Signature and algorithm, short, with a semicolon between them.
  static constexpr std::string_view text() {
    std::string_view All = instance_string();
    All.remove_prefix(detail::InstanceHead.size());
    return All.substr(0, All.rfind(';'));
  }
  /// What from_instance_string() reads: kpack::conv<signature;algorithm;arch>.
  static constexpr std::string_view instance_string() {
    return detail::InstanceText<Sig, Algo, For>.view();
  }

#ifdef __HIP__
  /// The launch for a problem on the calling thread's current device. Errors:
  /// those of launchOf() of Launch.h; NoDevice; WrongIsa, there is no kernel
  /// for the device.
  static Result<InstanceLaunch> launchOf(const Problem &Sizes,
                                         const Args &With) {
    detail::makeKernels<Sig, Algo, For>();
    Result<detail::DeviceKernel> Kernel =
        detail::kernelForDevice<Sig, Algo, For>();
    if (!Kernel)
      return Kernel.status();
    Result<KernelLaunch> Shape =
        conv::launchOf(*Kernel->Sig, *Kernel->Made, Sizes, With);
    if (!Shape)
      return Shape.status();
    return InstanceLaunch{std::move(*Shape), Kernel->Launch};
  }
  /// Puts a launch on a stream of the device that it was made for, and does not
  /// wait. Neither allocates nor compiles. Thread-safe, as long as the launch
  /// is not changed. Errors: LaunchFailed.
  static Status run(hipStream_t On, const InstanceLaunch &What) {
    return detail::runLaunch(What, On);
  }
  /// Both. Allocates the bytes of the argument.
  static Status run(hipStream_t On, const Problem &Sizes, const Args &With) {
    Result<InstanceLaunch> What = launchOf(Sizes, With);
    return What ? run(On, *What) : What.status();
  }
#endif
};

/// CK's spelling of the type.
template <auto SIGNATURE, auto ALGORITHM, detail::VersionName VERSION = "1",
          detail::TargetName ARCH = {}>
struct ConvBuilder {
  static_assert(detail::requireVersion<VERSION>());
  using Instance =
      conv::Instance<canonicalOf<SIGNATURE>(), canonicalOf<ALGORITHM>(), ARCH>;
  static_assert(Instance::isChecked());
};

/// The instance of a signature and an algorithm, ours or of others. Stops the
/// compilation with the reason where they are none.
template <auto SIGNATURE, auto ALGORITHM, detail::VersionName VERSION = "1",
          detail::TargetName ARCH = {}>
constexpr auto make_conv_instance() {
  using Made =
      typename ConvBuilder<SIGNATURE, ALGORITHM, VERSION, ARCH>::Instance;
#ifdef __HIP__
  detail::makeKernels<canonicalOf<SIGNATURE>(), canonicalOf<ALGORITHM>(),
                      ARCH>();
#endif
  return Made();
}

namespace detail {
template <typename Type> struct TraitsOf;
template <Signature Sig, Algorithm Algo, TargetName For>
struct TraitsOf<Instance<Sig, Algo, For>> {
  static constexpr InstanceTraits read() {
    InstanceTraits Read{ChoiceOf<Sig, Algo, For>.Sig,
                        ChoiceOf<Sig, Algo, For>.Algo,
                        {},
                        For.view()};
    if constexpr (!For.view().empty())
      Read.lowered = LoweringOf<Sig, Algo, For>.Value;
    return Read;
  }
};
} // namespace detail

/// What an instance is made of, by its type. traits() of CodeObject.h says the
/// same of compiled code.
template <typename Instance> constexpr InstanceTraits traits() {
  return detail::TraitsOf<std::remove_cv_t<Instance>>::read();
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_INSTANCE_H

//===- Instance.h - convolutions compiled with a program --------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution of constants that is compiled with the program:
//
//   constexpr Signature SIG{.spatial_dim = 2, .data_type = DataType::FP16};
//   constexpr Algorithm ALGO{.kind = Kind::IMPLICIT_GEMM};
//   constexpr auto Conv = make_conv_instance<SIG, ALGO, "1", "gfx942">();
//   static_assert(Conv.lds_bytes() <= 65536);
//   Status S = Conv.run(Stream, Problem, Args);          // in a HIP source
//
// The compiler chooses open parts and checks all requirements; a violation is a
// compile-time error with its text. Signature and algorithm may be other
// structs, such as those of CK's builder (Canonical.h, CkShapes.h).
//
// Without a processor, each pass of the compiler chooses for its own. Passes
// for which the values are not valid make no kernel, and the host selects the
// kernel of the device at run time.
//
// Everything except run() works with any C++20 compiler. A program that calls
// run() links to libkpackConvBuilder; --emit-kpack extracts its kernels like
// all others.
//
// Sibling: Kernel.h, the same kernel compiled on demand.
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

/// The values of an instance at run time, from traits<>.
struct InstanceTraits {
  Signature signature;        ///< resolved
  Algorithm algorithm;        ///< resolved for processor; as given without one
  Lowered lowered;            ///< zeros without a processor
  std::string_view processor; ///< empty: that of each device
};

/// An instance of resolved or partial values in our form. Stateless.
template <Signature Sig, Algorithm Algo, detail::TargetName For>
class Instance {
public:
  /// Stops the compilation with the reason if the values are invalid or have no
  /// kernel. For ConvBuilder.
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
  /// The resolved algorithm; without a processor, the given one.
  static constexpr const Algorithm &algorithm() {
    return detail::ChoiceOf<Sig, Algo, For>.Algo;
  }
  /// Empty if each device selects its own kernel.
  static constexpr std::string_view processor() { return For.view(); }
  /// The kernel's integers.
  static constexpr const Lowered &lowered()
    requires(!For.view().empty())
  {
    return detail::LoweringOf<Sig, Algo, For>.Value;
  }
  /// Bytes of LDS of a work-group.
  static constexpr long long lds_bytes()
    requires(!For.view().empty())
  {
    return detail::ldsBytesOf(lowered());
  }
  /// The short texts of signature and algorithm, separated by a semicolon.
  static constexpr std::string_view text() {
    std::string_view All = instance_string();
    All.remove_prefix(detail::InstanceHead.size());
    return All.substr(0, All.rfind(';'));
  }
  /// The text for from_instance_string():
  /// kpack::conv<signature;algorithm;arch>.
  static constexpr std::string_view instance_string() {
    return detail::InstanceText<Sig, Algo, For>.view();
  }

#ifdef __HIP__
  /// Makes the launch for a problem on the calling thread's current device.
  /// Errors: those of launchOf() of Launch.h; NoDevice; WrongIsa, there is no
  /// kernel for the device.
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
  /// Enqueues a launch on a stream of its device, and does not wait. Neither
  /// allocates nor compiles. Thread-safe while no thread changes the launch.
  /// Errors: LaunchFailed.
  static Status run(hipStream_t On, const InstanceLaunch &What) {
    return detail::runLaunch(What, On);
  }
  /// Makes and runs a launch. Allocates the bytes of the argument.
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

/// Returns the instance of a signature and an algorithm, in our form or in
/// others'. Stops the compilation with the reason if they are invalid.
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

/// Returns the values of an instance type. traits() of CodeObject.h returns
/// those of compiled code.
template <typename Instance> constexpr InstanceTraits traits() {
  return detail::TraitsOf<std::remove_cv_t<Instance>>::read();
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_INSTANCE_H

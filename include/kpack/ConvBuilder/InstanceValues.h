//===- InstanceValues.h - constants of compiled-in instances ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The constants of instances (Instance.h), one of each for a signature, an
// algorithm and a processor: the resolved values, the kernel's integers, hash
// and text. Each is computed only if it is used.
//
// An instance has a text, from which it can be restored:
//
//   kpack::conv<{spatial_dim=2,...};{kind=DIRECT,...};gfx90a>
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_INSTANCEVALUES_H
#define KPACK_CONVBUILDER_INSTANCEVALUES_H

#include "kpack/ConvBuilder/CompileTimeError.h"
#include "kpack/ConvBuilder/LowerAlgorithm.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "kpack/ConvBuilder/Text.h"

namespace kpack::conv {

namespace detail {

/// A version of the interface as a template argument.
struct VersionName {
  char Chars[16] = {};
  template <std::size_t Size> constexpr VersionName(const char (&Name)[Size]) {
    static_assert(Size <= sizeof(Chars), "no version has such a name");
    for (std::size_t I = 0; I < Size; ++I)
      Chars[I] = Name[I];
  }
  constexpr std::string_view view() const {
    return static_cast<const char *>(Chars);
  }
};

constexpr Report reportOnVersion(std::string_view Version) {
  Signature Any{.spatial_dim = 2, .data_type = DataType::FP16};
  Conditions Want;
  Want.Version = Version;
  return conv::validate(Any, Want);
}
template <VersionName Version>
inline constexpr Report VersionReport = reportOnVersion(Version.view());

/// Stops the compilation with the known versions if this is none of them.
template <VersionName Version> constexpr bool requireVersion() {
  if constexpr (!isKnownVersion(Version.view()))
    requireEmpty<VersionReport<Version>>();
  return true;
}

/// Resolved values. Without the report, which is large; code that needs the
/// reasons computes it separately.
struct Choice {
  Signature Sig;
  Algorithm Algo;
  bool IsValid = false;
};

constexpr Choice choose(const Signature &Sig, const Algorithm &Algo,
                        const Target &For) {
  Choice Result{resolveSignature(Sig), Algo};
  Report Why;
  resolveInPlace(Sig, Result.Sig, Result.Algo, Why, For, {}, {});
  Result.IsValid = Why.ok();
  return Result;
}

template <Signature Sig, Algorithm Algo, TargetName For>
inline constexpr Choice ChoiceOf = choose(Sig, Algo, For.view());

/// Returns the kernel's integers, or the reason why there is no kernel.
constexpr Lowering lowerChoice(const Choice &Selection, std::string_view For) {
  return lowerValues(Selection.Sig, Selection.Algo, For);
}
template <Signature Sig, Algorithm Algo, TargetName For>
inline constexpr Lowering LoweringOf =
    lowerChoice(ChoiceOf<Sig, Algo, For>, For.view());
/// Does not keep the integers, which few uses need at compile time.
constexpr bool isLowered(const Choice &Selection, std::string_view For) {
  return lowerValues(Selection.Sig, Selection.Algo, For).Error.ok();
}
template <Signature Sig, Algorithm Algo, TargetName For>
inline constexpr LoweringError LoweringErrorOf =
    LoweringOf<Sig, Algo, For>.Error;

template <Signature Sig, Algorithm Algo, TargetName For>
constexpr bool hasKernel() {
  if constexpr (ChoiceOf<Sig, Algo, For>.IsValid)
    return LoweringOf<Sig, Algo, For>.Error.ok();
  else
    return false;
}

template <Signature Sig, Algorithm Algo, TargetName For>
inline constexpr std::uint64_t KernelHash =
    kernelHashOf(ChoiceOf<Sig, Algo, For>.Sig, ChoiceOf<Sig, Algo, For>.Algo);

/// A text without unused characters at its end.
template <std::size_t Length> struct ExactText {
  char Chars[Length + 1] = {};
  constexpr explicit ExactText(std::string_view Text) {
    for (std::size_t I = 0; I < Length; ++I)
      Chars[I] = Text[I];
  }
  static constexpr std::size_t size() { return Length; }
  constexpr const char *data() const {
    return static_cast<const char *>(Chars);
  }
  constexpr std::string_view view() const { return {data(), Length}; }
};

/// The lines of a kernel's note; Emit.h writes them before a blob.
using KernelLines = FixedText<2 * MaxText>;
constexpr KernelLines kernelLines(std::string_view Symbol,
                                  std::string_view SignatureText,
                                  std::string_view AlgorithmText,
                                  std::string_view For) {
  KernelLines Text;
  Text << "kpack-conv " << SchemaVersion << "\nkernel " << Symbol
       << "\nsignature " << SignatureText << "\nalgorithm " << AlgorithmText
       << "\nprocessor " << For << '\n';
  return Text;
}
template <typename Values>
constexpr KernelLines kernelLines(const Values &Instance,
                                  std::string_view For) {
  return kernelLines(
      symbolNameOf(kernelHashOf(Instance.Sig, Instance.Algo)).view(),
      textOf(Instance.Sig, TextForm::Full).view(),
      textOf(withoutHints(Instance.Algo), TextForm::Full).view(), For);
}

template <Signature Sig, Algorithm Algo, TargetName For>
constexpr auto exactKernelText() {
  constexpr KernelLines Text =
      kernelLines(ChoiceOf<Sig, Algo, For>, For.view());
  return ExactText<Text.size()>(Text.view());
}
template <Signature Sig, Algorithm Algo, TargetName For>
inline constexpr auto KernelText = exactKernelText<Sig, Algo, For>();

inline constexpr std::string_view InstanceHead = "kpack::conv<";

template <typename Values>
constexpr KernelLines instanceText(const Values &Instance,
                                   std::string_view For) {
  KernelLines Text;
  Text << InstanceHead << textOf(Instance.Sig).view() << ';'
       << textOf(Instance.Algo).view() << ';' << For << '>';
  return Text;
}

template <Signature Sig, Algorithm Algo, TargetName For>
constexpr auto exactInstanceText() {
  constexpr KernelLines Text =
      instanceText(ChoiceOf<Sig, Algo, For>, For.view());
  return ExactText<Text.size()>(Text.view());
}
template <Signature Sig, Algorithm Algo, TargetName For>
inline constexpr auto InstanceText = exactInstanceText<Sig, Algo, For>();

} // namespace detail

/// The parts of an instance_string().
struct InstanceParts {
  Signature Sig;
  Algorithm Algo;
  detail::TargetName Processor; ///< empty: for all processors
  TextError Error; ///< with an offset into the whole text; the other members
                   ///< are then not set

  constexpr bool ok() const { return !Error.failed(); }
};

/// Parses the output of Instance<>::instance_string().
template <typename Values = InstanceParts>
constexpr Values from_instance_string(std::string_view Text) {
  Values Parts;
  auto Fail = [&](std::size_t Offset, std::string_view Message) {
    Parts = {};
    Parts.Error.Offset = Offset;
    Parts.Error.Message << Message;
    return Parts;
  };
  if (!Text.starts_with(detail::InstanceHead) || !Text.ends_with('>'))
    return Fail(0, "no instance: kpack::conv<signature;algorithm;processor>");
  std::size_t First = detail::InstanceHead.size();
  std::size_t Middle = Text.find(';', First);
  std::size_t Last = Text.rfind(';');
  if (Middle == std::string_view::npos || Middle == Last)
    return Fail(First, "two semicolons are needed: signature;algorithm;"
                       "processor");
  TextError Wrong = parseText(Text.substr(First, Middle - First), Parts.Sig);
  if (Wrong.failed())
    return Fail(First + Wrong.Offset, Wrong.Message.view());
  Wrong = parseText(Text.substr(Middle + 1, Last - Middle - 1), Parts.Algo);
  if (Wrong.failed())
    return Fail(Middle + 1 + Wrong.Offset, Wrong.Message.view());
  std::string_view Name = Text.substr(Last + 1, Text.size() - Last - 2);
  if (!Name.empty() && !findProcessor(Name))
    return Fail(Last + 1, "no processor that is known");
  Parts.Processor = detail::TargetName(Name);
  return Parts;
}

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_INSTANCEVALUES_H

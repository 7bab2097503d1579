//===- Emit.cpp - C++ source of a kernel ----------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over the fields of Lowered, so that a new field needs no line here.
//
//===----------------------------------------------------------------------===//
#include "ConvBuilder/Emit.h"

#include "AnyValue.h"
#include "KernelTexts.h"
#include "Support/Texts.h"
#include "kpack/ConvBuilder/InstanceValues.h"
#include "kpack/ConvBuilder/Kernel.h"
#include "kpack/ConvBuilder/Text.h"
#include "kpack/ConvBuilder/kernels/arguments.h"
#include "kpack/ConvBuilder/kernels/shared.h"

using namespace kpack;
using namespace kpack::conv;

namespace {

/// Writes the structs of a value's fields, innermost ones first, each named
/// after its place: lowered_input_auxiliary0.
class ConstantsWriter {
public:
  /// With \p IsGpu, absent auxiliary operands are not written.
  explicit ConstantsWriter(bool IsGpu) : IsGpu(IsGpu) {}

  void write(AnyValue Value, const std::string &Name) {
    std::string Members;
    const auto *Tensor = Value.as<LoweredTensor>();
    int Left = IsGpu && Tensor ? Tensor->auxiliary_count
                               : device::MaxAuxiliaryOfTensor;
    for (const MemberInfo &M : Value.members()) {
      AnyValue Member = Value.member(M);
      if (Member.as<LoweredAuxiliary>() && Left-- <= 0)
        continue;
      if (Member.isStruct())
        addStruct(Member, Name, M.Of.Name, Members);
      else
        addNumber(Value, Member.asInt(), M.Of.Name, Members);
    }
    Text += "struct " + Name + " {\n" + Members + "};\n";
  }
  std::string text() && { return std::move(Text); }

private:
  void addStruct(AnyValue Value, const std::string &Outer,
                 const std::string &Name, std::string &Members) {
    std::string Type = Outer + "_" + Name;
    write(Value, Type);
    Members += "  static constexpr " + Type + " " + Name + "{};\n";
  }
  /// Writes values that kernels pass on as types, and values for arithmetic as
  /// integers.
  static void addNumber(AnyValue Outer, int Value, const std::string &Name,
                        std::string &Members) {
    bool IsHandedOn = Outer.as<LoweredTensor>() ||
                      Outer.as<LoweredAuxiliary>() || Name == "fnuz";
    std::string Digits = std::to_string(Value);
    Members += "  static constexpr ";
    Members += IsHandedOn ? "Number<" + Digits + "> " + Name + "{};\n"
                          : "int " + Name + " = " + Digits + ";\n";
  }

  std::string Text;
  bool IsGpu;
};

/// Returns a note whose description is \p Lines, which hold no character that a
/// literal has to escape.
std::string buildNote(const std::string &Symbol,
                      const std::vector<std::string> &Lines) {
  std::string Literal;
  size_t Size = 1; // the terminating zero
  for (const std::string &Line : Lines) {
    Literal += "\n  \"" + Line + "\\n\"";
    Size += Line.size() + 1;
  }
  size_t Padded = (Size + 3) / 4 * 4;
  return "KPACK_CONV_NOTE static const struct {\n"
         "  unsigned NameSize, TextSize, Type;\n"
         "  char Name[8], Text[" +
         std::to_string(Padded) + "];\n} note_" + Symbol + " = {6, " +
         std::to_string(Size) + ", " + std::to_string(ConvNoteType) +
         ", \"kpack\"," + Literal + "};\n";
}

/// Returns the name of a kind's header, which is also that of its function.
std::string getBody(Kind KernelKind) {
  switch (KernelKind) {
  case Kind::REFERENCE:
    return "reference";
  case Kind::IMPLICIT_GEMM:
    return "igemm";
  case Kind::DEPTHWISE:
    return "depthwise";
  default:
    return "direct";
  }
}

/// Returns the headers that a GPU's kernel needs: its views, operations and
/// tiles only. The headers themselves include all of them for the CPU.
std::vector<std::string> getParts(const Lowered &L, const std::string &Body) {
  std::vector<std::string> Parts;
  bool HasOperations = false;
  for (const LoweredTensor *Tensor : {&L.input, &L.weight, &L.output})
    HasOperations |= !device::isIdentity(Tensor->operation);
  if (HasOperations)
    Parts.push_back("ops");
  Parts.push_back(L.direction == device::direction::FORWARD ? "forward"
                  : L.direction == device::direction::BACKWARD_DATA
                      ? "backward_data"
                      : "backward_weight");
  if (Body == "igemm")
    Parts.push_back(L.instruction != device::instruction::NONE &&
                            L.instruction < device::instruction::DOT_F16
                        ? "matrix_tile"
                        : "thread_tile");
  if (L.split == device::split::SHARED)
    Parts.push_back("stream");
  return Parts;
}

/// Returns the kernel of a step, for a source whose main kernel has \p Body.
std::string kernelOf(const KernelSource &In, KernelStep Step,
                     const std::string &Body) {
  std::string Does = Step == KernelStep::Zero                 ? "zeroResults"
                     : Step == KernelStep::Main               ? Body
                     : In.Made.split == device::split::SHARED ? "reduceShared"
                                                              : "reducePieces";
  int Threads =
      Step == KernelStep::Main ? In.Made.block_size : device::split::Threads;
  return "KPACK_CONV_KERNEL(" + In.Symbol + std::string(suffixOf(Step)) +
         ", lowered, kpack::conv::device::" + Does + ", " +
         std::to_string(auxiliaryCount(In.Made)) + ", " +
         std::to_string(Threads) + ")\n";
}

} // namespace

std::string conv::makeNoteText(const Signature &Sig, const Algorithm &Algo,
                               std::string_view Processor) {
  // Context::State::findRecord() finds a program's kernel by the same text.
  return std::string(
      detail::kernelLines(getSymbol(Sig, Algo), text(Sig, TextForm::Full),
                          text(withoutHints(Algo), TextForm::Full), Processor)
          .view());
}

std::string conv::kernelsDigest() {
  Hasher H;
  for (const KernelText &Header : kernelTexts())
    for (std::string_view Text :
         {std::string_view(Header.Name), std::string_view(Header.Text)}) {
      addTo(H, static_cast<long long>(Text.size()));
      for (char Letter : Text)
        H.add(static_cast<unsigned char>(Letter));
    }
  // without "conv_"
  return std::string(symbolNameOf(H.finish()).view().substr(5));
}

std::string conv::getArchiveKey(const Signature &Sig, const Algorithm &Algo,
                                std::string_view Digest) {
  return "conv/@GFXARCH@/" + getSymbol(Sig, Algo) + "-" + std::string(Digest);
}

std::string conv::getSymbol(const Signature &Sig, const Algorithm &Algo) {
  return std::string(symbolNameOf(kernelHashOf(Sig, Algo)).view());
}

Result<KernelSource> conv::emit(const Signature &Sig, const Algorithm &Algo,
                                std::string_view Processor) {
  Result<Lowered> L = lower(Sig, Algo, Processor);
  if (!L)
    return L.status();
  return emit(Sig, Algo, Processor, *L);
}

KernelSource conv::emit(const Signature &Sig, const Algorithm &Algo,
                        std::string_view Processor, const Lowered &L) {
  KernelSource Source{getSymbol(Sig, Algo), "", {}, L};
  std::vector<std::string> Lines =
      splitAt(makeNoteText(Sig, Algo, Processor), '\n');
  for (const std::string &Line : Lines)
    Source.Text += "// " + Line + "\n";
  std::string Body = getBody(Algo.kind);
  bool IsGpu = Processor != CpuProcessor;
  std::vector<std::string> Parts =
      IsGpu ? getParts(L, Body) : std::vector<std::string>();
  Parts.insert(Parts.end(), {Body, "entry"});
  for (const std::string &Part : Parts)
    Source.Text += "#include \"kpack/ConvBuilder/kernels/" + Part + ".h\"\n";
  ConstantsWriter Constants(IsGpu);
  Constants.write(AnyValue(L), "lowered");
  Source.Text += "namespace {\nusing kpack::conv::device::Number;\n" +
                 std::move(Constants).text() + "} // namespace\n" +
                 buildNote(Source.Symbol, Lines);
  for (KernelStep Step : stepsOf(L))
    Source.Text += kernelOf(Source, Step, Body);
  for (const KernelText &Header : kernelTexts())
    Source.Headers.emplace_back(Header.Name, Header.Text);
  return Source;
}

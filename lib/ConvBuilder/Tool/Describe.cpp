//===- Describe.cpp - conv-builder describe: values, kernels --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints one value after the other in one of several forms, which the library
// defines (kpack/ConvBuilder/Describe.h). For a kernel, prints the values that
// it was made from, and the registers and memory that the compiler gave it.
//
//===----------------------------------------------------------------------===//
#include "CodeFiles.h"
#include "PrintFindings.h"
#include "Values.h"

#include "ConvBuilder/CkInstance.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/Output.h"
#include "kpack/ConvBuilder/Hash.h"
#include "kpack/ConvBuilder/MiopenOptions.h"
#include "kpack/ConvBuilder/Requirements.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

template <Described T> static std::string hashText(const T &Value) {
  return utohexstr(hashOf(Value), /*LowerCase=*/true, /*Width=*/16);
}

namespace {

/// The form of the output.
struct Forms {
  TextForm Form = TextForm::Short;
  /// The form's option; OPT_INVALID prints a few lines about the value.
  OptionId Chosen = OPT_INVALID;
};

} // namespace

/// Returns nullopt after it has reported an error.
static std::optional<Forms> parseForms(const Invocation &I) {
  Forms F;
  StringRef Name;
  for (OptionId Option : {OPT_json, OPT_tree, OPT_cxx, OPT_hash, OPT_short}) {
    const opt::Arg *A = I.Args.getLastArg(Option);
    if (!A)
      continue;
    if (F.Chosen != OPT_INVALID) {
      I.S.error(Name + ": cannot be printed together with " + A->getSpelling() +
                "; give one of them");
      return std::nullopt;
    }
    F.Chosen = Option;
    Name = A->getSpelling();
  }
  if (!I.Args.hasArg(OPT_full))
    return F;
  F.Form = TextForm::Full;
  if (F.Chosen == OPT_INVALID)
    F.Chosen = OPT_short;
  else if (F.Chosen != OPT_tree && F.Chosen != OPT_json) {
    I.S.error(Name + ": has no full form; leave --full out");
    return std::nullopt;
  }
  return F;
}

template <Described T>
static void print(raw_ostream &OS, const T &Value, const Forms &F) {
  switch (F.Chosen) {
  case OPT_tree:
    OS << describeTree(Value, F.Form);
    break;
  case OPT_cxx:
    OS << cxxText(Value) << '\n';
    break;
  case OPT_hash:
    OS << hashText(Value) << '\n';
    break;
  case OPT_short:
    OS << text(Value, F.Form) << '\n';
    break;
  default:
    OS << StringRef(ObjectName<T>) << ": " << describe(Value)
       << "\ntext: " << text(Value) << "\nhash: " << hashText(Value) << '\n';
  }
}

template <Described T>
static void printJson(json::OStream &J, const T &Value, TextForm Form) {
  J.object([&] {
    J.attribute("object", StringRef(ObjectName<T>));
    J.attribute("description", describe(Value));
    J.attribute("text", text(Value));
    J.attribute("full", text(Value, TextForm::Full));
    J.attribute("hash", hashText(Value));
    J.attributeBegin("value");
    J.rawValue(toJson(Value, Form));
    J.attributeEnd();
  });
}

static void printCode(raw_ostream &OS, const CodeFacts &Code,
                      const Processor *Gpu) {
  OS << "code: " << Code.MaxThreads << " threads, " << Code.LdsBytes
     << " bytes of LDS, " << Code.Vgprs << " registers of a lane";
  if (Gpu)
    OS << ", " << wavesOfSimd(*Gpu, Code.Vgprs) << " waves of a SIMD";
  OS << ", " << Code.VgprSpills << " spills, " << Code.PrivateBytes
     << " bytes of private memory\n";
}

/// Checks the requirements R of the compiled code.
static Report reportOn(const KernelTraits &Kernel) {
  return validateCode(Kernel.Sig, Kernel.How, Target(Kernel.Processor),
                      *Kernel.Code);
}

static void print(raw_ostream &OS, const FoundKernel &Found, const Forms &F) {
  const KernelTraits &Kernel = Found.Kernel;
  bool IsPlain = F.Chosen == OPT_INVALID;
  if (IsPlain)
    OS << "kernel: " << Kernel.Symbol << " for " << Kernel.Processor << '\n';
  ::print(OS, Kernel.Sig, F);
  ::print(OS, Kernel.How, F);
  if (!IsPlain || !Kernel.Code)
    return;
  printCode(OS, *Kernel.Code, findProcessor(Target(Kernel.Processor)));
  printFindings(OS, reportOn(Kernel));
}

static void printJson(json::OStream &J, const CodeFacts &Code,
                      const Processor *Gpu) {
  J.object([&] {
    J.attribute("target", StringRef(Code.Target.view()));
    J.attribute("threads", Code.MaxThreads);
    J.attribute("wave_size", Code.WaveSize);
    J.attribute("lds", Code.LdsBytes);
    J.attribute("private", Code.PrivateBytes);
    J.attribute("vgprs", Code.Vgprs);
    J.attribute("agprs", Code.Agprs);
    J.attribute("vgpr_spills", Code.VgprSpills);
    J.attribute("sgpr_spills", Code.SgprSpills);
    if (Gpu)
      J.attribute("waves_of_simd", wavesOfSimd(*Gpu, Code.Vgprs));
  });
}

static void printJson(json::OStream &J, const FoundKernel &Found,
                      TextForm Form) {
  const KernelTraits &Kernel = Found.Kernel;
  J.object([&] {
    J.attribute("object", "kernel");
    J.attribute("file", Found.Where);
    J.attribute("symbol", Kernel.Symbol);
    J.attribute("processor", Kernel.Processor);
    J.attributeBegin("signature");
    ::printJson(J, Kernel.Sig, Form);
    J.attributeEnd();
    J.attributeBegin("algorithm");
    ::printJson(J, Kernel.How, Form);
    J.attributeEnd();
    if (Kernel.Code) {
      J.attributeBegin("code");
      ::printJson(J, *Kernel.Code, findProcessor(Target(Kernel.Processor)));
      J.attributeEnd();
      printFindings(J, reportOn(Kernel));
    }
  });
}

using Shown = std::variant<Signature, Algorithm, Problem, FoundKernel>;

/// Reads a problem as options of MIOpenDriver, the only form without braces.
static Error addWords(StringRef Word, std::vector<Shown> &Items) {
  if (!Word.ltrim().starts_with("conv") && !Word.contains("MIOpenDriver"))
    return objectError(Word, "no such file, and no text of a value, which is "
                             "{...} in quotes; give one of these");
  Result<MiopenProblem> Read = parseMiopenOptions(std::string_view(Word));
  if (!Read)
    return createStringError(inconvertibleErrorCode(), Read.status().message());
  Items.emplace_back(std::move(Read->Sizes));
  return Error::success();
}

static Error addValue(StringRef Word, std::optional<Object> Kind,
                      std::vector<Shown> &Items) {
  Expected<ValueText> Input = ValueText::read(Word);
  if (!Input)
    return Input.takeError();
  if (isCkInstance(Input->Text)) {
    Result<CkInstance> Read = parseCkInstance(Input->Text);
    if (!Read)
      return createStringError(inconvertibleErrorCode(),
                               Read.status().message());
    Items.emplace_back(Read->Sig);
    Items.emplace_back(Read->How);
    return Error::success();
  }
  if (Input->Source.empty() && !StringRef(Input->Text).ltrim().starts_with("{"))
    return addWords(Word, Items);
  if (!Kind)
    Kind = Input->object();
  if (!Kind)
    return objectError(Word, "may be a signature, an algorithm or a problem; "
                             "say which with --as=");
  Expected<Value> Read = parseValue(*Input, *Kind);
  if (!Read)
    return Read.takeError();
  std::visit([&](auto &V) { Items.emplace_back(std::move(V)); }, *Read);
  return Error::success();
}

/// Returns the values that can be read, and reports the others.
static std::vector<Shown> getValues(Invocation &I) {
  std::vector<Shown> Values;
  Expected<std::optional<Object>> Named = findObject(I);
  if (!Named) {
    I.S.error(Named.takeError());
    return Values;
  }
  for (const std::string &Word : I.operands()) {
    Expected<std::optional<std::vector<FoundKernel>>> Kernels =
        getKernels(Word);
    if (!Kernels)
      I.S.error(Kernels.takeError());
    else if (*Kernels)
      std::move((*Kernels)->begin(), (*Kernels)->end(),
                std::back_inserter(Values));
    else if (Error E = addValue(Word, *Named, Values))
      I.S.error(std::move(E));
  }
  return Values;
}

static void run(Invocation &I) {
  std::optional<Forms> F = parseForms(I);
  if (!F)
    return;
  if (I.operands().empty())
    return I.S.error("command line: no value given; give a text, '@<file>', a "
                     "code object or '-', " +
                     I.Options.seeHelp());
  std::vector<Shown> Values = getValues(I);
  if (F->Chosen == OPT_json)
    kpack::printJson(
        I.S.out(), "conv-builder.describe/1", [&](json::OStream &J) {
          J.attributeArray("values", [&] {
            for (const Shown &One : Values)
              std::visit([&](const auto &V) { ::printJson(J, V, F->Form); },
                         One);
          });
        });
  else
    for (const Shown &One : Values)
      std::visit([&](const auto &V) { ::print(I.S.out(), V, *F); }, One);
}

const Command conv::DescribeVerb = {
    {.Name = "describe",
     .Operands = "<value or file>...",
     .Summary = "what a signature, an algorithm, a problem or a kernel says",
     .Overview =
         "Reads signatures, algorithms and problems, as text or as JSON, and "
         "says what they are.\n\nA value is the text itself, '@<file>' with "
         "one, or '-' "
         "for standard input. Without\nan option: one line for people, the "
         "text as it is kept in files and logs, and its\nhash. What is printed "
         "can be read again: the text, and \"value\" of --json.\n\nOf a "
         "code object, an entry of the compile cache or an archive: the "
         "signature and the\nalgorithm of each kernel of convolutions, and "
         "what "
         "the compiler says that it takes.\n\nThe hash is that of the value as "
         "it is given: fields that are left out are not "
         "filled\nin.",
     .Examples =
         "  $ conv-builder describe '{spatial_dim=2,data_type=FP16}'\n"
         "  $ conv-builder describe --tree --full @signature.txt\n"
         "  $ conv-builder describe --cxx '{kind=DIRECT}'\n"
         "  $ conv-builder describe conv.kpack\n"
         "  $ echo '{\"kind\":\"DIRECT\"}' | conv-builder describe --short -\n",
     .Known = DescribeOption},
    run};

//===- Question.cpp - signature, algorithm and problem of a verb ----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Question.h.
//
//===----------------------------------------------------------------------===//
#include "Question.h"

#include "ToolSupport/Errors.h"
#include "kpack/ConvBuilder/Kernel.h"
#include "kpack/ConvBuilder/MiopenOptions.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

static Error notTwice(StringRef Kind) {
  return createStringError(inconvertibleErrorCode(),
                           "command line: a second " + Kind +
                               "; give a signature, an algorithm, a problem");
}

/// Reads MIOpenDriver's options, whose direction and dimensions must fit the
/// signature.
static Error takeMiopen(Question &Q, StringRef Text) {
  Result<Problem> Read = problemFor(Q.Sig, std::string_view(Text));
  if (!Read)
    return createStringError(inconvertibleErrorCode(), Read.status().message());
  Q.Sizes = *Read;
  return Error::success();
}

/// Reads one operand after the signature.
static Error takeOperand(Question &Q, bool &HasAlgorithm, StringRef Word) {
  Expected<ValueText> Input = ValueText::read(Word);
  if (!Input)
    return Input.takeError();
  bool IsMiopen = isMiopenOptions(Input->Text);
  // An algorithm without fields, "{}", comes first.
  std::optional<Object> Kind = Input->object();
  Object ObjectKind =
      IsMiopen ? Object::Problem : Kind.value_or(Object::Algorithm);
  if (ObjectKind == Object::Signature)
    return notTwice("signature");
  if (ObjectKind == Object::Algorithm ? HasAlgorithm : Q.Sizes.has_value())
    return notTwice(ObjectKind == Object::Algorithm ? "algorithm" : "problem");
  if (IsMiopen)
    return takeMiopen(Q, Input->Text);
  Expected<Value> Read = parseValue(*Input, ObjectKind);
  if (!Read)
    return Read.takeError();
  if (ObjectKind == Object::Problem) {
    Q.Sizes = std::get<Problem>(*Read);
    return Error::success();
  }
  Q.Algo = std::get<Algorithm>(*Read);
  HasAlgorithm = true;
  return Error::success();
}

Expected<Question> conv::makeQuestion(const Invocation &I) {
  Question Q;
  std::vector<std::string> Operands = I.operands();
  if (Operands.empty())
    return createStringError(inconvertibleErrorCode(),
                             "command line: no signature given; give one, " +
                                 I.Options.seeHelp());
  Expected<ValueText> Input = ValueText::read(Operands[0]);
  if (!Input)
    return Input.takeError();
  Expected<Value> Read = parseValue(*Input, Object::Signature);
  if (!Read)
    return Read.takeError();
  Q.Sig = std::get<Signature>(*Read);
  bool HasAlgorithm = false;
  for (StringRef Word : drop_begin(Operands))
    if (Error E = takeOperand(Q, HasAlgorithm, Word))
      return std::move(E);
  return Q;
}

Error conv::checkProcessor(const Twine &Option, StringRef Name) {
  if (findProcessor(Target(std::string_view(Name))))
    return Error::success();
  return objectError(Option.str(), "no processor that is known; give one of " +
                                       join(ArrayRef(ProcessorNames), ", "));
}

Resolved conv::answerTo(const Question &Q, StringRef Processor) {
  Algorithm Algo = Q.Algo;
  Target For{std::string_view(Processor)};
  if (Processor == StringRef(CpuProcessor)) {
    For = LikeTheCpu;
    Algo = openForCpu(Algo);
  }
  return Q.Sizes ? resolve(Q.Sig, Algo, For, *Q.Sizes)
                 : resolve(Q.Sig, Algo, For);
}

Expected<Resolved> conv::kernelFor(const Question &Q, StringRef Processor) {
  if (Processor == StringRef(CpuProcessor) && Q.Algo.isa > Isa::VALU)
    return objectError("algorithm.isa", StringRef(nameOf(Q.Algo.isa)) +
                                            " is not in the CPU; it has VALU");
  Resolved R = answerTo(Q, Processor);
  if (R.ok())
    return R;
  return createStringError(inconvertibleErrorCode(),
                           StringRef(R.Why.textOf(0)) +
                               "; 'conv-builder explain' says what is wrong");
}

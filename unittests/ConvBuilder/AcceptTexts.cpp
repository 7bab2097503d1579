//===- AcceptTexts.cpp - acceptance: descriptors as text and back ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each random signature, algorithm and problem through its short and its full
// text and through JSON; and values that can be compiled through the lines that
// are in front of a blob, the note that is made of the same lines, and back.
//
//===----------------------------------------------------------------------===//
#include "Accept.h"
#include "CodeObjectWriter.h"
#include "RandomAlgorithm.h"
#include "RandomValue.h"

#include "kpack/ConvBuilder/CodeObject.h"
#include "kpack/ConvBuilder/Describe.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"

#include <cstdio>

using namespace kpack;
using namespace kpack::conv;

namespace {

template <Described T> bool comesBack(const T &Value, TextForm Form) {
  std::string Text = text(Value, Form);
  Result<T> Read = parse<T>(Text);
  Result<T> OfJson = fromJson<T>(toJson(Value, Form));
  return Read.ok() && *Read == Value && text(*Read, Form) == Text &&
         OfJson.ok() && *OfJson == Value;
}

template <Described T> unsigned countLost(const AcceptRun &Run) {
  RandomValue Random(Run.Seed);
  unsigned Lost = 0;
  for (unsigned I = 0; I < Run.Count; ++I) {
    T Value = Random.make<T>();
    if (comesBack(Value, TextForm::Short) && comesBack(Value, TextForm::Full))
      continue;
    if (++Lost <= 3)
      std::printf("lost: %s\n", text(Value, TextForm::Full).c_str());
  }
  return Lost;
}

/// The lines in front of a blob, as its note has them.
std::string linesIn(std::string_view Blob) {
  std::string Lines;
  while (Blob.starts_with("// ")) {
    size_t End = Blob.find('\n') + 1;
    Lines += Blob.substr(3, End - 3);
    Blob.remove_prefix(End);
  }
  return Lines + '\0';
}

/// Values through a blob and its note.
unsigned lostInNotes(const AcceptRun &Run) {
  RandomAlgorithm Random(Run.Seed);
  unsigned Lost = 0;
  for (unsigned Seen = 0; Seen < Run.Count;) {
    std::string Processor(ProcessorNames[Random.below(8)]);
    Resolved R =
        resolve(Random.signature(), Random.partial(), Target(Processor));
    Result<KernelSource> Blob =
        R.ok() ? emit(R.Sig, R.Algo, Processor)
               : Result<KernelSource>(Status(StatusCode::InvalidArgument, ""));
    if (!Blob)
      continue;
    ++Seen;
    MadeCodeObject CodeObject{.Sig = R.Sig, .How = R.Algo};
    CodeObject.Processor = Processor;
    CodeObject.Lines = linesIn(Blob->Text);
    Result<std::vector<KernelTraits>> All = traits(CodeObject.image());
    if (All && All->front().Sig == R.Sig &&
        All->front().How == withoutHints(R.Algo) &&
        All->front().Made == Blob->Made && All->front().Symbol == Blob->Symbol)
      continue;
    if (++Lost <= 3)
      std::printf("lost: %s\n", CodeObject.Lines.c_str());
  }
  return Lost;
}

} // namespace

bool conv::acceptTexts(const AcceptRun &Run) {
  unsigned Lost[] = {countLost<Signature>(Run), countLost<Algorithm>(Run),
                     countLost<Problem>(Run), lostInNotes(Run)};
  std::printf("row 11: lost of %u each: signatures %u, algorithms %u, problems "
              "%u, notes %u\n",
              Run.Count, Lost[0], Lost[1], Lost[2], Lost[3]);
  return Lost[0] + Lost[1] + Lost[2] + Lost[3] == 0;
}

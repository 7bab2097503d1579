//===- RequirementsPage.h - reference page of the requirements --*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/reference/conv-requirements.md, of the tables that checks use: it cannot
// say anything else than they do.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_CONVBUILDER_REQUIREMENTSPAGE_H
#define KPACK_UNITTESTS_CONVBUILDER_REQUIREMENTSPAGE_H

#include "kpack/ConvBuilder/Multiply.h"
#include "kpack/ConvBuilder/Requirements.h"
#include "kpack/ConvBuilder/ResolveSignature.h"

#include <string>

namespace kpack::conv {

inline void addRequirements(std::string &Page, RequirementGroup Group) {
  Page += "| id | subject | requirement | remedy |\n"
          "|---|---|---|---|\n";
  for (const Requirement &R : Requirements)
    if (R.group() == Group)
      ((((((((Page += "| ") += R.Id) += " | ") += R.Title) += " | ") +=
         R.Text) += " | ") += R.Remedy) += " |\n";
  Page += "\n";
}

template <std::size_t Size>
void addPairs(std::string &Page, const TypePair (&Pairs)[Size],
              const char *Head) {
  ((Page += Head) += "|---|---|\n");
  for (const TypePair &Pair : Pairs)
    ((((Page += "| ") += nameOf(Pair.First)) += " | ") +=
     nameOf(Pair.Second)) += " |\n";
  Page += "\n";
}

/// Which isas multiply two types on each processor: a row for each pair.
inline void addIsas(std::string &Page) {
  Page += "The instruction sets (`isa`) that multiply these types on each "
          "processor. In an empty cell only `DIRECT` does:\n"
          "\n"
          "| types |";
  std::string Rule = "|---|";
  for (std::string_view Name : ProcessorNames) {
    ((Page += ' ') += Name) += " |";
    Rule += "---|";
  }
  ((Page += '\n') += Rule) += '\n';
  for (const TypePair &Pair : MultipliedTypes) {
    Signature Sig{.spatial_dim = 2};
    Sig.input.config.data_type = Pair.First;
    Sig.weight.config.data_type = Pair.Second;
    Sig.output.config.data_type = Pair.First;
    Sig = resolveSignature(Sig);
    (Page += "| ") += nameOf(Pair.First);
    if (Pair.Second != Pair.First)
      (Page += ", ") += nameOf(Pair.Second);
    for (std::string_view Name : ProcessorNames) {
      Page += " |";
      for (Isa IsaKind : RealIsas)
        if (canMultiply(IsaKind, Sig, findProcessor(Name)))
          (Page += ' ') += nameOf(IsaKind);
    }
    Page += " |\n";
  }
  Page += "\n";
}

/// The page as it has to be.
inline std::string requirementsPage() {
  std::string Page =
      "# Requirements of convolutions\n"
      "\n"
      "A signature, an algorithm and a problem of `kpack::conv` must meet "
      "these requirements. The compiler and a program check\n"
      "the same table and report the same message, `[id] path: fact; remedy`. "
      "All checks run. A report has at most 16 findings\n"
      "and the number of further ones.\n"
      "\n"
      "## S: signatures\n"
      "\n";
  addRequirements(Page, RequirementGroup::Signature);
  addPairs(Page, ConvertedTypes,
           "Elements can be converted before they are multiplied "
           "(`compute_type`), from the first type to the second. Without a\n"
           "`compute_type` they keep their type:\n"
           "\n"
           "| data_type | compute_type |\n");
  addPairs(Page, MultipliedTypes,
           "Pairs of types that can be multiplied, in either order:\n"
           "\n"
           "| one operand | the other |\n");
  Page += "## A: algorithms\n"
          "\n"
          "Checked for a signature and, if given, a processor.\n"
          "\n";
  addRequirements(Page, RequirementGroup::Algorithm);
  addIsas(Page);
  Page += "## P: problems\n\n";
  addRequirements(Page, RequirementGroup::Problem);
  Page +=
      "## R: code objects\n"
      "\n"
      "Checked on the code object of a compiled kernel "
      "(`ConvKernel::checkCode()`, `conv-builder describe`). A failure of R5\n"
      "is an error, because code of another processor gives wrong results. "
      "After another failure the kernel still runs: it is\n"
      "slower than possible, or a model is wrong. R4 needs a disassembler; a "
      "test checks kernels of each kind.\n"
      "\n";
  addRequirements(Page, RequirementGroup::CodeObject);
  Page.pop_back();
  return Page;
}

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_REQUIREMENTSPAGE_H

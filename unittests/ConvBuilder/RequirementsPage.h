//===- RequirementsPage.h - the table as a page -----------------*- C++ -*-===//
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

inline void addRequirements(std::string &Page, RequirementGroup Of) {
  Page += "| id | about | what has to hold | where it does not |\n"
          "|---|---|---|---|\n";
  for (const Requirement &R : Requirements)
    if (R.group() == Of)
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
  Page += "What multiplies which types, by each processor's instructions "
          "(`isa`); where there is none, `DIRECT` does:\n\n| types |";
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
      for (Isa Of : RealIsas)
        if (canMultiply(Of, Sig, findProcessor(Name)))
          (Page += ' ') += nameOf(Of);
    }
    Page += " |\n";
  }
  Page += "\n";
}

/// The page as it has to be.
inline std::string requirementsPage() {
  std::string Page =
      "# Requirements of convolutions\n\n"
      "What a signature, an algorithm and a problem of `kpack::conv` have to "
      "be. Compilers and programs check the same table\n"
      "and say the same words, `[id] path: fact; remedy`. All that is wrong "
      "is said: at most 16 findings, and how many more\n"
      "there are.\n\n"
      "## S: signatures\n\n";
  addRequirements(Page, RequirementGroup::Signature);
  addPairs(Page, ConvertedTypes,
           "Elements can be converted before they are multiplied "
           "(`compute_type`), from the first type to the second; without a\n"
           "`compute_type` they are multiplied as they are:\n\n"
           "| data_type | compute_type |\n");
  addPairs(Page, MultipliedTypes,
           "Types that are multiplied with each other, in any order:\n\n"
           "| one operand | the other |\n");
  Page += "## A: algorithms\n\n"
          "For a signature, and for a processor where one is named.\n\n";
  addRequirements(Page, RequirementGroup::Algorithm);
  addIsas(Page);
  Page += "## P: problems\n\n";
  addRequirements(Page, RequirementGroup::Problem);
  Page += "## R: code objects\n\n"
          "After a kernel is compiled, of what the code object says "
          "(`ConvKernel::checkCode()`, `conv-builder describe`). Code of\n"
          "another processor, R5, is refused: its results would be wrong. The "
          "others say that a kernel is slower than it could\n"
          "be, or that a model is wrong, and it runs nevertheless. R4 needs a "
          "disassembler: a test looks at kernels of each kind.\n\n";
  addRequirements(Page, RequirementGroup::CodeObject);
  Page.pop_back();
  return Page;
}

} // namespace kpack::conv

#endif // KPACK_UNITTESTS_CONVBUILDER_REQUIREMENTSPAGE_H

//===- Candidates.cpp - time to list the algorithms of a layer ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enumerated, checked, estimated and put into an order, for a layer that most
// algorithms can compute. What is refused is tried, too, and counts.
//
//===----------------------------------------------------------------------===//
#include "Groups.h"

#include "kpack/ConvBuilder/Candidates.h"
#include "kpack/ConvBuilder/ResolveSignature.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

using namespace kpack;
using namespace kpack::conv;

void measureCandidates(const Run &Settings, std::vector<Row> &Rows) {
  Signature Sig =
      resolveSignature({.spatial_dim = 2, .data_type = DataType::FP16});
  Problem Sizes{
      .batch = 32, .c = 128, .k = 128, .image = {28, 28}, .filter = {3, 3}};
  Sizes.pad = {{1, 1}, {1, 1}};
  for (const char *Processor : {"gfx90a", "gfx942", "gfx1100"}) {
    size_t Found = 0;
    double Best = 1e9;
    for (int R = 0; R < Settings.Rounds; ++R) {
      auto Start = std::chrono::steady_clock::now();
      Found = candidates(Sig, Sizes, Processor).size();
      std::chrono::duration<double, std::milli> Took =
          std::chrono::steady_clock::now() - Start;
      Best = std::min(Best, Took.count());
    }
    std::vector<Refusal> Refused;
    candidates(Sig, Sizes, Processor, {}, &Refused);
    if (Found == 0)
      throw std::runtime_error(std::string(Processor) + ": no candidate");
    auto Add = [&](const char *Label, const char *Unit, double Value,
                   std::optional<Aim> Wanted = {}) {
      Rows.push_back({"candidates", std::string(Processor) + ", " + Label, Unit,
                      Value, Wanted});
    };
    auto Tried = static_cast<double>(Found + Refused.size());
    Add("algorithms", "tried", Tried);
    Add("that can", "found", static_cast<double>(Found));
    Add("all of them", "ms", Best);
    Add("of 1,500", "ms", Best / Tried * 1500, Aim{2});
  }
}

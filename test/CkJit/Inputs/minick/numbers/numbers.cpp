//===- numbers.cpp - kernels of minick against the reference -------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// numbers VARIANTS [DUMP]: runs the variants that generate.py --list has
// written on the GPU and compares with the reference. DUMP receives every
// result, byte for byte. Exit status: 1 if one is wrong, 3 if one could not be
// had at all.
//
//===----------------------------------------------------------------------===//
#include "numbers.h"

#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

static variant parse(const std::string &Line) {
  variant V;
  V.Line = Line;
  std::istringstream In(Line);
  In >> V.Api;
  for (std::string Word; In >> Word;)
    V.Words[Word.substr(0, Word.find('='))] = Word.substr(Word.find('=') + 1);
  return V;
}

/// Counts of libckjit, where the program has one: built ahead of time it has
/// none.
struct statistics {
  unsigned long long Resolved, Hits, Compiles, Failures;
  double CompileSeconds;
};
static bool getStatistics(statistics &Counts) {
  auto *Get = reinterpret_cast<void (*)(statistics *)>(
      dlsym(RTLD_DEFAULT, "ck_jit_get_statistics"));
  if (Get)
    Get(&Counts);
  return Get;
}

int main(int Count, char **Words) {
  std::ifstream File(Count > 1 ? Words[1] : "");
  if (!File) {
    std::printf("numbers: error: no list of variants\n");
    return 2;
  }
  int Status = 0, Variants = 0;
  std::vector<unsigned char> All;
  minick::stream_config S;
  for (std::string Line; std::getline(File, Line);) {
    const variant V = parse(Line);
    const auto Run = api::all().find(V.Api);
    if (Run == api::all().end()) {
      std::printf("%s: not in this program\n", V.Api.c_str());
      return 2;
    }
    comparison C;
    try {
      Run->second(V, S, C);
    } catch (const std::exception &E) {
      std::printf("%s: no result: %s\n", Line.c_str(), E.what());
      Status = 3;
      continue;
    }
    std::printf("%s: %s, %zu numbers, max error %.2g, %.2g of the allowed, "
                "call %.3f s\n",
                Line.c_str(), C.good() ? "exact" : "WRONG", C.Elements,
                C.MaxError, C.Part, C.Seconds);
    if (C.Strayed)
      std::printf("  %zu bytes written beside the results\n", C.Strayed);
    if (!C.good() && Status == 0)
      Status = 1;
    All.insert(All.end(), C.Bytes.begin(), C.Bytes.end());
    ++Variants;
  }
  if (Count > 2)
    std::ofstream(Words[2], std::ios::binary)
        .write(reinterpret_cast<const char *>(All.data()),
               std::streamsize(All.size()));
  std::printf("%d variants", Variants);
  if (statistics Counts; getStatistics(Counts))
    std::printf(", %llu kernels: %llu compiled, %llu from the cache",
                Counts.Resolved, Counts.Compiles, Counts.Hits);
  std::printf("\n");
  return Status;
}

//===- HostProcessor.cpp - features of this processor ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the CPUID leaves that compilers read, without the core's number.
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/HostProcessor.h"

#include <cstdint>
#include <fstream>
#include <sys/auxv.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

using namespace kpack;

#ifdef __x86_64__

static void put(std::string &Text, uint32_t Value) {
  Text.append(reinterpret_cast<const char *>(&Value), sizeof(Value));
}

/// Returns the register state that the operating system saves: without it a
/// feature cannot be used.
static uint64_t savedRegisters() {
  uint32_t Low, High;
  __asm__("xgetbv" : "=a"(Low), "=d"(High) : "c"(0));
  return uint64_t(High) << 32 | Low;
}

std::string jit::hostProcessor() {
  struct Leaf {
    uint32_t Number, Part;
  };
  static constexpr Leaf Leaves[] = {{0, 0},          {1, 0},         {7, 0},
                                    {7, 1},          {0xd, 1},       {0x14, 0},
                                    {0x19, 0},       {0x1e, 1},      {0x24, 0},
                                    {0x80000001, 0}, {0x80000008, 0}};
  std::string Text;
  for (const Leaf &L : Leaves) {
    uint32_t A = 0, B = 0, C = 0, D = 0;
    if (!__get_cpuid_count(L.Number, L.Part, &A, &B, &C, &D))
      continue;
    if (L.Number == 1)
      B = 0; // the core's number
    if (L.Number == 0xd)
      B = 0; // size of the state in use at this moment
    for (uint32_t Value : {L.Number, A, B, C, D})
      put(Text, Value);
    constexpr uint32_t HasXgetbv = 1 << 27;
    if (L.Number == 1 && (C & HasXgetbv) != 0) {
      uint64_t Saved = savedRegisters();
      put(Text, uint32_t(Saved));
      put(Text, uint32_t(Saved >> 32));
    }
  }
  return Text;
}

#else

std::string jit::hostProcessor() {
  std::string Text = std::to_string(::getauxval(AT_HWCAP)) + " " +
                     std::to_string(::getauxval(AT_HWCAP2));
  // The lines of the first processor give the model.
  std::ifstream File("/proc/cpuinfo");
  for (std::string Line; std::getline(File, Line) && !Line.empty();)
    if (Line.compare(0, 3, "CPU") == 0 || Line.compare(0, 3, "cpu") == 0)
      Text += "\n" + Line;
  return Text;
}

#endif

bool jit::asksForProcessor(std::string_view Flags) {
  return Flags.find("=native") != std::string_view::npos;
}

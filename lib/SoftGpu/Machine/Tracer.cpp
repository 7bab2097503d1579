//===- Tracer.cpp - log of executed instructions --------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line has workgroup/wave, offset from the entry, instruction, and changed
// registers in hexadecimal:
//
//   0,0,0/0 +0x14: v_add_u32_e32 v1, v0, v2 ; v1=[00000003 00000004 ...]
//
// A vector register with equal lanes is printed as v1=3. Unchanged lanes are
// printed too, so that a value is in its lane's column.
//
//===----------------------------------------------------------------------===//
#include "Tracer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace kpack::softgpu;
using llvm::raw_ostream;

Tracer::Tracer(const KernelDescriptor &Kernel) {
  for (unsigned I = 0; I < Kernel.Vgprs; ++I)
    VectorsInUse.push_back(I);
  for (unsigned I = 0; I < Kernel.AccVgprs; ++I)
    VectorsInUse.push_back(FirstAccVgpr + I);
  Vectors.resize(VectorsInUse.size());
}

void Tracer::before(const Wave &W) {
  llvm::copy(W.Scalars, Scalars.begin());
  Scc = W.Scc;
  for (size_t I = 0; I < VectorsInUse.size(); ++I)
    Vectors[I] = W.Vectors[VectorsInUse[I]];
}

static std::string scalarName(unsigned Register) {
  static constexpr std::pair<unsigned, const char *> Named[] = {
      {VccLo, "vcc_lo"},
      {VccHi, "vcc_hi"},
      {M0, "m0"},
      {ExecLo, "exec_lo"},
      {ExecHi, "exec_hi"},
      {FlatScratchLo, "flat_scratch_lo"},
      {FlatScratchHi, "flat_scratch_hi"},
      {XnackMaskLo, "xnack_mask_lo"},
      {XnackMaskHi, "xnack_mask_hi"}};
  for (auto [Code, Name] : Named)
    if (Code == Register)
      return Name;
  if (Register >= Ttmp0 && Register < M0)
    return "ttmp" + std::to_string(Register - Ttmp0);
  return "s" + std::to_string(Register);
}

void Tracer::printScalars(raw_ostream &OS, const Wave &W) const {
  for (unsigned I = 0; I < ScalarRegisterCount; ++I)
    if (W.Scalars[I] != Scalars[I])
      OS << ' ' << scalarName(I) << '='
         << llvm::format_hex_no_prefix(W.Scalars[I], 1);
  if (W.Scc != Scc)
    OS << " scc=" << W.Scc;
}

void Tracer::printVectors(raw_ostream &OS, const Wave &W) const {
  for (size_t I = 0; I < VectorsInUse.size(); ++I) {
    unsigned Register = VectorsInUse[I];
    llvm::ArrayRef<uint32_t> Now(W.Vectors[Register].V, W.Lanes);
    if (Now == llvm::ArrayRef<uint32_t>(Vectors[I].V, W.Lanes))
      continue;
    if (Register < FirstAccVgpr)
      OS << " v" << Register << '=';
    else
      OS << " a" << Register - FirstAccVgpr << '=';
    if (llvm::all_equal(Now)) {
      OS << llvm::format_hex_no_prefix(Now.front(), 1);
      continue;
    }
    char Before = '[';
    for (uint32_t Value : Now) {
      OS << Before << llvm::format_hex_no_prefix(Value, 8);
      Before = ' ';
    }
    OS << ']';
  }
}

void Tracer::after(const Wave &W, const Instruction &I) {
  std::string Line;
  llvm::raw_string_ostream OS(Line);
  const std::array<uint32_t, 3> &Id = W.Group->Id;
  // Functions that a kernel calls may be before its entry.
  uint64_t Offset = I.Address - W.Group->Launch->EntryAddress;
  bool Before = int64_t(Offset) < 0;
  OS << Id[0] << ',' << Id[1] << ',' << Id[2] << '/' << W.Index
     << (Before ? " -" : " +")
     << llvm::format_hex(Before ? 0 - Offset : Offset, 1) << ": " << I.Text
     << " ;";
  printScalars(OS, W);
  printVectors(OS, W);
  OS << '\n';
  llvm::errs() << Line;
}

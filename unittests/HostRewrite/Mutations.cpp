//===- Mutations.cpp - mutations of linked binaries -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most changes are made where a loader or the rewriter looks; few numbers are
// random, since a random one is nearly always refused at once.
//
//===----------------------------------------------------------------------===//
#include "Mutations.h"

#include "HostRewrite/Verifier/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace llvm::ELF;
using namespace llvm::support::endian;

namespace kpack::mutations {

/// The dynamic table's entries, by the offset of the segment.
static void addDynamic(Input &In, uint64_t Offset, uint64_t Size) {
  std::map<uint64_t, uint64_t> Values;
  for (uint64_t Position = Offset; Position + 16 <= Offset + Size;
       Position += 16) {
    uint64_t Tag = read64le(In.Bytes.data() + Position);
    Values[Tag] = read64le(In.Bytes.data() + Position + 8);
  }
  In.Dynamic = {Offset, Size, true};
  In.Regions.push_back(In.Dynamic);
  In.Regions.push_back(In.Dynamic);
  // Tables stand in the first segment, whose addresses are offsets.
  for (auto [Tag, SizeTag, Default] :
       {std::tuple<uint64_t, uint64_t, uint64_t>{DT_RELA, DT_RELASZ, 0},
        {DT_RELR, DT_RELRSZ, 0},
        {DT_JMPREL, DT_PLTRELSZ, 0},
        {DT_STRTAB, DT_STRSZ, 0},
        {DT_SYMTAB, 0, 240},
        {DT_GNU_HASH, 0, 64},
        {DT_VERNEED, 0, 64}}) {
    uint64_t Offset = Values[Tag], Length = Default ? Default : Values[SizeTag];
    if (Offset && Length && Offset + Length <= In.Bytes.size())
      In.Regions.push_back({Offset, Length, /*IsStructure=*/false});
  }
}

static void findRegions(Input &In) {
  const char *P = In.Bytes.data();
  uint64_t Headers = read64le(P + 32), HeaderCount = read16le(P + 56);
  for (unsigned I = 0; I != 10; ++I)
    In.Regions.push_back({Headers, HeaderCount * 56, true});
  In.Regions.push_back({0, 64, true});
  for (uint64_t I = 0; I != HeaderCount; ++I) {
    const char *Segment = P + Headers + I * 56;
    In.IsProgram |= read32le(Segment) == PT_INTERP;
    if (read32le(Segment) == PT_DYNAMIC)
      addDynamic(In, read64le(Segment + 8), read64le(Segment + 32));
  }
  for (const hostrewrite::HostWrapper &W :
       hostrewrite::verifyHost(In.Bytes, In.Path).Wrappers)
    In.Regions.push_back({W.FileOffset, 24, false});
  In.Regions.push_back({0, In.Bytes.size(), false});
  // Section headers say where functions begin that the loader calls.
  if (read64le(P + 40) == 0)
    for (Region &R : In.Regions)
      R.IsStructure = false;
}

Input inputOf(std::string Path, std::string Bytes) {
  Input In;
  In.Path = std::move(Path);
  In.Bytes = std::move(Bytes);
  findRegions(In);
  return In;
}

static uint64_t changedNumber(uint64_t Old, Random &R) {
  static const uint64_t Interesting[] = {
      0,      1,       4,          8,          24,         0x1000,
      0x7fff, 0x10000, 1 << 21,    0x7fffffff, 1ull << 32, 1ull << 47,
      ~0ull,  ~0xfull, ~0ull >> 1, 0xffff,     0xffffffff, 0x200000};
  switch (R() % 5) {
  case 0:
    return Interesting[R() % std::size(Interesting)];
  case 1:
    return Old ^ (uint64_t(1) << R() % 64);
  case 2:
    return Old + (R() % 64 - 32) * 8;
  case 3:
    return Old + (R() % 8 - 4) * 0x1000;
  default:
    return R();
  }
}

void changeOnce(Mutant &M, const Input &In, Random &R) {
  const Region &Where = In.Regions[R() % In.Regions.size()];
  uint64_t Width = uint64_t(1) << R() % 4;
  uint64_t Offset = Where.Offset + R() % Where.Size / Width * Width;
  if (Offset + Width > M.Bytes.size())
    return;
  uint64_t Old = 0;
  for (uint64_t I = 0; I != Width; ++I)
    Old |= uint64_t(uint8_t(M.Bytes[Offset + I])) << 8 * I;
  uint64_t New = changedNumber(Old, R);
  for (uint64_t I = 0; I != Width; ++I)
    M.Bytes[Offset + I] = char(New >> 8 * I);
  M.IsStructural &= Where.IsStructure;
  raw_string_ostream(M.Changes)
      << " " << utohexstr(Offset) << ":" << Width << "=" << utohexstr(Old)
      << "->"
      << utohexstr(Width == 8 ? New : New & ((uint64_t(1) << 8 * Width) - 1));
}

void cutOff(Mutant &M, Random &R) {
  M.Bytes.resize(R() % M.Bytes.size());
  M.Changes += " cut to " + std::to_string(M.Bytes.size());
}

uint64_t getMemory(StringRef Bytes) {
  uint64_t Sum = 0, Offset = read64le(Bytes.data() + 32);
  for (unsigned Left = read16le(Bytes.data() + 56); Left;
       --Left, Offset += 56) {
    if (Offset + 56 > Bytes.size())
      break;
    uint32_t Type = read32le(Bytes.data() + Offset);
    if (Type == PT_LOAD || Type == PT_TLS)
      Sum += std::min(read64le(Bytes.data() + Offset + 40), uint64_t(1) << 48);
  }
  return Sum;
}

bool writeFile(const std::string &Path, StringRef Bytes) {
  std::error_code EC;
  sys::fs::remove(Path);
  raw_fd_ostream File(Path, EC);
  if (EC)
    return false;
  File << Bytes;
  File.close();
  return ::chmod(Path.c_str(), 0700) == 0;
}

bool livesInChild(const std::string &Log, unsigned Seconds,
                  function_ref<bool()> Body) {
  pid_t Child = ::fork();
  if (Child == 0) {
    ::signal(SIGALRM, SIG_DFL); // ignored after a conversion
    ::alarm(Seconds);
    rlimit None = {0, 0};
    ::setrlimit(RLIMIT_CORE, &None);
    int Out = ::open(Log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(Out, STDOUT_FILENO);
    ::dup2(Out, STDERR_FILENO);
    for (int Signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE})
      ::signal(Signal, SIG_DFL);
    ::_exit(Body() ? 0 : 1);
  }
  int Status = -1;
  while (::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
}

bool runHere(const std::string &Path) {
  // Some mutants print an address. Where a sandbox forbids this, it differs.
  if (::personality(ADDR_NO_RANDOMIZE) < 0)
    errno = 0;
  ::execl(Path.c_str(), Path.c_str(), nullptr);
  return false;
}

} // namespace kpack::mutations

//===- host-mutations.cpp - test tool: verified and loaded mutants --------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// host-mutations [--count=<n>] [--loads=<n>] [--seed=<n>] <binary>...
//
// Changes a few numbers of a binary that loads, mostly in its headers and
// tables, and verifies it: no crash, no long run, and nothing that does not
// load any more may be called right. For that, mutants that are (by
// verifyHost() where headers were changed, by compareHost() as well elsewhere)
// are loaded in a child: a library by dlopen(), and its wrappers are followed
// in memory; a program is run. The same seed gives the same mutants.
//
//===----------------------------------------------------------------------===//
#include "Mutations.h"

#include "HostRewrite/Verifier/Verifier.h"
#include "Offload/HipSymbols.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>
#include <dlfcn.h>
#include <link.h>

using namespace llvm;
using namespace kpack::hostrewrite;
using namespace kpack::mutations;
using namespace llvm::support::endian;

static cl::list<std::string> Files(cl::Positional, cl::OneOrMore);
static cl::opt<uint64_t> Count("count", cl::init(1000), cl::desc("mutants"));
static cl::opt<uint64_t> Loads("loads", cl::init(200),
                               cl::desc("mutants that are loaded, at most"));
static cl::opt<uint64_t> Seed("seed", cl::init(1));
static cl::opt<std::string> Keep("keep", cl::desc("a file for the last wrong "
                                                  "mutant"));

namespace {

struct Statistics {
  uint64_t Refused = 0, Different = 0, Right = 0, Loaded = 0, Wrong = 0;
};

} // namespace

/// What only the original can tell: any name may be that of a library, and any
/// folder have it; programs and libraries may begin anywhere.
static std::vector<uint64_t> freeChoices(const Input &In, StringRef Bytes) {
  std::vector<uint64_t> All = {read64le(Bytes.data() + 24)};
  const Region &D = In.Dynamic;
  for (uint64_t Offset = D.Offset; Offset + 16 <= D.Offset + D.Size;
       Offset += 16) {
    uint64_t Tag = read64le(Bytes.data() + Offset);
    for (uint64_t Name :
         {DT_NEEDED, DT_RUNPATH, DT_RPATH, DT_SONAME, DT_FLAGS_1, DT_FILTER,
          DT_AUXILIARY, DT_INIT, DT_FINI})
      if (Tag == Name) {
        All.push_back(Tag);
        All.push_back(read64le(Bytes.data() + Offset + 8));
      }
  }
  return All;
}

static Mutant makeMutant(const Input &In, Random &R) {
  Mutant M;
  M.Bytes = In.Bytes;
  for (uint64_t Changes = 1 + R() % 3; Changes; --Changes)
    changeOnce(M, In, R);
  M.IsStructural &= freeChoices(In, In.Bytes) == freeChoices(In, M.Bytes);
  if (R() % 50 == 0)
    cutOff(M, R);
  return M;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Follows the wrappers of the library at \p Path; in a child.
static bool loadsHere(const char *Path, ArrayRef<HostWrapper> Wrappers) {
  void *Handle = ::dlopen(Path, RTLD_NOW | RTLD_LOCAL);
  link_map *Map = nullptr;
  if (!Handle || ::dlinfo(Handle, RTLD_DI_LINKMAP, &Map) != 0) {
    errs() << ::dlerror() << '\n';
    return false;
  }
  for (const HostWrapper &W : Wrappers) {
    const char *Struct =
        reinterpret_cast<const char *>(Map->l_addr + W.Address);
    if (read32le(Struct) != kpack::offload::WrapperMagicKpack)
      return false;
    const char *Marker = reinterpret_cast<const char *>(read64le(Struct + 8));
    // The end of the map is found before that of what is mapped.
    if (!kpack::decodeMarker(std::string_view(Marker, 4096)))
      return false;
  }
  return true;
}

/// Whether the file at \p Path loads, in a child; what it says goes to \p Log.
static bool loads(const Input &In, const std::string &Path,
                  ArrayRef<HostWrapper> Wrappers, const std::string &Log) {
  return livesInChild(Log, /*Seconds=*/20, [&] {
    return In.IsProgram ? runHere(Path) : loadsHere(Path.c_str(), Wrappers);
  });
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// Verifies a mutant; it is right where neither the verifier nor, if it was
/// not only headers that were changed, the comparison says anything.
static VerifiedHost verify(const Input &In, const Mutant &M, Statistics &S,
                           bool &IsRight) {
  // On the heap without slack, so that a sanitizer notices a byte too far.
  std::unique_ptr<char[]> Exactly(new char[M.Bytes.size()]);
  llvm::copy(M.Bytes, Exactly.get());
  StringRef Bytes(Exactly.get(), M.Bytes.size());
  VerifiedHost Host = verifyHost(Bytes, "mutant");
  bool IsSame = compareHost(In.Bytes, Bytes, "mutant").empty();
  Host.MarkerBytes = StringRef();
  S.Refused += !Host.ok();
  S.Different += Host.ok() && !IsSame;
  IsRight = Host.ok() && (M.IsStructural || IsSame);
  S.Right += IsRight;
  return Host;
}

/// False when one of the claims does not hold.
static bool runOne(uint64_t Index, const Input &In, StringRef Folder,
                   Statistics &S) {
  Random R(Seed * 1000003 + Index);
  Mutant M = makeMutant(In, R);
  std::string Title = "mutant " + std::to_string(Index) + " of " + In.Path;
  PrettyStackTraceString Trace(Title.c_str());
  std::clock_t Start = std::clock();
  bool IsRight = false;
  VerifiedHost Host = verify(In, M, S, IsRight);
  if (std::clock() - Start > 5 * CLOCKS_PER_SEC) {
    errs() << Title << ": took more than five seconds\n";
    return false;
  }
  // One that wants much memory loads where there is much.
  if (!IsRight || M.Bytes == In.Bytes || S.Loaded == Loads ||
      getMemory(M.Bytes) > (1 << 30))
    return true;
  std::string Path = (Folder + "/mutant").str(), Log = (Folder + "/log").str();
  if (!writeFile(Path, M.Bytes))
    return false;
  ++S.Loaded;
  if (loads(In, Path, Host.Wrappers, Log))
    return true;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Said = MemoryBuffer::getFile(Log);
  errs() << Title << (M.IsStructural ? "" : ", compared")
         << ": is called right and does not load:" << M.Changes << '\n'
         << (Said ? (*Said)->getBuffer() : "");
  if (!Keep.empty())
    writeFile(Keep, M.Bytes);
  ++S.Wrong;
  return false;
}

static bool readInputs(std::vector<Input> &All, StringRef Folder) {
  for (const std::string &Path : Files) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Path);
    if (!File) {
      errs() << Path << ": " << File.getError().message() << '\n';
      return false;
    }
    Input In = inputOf(Path, (*File)->getBuffer().str());
    VerifiedHost Host = verifyHost(In.Bytes, Path);
    for (const std::string &Problem : Host.Problems)
      errs() << Problem << '\n';
    std::string Copy = (Folder + "/mutant").str();
    if (!Host.ok() || !writeFile(Copy, In.Bytes) ||
        !loads(In, Copy, Host.Wrappers, (Folder + "/log").str())) {
      errs() << Path << ": does not load as it is\n";
      return false;
    }
    All.push_back(std::move(In));
  }
  return true;
}

int main(int Argc, char **Argv) {
  EnablePrettyStackTrace();
  cl::ParseCommandLineOptions(Argc, Argv);
  SmallString<128> Folder;
  if (sys::fs::createUniqueDirectory("host-mutations", Folder))
    return 2;
  std::vector<Input> All;
  bool Good = readInputs(All, Folder);
  Statistics S;
  for (uint64_t I = 0; !All.empty() && I != Count; ++I)
    Good &= runOne(I, All[I % All.size()], Folder, S);
  sys::fs::remove_directories(Folder);
  outs() << "seed " << Seed << ": " << Count << " mutants, " << S.Refused
         << " refused, " << S.Different << " only different, " << S.Right
         << " right, " << S.Loaded << " loaded, " << S.Wrong << " wrong\n";
  return Good ? 0 : 1;
}

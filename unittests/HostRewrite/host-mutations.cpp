//===- host-mutations.cpp - damaged binaries, verified and loaded ---------===//
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
#include "kpack/Archive/Marker.h"
#include "kpack/HostRewrite/Verifier.h"
#include "kpack/Offload/HipSymbols.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <random>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace kpack::hostrewrite;
using namespace llvm::support::endian;

static cl::list<std::string> Files(cl::Positional, cl::OneOrMore);
static cl::opt<uint64_t> Count("count", cl::init(1000), cl::desc("mutants"));
static cl::opt<uint64_t> Loads("loads", cl::init(200),
                               cl::desc("mutants that are loaded, at most"));
static cl::opt<uint64_t> Seed("seed", cl::init(1));
static cl::opt<std::string> Keep("keep", cl::desc("a file for the last wrong "
                                                  "mutant"));

namespace {

using Random = std::mt19937_64;

/// A part of a file that is changed more often than others.
struct Region {
  uint64_t Offset, Size;
  /// What is wrong here is to be seen without the original.
  bool IsStructure;
};

struct Input {
  std::string Path, Bytes;
  std::vector<Region> Regions;
  Region Dynamic = {0, 0, true};
  bool IsProgram = false;
};

/// A mutant, and what was changed.
struct Mutant {
  std::string Bytes, Changes;
  bool IsStructural = true;
};

struct Statistics {
  uint64_t Refused = 0, Different = 0, Right = 0, Loaded = 0, Wrong = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// What is changed
//===----------------------------------------------------------------------===//

/// The dynamic table's entries, by the offset of the segment.
static void addDynamic(Input &In, uint64_t Offset, uint64_t Size) {
  std::map<uint64_t, uint64_t> Values;
  for (uint64_t At = Offset; At + 16 <= Offset + Size; At += 16) {
    uint64_t Tag = read64le(In.Bytes.data() + At);
    Values[Tag] = read64le(In.Bytes.data() + At + 8);
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
    uint64_t At = Values[Tag], Length = Default ? Default : Values[SizeTag];
    if (At && Length && At + Length <= In.Bytes.size())
      In.Regions.push_back({At, Length, /*IsStructure=*/false});
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
  for (const HostWrapper &W : verifyHost(In.Bytes, In.Path).Wrappers)
    In.Regions.push_back({W.FileOffset, 24, false});
  In.Regions.push_back({0, In.Bytes.size(), false});
  // Section headers say where functions begin that the loader calls.
  if (read64le(P + 40) == 0)
    for (Region &R : In.Regions)
      R.IsStructure = false;
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

static void changeOnce(Mutant &M, const Input &In, Random &R) {
  const Region &Where = In.Regions[R() % In.Regions.size()];
  uint64_t Width = uint64_t(1) << R() % 4;
  uint64_t At = Where.Offset + R() % Where.Size / Width * Width;
  if (At + Width > M.Bytes.size())
    return;
  uint64_t Old = 0;
  for (uint64_t I = 0; I != Width; ++I)
    Old |= uint64_t(uint8_t(M.Bytes[At + I])) << 8 * I;
  uint64_t New = changedNumber(Old, R);
  for (uint64_t I = 0; I != Width; ++I)
    M.Bytes[At + I] = char(New >> 8 * I);
  M.IsStructural &= Where.IsStructure;
  raw_string_ostream(M.Changes)
      << " " << utohexstr(At) << ":" << Width << "=" << utohexstr(Old) << "->"
      << utohexstr(Width == 8 ? New : New & ((uint64_t(1) << 8 * Width) - 1));
}

/// What only the original can tell: any name may be that of a library, and any
/// folder have it; programs and libraries may begin anywhere.
static std::vector<uint64_t> freeChoices(const Input &In, StringRef Bytes) {
  std::vector<uint64_t> All = {read64le(Bytes.data() + 24)};
  const Region &D = In.Dynamic;
  for (uint64_t At = D.Offset; At + 16 <= D.Offset + D.Size; At += 16) {
    uint64_t Tag = read64le(Bytes.data() + At);
    for (uint64_t Name :
         {DT_NEEDED, DT_RUNPATH, DT_RPATH, DT_SONAME, DT_FLAGS_1, DT_FILTER,
          DT_AUXILIARY, DT_INIT, DT_FINI})
      if (Tag == Name) {
        All.push_back(Tag);
        All.push_back(read64le(Bytes.data() + At + 8));
      }
  }
  return All;
}

/// Bytes of memory that all PT_LOAD ask for.
static uint64_t memoryOf(StringRef Bytes) {
  uint64_t Sum = 0, At = read64le(Bytes.data() + 32);
  for (unsigned Left = read16le(Bytes.data() + 56); Left; --Left, At += 56)
    if (At + 56 <= Bytes.size() && read32le(Bytes.data() + At) == PT_LOAD)
      Sum += std::min(read64le(Bytes.data() + At + 40), uint64_t(1) << 48);
  return Sum;
}

static Mutant mutantOf(const Input &In, Random &R) {
  Mutant M;
  M.Bytes = In.Bytes;
  for (uint64_t Changes = 1 + R() % 3; Changes; --Changes)
    changeOnce(M, In, R);
  M.IsStructural &= freeChoices(In, In.Bytes) == freeChoices(In, M.Bytes);
  if (R() % 50 == 0) {
    M.Bytes.resize(R() % M.Bytes.size());
    M.Changes += " cut to " + std::to_string(M.Bytes.size());
  }
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
  pid_t Child = ::fork();
  if (Child == 0) {
    ::alarm(20);
    rlimit None = {0, 0};
    ::setrlimit(RLIMIT_CORE, &None);
    int Out = ::open(Log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(Out, STDOUT_FILENO);
    ::dup2(Out, STDERR_FILENO);
    ::signal(SIGSEGV, SIG_DFL);
    ::signal(SIGBUS, SIG_DFL);
    ::signal(SIGABRT, SIG_DFL);
    if (!In.IsProgram)
      ::_exit(loadsHere(Path.c_str(), Wrappers) ? 0 : 1);
    ::execl(Path.c_str(), Path.c_str(), nullptr);
    ::_exit(2);
  }
  int Status = -1;
  while (::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
}

static bool writeFile(const std::string &Path, StringRef Bytes) {
  std::error_code EC;
  sys::fs::remove(Path);
  raw_fd_ostream File(Path, EC);
  if (EC)
    return false;
  File << Bytes;
  File.close();
  return ::chmod(Path.c_str(), 0700) == 0;
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
static bool runOne(uint64_t Number, const Input &In, StringRef Folder,
                   Statistics &S) {
  Random R(Seed * 1000003 + Number);
  Mutant M = mutantOf(In, R);
  std::string What = "mutant " + std::to_string(Number) + " of " + In.Path;
  PrettyStackTraceString Trace(What.c_str());
  std::clock_t Start = std::clock();
  bool IsRight = false;
  VerifiedHost Host = verify(In, M, S, IsRight);
  if (std::clock() - Start > 5 * CLOCKS_PER_SEC) {
    errs() << What << ": took more than five seconds\n";
    return false;
  }
  // One that wants much memory loads where there is much.
  if (!IsRight || M.Bytes == In.Bytes || S.Loaded == Loads ||
      memoryOf(M.Bytes) > (1 << 30))
    return true;
  std::string Path = (Folder + "/mutant").str(), Log = (Folder + "/log").str();
  if (!writeFile(Path, M.Bytes))
    return false;
  ++S.Loaded;
  if (loads(In, Path, Host.Wrappers, Log))
    return true;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Said = MemoryBuffer::getFile(Log);
  errs() << What << (M.IsStructural ? "" : ", compared")
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
    Input In;
    In.Path = Path;
    In.Bytes = (*File)->getBuffer().str();
    VerifiedHost Host = verifyHost(In.Bytes, Path);
    for (const std::string &Problem : Host.Problems)
      errs() << Problem << '\n';
    findRegions(In);
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

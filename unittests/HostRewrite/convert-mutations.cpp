//===- convert-mutations.cpp - test tool: conversion of mutants -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convert-mutations [--count=<n>] [--seed=<n>] [--keep=<folder>] <binary>...
//
// Changes a few numbers of a fat binary and converts it: no crash, no long run,
// not more memory than a sound file takes, and no conversion that does not load
// where its input did. For that both are loaded in a child: a library by
// dlopen(), and its wrappers are followed in memory; a program is run; what
// they print is compared. Conversions are made in a child, too, a few hundred
// in each, so that one that crashes is counted and the next ones are made.
// host-mutations does the same to the verifier.
//
//===----------------------------------------------------------------------===//
#include "FatMutants.h"

#include "HostRewrite/Convert.h"
#include "HostRewrite/Verifier/Verifier.h"
#include "Offload/FatBinary.h"
#include "Offload/HipSymbols.h"
#include "kpack/Archive/Marker.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace kpack::hostrewrite;
using namespace kpack::mutations;
using namespace llvm::support::endian;

static cl::list<std::string> Files(cl::Positional, cl::OneOrMore);
static cl::opt<uint64_t> Count("count", cl::init(1000), cl::desc("mutants"));
static cl::opt<uint64_t> First("first", cl::init(0),
                               cl::desc("the number of the first one"));
static cl::opt<uint64_t> Seed("seed", cl::init(1));
static cl::opt<std::string> Keep("keep", cl::desc("a folder for mutants that "
                                                  "show a failure"));

namespace {

/// Shared by the process that counts and the ones that convert.
struct Counts {
  uint64_t Next = 0, Refused = 0, Copied = 0, Converted = 0;
  /// Of those converted: inputs that load, and conversions that do not then.
  uint64_t Loaded = 0, Failed = 0;
};

class Run {
public:
  Run(ArrayRef<Input> Inputs, StringRef Folder, Counts &C)
      : Inputs(Inputs), Folder(Folder), C(C) {}
  void one(uint64_t Index);
  void failed(uint64_t Index, const Twine &Problem);

private:
  const Input &inputOf(uint64_t Index) const {
    return Inputs[Index % Inputs.size()];
  }
  std::string path(StringRef Name) const { return (Folder + "/" + Name).str(); }
  bool loads(const Input &In, ArrayRef<uint64_t> Addresses,
             StringRef Log) const;
  void load(uint64_t Index);

  ArrayRef<Input> Inputs;
  const StringRef Folder;
  Counts &C;
};

} // namespace

static Mutant makeMutant(const Input &In, uint64_t Index) {
  Random R(Seed * 1000003 + Index);
  return makeFatMutant(In, R);
}

void Run::failed(uint64_t Index, const Twine &Problem) {
  Mutant M = makeMutant(inputOf(Index), Index);
  errs() << "mutant " << Index << " of " << inputOf(Index).Path << ": "
         << Problem << ";" << M.Changes << '\n';
  ++C.Failed;
  if (!Keep.empty())
    writeFile(Keep + "/mutant-" + std::to_string(Index), M.Bytes);
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Follows the wrapper at \p Struct, whichever kind it is of.
static bool isWrapper(const char *Struct) {
  const char *Target = reinterpret_cast<const char *>(read64le(Struct + 8));
  switch (read32le(Struct)) {
  case kpack::offload::WrapperMagicFat:
    return kpack::offload::startsContainer(StringRef(Target, 64));
  case kpack::offload::WrapperMagicKpack:
    // The end of the map is found before that of what is mapped.
    return bool(kpack::decodeMarker(std::string_view(Target, 4096)));
  }
  return false;
}

/// Loads the library at \p Path, and looks at the wrappers at \p Addresses; in
/// a child.
static bool loadHere(const std::string &Path, ArrayRef<uint64_t> Addresses) {
  void *Handle = ::dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL);
  link_map *Map = nullptr;
  if (!Handle || ::dlinfo(Handle, RTLD_DI_LINKMAP, &Map) != 0)
    return false;
  for (uint64_t Address : Addresses)
    if (!isWrapper(reinterpret_cast<const char *>(Map->l_addr + Address)))
      return false;
  return true;
}

bool Run::loads(const Input &In, ArrayRef<uint64_t> Addresses,
                StringRef Log) const {
  return livesInChild(path(Log), /*Seconds=*/20, [&] {
    return In.IsProgram ? runHere(path("mutant"))
                        : loadHere(path("mutant"), Addresses);
  });
}

static std::string readContent(const std::string &Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Path);
  return File ? (*File)->getBuffer().str() : "";
}

void Run::load(uint64_t Index) {
  const Input &In = inputOf(Index);
  // What the rewriter took for wrappers has to be some before.
  std::vector<uint64_t> Addresses;
  for (const HostWrapper &W :
       verifyHost(readContent(path("out/mutant")), "conversion").Wrappers)
    Addresses.push_back(W.Address);
  if (!loads(In, Addresses, "before"))
    return;
  ++C.Loaded;
  // At the same path, which is in messages.
  bool IsRight = !sys::fs::rename(path("out/mutant"), path("mutant")) &&
                 loads(In, Addresses, "after");
  if (!IsRight)
    failed(Index, "its conversion does not load, " +
                      Twine(readContent(path("after"))));
  else if (readContent(path("before")) != readContent(path("after")))
    failed(Index, "its conversion prints something else");
}

//===----------------------------------------------------------------------===//
// Converting
//===----------------------------------------------------------------------===//

void Run::one(uint64_t Index) {
  Mutant M = makeMutant(inputOf(Index), Index);
  ConvertOptions Options;
  Options.Input = path("mutant");
  Options.Output = path("out/mutant");
  Options.ArchivePath = path("out/.kpack/mutant_@GFXARCH@.kpack");
  Options.KernelName = Options.Archives.GroupName = "mutant";
  sys::fs::remove_directories(path("out"));
  if (!writeFile(Options.Input, M.Bytes) ||
      sys::fs::create_directory(path("out"))) {
    errs() << Folder << ": cannot be written to\n";
    ::_exit(2);
  }
  std::clock_t Start = std::clock();
  Expected<Conversion> Done = convertFile(Options);
  if (std::clock() - Start > 5 * CLOCKS_PER_SEC)
    failed(Index, "took more than five seconds");
  if (!Done) {
    consumeError(Done.takeError());
    ++C.Refused;
    if (sys::fs::exists(Options.Output))
      failed(Index, "is refused, and there is an output");
    return;
  }
  if (Done->Kind != InputKind::Fat) {
    ++C.Copied;
    if (readContent(Options.Output) != M.Bytes)
      failed(Index, "its copy is not the same");
    return;
  }
  ++C.Converted;
  if (Done->OutputSize > M.Bytes.size() + 8192)
    failed(Index, "its conversion is larger than it was");
  // One that wants much memory loads where there is much.
  if (getMemory(M.Bytes) <= (1 << 30))
    load(Index);
}

/// Mutants [C.Next, End), in this process.
static void convertHere(Run &All, Counts &C, uint64_t End) {
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
  rlimit Most = {uint64_t(4) << 30, uint64_t(4) << 30};
  ::setrlimit(RLIMIT_AS, &Most);
#endif
  for (; C.Next != End; ++C.Next) {
    ::signal(SIGALRM, SIG_DFL); // ignored after a conversion
    ::alarm(60);
    std::string Title = "mutant " + std::to_string(C.Next);
    PrettyStackTraceString Trace(Title.c_str());
    All.one(C.Next);
  }
}

/// Mutants [C.Next, End), in one child after the other.
static void convertAll(Run &All, Counts &C, uint64_t End) {
  constexpr uint64_t AtOnce = 500;
  while (C.Next < End) {
    pid_t Child = ::fork();
    if (Child == 0) {
      convertHere(All, C, std::min<uint64_t>(C.Next + AtOnce, End));
      ::_exit(0);
    }
    int Status = -1;
    while (::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
      ;
    if (WIFEXITED(Status) && WEXITSTATUS(Status) == 0)
      continue;
    All.failed(C.Next, WIFSIGNALED(Status)
                           ? "ends with signal " + Twine(WTERMSIG(Status))
                           : Twine("ends the process"));
    ++C.Next;
  }
}

static bool readInputs(std::vector<Input> &All) {
  for (const std::string &Path : Files) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> File = MemoryBuffer::getFile(Path);
    if (!File) {
      errs() << Path << ": " << File.getError().message() << '\n';
      return false;
    }
    All.push_back(makeFatInput(Path, (*File)->getBuffer().str()));
  }
  return true;
}

int main(int Argc, char **Argv) {
  EnablePrettyStackTrace();
  cl::ParseCommandLineOptions(Argc, Argv);
  SmallString<128> Folder;
  std::vector<Input> Inputs;
  if (!readInputs(Inputs) ||
      sys::fs::createUniqueDirectory("convert-mutations", Folder))
    return 2;
  void *Shared = ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (Shared == MAP_FAILED)
    return 2;
  Counts &C = *new (Shared) Counts;
  C.Next = First;
  Run All(Inputs, Folder, C);
  convertAll(All, C, First + Count);
  sys::fs::remove_directories(Folder);
  outs() << "seed " << Seed << ": " << Count << " mutants of " << Inputs.size()
         << " inputs, " << C.Refused << " refused, " << C.Copied << " copied, "
         << C.Converted << " converted, " << C.Loaded
         << " loaded before and after, " << C.Failed << " failed\n";
  return C.Failed == 0 ? 0 : 1;
}

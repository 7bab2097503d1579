//===- Prebuild.cpp - conv-builder prebuild: archive of kernels -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the kernels of a list ahead of time, also for GPUs that this machine
// lacks: into an archive, whose kernels plans find as 'aot', and a bundle that
// the cache imports. The kernels and their keys are those of a plan.
//
//===----------------------------------------------------------------------===//
#include "ConvVerb.h"
#include "Question.h"

#include "ConvBuilder/Emit.h"
#include "ToolSupport/Errors.h"
#include "ToolSupport/TemporaryFolder.h"
#include "kpack/Archive/ArchiveWriter.h"
#include "kpack/Archive/Marker.h"
#include "kpack/ConvBuilder/Candidates.h"
#include "kpack/ConvBuilder/Kernel.h"
#include "kpack/ConvBuilder/MiopenOptions.h"
#include "kpack/ConvBuilder/ResolveAlgorithm.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <atomic>
#include <map>
#include <thread>

using namespace kpack;
using namespace kpack::conv;
using namespace llvm;

namespace {

/// A line of the list.
struct Wish {
  std::string Place; ///< "list.txt:3"
  std::optional<Signature> Sig;
  std::optional<Algorithm> How;
  std::optional<Problem> Sizes;
};

/// A kernel to compile.
struct Job {
  std::string Place, Arch;
  Signature Sig;
  Algorithm How;
};

/// A folder that the destructor removes.
class TemporaryFolder {
public:
  TemporaryFolder() {
    if (kpack::makeTemporaryFolder("conv-prebuild", Path))
      Path.clear();
  }
  ~TemporaryFolder() {
    if (!Path.empty())
      (void)sys::fs::remove_directories(Path);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  std::string path() const { return Path.str().str(); }

private:
  SmallString<128> Path;
};

} // namespace

static Error twoOfOneKind() {
  return createStringError(inconvertibleErrorCode(),
                           "two of one kind; a line has a signature, an "
                           "algorithm and a problem at most");
}

/// Reads a signature, an algorithm and a problem, at most one of each, in any
/// order.
static Error readLine(StringRef Line, Wish &Parsed) {
  SmallVector<StringRef> Words;
  SplitString(Line, Words, " \t");
  for (StringRef Word : Words) {
    // Options of MIOpenDriver take the rest of the line.
    if (Parsed.Sig && isMiopenOptions(std::string_view(Word))) {
      Result<Problem> Read = problemFor(
          *Parsed.Sig,
          std::string_view(Word.data(),
                           static_cast<size_t>(Line.end() - Word.data())));
      if (!Read)
        return createStringError(inconvertibleErrorCode(),
                                 Read.status().message());
      if (Parsed.Sizes)
        return twoOfOneKind();
      Parsed.Sizes = *Read;
      break;
    }
    ValueText Text{"", Word.str()};
    std::optional<Object> Kind = Text.object();
    Expected<Value> Read =
        parseValue(Text, Kind ? *Kind : Object::Algorithm); // "{}"
    if (!Read)
      return Read.takeError();
    bool IsSecond = false;
    auto Take = [&](auto &Place, auto *Found) {
      if (!Found)
        return;
      IsSecond = Place.has_value();
      Place = *Found;
    };
    Take(Parsed.Sig, std::get_if<Signature>(&*Read));
    Take(Parsed.How, std::get_if<Algorithm>(&*Read));
    Take(Parsed.Sizes, std::get_if<Problem>(&*Read));
    if (IsSecond)
      return twoOfOneKind();
  }
  if (!Parsed.Sig)
    return createStringError(inconvertibleErrorCode(),
                             "no signature; a line begins with one");
  return Error::success();
}

static Expected<std::vector<Wish>> readList(StringRef Name) {
  constexpr std::uint64_t MostOfList = 64 << 20;
  Expected<ValueText> Read =
      ValueText::read(Name == "-" ? "-" : ("@" + Name).str(), MostOfList);
  if (!Read)
    return Read.takeError();
  std::vector<Wish> All;
  SmallVector<StringRef> Lines;
  StringRef(Read->Text).split(Lines, '\n');
  for (size_t I = 0; I < Lines.size(); ++I) {
    StringRef Line = Lines[I].trim();
    if (Line.empty() || Line.starts_with("#"))
      continue;
    Wish One;
    One.Place = (Name + ":" + Twine(I + 1)).str();
    if (Error E = readLine(Line, One))
      return objectError(One.Place, std::move(E));
    All.push_back(std::move(One));
  }
  if (All.empty())
    return objectError(Name, "the list is empty; give a signature a line");
  return All;
}

/// Returns the kernel that a plan would choose; nullopt, with the reason in \p
/// Why, if there is none.
static std::optional<Job> makeJob(const Wish &One, const std::string &Arch,
                                  std::string &Why) {
  Job NewJob{One.Place, Arch, resolveSignature(*One.Sig), {}};
  if (!One.How && One.Sizes) {
    std::vector<Refusal> Refused;
    std::vector<Candidate> Found =
        candidates(NewJob.Sig, *One.Sizes, Arch, {}, &Refused);
    if (!Found.empty()) {
      NewJob.How = Found.front().how;
      return NewJob;
    }
    Why = Refused.empty() ? "nothing computes it" : Refused.front().text();
    return std::nullopt;
  }
  Algorithm Partial = One.How.value_or(Algorithm());
  Target For{std::string_view(Arch)};
  Resolved R = One.Sizes ? resolve(NewJob.Sig, Partial, For, *One.Sizes)
                         : resolve(NewJob.Sig, Partial, For);
  if (!R.ok()) {
    Why = R.Why.view();
    return std::nullopt;
  }
  NewJob.How = R.Algo;
  return NewJob;
}

/// Returns the kernels of all wishes. Reports an error for a wish that no
/// architecture can meet, and a note for one that only some can.
static std::vector<Job> makeJobs(Session &S, const std::vector<Wish> &Wishes,
                                 const std::vector<std::string> &Archs) {
  std::map<std::string, Job> Jobs;
  for (const Wish &One : Wishes) {
    bool IsMet = false;
    std::vector<std::string> Reasons;
    for (const std::string &Arch : Archs) {
      std::string Why;
      std::optional<Job> NewJob = makeJob(One, Arch, Why);
      if (!NewJob) {
        Reasons.push_back(One.Place + ": " + Arch + ": " + Why);
        continue;
      }
      IsMet = true;
      Jobs.emplace(Arch + " " + getSymbol(NewJob->Sig, NewJob->How), *NewJob);
    }
    for (const std::string &Reason : Reasons)
      if (IsMet)
        S.note(Reason);
      else
        S.error(Reason);
  }
  std::vector<Job> InOrder;
  for (auto &[Key, One] : Jobs)
    InOrder.push_back(std::move(One));
  return InOrder;
}

/// Compiles as many kernels at once as there are processors.
static std::vector<std::optional<Result<ConvKernel>>>
compileAll(const std::vector<Job> &Jobs, const jit::Options &With) {
  std::vector<std::optional<Result<ConvKernel>>> Kernels(Jobs.size());
  std::atomic<size_t> Next{0};
  auto Work = [&] {
    for (size_t I; (I = Next++) < Jobs.size();)
      Kernels[I].emplace(
          ConvKernel::compile(Jobs[I].Sig, Jobs[I].How, Jobs[I].Arch, With));
  };
  std::vector<std::thread> Threads(std::min<size_t>(
      Jobs.size(), std::max(1U, std::thread::hardware_concurrency())));
  for (std::thread &T : Threads)
    T = std::thread(Work);
  for (std::thread &T : Threads)
    T.join();
  return Kernels;
}

static Status writeArchive(const std::string &Path,
                           const std::vector<Job> &Jobs,
                           const std::vector<ConvKernel> &Kernels) {
  ArchiveWriterOptions Options;
  Options.GroupName = "conv";
  auto Writer = ArchiveWriter::create(Path, std::move(Options));
  if (!Writer)
    return Writer.status();
  std::string Digest = kernelsDigest();
  for (size_t I = 0; I < Jobs.size(); ++I) {
    std::string Key = replaceArch(
        getArchiveKey(Jobs[I].Sig, Jobs[I].How, Digest), Jobs[I].Arch);
    if (Status S = (*Writer)->add(Key, Jobs[I].Arch, Kernels[I].image());
        !S.ok())
      return S;
  }
  return (*Writer)->commit();
}

/// Opens an empty cache, whose entries become the bundle.
static Result<jit::Cache> ownCache(const TemporaryFolder &Folder) {
  if (Folder.path().empty())
    return Status(StatusCode::IoError,
                  "no temporary folder is to be had; set TMPDIR");
  return jit::Cache::open({.directory = Folder.path() + "/cache"});
}

static Error writeArchives(Session &S, const std::string &Name,
                           const std::vector<Job> &Jobs,
                           const std::vector<ConvKernel> &Kernels) {
  std::map<std::string, std::pair<std::vector<Job>, std::vector<ConvKernel>>>
      Archives;
  for (size_t I = 0; I < Jobs.size(); ++I) {
    auto &[Its, Contents] = Archives[replaceArch(Name, Jobs[I].Arch)];
    Its.push_back(Jobs[I]);
    Contents.push_back(Kernels[I]);
  }
  for (const auto &[Path, Contents] : Archives) {
    if (Status Done = writeArchive(Path, Contents.first, Contents.second);
        !Done.ok())
      return toError(Done);
    S.out() << Path << ": " << counted(Contents.first.size(), "kernel") << "\n";
  }
  return Error::success();
}

static Error prebuild(Invocation &I, const std::vector<Job> &Jobs) {
  std::string Archive = I.Args.getLastArgValue(OPT_output_file).str();
  std::string Bundle = I.Args.getLastArgValue(OPT_bundle_EQ).str();
  TemporaryFolder Folder;
  jit::Options With;
  if (!Bundle.empty()) {
    Result<jit::Cache> Own = ownCache(Folder);
    if (!Own)
      return toError(Own.status());
    With.cache = *Own;
  }
  std::vector<ConvKernel> Kernels;
  auto Results = compileAll(Jobs, With);
  for (size_t Index = 0; Index < Jobs.size(); ++Index) {
    Result<ConvKernel> &One = *Results[Index];
    if (!One)
      return objectError(Jobs[Index].Place,
                         Jobs[Index].Arch + ": " + One.status().message());
    Kernels.push_back(std::move(*One));
  }
  if (Error E = writeArchives(I.S, Archive, Jobs, Kernels))
    return E;
  if (!Bundle.empty()) {
    Result<uint64_t> Count = With.cache->export_to(absolutePath(Bundle));
    if (!Count)
      return toError(Count.status());
  }
  return Error::success();
}

/// Checks that neither output is the other one or the list.
static Error checkOutputs(const Invocation &I, const std::string &List,
                          ArrayRef<std::string> Archs) {
  std::string Bundle = I.Args.getLastArgValue(OPT_bundle_EQ).str();
  std::string Archive = I.Args.getLastArgValue(OPT_output_file).str();
  if (Archive.empty())
    return objectError("-o", "has an empty name; give a file");
  auto IsSame = [](const std::string &A, const std::string &B) {
    return A == B || sys::fs::equivalent(A, B);
  };
  for (const std::string &Arch : Archs) {
    std::string Path = replaceArch(Archive, Arch);
    if (IsSame(Path, List))
      return objectError(Path, "is the list, and would be overwritten by the "
                               "archive; give another file");
    if (!Bundle.empty() && IsSame(Path, Bundle))
      return objectError(Path, "is to be archive and bundle; give two files");
  }
  if (!Bundle.empty() && IsSame(Bundle, List))
    return objectError(Bundle, "is the list, and would be overwritten by the "
                               "bundle; give another file");
  return Error::success();
}

static void run(Invocation &I) {
  std::vector<std::string> Lists = I.operands();
  SmallVector<StringRef> Archs;
  I.Args.getLastArgValue(OPT_arch_EQ).split(Archs, ',', -1, false);
  if (Lists.size() != 1 || Archs.empty() || !I.Args.hasArg(OPT_output_file))
    return I.S.error("command line: a list, --arch=<gpu>,... and -o <file> are "
                     "needed; " +
                     I.Options.seeHelp());
  std::vector<std::string> Names;
  for (StringRef Arch : Archs) {
    Names.push_back(Arch.str());
    I.S.error(checkProcessor("--arch=" + Arch, Arch));
  }
  I.S.error(checkOutputs(I, Lists.front(), Names));
  Expected<std::vector<Wish>> Wishes = readList(Lists.front());
  if (!Wishes)
    return I.S.error(Wishes.takeError());
  if (I.S.exitCode())
    return;
  std::vector<Job> Jobs = makeJobs(I.S, *Wishes, Names);
  if (I.S.exitCode())
    return;
  I.S.error(prebuild(I, Jobs));
}

const Command conv::PrebuildVerb = {
    {.Name = "prebuild",
     .Operands = "<list>",
     .Summary = "compile the kernels of a list into an archive",
     .Overview =
         "Compiles kernels for GPUs that need not be here, into an archive "
         "whose kernels plans find\nas 'aot' (ContextOptions::archives), and "
         "with --bundle= into a bundle, which a cache of\nkernels imports. A "
         "line of the list has a signature, an algorithm and a problem, "
         "a space\napart; the problem may be what MIOpenDriver takes, at the "
         "end. Lines that begin with '#' are\ncomments. What a line leaves "
         "open is chosen for each GPU: by a problem the best estimate. A\n"
         "line that no GPU of --arch= can compute is an error; where some "
         "cannot, a note says why.\nWhere -o has @GFXARCH@, each GPU has an "
         "archive of its own.",
     .Examples =
         "  $ echo '{spatial_dim=2,data_type=FP16} {kind=DIRECT}' > list.txt\n"
         "  $ conv-builder prebuild list.txt --arch=gfx942,gfx1100 -o "
         "conv.kpack\n",
     .Known = PrebuildOption},
    ::run};

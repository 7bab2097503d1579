//===- ColdBench.cpp - time of uncached compiles of heavy kernels ---------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles siblings of a blob as heavy in shape as a library of tiled kernels
// (heavy/) in turn: by the compiler's own -shared command for one architecture
// and for three, and through the cache without, with plain and with a family's
// precompiled headers. Of each way the median is printed: wall clock, and the
// processor time of the longest chain of commands, which other load on the
// machine does not change. docs/evidence/bench.md.
//
//   jit-cold-bench COMPILER [--pairs N] [--json] [FLAG...]
//   jit-cold-bench COMPILER --source FILE --source FILE... [--target NAME] ...
//
// The second form measures sources of one's own, with no three architectures
// and no plain headers: the first is the sibling that the family's headers are
// made of, and the others are compiled in turn.
//
//===----------------------------------------------------------------------===//

#include "Jit/Executor/Cache/SourceCache.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

struct Cost {
  double Wall = 0;
  double Cpu = 0;
};

[[noreturn]] void fail(const std::string &Why) {
  throw std::runtime_error(Why); // what is temporary goes away
}

double seconds(const timeval &T) {
  return double(T.tv_sec) + double(T.tv_usec) / 1e6;
}

class Clock {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         Start)
        .count();
  }

private:
  std::chrono::steady_clock::time_point Start =
      std::chrono::steady_clock::now();
};

/// A variant of the blob for each number.
std::string blob(const std::string &Template, int Index) {
  static const char *const Masks[] = {
      "tile::causal_mask",    "tile::no_mask",        "tile::window_mask<3>",
      "tile::window_mask<5>", "tile::window_mask<7>", "tile::window_mask<9>"};
  const std::pair<const char *, std::string> Values[] = {
      {"@MASK@", Masks[Index % 6]},
      {"@M@", "8"},
      {"@N@", "8"},
      {"@K@", "16"},
      {"@PAD@", "2"},
      {"@BIAS@", Index / 6 % 2 ? "false" : "true"}};
  std::string Text = Template;
  for (const auto &[Name, Value] : Values)
    for (size_t Position; (Position = Text.find(Name)) != std::string::npos;)
      Text.replace(Position, std::strlen(Name), Value);
  return Text;
}

/// The command as a build has it; halves one after the other.
Cost runPlain(const std::string &Compiler, std::vector<std::string> Arguments,
              const std::vector<std::string> &Targets,
              const std::string &Source, const std::string &Output) {
  Arguments.insert(Arguments.begin(), Compiler);
  for (const std::string &Target : Targets)
    Arguments.push_back("--offload-arch=" + Target);
  for (const std::string &Argument :
       {std::string("-shared"), std::string("-fPIC"),
        std::string("-Wl,--allow-shlib-undefined"), std::string("-x"),
        std::string("hip"), Source, std::string("-o"), Output})
    Arguments.push_back(Argument);
  std::vector<char *> Argv;
  for (std::string &Argument : Arguments)
    Argv.push_back(Argument.data());
  Argv.push_back(nullptr);
  Clock Watch;
  const pid_t Child = ::fork();
  if (Child == 0) {
    ::execv(Argv[0], Argv.data());
    ::_exit(127);
  }
  int Status = -1;
  struct rusage Used;
  if (::wait4(Child, &Status, 0, &Used) != Child || Status != 0)
    fail(Source + ": does not compile");
  return {Watch.seconds(), seconds(Used.ru_utime) + seconds(Used.ru_stime)};
}

/// A cache with what it knows of the compiler and of headers.
class Way {
public:
  Way(const std::string &Directory, PchPolicy Policy) : Policy(Policy) {
    CacheOptions Options;
    Options.Directory = Directory;
    Options.OnEvent = [](const CacheEvent &) {};
    Result<std::unique_ptr<Cache>> Opened = Cache::open(Options);
    if (!Opened)
      fail(Opened.status().message());
    Where = std::move(*Opened);
  }

  Cost compile(CompileRequest Request, std::string *Payload = nullptr) {
    Request.Pch = Policy;
    Clock Watch;
    SourceCache Sources(*Where, CompileService(HELPER));
    Result<StoredEntry> Entry = Sources.get(Request);
    if (!Entry)
      fail(Entry.status().message());
    const Cost Took{Watch.seconds(), Sources.lastCpuSeconds()};
    if (Entry->Info.Log.find("without its precompiled") != std::string::npos)
      fail(Entry->Info.Log);
    if (Payload) {
      Payload->resize(Entry->PayloadSize);
      if (::pread(Entry->File.get(), Payload->data(), Payload->size(), 0) !=
          ssize_t(Payload->size()))
        fail("an entry cannot be read");
    }
    return Took;
  }

private:
  const PchPolicy Policy;
  std::unique_ptr<Cache> Where;
};

/// The code object in a shared object: behind the header of the bundle.
std::string_view deviceCode(std::string_view Object) {
  const size_t Start = Object.find("__CLANG_OFFLOAD_BUNDLE__");
  if (Start == std::string_view::npos)
    return {};
  // Magic, number of entries (host's and device's), then of each: offset, size,
  // length of its name, name (LLVM: ClangOffloadBundler).
  auto number = [&](size_t Offset) {
    uint64_t Value = 0;
    if (Offset <= Object.size() - Start - sizeof(Value))
      std::memcpy(&Value, Object.data() + Start + Offset, sizeof(Value));
    return Value;
  };
  const size_t Device = 32 + 24 + number(48);
  const uint64_t Offset = number(Device), Size = number(Device + 8);
  if (Offset > Object.size() - Start || Size > Object.size() - Start - Offset)
    return {};
  return Object.substr(Start + Offset, Size);
}

Cost median(std::vector<Cost> Costs) {
  auto middle = [&](double Cost::*Member) {
    std::sort(Costs.begin(), Costs.end(), [&](const Cost &A, const Cost &B) {
      return A.*Member < B.*Member;
    });
    return Costs[Costs.size() / 2].*Member;
  };
  return {middle(&Cost::Wall), middle(&Cost::Cpu)};
}

std::string readText(const std::string &Path) {
  std::ifstream File(Path);
  std::stringstream Text;
  Text << File.rdbuf();
  return Text.str();
}

void writeText(const std::string &Path, const std::string &Text) {
  std::ofstream File(Path);
  File << Text;
  if (!File.flush())
    fail(Path + ": cannot be written");
}

void print(const std::vector<std::pair<const char *, Cost>> &Medians,
           bool Identical, bool Json) {
  const Cost &Base = Medians.front().second;
  if (Json)
    std::printf("{\"schema\": \"kpack.bench.jit-cold/1\"");
  else
    std::printf("A kernel that nobody has          wall s   ratio    CPU s   "
                "ratio\n");
  for (const auto &[Name, Took] : Medians)
    std::printf(Json ? ", \"%s\": {\"wall_s\": %.2f, \"wall_ratio\": %.3f, "
                       "\"cpu_s\": %.2f, \"cpu_ratio\": %.3f}"
                     : "  %-30s %7.2f %7.2f  %7.2f %7.2f\n",
                Name, Took.Wall, Took.Wall / Base.Wall, Took.Cpu,
                Took.Cpu / Base.Cpu);
  std::printf(Json ? ", \"identical\": %s}\n"
                   : "  device code with and without precompiled headers "
                     "identical: %s\n",
              Json ? (Identical ? "true" : "false")
                   : (Identical ? "yes" : "no"));
}

/// What the command line asks for.
struct Settings {
  std::string Compiler, Target = "gfx90a";
  std::vector<std::string> Flags, Sources;
  size_t Pairs = 3;
  bool Json = false;
};

Settings parse(int Count, char **Arguments) {
  Settings Result;
  for (int I = 1; I < Count; ++I) {
    const std::string Word = Arguments[I];
    const char *Next = I + 1 < Count ? Arguments[I + 1] : nullptr;
    if (I == 1)
      Result.Compiler = Word;
    else if (Word == "--json")
      Result.Json = true;
    else if (Word == "--pairs" && Next)
      Result.Pairs = size_t(std::atoi(Arguments[++I]));
    else if (Word == "--source" && Next)
      Result.Sources.push_back(
          std::filesystem::absolute(Arguments[++I]).string());
    else if (Word == "--target" && Next)
      Result.Target = Arguments[++I];
    else if (Word == "--pairs" || Word == "--source" || Word == "--target")
      fail(Word + ": needs a value");
    else
      Result.Flags.push_back(Word);
  }
  if (Result.Compiler.empty() || Result.Pairs < 1 || Result.Pairs > 11 ||
      Result.Sources.size() == 1)
    fail("usage: jit-cold-bench COMPILER [--pairs N] [--json] [FLAG...], or "
         "COMPILER --source FILE --source FILE... [--target NAME] ...; N is "
         "at most 11");
  return Result;
}

/// The comparison, in a temporary folder of its own.
class Bench {
public:
  explicit Bench(const Settings &Wanted) : Wanted(Wanted), Flags(Wanted.Flags) {
    if (!::mkdtemp(Folder.data()))
      fail(Folder + ": cannot be made");
    if (OwnBlobs)
      Flags.insert(Flags.begin(), {"-I", HEAVY, "-O3", "-std=c++17"});
    Without = std::make_unique<Way>(Folder + "/without", PchPolicy::Off);
    Plain = std::make_unique<Way>(Folder + "/plain", PchPolicy::On);
    Family = std::make_unique<Way>(Folder + "/family", PchPolicy::On);
  }
  ~Bench() { std::filesystem::remove_all(Folder); }

  int run() {
    prepare();
    const size_t Rounds =
        OwnBlobs ? Wanted.Pairs : std::min(Wanted.Pairs, count());
    for (size_t I = 0; I != Rounds; ++I)
      round(source(OwnBlobs ? int(I) : int(I + 1)));
    std::vector<std::pair<const char *, Cost>> Medians;
    for (auto &[Names, Costs] : Measured)
      if (!Costs.empty())
        Medians.emplace_back(Wanted.Json ? Names.first : Names.second,
                             median(Costs));
    print(Medians, Identical, Wanted.Json);
    return Identical ? 0 : 1;
  }

private:
  size_t count() const { return Wanted.Sources.size() - 1; }

  std::string source(int Index) {
    if (!OwnBlobs)
      return Wanted.Sources[size_t(Index)];
    const std::string Path = Folder + "/blob_" + std::to_string(Index) + ".hip";
    writeText(Path, blob(Template, Index));
    return Path;
  }

  CompileRequest request(const std::string &Source) const {
    CompileRequest Request;
    Request.Compiler = Wanted.Compiler;
    Request.Lang = Language::Hip;
    Request.Target = Wanted.Target;
    Request.Flags = Flags;
    Request.LinkFlags = {"-Wl,--allow-shlib-undefined"};
    Request.Source = Source;
    Request.Name = std::filesystem::path(Source).stem().string();
    return Request;
  }

  /// What there is before a kernel of the family is missed.
  void prepare() {
    const CompileRequest Sibling = request(source(OwnBlobs ? 11 : 0));
    Family->compile(Sibling);
    Without->compile(Sibling);
    if (!OwnBlobs)
      return;
    const std::string Empty = Folder + "/empty.hip";
    writeText(Empty, readText(std::string(HEAVY) + "/empty.hip"));
    Plain->compile(request(Empty));
  }

  void round(const std::string &Source) {
    const std::string Output = Folder + "/out.so";
    const CompileRequest Request = request(Source);
    auto plain = [&](const std::vector<std::string> &Targets) {
      return runPlain(Wanted.Compiler, Flags, Targets, Source, Output);
    };
    std::string First, Other;
    Measured[0].second.push_back(plain({Wanted.Target}));
    Measured[4].second.push_back(Family->compile(Request, &First));
    Measured[2].second.push_back(Without->compile(Request, &Other));
    compare(First, Other);
    if (!OwnBlobs)
      return;
    Measured[3].second.push_back(Plain->compile(Request, &Other));
    compare(First, Other);
    Measured[1].second.push_back(plain({"gfx900", "gfx908", "gfx90a"}));
  }

  /// With and without precompiled headers.
  void compare(const std::string &A, const std::string &B) {
    const std::string_view Code = deviceCode(A);
    Identical &= !Code.empty() && Code == deviceCode(B);
  }

  const Settings &Wanted;
  const bool OwnBlobs = Wanted.Sources.empty();
  const std::string Template = readText(std::string(HEAVY) + "/blob.hip.in");
  std::vector<std::string> Flags;
  std::string Folder =
      (std::filesystem::temp_directory_path() / "jit-cold-XXXXXX").string();
  std::unique_ptr<Way> Without, Plain, Family;
  bool Identical = true;
  /// The name in JSON and the name in words, with the cost of each round.
  std::pair<std::pair<const char *, const char *>, std::vector<Cost>>
      Measured[5] = {{{"shared", "-shared, one architecture"}, {}},
                     {{"shared_3", "-shared, three"}, {}},
                     {{"cache", "cache, no PCH"}, {}},
                     {{"header_pch", "cache, header PCH"}, {}},
                     {{"family_pch", "cache, family PCH"}, {}}};
};

} // namespace

int main(int Count, char **Arguments) {
  try {
    const Settings Wanted = parse(Count, Arguments);
    return Bench(Wanted).run();
  } catch (const std::exception &Error) {
    std::fprintf(stderr, "jit-cold-bench: error: %s\n", Error.what());
    return 1;
  }
}

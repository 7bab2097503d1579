//===- ColdBench.cpp - what a kernel that nobody has costs ----------------===//
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
// machine does not change. docs/reference/bench.md.
//
//   jit-cold-bench COMPILER [--pairs N] [--json] [FLAG...]
//
//===----------------------------------------------------------------------===//

#include "kpack/Jit/SourceCache.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
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
  std::fprintf(stderr, "jit-cold-bench: error: %s\n", Why.c_str());
  std::exit(1);
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
std::string blob(const std::string &Template, int Number) {
  static const char *const Masks[] = {
      "tile::causal_mask",    "tile::no_mask",        "tile::window_mask<3>",
      "tile::window_mask<5>", "tile::window_mask<7>", "tile::window_mask<9>"};
  const std::pair<const char *, std::string> Values[] = {
      {"@MASK@", Masks[Number % 6]},
      {"@M@", "8"},
      {"@N@", "8"},
      {"@K@", "16"},
      {"@PAD@", "2"},
      {"@BIAS@", Number / 6 % 2 ? "false" : "true"}};
  std::string Text = Template;
  for (const auto &[Name, Value] : Values)
    for (size_t At; (At = Text.find(Name)) != std::string::npos;)
      Text.replace(At, std::strlen(Name), Value);
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
                   : "  machine code with and without precompiled headers "
                     "identical: %s\n",
              Json ? (Identical ? "true" : "false")
                   : (Identical ? "yes" : "no"));
}

} // namespace

int main(int Count, char **Words) {
  int Pairs = 3;
  bool Json = false;
  std::vector<std::string> Flags{"-I", HEAVY, "-O3", "-std=c++17"};
  for (int I = 2; I < Count; ++I) {
    const std::string Word = Words[I];
    if (Word == "--json")
      Json = true;
    else if (Word == "--pairs" && I + 1 < Count)
      Pairs = std::atoi(Words[++I]);
    else
      Flags.push_back(Word);
  }
  if (Count < 2 || Pairs < 1 || Pairs > 11)
    fail("usage: jit-cold-bench COMPILER [--pairs N] [--json] [FLAG...]; N is "
         "at most 11");
  std::string Folder =
      (std::filesystem::temp_directory_path() / "jit-cold-XXXXXX").string();
  if (!::mkdtemp(Folder.data()))
    fail(Folder + ": cannot be made");

  CompileRequest Request;
  Request.Compiler = Words[1];
  Request.Lang = Language::Hip;
  Request.Target = "gfx90a";
  Request.Flags = Flags;
  Request.LinkFlags = {"-Wl,--allow-shlib-undefined"};
  const std::string Template = readText(std::string(HEAVY) + "/blob.hip.in");
  auto source = [&](int Number) {
    const std::string Path =
        Folder + "/blob_" + std::to_string(Number) + ".hip";
    writeText(Path, blob(Template, Number));
    Request.Name = "blob_" + std::to_string(Number);
    Request.Source = Path;
    return Path;
  };

  Way Without(Folder + "/without", PchPolicy::Off),
      Plain(Folder + "/plain", PchPolicy::On),
      Family(Folder + "/family", PchPolicy::On);
  // What there is before a kernel of the family is missed.
  source(11);
  Family.compile(Request);
  Without.compile(Request);
  writeText(Folder + "/empty.hip", readText(std::string(HEAVY) + "/empty.hip"));
  Request.Source = Folder + "/empty.hip";
  Request.Name = "empty";
  Plain.compile(Request);

  std::vector<Cost> Costs[5];
  bool Identical = true;
  for (int I = 0; I != Pairs; ++I) {
    const std::string Source = source(I), Output = Folder + "/out.so";
    std::string Objects[3];
    Costs[0].push_back(runPlain(Words[1], Flags, {"gfx90a"}, Source, Output));
    Costs[4].push_back(Family.compile(Request, &Objects[2]));
    Costs[2].push_back(Without.compile(Request, &Objects[0]));
    Costs[3].push_back(Plain.compile(Request, &Objects[1]));
    Costs[1].push_back(runPlain(Words[1], Flags, {"gfx900", "gfx908", "gfx90a"},
                                Source, Output));
    Identical &= Objects[0] == Objects[1] && Objects[0] == Objects[2];
  }
  std::filesystem::remove_all(Folder);
  print({{Json ? "shared" : "-shared, one architecture", median(Costs[0])},
         {Json ? "shared_3" : "-shared, three", median(Costs[1])},
         {Json ? "cache" : "cache, no PCH", median(Costs[2])},
         {Json ? "header_pch" : "cache, header PCH", median(Costs[3])},
         {Json ? "family_pch" : "cache, family PCH", median(Costs[4])}},
        Identical, Json);
  return Identical ? 0 : 1;
}

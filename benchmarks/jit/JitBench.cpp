//===- JitBench.cpp - time of a call through a stub of libckjit -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints what a warm call through a stub takes, beside a direct call, a call
// through the assembly of the link seam, and one through a table of names under
// a lock; and what the first call takes in a new process when the cache has the
// kernel, beside a plain dlopen() of the same file. docs/evidence/bench.md.
//
//   jit-bench [--json]
//
// Runs itself for the second part. CK_JIT_COMPILER names the compiler.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "kpack/CkJit/Runtime.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <shared_mutex>
#include <sys/wait.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

using Clock = std::chrono::steady_clock;
using Kernel = float(const Stream &, const Arguments &);

#define KERNEL_SYMBOL "_Z6kernelRK6StreamRK9Arguments"

static const char *const Flags[] = {"-O2", nullptr};
static const char *const Symbols[] = {KERNEL_SYMBOL, nullptr};
static const ck_jit_blob Blobs[] = {
    {"kernel", BENCH_SOURCES "/Kernel.cpp", nullptr, Flags, Symbols}};
const ck_jit_manifest ck_jit_embedded_manifest = {
    CK_JIT_ABI, "jit-bench", nullptr, nullptr, Blobs, 1, nullptr};

CK_JIT_SLOT(Slot, "kernel", KERNEL_SYMBOL);

//===----------------------------------------------------------------------===//
// Ways to call
//===----------------------------------------------------------------------===//

/// As ck-jit seam writes them; the slot has the kernel's address already.
extern "C" float seamStub(const Stream &, const Arguments &);
extern "C" {
void *SeamSlot = nullptr;
}
asm(".text\n.p2align 4\nseamStub:\n\tendbr64\n\tjmpq *SeamSlot(%rip)\n");

/// Names to addresses, as a runtime without slots has it: a text made of the
/// name, a reader's lock, a hash table, and a once-flag with each entry.
class NameTable {
public:
  void *find(const char *Name) {
    const std::string Key(Name);
    std::shared_ptr<Entry> Found;
    {
      std::shared_lock<std::shared_mutex> Guard(Lock);
      auto Place = Entries.find(Key);
      if (Place != Entries.end())
        Found = Place->second;
    }
    if (!Found) {
      std::unique_lock<std::shared_mutex> Guard(Lock);
      std::shared_ptr<Entry> &Place = Entries[Key];
      if (!Place)
        Place = std::make_shared<Entry>();
      Found = Place;
    }
    std::call_once(Found->Once,
                   [&] { Found->Address = reinterpret_cast<void *>(&kernel); });
    return Found->Address;
  }

private:
  struct Entry {
    std::once_flag Once;
    void *Address = nullptr;
  };
  std::shared_mutex Lock;
  std::unordered_map<std::string, std::shared_ptr<Entry>> Entries;
};

static NameTable &names() {
  static NameTable Table;
  return Table;
}

__attribute__((noinline)) static float callDirect(const Stream &S,
                                                  const Arguments &A) {
  return kernel(S, A);
}
__attribute__((noinline)) static float callStub(const Stream &S,
                                                const Arguments &A) {
  return ck_jit_call<Kernel>(Slot, S, A);
}
__attribute__((noinline)) static float callSeam(const Stream &S,
                                                const Arguments &A) {
  return seamStub(S, A);
}
__attribute__((noinline)) static float callByName(const Stream &S,
                                                  const Arguments &A) {
  void *Address = names().find(
      "fmha_fwd_d128_fp16_batch_b128x128x32x128x32x128_r4x1x1_w32x32x16_qr_"
      "async_vr_psskddv_nlogits_nbias_nmask_nlse_ndropout_gfx942");
  return reinterpret_cast<Kernel *>(Address)(S, A);
}

/// Nanoseconds a call, the best of many rounds: other load only adds.
static double getTime(Kernel *Call) {
  constexpr int Rounds = 200, Calls = 20000;
  const Stream S{};
  const Arguments A{};
  volatile float Sink = 0;
  double Best = 1e9;
  for (int R = 0; R != Rounds; ++R) {
    const Clock::time_point Start = Clock::now();
    for (int I = 0; I != Calls; ++I)
      Sink = Call(S, A);
    const std::chrono::duration<double, std::nano> Took = Clock::now() - Start;
    Best = std::min(Best, Took.count() / Calls);
  }
  (void)Sink;
  return Best;
}

//===----------------------------------------------------------------------===//
// First calls
//===----------------------------------------------------------------------===//

static double microsecondsSince(Clock::time_point Start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - Start)
      .count();
}

/// In a process of its own: prints microseconds.
static int firstCall() {
  const Clock::time_point Start = Clock::now();
  const auto Result = ck_jit_try<Kernel>(Slot, Stream{}, Arguments{});
  std::printf("%.1f\n", microsecondsSince(Start));
  return !Result;
}
static int plainLoad(const char *Path) {
  const Clock::time_point Start = Clock::now();
  void *Handle = ::dlopen(Path, RTLD_NOW | RTLD_LOCAL);
  void *Address = Handle ? ::dlsym(Handle, KERNEL_SYMBOL) : nullptr;
  if (Address)
    reinterpret_cast<Kernel *>(Address)(Stream{}, Arguments{});
  std::printf("%.1f\n", microsecondsSince(Start));
  return !Address;
}

/// The best of many runs of this program.
static double measureBest(int Runs, const char *Mode, const char *Argument) {
  double Best = 1e9;
  for (int I = 0; I != Runs; ++I) {
    int Ends[2];
    if (::pipe(Ends) != 0)
      return -1;
    const pid_t Child = ::fork();
    if (Child == 0) {
      ::dup2(Ends[1], STDOUT_FILENO);
      ::execl("/proc/self/exe", "jit-bench", Mode, Argument, nullptr);
      ::_exit(127);
    }
    ::close(Ends[1]);
    FILE *In = ::fdopen(Ends[0], "r");
    double Value = -1;
    const bool Read = std::fscanf(In, "%lf", &Value) == 1;
    std::fclose(In);
    int Status = -1;
    ::waitpid(Child, &Status, 0);
    if (!Read || Status != 0) {
      std::fprintf(stderr, "jit-bench: error: a run of itself failed\n");
      std::exit(1);
    }
    Best = std::min(Best, Value);
  }
  return Best;
}

/// The one entry in a cache that is a shared object.
static std::string objectIn(const std::string &Cache) {
  for (const auto &File :
       std::filesystem::recursive_directory_iterator(Cache + "/objects")) {
    if (!File.is_regular_file())
      continue;
    char Magic[4] = {};
    std::ifstream(File.path(), std::ios::binary).read(Magic, 4);
    if (std::memcmp(Magic, "\177ELF", 4) == 0)
      return File.path();
  }
  return "";
}

int main(int Count, char **Argv) {
  const std::string Mode = Count > 1 ? Argv[1] : "";
  if (Mode == "--first-call")
    return firstCall();
  if (Mode == "--plain" && Count > 2)
    return plainLoad(Argv[2]);
  if (!Mode.empty() && Mode != "--json") {
    std::fprintf(stderr, "usage: jit-bench [--json]\n");
    return 1;
  }
  std::string Folder =
      (std::filesystem::temp_directory_path() / "jit-bench-XXXXXX").string();
  if (!::mkdtemp(Folder.data())) {
    std::fprintf(stderr, "jit-bench: error: %s: cannot be made\n",
                 Folder.c_str());
    return 1;
  }
  ::setenv("CK_JIT_CACHE_DIR", (Folder + "/cache").c_str(), 1);
  const double Cold = measureBest(1, "--first-call", nullptr);
  const double Hit = measureBest(30, "--first-call", nullptr);
  const double Plain =
      measureBest(30, "--plain", objectIn(Folder + "/cache").c_str());

  SeamSlot = reinterpret_cast<void *>(&kernel);
  ck_jit_call<Kernel>(Slot, Stream{}, Arguments{}); // resolved from here on
  const double Direct = getTime(callDirect), Stub = getTime(callStub),
               Seam = getTime(callSeam), Name = getTime(callByName);
  std::filesystem::remove_all(Folder);
  if (Mode == "--json") {
    std::printf("{\"schema\": \"kpack.bench.jit/1\", \"call_ns\": {\"direct\": "
                "%.2f, \"stub\": %.2f, \"seam\": %.2f, \"name_table\": %.2f}, "
                "\"first_call_us\": {\"cold\": %.0f, \"hit\": %.1f, "
                "\"dlopen\": %.1f}}\n",
                Direct, Stub, Seam, Name, Cold, Hit, Plain);
    return 0;
  }
  std::printf("Warm call, ns                    over direct\n"
              "  direct              %6.2f\n"
              "  ck_jit_call         %6.2f      %+6.2f   (aim: at most 2)\n"
              "  link seam           %6.2f      %+6.2f\n"
              "  table of names      %6.2f      %+6.2f\n"
              "First call in a new process, us  over dlopen\n"
              "  dlopen, dlsym       %6.0f\n"
              "  in the cache        %6.0f      %+6.0f   (aim: at most 1000)\n"
              "  compiled            %6.0f\n",
              Direct, Stub, Stub - Direct, Seam, Seam - Direct, Name,
              Name - Direct, Plain, Hit, Hit - Plain, Cold);
  return 0;
}

//===- CompileChecks.cpp - doctor's checks of the compiler ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs compiler and helper, and takes a kernel through all steps once, in a
// temporary directory.
//
//===----------------------------------------------------------------------===//
#include "DoctorChecks.h"
#include "Units.h"

#include "Jit/Executor/Cache/SourceCache.h"
#include "Jit/Executor/Load.h"
#include "Support/HeldInterrupts.h"
#include "Support/ProgramOutput.h"
#include "ToolSupport/TemporaryFolder.h"
#include "kpack/Support/TargetId.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <unistd.h>

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;

/// Returns the first line of `\p Program --version`; nullopt if it fails or
/// does not end within 30 s.
static std::optional<std::string> getVersion(const std::string &Program) {
  std::optional<std::string> Output =
      programOutput({Program, "--version"}, /*Milliseconds=*/30000);
  if (Output)
    Output->resize(std::min(Output->find('\n'), Output->size()));
  return Output;
}

void jittool::checkMode(Findings &Results, const CacheInvocation &I) {
  std::string Variable = I.Door.variable("MODE");
  std::string Mode = sys::Process::GetEnv(Variable).value_or("");
  if (Mode.empty() || Mode == "rw")
    return;
  std::string Said = Variable + "=" + Mode;
  if (Mode == "ro")
    Results.warning("mode", Said + ": what is compiled is not kept");
  else if (Mode == "off")
    Results.warning("mode", Said + ": every process compiles all it calls");
  else if (Mode == "strict")
    Results.warning("mode", Said +
                                ": nothing is compiled; a kernel that was not "
                                "compiled beforehand is an error");
  else
    Results.error("mode", Said + ": not rw, ro, off or strict; correct it");
}

void jittool::checkSources(Findings &Results, const CacheInvocation &I) {
  Result<std::string> Good = I.Door.checkSources(I.compileWords());
  if (!Good)
    Results.error("manifest", Good.status().message());
  else if (!Good->empty())
    Results.ok("manifest", *Good);
}

std::string jittool::checkTarget(Findings &Results, const CacheInvocation &I) {
  std::string Wanted = I.Args.getLastArgValue(OPT_target_EQ).str();
  if (Wanted.empty())
    Wanted = I.Door.Target;
  if (!Wanted.empty()) {
    if (isValidTargetId(Wanted)) {
      Results.ok("GPU", Wanted + ", as it is set");
      return Wanted;
    }
    Results.error("GPU", "'" + Wanted +
                             "' is no target id; write one like "
                             "gfx90a:sramecc+:xnack- (" +
                             I.Door.variable("TARGET") + ")");
    return "";
  }
  std::vector<runtime::Device> Devices = devicesOfThisMachine();
  if (Devices.empty()) {
    Results.warning("GPU",
                    "none found; to compile for one that is not here, set " +
                        I.Door.variable("TARGET"));
    return "";
  }
  std::string Names;
  for (const runtime::Device &D : Devices)
    Names += (Names.empty() ? "" : ", ") + (D.empty() ? "unknown" : D.front());
  if (Devices.size() == 1) {
    Results.ok("GPU", Names);
    return Devices.front().empty() ? "" : Devices.front().front();
  }
  Results.warning("GPU", Names +
                             ": several kinds; hide all but one "
                             "(ROCR_VISIBLE_DEVICES), unless the library has "
                             "one target for all");
  return "";
}

void jittool::checkHelper(Findings &Results, const CacheInvocation &I) {
  const std::string &Path = I.Door.Helper;
  if (!sys::fs::can_execute(Path))
    return Results.error(
        "helper", Path + ": cannot be run; install it beside " +
                      I.Door.Program + ", or set " + I.Door.variable("HELPER"));
  std::string Wanted = "kpack-jit-compile " KPACK_VERSION;
  std::optional<std::string> Version = getVersion(Path);
  if (Version && *Version == Wanted)
    return Results.ok("helper", Path + ": " + *Version);
  Results.error("helper",
                Path + ": is of another version than " + I.Door.Program + " (" +
                    (Version ? *Version : "it does not say which") +
                    ", " KPACK_VERSION " is wanted); install both from "
                    "one package");
}

void jittool::checkCompiler(Findings &Results, const CacheInvocation &I) {
  Result<std::string> Path = I.Door.compiler(I.compileWords());
  if (!Path)
    return Results.error("compiler", Path.status().message());
  std::optional<std::string> Version = getVersion(*Path);
  if (!Version)
    return Results.error("compiler",
                         *Path + ": does not run; name a clang++ with " +
                             I.Door.variable("COMPILER"));
  if (!StringRef(*Version).contains("clang"))
    return Results.error("compiler", *Path + ": is no clang (" + *Version +
                                         "); name a clang++ with " +
                                         I.Door.variable("COMPILER"));
  Results.ok("compiler", *Path + ": " + *Version);
}

namespace {

/// A folder in which a kernel is taken through all steps once.
class Trial {
public:
  Trial(const CacheInvocation &I, std::string Compiler, std::string Folder)
      : I(I), Compiler(std::move(Compiler)), Folder(std::move(Folder)) {}
  Result<int> call();
  Status compileKernel(const std::string &Target,
                       std::vector<std::string> Flags);

private:
  Result<jit::CompileRequest> request(StringRef Name, StringRef Text);
  Result<std::unique_ptr<jit::SourceCache>> openCache();

  const CacheInvocation &I;
  const std::string Compiler, Folder;
};

} // namespace

Result<jit::CompileRequest> Trial::request(StringRef Name, StringRef Text) {
  jit::CompileRequest R;
  R.Name = "the trial";
  R.Compiler = Compiler;
  R.Source = Folder + "/" + Name.str();
  R.Flags = {"-O1"};
  R.Pch = jit::PchPolicy::Off;
  if (Error E = writeToOutput(R.Source, [&](raw_ostream &OS) {
        OS << Text;
        return Error::success();
      }))
    return Status(StatusCode::IoError, toString(std::move(E)));
  return R;
}

Result<std::unique_ptr<jit::SourceCache>> Trial::openCache() {
  jit::CacheOptions Options;
  Options.Directory = Folder + "/cache";
  Options.OnEvent = [](const jit::CacheEvent &) {};
  return jit::SourceCache::open(std::move(Options),
                                jit::CompileService(I.Door.Helper));
}

/// Compiles, caches, finds, loads and calls a function; returns its result, 42.
Result<int> Trial::call() {
  Result<jit::CompileRequest> R = request(
      "trial.cpp", "extern \"C\" int kpack_trial() {\n  return 42;\n}\n");
  if (!R)
    return R.status();
  auto Sources = openCache();
  if (!Sources)
    return Sources.status();
  if (Result<jit::StoredEntry> First = (*Sources)->get(*R); !First)
    return First.status();
  Result<jit::StoredEntry> Second = (*Sources)->get(*R);
  if (!Second)
    return Second.status();
  if ((*Sources)->cache().statistics().Hits != 1)
    return Status(StatusCode::IoError,
                  "what was compiled is not found again; set TMPDIR to another "
                  "disk");
  Result<jit::LoadedCode> Code = jit::LoadedCode::load(std::move(*Second));
  if (!Code)
    return Code.status();
  Result<void *> Function = Code->symbol("kpack_trial");
  if (!Function)
    return Function.status();
  return reinterpret_cast<int (*)()>(*Function)();
}

/// Has the few declarations that a kernel needs, without headers of a HIP
/// runtime.
static constexpr StringLiteral KernelText = R"(struct dim3 {
  unsigned x, y, z;
};
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **,
                               unsigned long, void *);
extern "C" __attribute__((global)) void kpack_trial(int *Out) {
  *Out = 42;
}
extern "C" const void *kpack_trial_kernel() {
  return reinterpret_cast<const void *>(kpack_trial);
}
)";

/// Only compiles: loading would need a HIP runtime.
Status Trial::compileKernel(const std::string &Target,
                            std::vector<std::string> Flags) {
  Result<jit::CompileRequest> R = request("trial.hip", KernelText);
  if (!R)
    return R.status();
  R->Lang = jit::Language::Hip;
  R->Target = Target;
  R->Flags.insert(R->Flags.end(), Flags.begin(), Flags.end());
  auto Sources = openCache();
  if (!Sources)
    return Sources.status();
  return (*Sources)->get(*R).status();
}

/// Returns the first error line of a compiler's output.
static std::string firstError(StringRef Message) {
  SmallVector<StringRef, 8> Lines;
  Message.split(Lines, '\n');
  for (StringRef Line : Lines)
    if (Line.contains("error: "))
      return Line.str();
  return Lines.front().str();
}

static void checkKernel(Findings &Results, Trial &T,
                        const std::string &Target) {
  if (Status S = T.compileKernel(Target, {"-nogpuinc", "-nogpulib"}); !S.ok())
    return Results.error("HIP trial", "no kernel can be compiled for " +
                                          Target + ": " +
                                          firstError(S.message()));
  Results.ok("HIP trial", "a kernel was compiled for " + Target);
  if (Status S = T.compileKernel(Target, {"-nogpuinc"}); !S.ok())
    Results.warning("device libs", firstError(S.message()));
}

void jittool::checkTrial(Findings &Results, const CacheInvocation &I,
                         const std::string &Target) {
  Result<std::string> Compiler = I.Door.compiler(I.compileWords());
  if (!Compiler)
    return; // checkCompiler() has reported it
  // Ctrl-C ends the helper at once, and this program after it has removed the
  // folder.
  HeldInterrupts Held;
  SmallString<128> Folder;
  if (std::error_code Code =
          makeTemporaryFolder(I.Door.Program + "-doctor", Folder))
    return Results.error("trial",
                         "no temporary folder can be made: " + Code.message() +
                             "; set TMPDIR to a place that can be written");
  Trial T(I, *Compiler, std::string(Folder));
  Result<int> Answer = T.call();
  if (!Answer)
    Results.error("trial", Answer.status().message());
  else if (*Answer != 42)
    Results.error("trial",
                  *Compiler + ": compiles wrong code; use another compiler");
  else
    Results.ok("trial", "compiled, cached, found, loaded and called");
  if (Answer && !Target.empty())
    checkKernel(Results, T, Target);
  sys::fs::remove_directories(Folder, /*IgnoreErrors=*/true);
}

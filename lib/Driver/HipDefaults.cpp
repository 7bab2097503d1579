//===- HipDefaults.cpp - clang options that HIP needs ---------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read hipDefaults() first; it calls one function for each kind of option.
// HipInstallation.cpp finds the files.
//
//===----------------------------------------------------------------------===//

#include "HipDefaults.h"
#include "ClangOptions.h"
#include "Targets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/TargetParser/TargetParser.h"

#include <cstdlib>

using namespace llvm;
using namespace llvm::opt;

namespace kpack::driver {

static std::string valueOr(const ArgList &Args, OptSpecifier Option,
                           const char *Variable) {
  if (const Arg *A = Args.getLastArg(Option))
    return A->getValue();
  const char *Value = Variable ? std::getenv(Variable) : nullptr;
  return Value ? Value : "";
}

HipQuery hipQuery(const CommandLine &Command, StringRef Clang,
                  unsigned ClangMajor) {
  const ArgList &Args = Command.args();
  HipQuery Query;
  auto Folder = [&](OptSpecifier Option, const char *Variable) {
    std::string Path = valueOr(Args, Option, Variable);
    return Path == "/" ? Path : StringRef(Path).rtrim('/').str();
  };
  Query.RocmPath = Folder(options::OPT_rocm_path_EQ, "ROCM_PATH");
  Query.HipPath = Folder(options::OPT_hip_path_EQ, "HIP_PATH");
  Query.DeviceLibs = valueOr(Args, options::OPT_rocm_device_lib_path_EQ,
                             "HIP_DEVICE_LIB_PATH");
  SmallString<128> Real;
  Query.Clang =
      sys::fs::real_path(Clang, Real) ? Clang.str() : Real.str().str();
  Query.ClangMajor = ClangMajor;
  return Query;
}

namespace {

/// The first clang that dropped names which only older HIP headers use.
constexpr unsigned FirstWithoutNames = 20;

class Defaults {
public:
  Defaults(const CommandLine &Command, const HipInstallation &Hip,
           unsigned ClangMajor, StringRef Plugin)
      : Args(Command.args()), Hip(Hip), ClangMajor(ClangMajor), Plugin(Plugin),
        Targets(offloadTargets(Args)),
        WantsLibs(!Args.hasFlag(NoDeviceLibs, WantDeviceLibs, false)),
        WantsHeaders(!Args.hasArg(NoHipHeaders) && !Hip.Version.empty()) {}

  HipDefaults decide();

private:
  bool headersOlderThan(unsigned Major, unsigned Minor) const {
    return WantsHeaders && Hip.Version < VersionTuple(Major, Minor);
  }
  bool userDefines(StringRef Macro) const;
  unsigned wavefrontSize(StringRef Target) const;

  void add(std::initializer_list<StringRef> Arguments) {
    for (StringRef Argument : Arguments)
      Result.Arguments.push_back(Argument.str());
  }
  void deviceLibraries();
  unsigned codeObjectVersion();
  void wavefrontMacros();
  void devicePass(unsigned CodeObject);
  void halfFunctions();
  void spirvBackend();

  const ArgList &Args;
  const HipInstallation &Hip;
  unsigned ClangMajor;
  StringRef Plugin;
  std::vector<std::string> Targets;
  bool WantsLibs, WantsHeaders;
  HipDefaults Result;
};
} // namespace

void Defaults::deviceLibraries() {
  if (!WantsLibs || Hip.DeviceLibs.empty() || Hip.ClangFindsDeviceLibs)
    return;
  add({"--rocm-device-lib-path=" + Hip.DeviceLibs});
  Result.Notes.push_back(Result.Arguments.back() +
                         ": Debian's folder, where clang does not look");
}

/// Returns the code object version of this compile, or 0 if it does not matter.
unsigned Defaults::codeObjectVersion() {
  // Runtimes that need an older version load none of these.
  if (any_of(Targets, [](StringRef Target) {
        return Target.contains("-generic") || Target.starts_with("amdgcnspirv");
      }))
    return 0;
  if (const Arg *A = Args.getLastArg(options::OPT_mcode_object_version_EQ)) {
    unsigned Version;
    return StringRef(A->getValue()).getAsInteger(10, Version) ? 0 : Version;
  }
  unsigned OwnDefault = ClangMajor >= 20 ? 6 : ClangMajor >= 18 ? 5 : 4;
  unsigned Wanted = OwnDefault;
  std::string Why;
  if (WantsLibs && Hip.NewestCodeObject != 0 && Hip.NewestCodeObject < Wanted) {
    Wanted = Hip.NewestCodeObject;
    Why = "the newest that the device libraries have";
  }
  unsigned OfRuntime = headersOlderThan(6, 0)   ? 4
                       : headersOlderThan(6, 3) ? 5
                                                : 6;
  if (OfRuntime < Wanted) {
    Wanted = OfRuntime;
    Why = "the newest that the runtime of HIP " + Hip.Version.getAsString() +
          " loads";
  }
  if (Wanted == OwnDefault)
    return OwnDefault;
  add({"-mcode-object-version=" + std::to_string(Wanted)});
  Result.Notes.push_back(Result.Arguments.back() + ": " + Why);
  return Wanted;
}

bool Defaults::userDefines(StringRef Macro) const {
  return any_of(Args, [&](const Arg *A) {
    return (A->getOption().matches(options::OPT_D) ||
            A->getOption().matches(options::OPT_U)) &&
           StringRef(A->getValue()).split('=').first == Macro;
  });
}

/// Returns the value that clang gave the macro while it had it.
unsigned Defaults::wavefrontSize(StringRef Target) const {
  if (Args.hasFlag(options::OPT_mwavefrontsize64,
                   options::OPT_mno_wavefrontsize64, false))
    return 64;
  AMDGPU::GPUKind Gpu = AMDGPU::parseArchAMDGCN(Target.split(':').first);
  return AMDGPU::getArchAttrAMDGCN(Gpu) & AMDGPU::FEATURE_WAVE32 ? 32 : 64;
}

/// HIP's headers before 7.0 use macros that clang has dropped since 20.
void Defaults::wavefrontMacros() {
  constexpr StringLiteral Macros[] = {"__AMDGCN_WAVEFRONT_SIZE",
                                      "__AMDGCN_WAVEFRONT_SIZE__"};
  if (ClangMajor < FirstWithoutNames || !headersOlderThan(7, 0) ||
      any_of(Macros, [&](StringRef Macro) { return userDefines(Macro); }))
    return;
  auto Define = [&](const Twine &Side, unsigned Size) {
    for (StringRef Macro : Macros) {
      // Avoids a redefinition warning of a clang that still has the macro.
      add({Side.str(), ("-U" + Macro).str()});
      add({Side.str(), (Twine("-D") + Macro + "=" + Twine(Size)).str()});
    }
  };
  Define("-Xarch_host", 64);
  std::vector<std::string> Processors;
  for (const std::string &Target : Targets) {
    if (StringRef(Target).starts_with("amdgcnspirv"))
      continue; // unknown before run time
    if (Target != "native") {
      Define("-Xarch_" + Target, wavefrontSize(Target));
      continue;
    }
    // clang finds the GPUs later than this: define the macro for all of them.
    SmallVector<StringRef, 64> All;
    AMDGPU::fillValidArchListAMDGCN(All);
    Define("-Xarch_device", 64);
    for (StringRef Processor : All)
      for (const char *Features : {"", ":xnack+", ":xnack-"})
        if (wavefrontSize(Processor) != 64)
          Define("-Xarch_" + Processor + Features, wavefrontSize(Processor));
  }
  Result.Notes.push_back("-D__AMDGCN_WAVEFRONT_SIZE=...: the headers of HIP " +
                         Hip.Version.getAsString() +
                         " use it, and this clang has it no more");
}

/// HIP 5 takes a kernel whose argument list contains those of OpenCL's device
/// queues for one that uses them, and dereferences a null pointer. clang lists
/// them unless it can prove that they are unused, which it cannot at -O0 or
/// beside printf(). And clang since 20 links neither hip.bc nor
/// oclc_daz_opt_*.bc, and rejects intrinsics with their names from before
/// opaque pointers.
void Defaults::devicePass(unsigned CodeObject) {
  constexpr unsigned FirstClang = 16;
  if (!headersOlderThan(6, 0))
    return;
  bool HasQueues = CodeObject == 4 && ClangMajor >= FirstClang;
  bool LacksNames = ClangMajor >= FirstWithoutNames;
  std::string Version = Hip.Version.getAsString();
  if (!Plugin.empty() && (HasQueues || LacksNames)) {
    add({"-Xarch_device", ("-fpass-plugin=" + Plugin).str()});
    std::string Added = Result.Arguments.back();
    if (HasQueues)
      Result.Notes.push_back(Added +
                             ": tells clang that HIP has no queues on the "
                             "device, which HIP " +
                             Version + " would look for");
    if (LacksNames)
      Result.Notes.push_back(Added +
                             ": defines what __syncthreads(), powf() and "
                             "atomicInc() of HIP " +
                             Version + " refer to, and this clang has no more");
    return;
  }
  std::string Way = "the clang that kpack was built with";
  const Arg *Level = Args.getLastArg(options::OPT_O_Group);
  if (HasQueues && (!Level || Level->getOption().matches(options::OPT_O0)))
    Result.Warnings.push_back(
        "kernels that clang " + std::to_string(ClangMajor) +
        " compiles without optimization crash the runtime of HIP " + Version +
        ", as do those with printf; compile with -O1 or more, or with " + Way);
  if (LacksNames)
    Result.Warnings.push_back(
        "kernels that use __syncthreads(), powf() or atomicInc() of HIP " +
        Version + " do not link with clang " + std::to_string(ClangMajor) +
        "; compile with " + Way + ", or with clang 19");
}

/// Defines half functions that clang had for HIP's headers before 5.6.
void Defaults::halfFunctions() {
  if (ClangMajor < FirstWithoutNames || !headersOlderThan(5, 6))
    return;
  add({"-D__llvm_amdgcn_rcp_f16(X)=((_Float16)1/(X))",
       "-D__llvm_amdgcn_rcp_2f16(X)=((__2f16)1/(__2f16)(X))"});
  Result.Notes.push_back("-D__llvm_amdgcn_rcp_f16(X)=...: hip_fp16.h of HIP " +
                         Hip.Version.getAsString() +
                         " uses it, and this clang has it no more");
}

/// clang makes SPIR-V with a program that is not part of LLVM, or with its back
/// end if an option selects that.
void Defaults::spirvBackend() {
#if LLVM_VERSION_MAJOR >= 22
  constexpr unsigned FirstClang = 22;
  if (ClangMajor < FirstClang || Hip.HasSpirvTranslator ||
      Args.hasArg(options::OPT_use_spirv_backend,
                  options::OPT_no_use_spirv_backend) ||
      !is_contained(Targets, "amdgcnspirv"))
    return;
  add({"-use-spirv-backend"});
  Result.Notes.push_back("-use-spirv-backend: there is no llvm-spirv");
#endif
}

HipDefaults Defaults::decide() {
  spirvBackend();
  deviceLibraries();
  unsigned CodeObject = codeObjectVersion();
  wavefrontMacros();
  halfFunctions();
  devicePass(CodeObject);
  if (!Result.Arguments.empty()) {
    Result.Arguments.insert(Result.Arguments.begin(),
                            "--start-no-unused-arguments");
    add({"--end-no-unused-arguments"});
  }
  return std::move(Result);
}

HipDefaults hipDefaults(const CommandLine &Command, const HipInstallation &Hip,
                        unsigned ClangMajor, StringRef Plugin) {
  return Defaults(Command, Hip, ClangMajor, Plugin).decide();
}

} // namespace kpack::driver

//===- ProgramSource.cpp - compile requests of program texts --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/Programs/ProgramSource.h"

#include "Jit/Executor/Gpu/DeviceRuntime.h"
#include "Jit/Executor/Programs/DevicePrelude.h"
#include "Jit/Executor/Programs/MathPrelude.h"
#include "Jit/Executor/Programs/SpanPrelude.h"

#include "Jit/Service/CompilePlan.h"
#include "Jit/Service/Toolchain.h"
#include "Support/Texts.h"
#include "kpack/Support/TargetId.h"

#include <algorithm>
#include <cctype>

using namespace kpack;
using namespace kpack::jit;

static Status invalid(const std::string &Object, const std::string &Why,
                      Errc Detail = Errc::UnsupportedOption) {
  return Status(StatusCode::InvalidArgument, Object + ": " + Why, Detail);
}

/// Flags with a folder, in the same word or the next one.
static constexpr std::string_view FolderFlags[] = {"-I", "-isystem", "-iquote",
                                                   "-idirafter", "-L"};

static bool isAllowedFlag(const std::string &Flag) {
  static constexpr std::string_view Starts[] = {
      "-O", "-D", "-U",       "-std=",        "-W",
      "-g", "-f", "-m",       "-nogpu",       "-pthread",
      "-l", "-w", "-stdlib=", "--rocm-path=", "--rocm-device-lib-path="};
  static constexpr std::string_view Refused[] = {"-Wl,",
                                                 "-Wa,",
                                                 "-Wp,",
                                                 "-flto",
                                                 "-fgpu-rdc",
                                                 "-fsyntax-only",
                                                 "-mllvm",
                                                 "-fuse-ld",
                                                 "-fplugin",
                                                 "-fpass-plugin",
                                                 "-fmodule",
                                                 "-fno-integrated",
                                                 "-fembed-bitcode",
                                                 "-ftime-trace",
                                                 "-fprofile",
                                                 "-fcoverage",
                                                 "-gsplit",
                                                 "-gcc"};
  auto BeginsWith = [&](std::string_view Start) {
    return startsWith(Flag, Start);
  };
  return std::any_of(std::begin(Starts), std::end(Starts), BeginsWith) &&
         std::none_of(std::begin(Refused), std::end(Refused), BeginsWith);
}

/// Adds \p Flags to the compile and to the link. Errors: InvalidArgument.
static Status addFlags(CompileRequest &Request,
                       const std::vector<std::string> &Flags) {
  for (size_t I = 0; I < Flags.size(); ++I) {
    const std::string &Flag = Flags[I];
    const std::string_view *Option = std::find_if(
        std::begin(FolderFlags), std::end(FolderFlags),
        [&](std::string_view Name) { return startsWith(Flag, Name); });
    if (Option != std::end(FolderFlags)) {
      bool IsAlone = Flag.size() == Option->size();
      std::string Folder = !IsAlone               ? Flag.substr(Option->size())
                           : I + 1 < Flags.size() ? Flags[++I]
                                                  : "";
      if (!startsWith(Folder, "/"))
        return invalid("flag '" + Flag + "'",
                       "needs a folder with an absolute path; the source is "
                       "compiled somewhere else");
      std::vector<std::string> &List =
          *Option == "-L" ? Request.LinkFlags : Request.Flags;
      List.insert(List.end(), {std::string(*Option), std::move(Folder)});
      continue;
    }
    if (!isAllowedFlag(Flag))
      return invalid("flag '" + Flag + "'",
                     "is none that a source in memory can be given; take flags "
                     "that say how code is made (-O, -D, -f, -m, -I)");
    (startsWith(Flag, "-l") ? Request.LinkFlags : Request.Flags)
        .push_back(Flag);
  }
  return Status::success();
}

/// Reads KPACK_JIT_TARGET; the last match wins.
static std::string targetFromEnvironment(UnitKind Kind) {
  std::string Found;
  for (const std::string &Target : splitAt(variable("KPACK_JIT_TARGET"), ','))
    if (startsWith(Target, "gfx") == (Kind == UnitKind::Kernel))
      Found = Target;
  return Found;
}

/// Returns true if the name is safe for -march=: it cannot add another flag.
static bool isProcessorName(const std::string &Name) {
  return std::all_of(Name.begin(), Name.end(), [](unsigned char C) {
    return std::isalnum(C) || C == '-' || C == '_' || C == '.' || C == '+';
  });
}

Status jit::checkTargets() {
  std::string Value = variable("KPACK_JIT_TARGET");
  for (const std::string &Target : splitAt(Value, ','))
    if (startsWith(Target, "gfx") ? !isValidTargetId(Target)
                                  : !isProcessorName(Target))
      return invalid("KPACK_JIT_TARGET=" + Value,
                     "is not a processor, a GPU's target id, or both with a "
                     "comma");
  return Status::success();
}

static Status forHost(CompileRequest &Request, const ProgramSource &Source) {
  Request.Source = Source.Name.empty() ? "source.cpp" : Source.Name;
  Request.Symbols = {EntryTableSymbol};
  std::string Processor = Source.Target.empty()
                              ? targetFromEnvironment(Source.Kind)
                              : Source.Target;
  Request.Flags.push_back("-march=" +
                          (Processor.empty() ? "native" : Processor));
  // --as-needed drops libraries that the functions do not use, above all the
  // C++ library. Profilers identify the file by its build id.
  Request.LinkFlags = {"-fuse-ld=lld", "-Wl,--as-needed", "-Wl,--build-id"};
  return Status::success();
}

static bool has(const std::string &Text, const char *Phrase) {
  return Text.find(Phrase) != std::string::npos;
}

/// Returns true if host functions launch kernels of their text. Other C++ does
/// not contain both words, and no host target is a valid target id.
static bool launchesKernels(const ProgramSource &Source) {
  return Source.Target.empty()
             ? has(Source.Text, "__global__") && has(Source.Text, "<<<")
             : isValidTargetId(Source.Target);
}

/// Sets the language, the target and the flags for GPU code.
static Status forGpu(CompileRequest &Request, const ProgramSource &Source) {
  Request.Target = Source.Target.empty()
                       ? targetFromEnvironment(UnitKind::Kernel)
                       : Source.Target;
  if (Request.Target.empty()) {
    Result<std::string> Current = deviceTarget(-1);
    if (!Current)
      return Status(Current.status().code(),
                    Request.Source +
                        ": no target is given, and there is no device "
                        "whose target it could be: " +
                        Current.status().message(),
                    Errc::NoDevice);
    Request.Target = std::move(*Current);
  }
  Request.Lang = Language::Hip;
  if (isPtxTarget(Request.Target) && Source.Kind == UnitKind::Kernel) {
    Request.Output = CompileOutput::Ptx;
    Request.Flags.insert(Request.Flags.end(), {"-nogpuinc", "-nogpulib"});
    return Status::success();
  }
  if (!isValidTargetId(Request.Target))
    return invalid("target '" + Request.Target + "'",
                   "is no target id; write one like gfx90a:xnack-",
                   Errc::WrongIsa);
  // ROCm 4.2 and later load version 4; generic targets need the newest.
  if (!has(Request.Target, "-generic"))
    Request.Flags.push_back("-mcode-object-version=4");
  if (!has(Source.Text, "hip/hip_"))
    Request.Flags.insert(Request.Flags.end(), {"-nogpuinc", "-nogpulib"});
  return Status::success();
}

/// Sets the compile of \p Source, except the user's flags.
static Status choose(CompileRequest &Request, const ProgramSource &Source) {
  if (Source.Kind == UnitKind::Kernel) {
    Request.Source = Source.Name.empty() ? "source.hip" : Source.Name;
    Request.Output = CompileOutput::CodeObject;
    return forGpu(Request, Source);
  }
  if (!launchesKernels(Source))
    return forHost(Request, Source);
  ProgramSource ForThisMachine = Source;
  ForThisMachine.Target.clear();
  Status Chosen = forHost(Request, ForThisMachine);
  return Chosen.ok() ? forGpu(Request, Source) : Chosen;
}

/// Returns the name that a flag "-DNAME(x)=..." defines; else empty.
static std::string definedName(const std::string &Flag) {
  return startsWith(Flag, "-D") ? Flag.substr(2, Flag.find_first_of("(=") - 2)
                                : std::string();
}

/// Wraps \p Prelude so that macros of -D options, which are for the text, do
/// not affect it. Macros that the prelude reads begin with KPACK_.
static std::string withoutMacros(std::string Prelude,
                                 const std::vector<std::string> &Flags) {
  std::string Before, After;
  for (const std::string &Flag : Flags)
    if (std::string Name = definedName(Flag);
        !Name.empty() && !startsWith(Name, "KPACK_")) {
      Before += "#pragma push_macro(\"" + Name + "\")\n#undef " + Name + "\n";
      After += "#pragma pop_macro(\"" + Name + "\")\n";
    }
  return Prelude.empty() ? Prelude : Before + std::move(Prelude) + After;
}

Result<CompileRequest> jit::makeRequest(const ProgramSource &Source) {
  Result<SourceText> Text =
      makeUnit(Source.Text, Source.Headers, Source.Constants, Source.Entries,
               Source.Kind, Source.Types);
  if (!Text)
    return Text.status();
  CompileRequest Request;
  Request.Flags = {"-O3", "-std=c++20"};
  if (Status Chosen = choose(Request, Source); !Chosen.ok())
    return Chosen;
  Request.Name = Request.Source;
  std::string Wanted = Source.Compiler;
  Result<std::string> Compiler =
      findCompiler({Wanted.empty() ? variable("KPACK_JIT_COMPILER") : Wanted,
                    variable("ROCM_PATH"), variable("PATH")});
  if (!Compiler)
    return Compiler.status();
  Request.Compiler = std::move(*Compiler);
  if (Status Added = addFlags(Request, Source.Flags); !Added.ok())
    return Added;
  std::string Prelude = spanPrelude(Source);
  if (Request.Lang == Language::Hip &&
      std::find(Request.Flags.begin(), Request.Flags.end(), "-nogpuinc") !=
          Request.Flags.end()) {
    PreludeFor Gpu = Request.Output == CompileOutput::Ptx ? PreludeFor::Nvidia
                                                          : PreludeFor::Amd;
    Prelude = devicePrelude(Gpu, Source.Kind == UnitKind::Host) +
              mathPrelude(Gpu, Source) + Prelude;
  }
  Text->Before =
      withoutMacros(std::move(Prelude), Request.Flags) + Text->Before;
  Request.Text = std::move(*Text);
  for (const UnitEntry &Entry : Source.Entries)
    Request.Entries.push_back(Entry.Expression);
  return Request;
}

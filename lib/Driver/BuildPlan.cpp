//===- BuildPlan.cpp - clang commands of one command line -----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every command is the user's argument list with a few options removed and a
// few appended, where they win. Files that clang names after -o (dependency
// files, .dwo, .su) get the names that the user's one command would have given
// them, although our compiles write elsewhere.
//
//===----------------------------------------------------------------------===//

#include "BuildPlan.h"
#include "ClangOptions.h"
#include "Cuid.h"
#include "PlanNames.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace llvm::opt;
using kpack::objectError;

namespace kpack::driver {

using Arguments = std::vector<std::string>;

static bool matchesAny(const Option &O, ArrayRef<OptSpecifier> Ids) {
  return any_of(Ids, [&](OptSpecifier Id) { return O.matches(Id); });
}

static void append(Arguments &Args, std::initializer_list<StringRef> Added) {
  for (StringRef Argument : Added)
    Args.push_back(Argument.str());
}

/// Appends cc1 arguments, of which the last of a kind wins.
static void appendCc1(Arguments &Args, std::initializer_list<StringRef> Added) {
  for (StringRef Argument : Added)
    append(Args, {"-Xclang", Argument});
}

//===----------------------------------------------------------------------===//
// Compiles
//===----------------------------------------------------------------------===//

/// True for options of input and output, which each of our commands sets anew,
/// and for those that only affect fat binaries.
static bool isReplaced(const Option &O) {
  return matchesAny(
      O, {options::OPT_o, options::OPT_x, options::OPT__DASH_DASH,
          options::OPT_Action_Group, options::OPT_cuid_EQ,
          options::OPT_fuse_cuid_EQ, options::OPT_offload_new_driver,
          options::OPT_no_offload_new_driver, options::OPT_offload_compress,
          options::OPT_no_offload_compress,
          options::OPT_offload_compression_level_EQ,
          options::OPT__HASH_HASH_HASH, options::OPT_offload_host_device,
          options::OPT_gpu_bundle_output, options::OPT_no_gpu_bundle_output});
}

static bool choosesTargets(const Option &O) {
  return matchesAny(
      O, {options::OPT_offload_arch_EQ, options::OPT_no_offload_arch_EQ});
}

/// True for options of side outputs that stock clang makes in the host job
/// only, or for which the host job's output replaces that of the device jobs.
static bool isHostSideOutput(const Option &O) {
  return matchesAny(O, {options::OPT_M_Group, options::OPT_save_stats_EQ,
                        options::OPT_ftime_trace, options::OPT_ftime_trace_EQ,
                        options::OPT_fstack_usage,
                        options::OPT_gen_cdb_fragment_path});
}

static bool isSharedSideOutput(const Option &O) {
  return matchesAny(O, {options::OPT_M_Group, options::OPT_fstack_usage});
}

template <typename Predicate>
static Arguments commonArguments(const CommandLine &Command,
                                 const Toolbox &Tools, Predicate Drop) {
  Arguments Result{Tools.Clang};
  for (const Arg *A : Command.args()) {
    const Option &O = A->getOption();
    if (Command.isOwn(*A) || Command.fromConfig(*A) || isReplaced(O) ||
        O.getKind() == Option::InputClass || O.hasFlag(options::LinkerInput) ||
        Drop(O))
      continue;
    append_range(Result, Command.spelling(*A));
  }
  return Result;
}

/// Appends the options of every captured compile: diagnostics as if it wrote to
/// our stderr. The dry run, which sees all arguments, reports unused ones.
static void appendCaptureOptions(const CommandLine &Command,
                                 const Toolbox &Tools, Arguments &Target) {
  const ArgList &Args = Command.args();
  append(Target, {"-Qunused-arguments"});
  if (Tools.Colour && !Args.hasArg(options::OPT_fcolor_diagnostics,
                                   options::OPT_fno_color_diagnostics))
    append(Target, {"-fcolor-diagnostics"});
  if (Tools.Columns != 0 && !Args.hasArg(options::OPT_fmessage_length_EQ))
    append(Target, {"-fmessage-length=" + std::to_string(Tools.Columns)});
}

static void appendSource(const Input &Source, Arguments &Args) {
  if (!Source.Language.empty())
    append(Args, {"-x", Source.Language});
  if (StringRef(Source.Path).starts_with("-") && Source.Path != "-")
    append(Args, {"--"});
  append(Args, {Source.Path});
}

static DeviceCompile deviceCompile(const CommandLine &Command,
                                   const Toolbox &Tools, const Names &Name,
                                   const Input &Source, StringRef Cuid,
                                   StringRef Target, size_t Index) {
  DeviceCompile Result;
  Result.Target = Target.str();
  Result.Output = Name.codeObject(Source, Target, Index);
  Arguments &Args = Result.Arguments;
  Args = commonArguments(Command, Tools, [](const Option &O) {
    return choosesTargets(O) || isHostSideOutput(O);
  });
  append(Args, {"--no-offload-new-driver", "--offload-device-only",
                "--no-gpu-bundle-output"});
  if (Command.args().hasArg(options::OPT_config))
    append(Args, {"--no-offload-arch=all"}); // drops those of the file
  append(Args, {("--offload-arch=" + Target).str(), ("-cuid=" + Cuid).str()});
  if (Command.args().hasArg(options::OPT_gsplit_dwarf,
                            options::OPT_gsplit_dwarf_EQ)) {
    std::string Dwo = Name.deviceDwo(Source, Target);
    appendCc1(Args, {"-split-dwarf-file", Dwo, "-split-dwarf-output", Dwo});
  }
  appendCaptureOptions(Command, Tools, Args);
  append(Args, {"-c", "-o", Result.Output});
  appendSource(Source, Args);
  return Result;
}

/// Appends the names of side outputs for a compile whose real -o is the linked
/// file.
static void appendOneShotNames(const CommandLine &Command, const Names &Name,
                               const Input &Source, Arguments &Target) {
  const ArgList &Args = Command.args();
  append(Target, {"-dumpdir", Name.dumpDir()});
  if (Name.sideOutputIsOverwritten(Source))
    return;
  if (Args.hasArg(options::OPT_MD, options::OPT_MMD)) {
    if (!Args.hasArg(options::OPT_MF))
      append(Target, {"-MF", Name.besideOutput(Source, "d")});
    if (!Args.hasArg(options::OPT_MT, options::OPT_MQ))
      append(Target,
             {"-MQ", Command.output().empty() ? Name.besideOutput(Source, "o")
                                              : Command.output().str()});
  }
  if (Args.hasArg(options::OPT_fstack_usage))
    appendCc1(Target, {"-stack-usage-file", Name.besideOutput(Source, "su")});
}

/// Appends the last arguments of a compile for the host.
static void appendHostEnd(const CommandLine &Command, const Toolbox &Tools,
                          const Names &Name, const Input &Source,
                          StringRef Output, Arguments &Args) {
  if (Name.linking())
    appendOneShotNames(Command, Name, Source, Args);
  appendCaptureOptions(Command, Tools, Args);
  if (Command.emitsLlvm())
    append(Args, {"-emit-llvm"});
  append(Args, {Command.Mode == Action::Assembly ? "-S" : "-c"});
  if (!Output.empty())
    append(Args, {"-o", Output});
  appendSource(Source, Args);
}

static Arguments hostCompile(const CommandLine &Command, const Toolbox &Tools,
                             const Names &Name, const Input &Source,
                             StringRef Cuid, StringRef Output) {
  const ArgList &Args = Command.args();
  bool Overwritten = Name.sideOutputIsOverwritten(Source);
  Arguments CommandArgs = commonArguments(Command, Tools, [&](const Option &O) {
    return Overwritten && isSharedSideOutput(O);
  });
  append(CommandArgs, {"--no-offload-new-driver", "--offload-host-only"});
  // The driver of LLVM 19 drops -cuid= from a host-only compile.
  append(CommandArgs, {("-cuid=" + Cuid).str()});
  appendCc1(CommandArgs, {("-cuid=" + Cuid).str()});
  if (Command.hostIsBitcode() || Command.Mode == Action::Assembly ||
      Args.hasArg(options::OPT_ffat_lto_objects))
    append(CommandArgs, {"-fpass-plugin=" + Tools.Plugin});
  appendHostEnd(Command, Tools, Name, Source, Output, CommandArgs);
  return CommandArgs;
}

/// Returns the compile of a source that is not HIP.
static Arguments otherCompile(const CommandLine &Command, const Toolbox &Tools,
                              const Names &Name, const Input &Source,
                              StringRef Object) {
  bool Overwritten = Name.sideOutputIsOverwritten(Source);
  Arguments Args = commonArguments(Command, Tools, [&](const Option &O) {
    return choosesTargets(O) || (Overwritten && isSharedSideOutput(O)) ||
           matchesAny(O, {options::OPT_hip_link, options::OPT_fgpu_rdc,
                          options::OPT_fno_gpu_rdc});
  });
  appendHostEnd(Command, Tools, Name, Source, Object, Args);
  return Args;
}

//===----------------------------------------------------------------------===//
// Commands with inputs in place
//===----------------------------------------------------------------------===//

/// Returns the user's arguments in order, each input unchanged or replaced by
/// the path that \p Replace(Input) returns. Repeats -x where it is needed.
template <typename Predicate, typename Replacer>
static Arguments argumentsInPlace(const CommandLine &Command,
                                  const Toolbox &Tools, Predicate Drop,
                                  Replacer Replace) {
  Arguments Result{Tools.Clang};
  Arguments Behind; // inputs after "--"
  std::string Language = "none";
  auto AddInput = [&](const Input &I, bool AfterDashes) {
    std::optional<std::string> Other = Replace(I);
    std::string Wanted = Other || I.Language.empty() ? "none" : I.Language;
    if (Wanted != Language) {
      append(Result, {"-x", Wanted});
      Language = Wanted;
    }
    (AfterDashes ? Behind : Result).push_back(Other ? *Other : I.Path);
  };

  const Input *Next = Command.Inputs.data();
  const Input *End = Next + Command.Inputs.size();
  for (const Arg *A : Command.args()) {
    const Option &O = A->getOption();
    bool AfterDashes = O.matches(options::OPT__DASH_DASH);
    if (AfterDashes || O.getKind() == Option::InputClass) {
      for (; Next != End && Next->Option == A; ++Next)
        AddInput(*Next, AfterDashes);
      continue;
    }
    if (!Command.isOwn(*A) && !Command.fromConfig(*A) &&
        !O.matches(options::OPT_x) && !Drop(O))
      append_range(Result, Command.spelling(*A));
  }
  if (!Behind.empty())
    append(Result, {"--"});
  Result.insert(Result.end(), Behind.begin(), Behind.end());
  return Result;
}

static std::string defaultArchive(StringRef Output) {
  SmallString<128> Name(sys::path::parent_path(Output));
  sys::path::append(Name, ".kpack",
                    sys::path::filename(Output) + "_@GFXARCH@.kpack");
  return std::string(Name);
}

static void appendLinkerOptions(const CommandLine &Command,
                                ArrayRef<std::string> DeviceLinkArgs,
                                Arguments &Args) {
  const KpackOptions &K = Command.Kpack;
  // -Xlinker and not -Wl,: a file name may contain a comma.
  auto Add = [&](const Twine &Argument) {
    append(Args, {"-Xlinker", Argument.str()});
  };
  StringRef Output = Command.output().empty() ? "a.out" : Command.output();
  Add("--kpack=" + (K.Archive.empty() ? defaultArchive(Output) : K.Archive));
  if (!K.Name.empty())
    Add("--kpack-name=" + K.Name);
  if (!K.Group.empty())
    Add("--kpack-group=" + K.Group);
  for (const std::string &Path : K.SearchPaths)
    Add("--kpack-search-path=" + Path);
  if (!K.Compression.empty())
    Add("--kpack-compression=" + K.Compression);
  if (!K.DeviceDebug.empty())
    Add("--kpack-device-debug=" + K.DeviceDebug);
  if (K.Jobs != 0)
    Add("--kpack-threads=" + Twine(K.Jobs));
  for (const std::string &Argument : DeviceLinkArgs)
    Add("--kpack-device-link-arg=" + Argument);
}

static Error checkLinker(const ArgList &Args) {
  if (const Arg *A = Args.getLastArg(options::OPT_ld_path_EQ))
    return objectError(A->getAsString(Args),
                       "--emit-kpack links with ld.kpack; drop the option, or "
                       "link with clang++ and --ld-path=ld.kpack yourself");
  const Arg *A = Args.getLastArg(options::OPT_fuse_ld_EQ);
  if (A && StringRef(A->getValue()) != "lld" &&
      StringRef(A->getValue()) != "ld.lld" && StringRef(A->getValue()) != "")
    return objectError(A->getAsString(Args),
                       "--emit-kpack links with ld.kpack, which is lld; drop "
                       "the option or give -fuse-ld=lld");
  return Error::success();
}

Expected<Arguments> linkCommand(const CommandLine &Command,
                                const Toolbox &Tools, const Plan &Compiled,
                                ArrayRef<std::string> DeviceLinkArgs) {
  const ArgList &Args = Command.args();
  if (Error E = checkLinker(Args))
    return std::move(E);

  auto Drop = [](const Option &O) {
    return choosesTargets(O) ||
           matchesAny(O, {options::OPT_fgpu_rdc, options::OPT_fno_gpu_rdc,
                          options::OPT_cuid_EQ, options::OPT_fuse_cuid_EQ,
                          options::OPT_offload_new_driver,
                          options::OPT_no_offload_new_driver,
                          options::OPT_offload_compress,
                          options::OPT_no_offload_compress,
                          options::OPT_offload_compression_level_EQ,
                          options::OPT_hip_link, options::OPT_fuse_ld_EQ,
                          options::OPT__HASH_HASH_HASH});
  };
  auto Object = [&](const Input &I) -> std::optional<std::string> {
    for (const TranslationUnit &Unit : Compiled.Units)
      if (Unit.Source == &I)
        return Unit.Object;
    for (const OtherSource &Other : Compiled.Others)
      if (Other.Source == &I)
        return Other.Object;
    return std::nullopt;
  };
  Arguments CommandArgs = argumentsInPlace(Command, Tools, Drop, Object);

  Arguments Extra;
  if (!Command.Kpack.HostOnly.empty() && !Args.hasArg(options::OPT_o))
    append(Extra, {"-o", Command.Kpack.HostOnly});
  // Link the HIP runtime like stock clang.
  if (Command.hasHipInput() || Args.hasArg(options::OPT_hip_link))
    append(Extra, {"--hip-link", "--no-offload-new-driver"});
  if (Compiled.compiles())
    append(Extra, {"-Qunused-arguments"});
  if (!Args.hasArg(options::OPT_emit_static_lib)) {
    append(Extra, {"-fuse-ld=lld", "--ld-path=" + Tools.Linker});
    // Before all libraries, and so before the HIP runtime.
    StringRef Folder = sys::path::parent_path(Tools.Plugin);
    if (Command.Kpack.Shim)
      append(Extra, {("-L" + Folder).str(), "-Xlinker", "-rpath", "-Xlinker",
                     Folder, "-lkpack_hip"});
    appendLinkerOptions(Command, DeviceLinkArgs, Extra);
  }
  // Before the inputs: after "--" they would be inputs themselves.
  CommandArgs.insert(CommandArgs.begin() + 1, Extra.begin(), Extra.end());
  return CommandArgs;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

Expected<Plan> makePlan(const CommandLine &Command, const Toolbox &Tools,
                        ArrayRef<std::string> Targets) {
  Plan Result;
  if (Command.isRdc() && is_contained(Targets, "amdgcnspirv"))
    return objectError("--offload-arch=amdgcnspirv",
                       "ld.kpack has no device link of -fgpu-rdc for it; drop "
                       "-fgpu-rdc, or name GPUs");
  std::vector<std::string> Cuids;
  if (Error E = cuids(Command).moveInto(Cuids))
    return std::move(E);

  Names Name(Command, Tools);
  for (auto [Index, Source] : enumerate(Command.Inputs)) {
    bool Temporary = Name.linking() || Name.isReplaced(Source);
    if (!Source.IsHip) {
      if (isSource(Source)) {
        OtherSource Other;
        Other.Source = &Source;
        if (Temporary)
          Other.Object = Name.linkObject(Source, Index);
        Other.Arguments =
            otherCompile(Command, Tools, Name, Source, Other.Object);
        Result.Others.push_back(std::move(Other));
      }
      continue;
    }
    TranslationUnit Unit;
    Unit.Source = &Source;
    Unit.Cuid = Cuids[Result.Units.size()];
    Unit.Kind = Command.isRdc() ? offload::PayloadKind::Rdc
                                : offload::PayloadKind::Image;
    Unit.Object =
        Temporary ? Name.linkObject(Source, Index) : Name.object(Source);
    Unit.HostOutput = isReplaceable(Unit.Object)
                          ? Unit.Object
                          : Name.linkObject(Source, Index);
    for (const std::string &Target : Targets)
      Unit.Devices.push_back(deviceCompile(Command, Tools, Name, Source,
                                           Unit.Cuid, Target, Index));
    Unit.HostArguments =
        hostCompile(Command, Tools, Name, Source, Unit.Cuid, Unit.HostOutput);
    Result.Units.push_back(std::move(Unit));
  }
  if (!Result.compiles())
    return Result;

  Result.Check = {Tools.Clang, "-###"};
  if (Tools.Colour)
    append(Result.Check, {"-fcolor-diagnostics"});
  Arguments Stock = Command.stockArguments();
  Result.Check.insert(Result.Check.end(), Stock.begin(), Stock.end());
  return Result;
}

} // namespace kpack::driver

//===- CommandLine.cpp - parsed command line of the driver ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Our options are those that clang's table does not have and that begin with
// one of our prefixes. So `-Xlinker --kpack-name=x` or a file called
// --emit-kpack after "--" is never taken for one of them.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"
#include "ClangOptions.h"
#include "Identity.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

#include <algorithm>

using namespace llvm;
using namespace llvm::opt;
using kpack::objectError;

namespace kpack::driver {

static constexpr StringLiteral OwnPrefixes[] = {
    "--emit-kpack", "--emit-host-only", "--kpack-", "--device-debug="};

static bool hasOwnPrefix(StringRef Argument) {
  return any_of(OwnPrefixes,
                [&](StringRef Prefix) { return Argument.starts_with(Prefix); });
}

bool mentionsKpack(ArrayRef<const char *> Argv) {
  return any_of(Argv, [](StringRef Argument) {
    return hasOwnPrefix(Argument) || Argument.starts_with("@");
  });
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads files named by --config, before the command line like clang. Names
/// without a directory are left to clang's search; the options in those files
/// reach every compile but do not select architectures.
static Error readConfigFiles(cl::ExpansionContext &Expander,
                             ArrayRef<const char *> Argv,
                             SmallVectorImpl<const char *> &Out) {
  for (size_t I = 0; I < Argv.size(); ++I) {
    StringRef Name = Argv[I];
    if (Name == "--")
      break;
    if (Name == "--config" && I + 1 < Argv.size())
      Name = Argv[++I];
    else if (!Name.consume_front("--config="))
      continue;
    if (!sys::path::has_parent_path(Name) || !sys::fs::exists(Name))
      continue; // clang reports the error
    if (Error E = Expander.readConfigFile(Name, Out))
      return E;
  }
  return Error::success();
}

Expected<std::unique_ptr<CommandLine>>
CommandLine::parse(ArrayRef<const char *> Argv,
                   ArrayRef<std::string> Supplied) {
  std::unique_ptr<CommandLine> Result(new CommandLine());
  SmallVector<const char *, 0> Given(Argv.begin(), Argv.end());
  cl::ExpansionContext Expander(Result->Memory, cl::TokenizeGNUCommandLine);
  if (Error E = Expander.expandResponseFiles(Given))
    return std::move(E);

  SmallVector<const char *, 0> All;
  if (Error E = readConfigFiles(Expander, Given, All))
    return std::move(E);
  Result->ConfigArguments = All.size();
  Result->SuppliedArguments = Supplied.size();
  for (StringRef Argument : Supplied)
    All.push_back(StringSaver(Result->Memory).save(Argument).data());
  All.append(Given.begin(), Given.end());

  unsigned MissingIndex = 0, MissingCount = 0;
  Result->Args = getDriverOptTable().ParseArgs(
      All, MissingIndex, MissingCount, Visibility(options::ClangOption));
  if (Error E = Result->takeOwnOptions())
    return std::move(E);
  for (const Arg *A : Result->Args)
    Result->Starts.push_back(A->getIndex());
  Result->collectInputs();
  Result->decideMode();
  if (MissingCount != 0)
    Result->Mode = Action::Stock; // clang names the option
  return std::move(Result);
}

bool CommandLine::isOwn(const Arg &A) const { return is_contained(Own, &A); }

bool CommandLine::fromConfig(const Arg &A) const {
  return A.getIndex() < ConfigArguments;
}

bool CommandLine::isSupplied(const Arg &A) const {
  return !fromConfig(A) && A.getIndex() < ConfigArguments + SuppliedArguments;
}

static Expected<unsigned> parseJobs(StringRef Spelling, StringRef Value) {
  unsigned Jobs;
  if (Value.getAsInteger(10, Jobs) || Jobs == 0 || Jobs > 4096)
    return objectError(Spelling, "not a number of jobs; give 1 to 4096");
  return Jobs;
}

static Error checkCompression(StringRef Spelling, StringRef Value) {
  auto [Scheme, Level] = Value.split(':');
  int Parsed;
  if (Value == "none" || Value == "zstd" ||
      (Scheme == "zstd" && !Level.getAsInteger(10, Parsed) && Parsed >= 1 &&
       Parsed <= 22))
    return Error::success();
  return objectError(Spelling,
                     "unknown compression; give none, zstd or zstd:1 to "
                     "zstd:22");
}

Error CommandLine::takeOwnOptions() {
  for (const Arg *A : Args) {
    if (A->getOption().getID() != options::OPT_UNKNOWN)
      continue;
    StringRef Spelling = Args.getArgString(A->getIndex());
    if (!hasOwnPrefix(Spelling))
      continue;
    Own.push_back(A);
    auto [Name, Value] = Spelling.split('=');
    bool HasValue = Spelling.contains('=');

    if (Name == "--emit-kpack") {
      Kpack.EmitKpack = true;
      if (HasValue && Value.empty())
        return objectError(Spelling, "no file name; give --emit-kpack=FILE, or "
                                     "--emit-kpack for the default name");
      Kpack.Archive = Value.str();
      continue;
    }
    if (Spelling == IdentityOption) {
      Kpack.AsksIdentity = true;
      continue;
    }
    if (Spelling == "--kpack-shim") {
      Kpack.Shim = true;
      Kpack.NeedEmitKpack.push_back(Spelling.str());
      continue;
    }
    std::string *Text = StringSwitch<std::string *>(Name)
                            .Case("--emit-host-only", &Kpack.HostOnly)
                            .Case("--kpack-group", &Kpack.Group)
                            .Case("--kpack-name", &Kpack.Name)
                            .Case("--kpack-compression", &Kpack.Compression)
                            .Case("--device-debug", &Kpack.DeviceDebug)
                            .Case("--kpack-clang", &Kpack.Clang)
                            .Default(nullptr);
    bool IsJobs = Name == "--kpack-jobs";
    bool IsSearchPath = Name == "--kpack-search-path";
    if (!Text && !IsJobs && !IsSearchPath)
      return objectError(Spelling,
                         "unknown option; see kpack-clang++ --kpack-help");
    if (Value.empty())
      return objectError(Spelling, "no value; give " + Name + "=VALUE");
    if (Text)
      *Text = Value.str();
    else if (IsSearchPath)
      Kpack.SearchPaths.push_back(Value.str());
    else if (Error E = parseJobs(Spelling, Value).moveInto(Kpack.Jobs))
      return E;
    if (Name == "--kpack-compression")
      if (Error E = checkCompression(Spelling, Value))
        return E;
    if (Name == "--device-debug" && Value != "keep" && Value != "strip" &&
        Value != "split")
      return objectError(Spelling, "no such way; give keep, strip or split");
    if (Name == "--emit-host-only")
      Kpack.EmitKpack = true; // the device code needs an archive
    else if (Name != "--kpack-clang")
      Kpack.NeedEmitKpack.push_back(Spelling.str());
  }

  const Arg *Output = Args.getLastArg(options::OPT_o);
  if (!Kpack.HostOnly.empty() && Output && Output->getValue() != Kpack.HostOnly)
    return objectError("--emit-host-only=" + Kpack.HostOnly,
                       "-o names another file, " + Twine(Output->getValue()) +
                           "; give one of the two");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Inputs and mode
//===----------------------------------------------------------------------===//

static bool isHip(StringRef Path, StringRef Language) {
  if (!Language.empty())
    return Language == "hip" || Language == "hip-cpp-output";
  StringRef Extension = sys::path::extension(Path);
  return Extension == ".hip" || Extension == ".hipi";
}

void CommandLine::collectInputs() {
  std::string Language;
  auto Add = [&](const Arg *A, StringRef Path) {
    Inputs.push_back({A, Path.str(), Language, isHip(Path, Language)});
  };
  for (const Arg *A : Args) {
    if (A->getOption().matches(options::OPT_x))
      Language = StringRef(A->getValue()) == "none" ? "" : A->getValue();
    else if (A->getOption().getKind() == Option::InputClass)
      Add(A, A->getValue());
    else if (A->getOption().matches(options::OPT__DASH_DASH))
      for (StringRef Path : A->getValues())
        Add(A, Path);
  }
}

/// True for options that make clang print information instead of compiling.
static bool asksForInformation(const ArgList &Args) {
  return Args.hasArg(options::OPT_help, options::OPT__help_hidden,
                     options::OPT__version, options::OPT_dumpversion,
                     options::OPT_dumpmachine, options::OPT_print_search_dirs,
                     options::OPT_print_file_name_EQ) ||
         Args.hasArg(
             options::OPT_print_prog_name_EQ,
             options::OPT_print_libgcc_file_name,
             options::OPT_print_resource_dir, options::OPT_print_target_triple,
             options::OPT_print_effective_triple, options::OPT_print_multi_lib,
             options::OPT_print_targets, options::OPT_print_runtime_dir);
}

void CommandLine::decideMode() {
  Mode = Action::Link;
  for (const Arg *A : Args) {
    const Option &O = A->getOption();
    if (O.matches(options::OPT_M) || O.matches(options::OPT_MM) ||
        O.matches(options::OPT__analyze)) {
      Mode = Action::Stock;
      return;
    }
    if (!O.matches(options::OPT_Action_Group) ||
        O.matches(options::OPT_emit_llvm))
      continue;
    if (O.matches(options::OPT_S))
      Mode = Action::Assembly; // wins over -c, as in clang
    else if (O.matches(options::OPT_c))
      Mode = Mode == Action::Assembly ? Mode : Action::Object;
    else {
      Mode = Action::Stock;
      return;
    }
  }
  const Arg *Side = Args.getLastArg(options::OPT_offload_host_only,
                                    options::OPT_offload_device_only,
                                    options::OPT_offload_host_device);
  bool OneSide =
      Side && !Side->getOption().matches(options::OPT_offload_host_device);
  size_t Outputs = Mode == Action::Link ? 1 : Inputs.size();
  if (Inputs.empty() || OneSide || asksForInformation(Args) ||
      (Mode == Action::Link && emitsLlvm()) || // clang reports it
      (Outputs > 1 && !output().empty()) ||    // likewise
      (Mode != Action::Link && !hasHipInput()))
    Mode = Action::Stock;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

std::vector<std::string> CommandLine::stockArguments() const {
  std::vector<std::string> Result;
  if (!Kpack.HostOnly.empty() && !Args.hasArg(options::OPT_o))
    Result = {"-o", Kpack.HostOnly}; // first: after "--" it would be an input
  for (unsigned I = ConfigArguments; I < Args.getNumInputArgStrings(); ++I)
    if (none_of(Own, [&](const Arg *A) { return A->getIndex() == I; }))
      Result.push_back(Args.getArgString(I));
  return Result;
}

std::vector<std::string> CommandLine::spelling(const Arg &A) const {
  auto Next = std::upper_bound(Starts.begin(), Starts.end(), A.getIndex());
  unsigned End = Next == Starts.end() ? Args.getNumInputArgStrings() : *Next;
  std::vector<std::string> Result;
  for (unsigned I = A.getIndex(); I < End; ++I)
    Result.push_back(Args.getArgString(I));
  return Result;
}

StringRef CommandLine::output() const {
  if (const Arg *A = Args.getLastArg(options::OPT_o))
    return A->getValue();
  return Kpack.HostOnly;
}

bool CommandLine::hasHipInput() const {
  return any_of(Inputs, [](const Input &I) { return I.IsHip; });
}

bool CommandLine::isRdc() const {
  return Args.hasFlag(options::OPT_fgpu_rdc, options::OPT_fno_gpu_rdc, false);
}

bool CommandLine::emitsLlvm() const {
  return Args.hasArg(options::OPT_emit_llvm);
}

bool CommandLine::hostIsBitcode() const {
  const Arg *Lto = Args.getLastArg(options::OPT_flto, options::OPT_flto_EQ,
                                   options::OPT_fno_lto);
  return emitsLlvm() ||
         (Lto && !Lto->getOption().matches(options::OPT_fno_lto));
}

} // namespace kpack::driver

//===- PlanNames.cpp - names of a compile's output files ------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names are those of clang's driver; with --save-temps even temporary files
// get names in the user's directory.
//
//===----------------------------------------------------------------------===//

#include "PlanNames.h"
#include "ClangOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"

using namespace llvm;
using namespace llvm::opt;

namespace kpack::driver {

// The extensions of clang's Types.def that have a host compile.
bool isSource(const Input &I) {
  if (!I.Language.empty())
    return true;
  static constexpr StringLiteral Extensions[] = {
      ".c",   ".C",   ".cc",   ".cp",  ".cpp",  ".CC",   ".CPP", ".cxx", ".CXX",
      ".c++", ".C++", ".cppm", ".ccm", ".cxxm", ".c++m", ".i",   ".ii",  ".iim",
      ".mi",  ".mii", ".m",    ".mm",  ".M",    ".cl",   ".cu",  ".cui", ".s",
      ".S",   ".asm", ".ll",   ".bc",  ".pcm",  ".ast",  ".ifs", ".cir"};
  return is_contained(Extensions, sys::path::extension(I.Path));
}

StringRef baseName(const Input &Source) { return sys::path::stem(Source.Path); }

Names::Names(const CommandLine &Command, const Toolbox &Tools)
    : Command(Command), Tools(Tools) {
  const Arg *Keep = Command.args().getLastArg(options::OPT_save_temps_EQ);
  KeepTemps = Keep != nullptr;
  if (Keep && StringRef(Keep->getValue()) == "obj")
    TempsDir = sys::path::parent_path(Command.output()).str();
}

std::string Names::dumpDir() const {
  if (const Arg *A = Command.args().getLastArg(options::OPT_dumpdir))
    return A->getValue();
  if (!linking())
    return "";
  return Command.output().empty() ? "a-" : (Command.output() + "-").str();
}

std::string Names::object(const Input &Source) const {
  if (!Command.output().empty())
    return Command.output().str();
  bool Assembly = Command.Mode == Action::Assembly;
  StringRef Extension =
      Command.emitsLlvm() ? (Assembly ? "ll" : "bc") : (Assembly ? "s" : "o");
  SmallString<128> Name(sys::path::filename(Source.Path));
  sys::path::replace_extension(Name, Extension);
  return std::string(Name);
}

bool Names::isReplaced(const Input &Source) const {
  return any_of(Command.Inputs, [&](const Input &I) {
    return &I > &Source && (I.IsHip || isSource(I)) &&
           baseName(I) == baseName(Source);
  });
}

std::string Names::linkObject(const Input &Source, size_t Index) const {
  if (KeepTemps && !isReplaced(Source))
    return saved(Source, Source.IsHip
                             ? "-host-" + sys::getDefaultTargetTriple() + ".o"
                             : ".o");
  return temporary(Source, Index, ".o");
}

std::string Names::codeObject(const Input &Source, StringRef Target,
                              size_t Index) const {
  if (KeepTemps && !isReplaced(Source))
    return saved(Source, "-hip-" + offload::DeviceTriple + "-" + Target +
                             (Command.isRdc() ? ".bc.out" : ".out"));
  return temporary(Source, Index, "-" + Target + ".out");
}

std::string Names::deviceDwo(const Input &Source, StringRef Target) const {
  SmallString<128> Name;
  if (std::string Prefix = dumpDir(); !Prefix.empty())
    Name = Prefix + baseName(Source).str();
  else {
    std::string Object = object(Source);
    Name = sys::path::parent_path(Object);
    sys::path::append(Name, sys::path::stem(Object));
  }
  return (Name + "_" + Target + ".dwo").str();
}

bool Names::sideOutputIsOverwritten(const Input &Source) const {
  bool OneName = Command.args().hasArg(options::OPT_MF) ||
                 (linking() && !Command.output().empty());
  return OneName && any_of(Command.Inputs, [&](const Input &I) {
           return &I > &Source && (I.IsHip || isSource(I));
         });
}

std::string Names::besideOutput(const Input &Source,
                                StringRef Extension) const {
  SmallString<128> Name(Command.output());
  if (Name.empty())
    Name = sys::path::filename(Source.Path);
  sys::path::replace_extension(Name, Extension);
  return std::string(Name);
}

std::string Names::saved(const Input &Source, const Twine &Suffix) const {
  SmallString<128> Name(TempsDir);
  sys::path::append(Name, baseName(Source) + Suffix);
  return std::string(Name);
}

std::string Names::temporary(const Input &Source, size_t Index,
                             const Twine &Suffix) const {
  return (Tools.TempDir + "/" + baseName(Source) + "-" + Twine(Index) + Suffix)
      .str();
}

} // namespace kpack::driver

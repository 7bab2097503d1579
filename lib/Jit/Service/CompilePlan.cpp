//===- CompilePlan.cpp - command lines of a compile -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All commands start from halves(): the compile, its precompiled header, the
// preprocessor, the lists of headers and the dry run use the same arguments, so
// that a scan sees the source that the compile sees.
//
// Host and device are compiled by two commands, not by one driver call, so that
// they run in parallel and the device's code is a separate file, which
// ".incbin" then embeds in an object. clang would derive -cuid from the
// source's path; we derive it from target and symbols, because the object must
// not depend on the path.
//
// The last part parses compiler output: make rules, in which "a\ b.h" is one
// file, and the quoted words of -###.
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/CompilePlan.h"

#include "Support/BundleHeader.h"
#include "Support/OptionsWithValues.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace kpack;
using namespace kpack::jit;

bool jit::isOneOf(std::string_view Text,
                  std::initializer_list<std::string_view> Names) {
  return std::find(Names.begin(), Names.end(), Text) != Names.end();
}

//===----------------------------------------------------------------------===//
// The build's flags
//===----------------------------------------------------------------------===//

static bool isHipSource(const std::string &Source) {
  size_t Dot = Source.rfind('.');
  return Dot != std::string::npos &&
         isOneOf(Source.substr(Dot), {".hip", ".cu"});
}

/// Returns true if the value is the next word, which must not be parsed as an
/// option. Arguments for the linker look like options and are sorted like them.
static bool takesValue(const std::string &Flag) {
  return clangoptions::has(Flag, clangoptions::Separate, clangoptions::Linker);
}

static bool isSameFile(const std::string &Word, const std::string &Source,
                       const std::string &Directory) {
  return Word == Source ||
         (!Word.empty() && Word[0] != '-' &&
          absolute(Word, Directory) == absolute(Source, Directory));
}

SplitFlags jit::splitFlags(const std::vector<std::string> &Flags,
                           const std::string &Source,
                           const std::string &Directory) {
  SplitFlags Split;
  bool IsHip = isHipSource(Source);
  for (size_t I = 0; I < Flags.size(); ++I) {
    const std::string &Flag = Flags[I];
    bool HasNext = I + 1 < Flags.size();
    if (isOneOf(Flag, {"-o", "-MF", "-MT", "-MQ", "-x", "-MJ"})) {
      if (Flag == "-x" && HasNext)
        IsHip = Flags[I + 1] == "hip";
      ++I;
    } else if (startsWith(Flag, "--offload-arch=")) {
      IsHip = true;
      Split.Targets.push_back(Flag.substr(Flag.find('=') + 1));
    } else if (isOneOf(Flag, {"-c", "-S", "-E", "-MD", "-MMD", "-MP", "-M",
                              "-MM", "-shared", "-flto"}) ||
               startsWith(Flag, "-flto=") || startsWith(Flag, "-xhip") ||
               startsWith(Flag, "-MF") || startsWith(Flag, "-fgpu-rdc") ||
               startsWith(Flag, "--cuda-gpu-arch=") ||
               isSameFile(Flag, Source, Directory)) {
      IsHip |= startsWith(Flag, "-xhip");
    } else if (isOneOf(Flag, {"-L", "-l", "-Xlinker", "-z"}) && HasNext) {
      Split.Link.push_back(Flag);
      Split.Link.push_back(Flags[++I]);
    } else if (startsWith(Flag, "-l") || startsWith(Flag, "-L") ||
               startsWith(Flag, "-Wl,") || startsWith(Flag, "-fuse-ld=")) {
      Split.Link.push_back(Flag);
    } else {
      Split.Compile.push_back(Flag);
      if (takesValue(Flag) && HasNext)
        Split.Compile.push_back(Flags[++I]);
    }
  }
  Split.Lang = IsHip ? Language::Hip : Language::Cxx;
  return Split;
}

std::vector<std::string>
jit::flagsWithoutPaths(const std::vector<std::string> &Flags) {
  std::vector<std::string> Kept;
  for (size_t I = 0; I < Flags.size(); ++I) {
    const std::string &Flag = Flags[I];
    if (clangoptions::has(Flag, clangoptions::NoKeyOfTwo)) {
      ++I; // the key holds the included file
      continue;
    }
    if (!clangoptions::withValue(Flag, clangoptions::NoKey).empty())
      continue;
    Kept.push_back(Flag);
    if (takesValue(Flag) && I + 1 < Flags.size())
      Kept.push_back(Flags[++I]);
  }
  return Kept;
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

static Arguments commonArguments(const CompileRequest &Request) {
  Arguments Command{Request.Compiler};
  Command.insert(Command.end(), Request.Flags.begin(), Request.Flags.end());
  Command.insert(Command.end(), {"-fPIC", "-Qunused-arguments"});
  return Command;
}

static void add(Arguments &Command, std::initializer_list<std::string> Flags) {
  Command.insert(Command.end(), Flags);
}

/// Names device symbols of this source in the host half; independent of the
/// source's path.
static std::string cuid(const CompileRequest &Request) {
  std::string All = Request.Target;
  for (const std::string &Symbol : Request.Symbols)
    All += '\0' + Symbol;
  return "-cuid=" + toHex(sha256(All)).substr(0, 16);
}

/// Selects the oldest PTX version that has the GPU, so that the oldest driver
/// accepts it. clang would select by the installed CUDA, which we do not use.
static Arguments ptxArguments(const CompileRequest &Request) {
  const std::string &Target = Request.Target;
  bool IsPlain = Target.back() >= '0' && Target.back() <= '9';
  int Architecture = std::atoi(Target.c_str() + Target.find('_') + 1);
  const char *Version = Architecture > 90 ? "88" : IsPlain ? "78" : "80";
  Arguments Command = commonArguments(Request);
  add(Command, {"--no-offload-new-driver", "--offload-device-only",
                "--offload-arch=" + Target, "--cuda-path=/nonexistent",
                std::string("--cuda-feature=+ptx") + Version, cuid(Request)});
  return Command;
}

/// Returns the arguments of each half without the action.
static std::vector<Arguments> halves(const CompileRequest &Request) {
  if (Request.Lang == Language::Cxx)
    return {commonArguments(Request)};
  Arguments Host = commonArguments(Request), Device = Host;
  add(Host, {"--no-offload-new-driver", "--offload-host-only",
             "--offload-arch=" + Request.Target, cuid(Request)});
  // The driver of LLVM 19 drops -cuid= from a host-only compile.
  add(Host, {"-Xclang", cuid(Request)});
  add(Device, {"--no-offload-new-driver", "--offload-device-only",
               "--no-gpu-bundle-output", "--offload-arch=" + Request.Target,
               cuid(Request)});
  if (Request.Output == CompileOutput::Ptx)
    return {ptxArguments(Request)};
  if (Request.Output == CompileOutput::CodeObject)
    return {std::move(Device)};
  return {std::move(Host), std::move(Device)};
}

static const char *languageName(const CompileRequest &Request) {
  return Request.Lang == Language::Cxx          ? "c++"
         : Request.Output == CompileOutput::Ptx ? "cuda"
                                                : "hip";
}

static void addSource(Arguments &Command, const CompileRequest &Request) {
  add(Command, {"-x", languageName(Request), Request.Source});
}

std::vector<Arguments> jit::compileCommands(const CompileRequest &Request,
                                            const std::string &Folder,
                                            const PchFiles &Headers) {
  std::vector<Arguments> Commands = halves(Request);
  for (size_t I = 0; I < Commands.size(); ++I) {
    bool IsDevice = I == 1 || isDeviceCode(Request.Output);
    add(Commands[I], {Request.Output == CompileOutput::Ptx ? "-S" : "-c", "-o",
                      Folder + (IsDevice ? "/device.co" : "/host.o")});
    if (I < Headers.Paths.size())
      add(Commands[I],
          {"-Xclang", "-include-pch", "-Xclang", Headers.Paths[I], "-Xclang",
           "-preamble-bytes=" + std::to_string(Headers.PreambleBytes) + ",1"});
    addSource(Commands[I], Request);
  }
  return Commands;
}

std::vector<Arguments> jit::checkCommands(const CompileRequest &Request) {
  std::vector<Arguments> Commands = halves(Request);
  for (Arguments &Command : Commands) {
    add(Command, {"-fsyntax-only"});
    addSource(Command, Request);
  }
  return Commands;
}

Arguments jit::showCommand(const CompileRequest &Request, CompileText Kind,
                           const std::string &Output) {
  Arguments Command = halves(Request).back();
  if (Kind == CompileText::Ir)
    add(Command, {"-emit-llvm"});
  add(Command, {"-S", "-w", "-o", Output});
  addSource(Command, Request);
  return Command;
}

Arguments jit::pchCommand(const CompileRequest &Request, size_t Half,
                          const std::string &Output) {
  Arguments Command = halves(Request)[Half];
  // Headers beside the source are found first and keep their names.
  Command.insert(Command.begin() + 1, {"-iquote", getFolder(Request.Source)});
  add(Command, {"-fsyntax-only", "-Xclang", "-emit-pch", "-Xclang", "-o",
                "-Xclang", Output, "-Xclang", "-fpch-instantiate-templates",
                "-x", languageName(Request), "-"});
  return Command;
}

Arguments jit::irCommand(const CompileRequest &Request,
                         const std::string &Output) {
  Arguments Command = halves(Request).back();
  add(Command, {"-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-w",
                "-o", Output});
  addSource(Command, Request);
  return Command;
}

std::vector<Arguments> jit::preprocessCommands(const CompileRequest &Request) {
  std::vector<Arguments> Commands = halves(Request);
  for (Arguments &Command : Commands) {
    add(Command, {"-E", "-P", "-w", "-o", "-"});
    addSource(Command, Request);
  }
  return Commands;
}

bool jit::allowsPch(const CompileRequest &Request) {
  static constexpr std::string_view Refused[] = {
      "-g",          "-fprofile",    "-fcoverage", "--coverage", "-fplugin",
      "-fpass-pl",   "-include-pch", "-fmodule",   "-fcxx-mod",  "-ftime-trac",
      "-save-temps", "--save-temps", "-fdebug-ma", "-ftest-cov"};
  for (const std::string &Flag : Request.Flags)
    if (Flag != "-g0" && std::any_of(std::begin(Refused), std::end(Refused),
                                     [&](std::string_view Start) {
                                       return startsWith(Flag, Start);
                                     }))
      return false;
  return true;
}

std::vector<Arguments> jit::scanCommands(const CompileRequest &Request) {
  std::vector<Arguments> Commands = halves(Request);
  for (size_t I = 0; I < Commands.size(); ++I) {
    add(Commands[I], {"-M", "-w"});
    // The driver requests dependencies only for the host half.
    if (I != 0 || isDeviceCode(Request.Output))
      add(Commands[I], {"-Xclang", "-dependency-file", "-Xclang", "-"});
    addSource(Commands[I], Request);
  }
  return Commands;
}

std::vector<Arguments> jit::dryRunCommands(const CompileRequest &Request) {
  std::vector<Arguments> Commands = compileCommands(Request, "/nowhere");
  Commands.push_back(linkCommand(Request, {"/dev/null"}, "/nowhere/exports",
                                 "/nowhere/out.so"));
  for (Arguments &Command : Commands)
    Command.push_back("-###");
  return Commands;
}

Arguments jit::processorCommand(const CompileRequest &Request) {
  return {Request.Compiler, "-march=native", "-x",  "c++",
          "-fsyntax-only",  "/dev/null",     "-###"};
}

Arguments jit::assembleCommand(const CompileRequest &Request) {
  return {Request.Compiler, "-c",       "-o", "payload.o", "-x",
          "assembler",      "payload.s"};
}

Arguments jit::linkCommand(const CompileRequest &Request,
                           const Arguments &Objects,
                           const std::string &ExportsFile,
                           const std::string &Output) {
  Arguments Command{Request.Compiler,     "-shared", "-fPIC",
                    "-Qunused-arguments", "-o",      Output};
  Command.insert(Command.end(), Objects.begin(), Objects.end());
  // A blob's calls of its functions must not bind to another library's
  // definition.
  add(Command, {"-Wl,--allow-shlib-undefined", "-Wl,--build-id=none",
                "-Wl,-Bsymbolic-functions", "-Xlinker",
                "--version-script=" + ExportsFile});
  Command.insert(Command.end(), Request.LinkFlags.begin(),
                 Request.LinkFlags.end());
  return Command;
}

bool jit::needsNoLibraries(const CompileRequest &Request,
                           const std::vector<std::string> &Undefined) {
  // An object that uses no symbols has no destructors to run at unload, so it
  // needs no start files either.
  const std::vector<std::string> &Flags = Request.LinkFlags;
  return std::find(Flags.begin(), Flags.end(), "-Wl,--as-needed") !=
             Flags.end() &&
         std::all_of(Undefined.begin(), Undefined.end(),
                     [](const std::string &Symbol) {
                       return Symbol == "_GLOBAL_OFFSET_TABLE_";
                     });
}

std::string jit::exportsScript(const std::vector<std::string> &Symbols) {
  std::string Text = "{\n  global:\n";
  for (const std::string &Symbol : Symbols)
    Text += "    \"" + Symbol + "\";\n";
  return Text + "  local: *;\n};\n";
}

static std::string hidden(const std::string &Symbol) {
  return "\t.globl " + Symbol + "\n\t.hidden " + Symbol + "\n" + Symbol + ":\n";
}

std::string jit::payloadAssembly(const std::string &Symbol,
                                 const std::string &Handle) {
  std::string Text = "\t.section .hip_fatbin,\"a\",@progbits\n"
                     "\t.p2align 12\n" +
                     hidden(Symbol) + "\t.incbin \"device.hipfb\"\n";
  if (!Handle.empty())
    Text += "\t.bss\n\t.p2align 3\n" + hidden(Handle) + "\t.zero 8\n";
  return Text + "\t.section .note.GNU-stack,\"\",@progbits\n";
}

std::string jit::offloadBundle(const std::string &Target,
                               const std::string &CodeObject) {
  std::vector<BundleEntry> Entries = {
      {"host-x86_64-unknown-linux-gnu-", 0, 0},
      {deviceEntryId(Target), 0, CodeObject.size()}};
  constexpr uint64_t Page = 4096;
  uint64_t Start = (bundleHeader(Entries).size() + Page - 1) / Page * Page;
  for (BundleEntry &E : Entries)
    E.Offset = Start;
  std::string Bundle = bundleHeader(Entries);
  Bundle.resize(Start);
  return Bundle + CodeObject;
}

//===----------------------------------------------------------------------===//
// Compiler output
//===----------------------------------------------------------------------===//

std::vector<std::string> jit::filesOfMakeRule(const std::string &Rule) {
  std::vector<std::string> Files;
  size_t Colon = Rule.find(": ");
  if (Colon == std::string::npos)
    return Files;
  std::string File;
  auto Finish = [&] {
    if (!File.empty())
      Files.push_back(std::move(File));
    File.clear();
  };
  for (size_t I = Colon + 2; I < Rule.size(); ++I) {
    char C = Rule[I], Next = I + 1 < Rule.size() ? Rule[I + 1] : '\0';
    if (C == '\\' && (Next == '\n' || Next == ' ' || Next == '#')) {
      if (Next == '\n')
        Finish();
      else
        File += Next;
      ++I;
    } else if (C == '$' && Next == '$') {
      File += '$';
      ++I;
    } else if (C == ' ' || C == '\t') {
      Finish();
    } else if (C == '\n') {
      break;
    } else {
      File += C;
    }
  }
  Finish();
  return Files;
}

std::vector<Arguments> jit::commandsOfDryRun(const std::string &Text) {
  std::vector<Arguments> Commands;
  Arguments Command;
  for (size_t I = 0; I <= Text.size(); ++I) {
    if (I == Text.size() || Text[I] == '\n') {
      if (!Command.empty())
        Commands.push_back(std::move(Command));
      Command.clear();
      continue;
    }
    if (Text[I] != '"')
      continue;
    std::string Word;
    for (++I; I < Text.size() && Text[I] != '"'; ++I) {
      if (Text[I] == '\\' && I + 1 < Text.size())
        ++I;
      Word += Text[I];
    }
    Command.push_back(std::move(Word));
  }
  return Commands;
}

std::vector<std::string>
jit::filesOfDryRun(const std::vector<Arguments> &Commands) {
  std::vector<std::string> Files;
  for (const Arguments &Command : Commands)
    for (size_t I = 0; I < Command.size(); ++I)
      if (startsWith(Command[I], "/") &&
          (I == 0 || isOneOf(Command[I - 1], {"-mlink-builtin-bitcode",
                                              "-mlink-bitcode-file"})))
        Files.push_back(Command[I]);
  return Files;
}

std::string jit::shellQuoted(const Arguments &Args) {
  std::string Text;
  for (const std::string &Arg : Args) {
    if (!Text.empty())
      Text += ' ';
    bool Plain =
        !Arg.empty() && Arg.find_first_not_of(
                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX"
                            "YZ0123456789_-+=/.,:@%") == std::string::npos;
    if (Plain) {
      Text += Arg;
      continue;
    }
    Text += '\'';
    for (char C : Arg)
      Text += C == '\'' ? std::string("'\\''") : std::string(1, C);
    Text += '\'';
  }
  return Text;
}

std::string jit::getFolder(const std::string &Path) {
  return Path.substr(0, std::max<size_t>(Path.rfind('/'), 1));
}

std::string jit::absolute(const std::string &Path, const std::string &Base) {
  return (std::filesystem::path(Base) / Path).lexically_normal().string();
}

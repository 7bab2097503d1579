//===- InputScan.cpp - asks a compiler what it reads ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at Scan::run(). One round of commands gives the headers (-M)
// and the driver's plans (-###) of both halves; all else is derived from their
// output and from the texts of the headers. More is run only where it is
// needed: the preprocessor for ".incbin", the driver for a link that asks for
// the native processor.
//
// The list must be complete, for what is not on it can change unnoticed. A
// compiler that prints no headers is therefore an error, not an empty list.
// Files that name other files (@file, *.cfg) are followed up to a fixed number
// and size, since hostile ones could name each other. scanTools() asks the
// dynamic linker which libraries a program has, and never runs the program.
//
//===----------------------------------------------------------------------===//
#include "InputScan.h"

#include "CompileInputs.h"
#include "LinkedFiles.h"
#include "ObjectFile.h"

#include "Jit/Service/HostProcessor.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

/// Bytes of a program with its headers and what they point at.
constexpr size_t ProgramStart = 1 << 16;
/// Bytes of a file of flags, at most.
constexpr size_t MaxFlagFile = 1 << 20;
/// As many are followed: hostile ones could name each other.
constexpr size_t MaxFlagFiles = 256;

bool contains(const std::vector<std::string> &Files, const std::string &File) {
  return std::find(Files.begin(), Files.end(), File) != Files.end();
}

bool isFrontEnd(const Arguments &Words) {
  return Words.size() > 1 && Words[1] == "-cc1";
}

/// A folder all of whose names that end with \p Ending count.
void addListed(std::vector<FolderRecord> &To, std::string Path,
               std::string Ending) {
  std::error_code Ignored;
  if (std::filesystem::is_directory(Path, Ignored) &&
      std::none_of(To.begin(), To.end(), [&](const FolderRecord &F) {
        return F.Path == Path && F.Ending == Ending;
      }))
    To.push_back({std::move(Path), "", "", std::move(Ending), {}});
}

void addMissing(std::vector<FolderRecord> &To, const Absences &From) {
  for (const auto &[Path, Names] : From.folders()) {
    FolderRecord Folder;
    Folder.Path = Path;
    for (const std::string &Name : Names)
      Folder.Missing += (Folder.Missing.empty() ? "" : "/") + Name;
    To.push_back(std::move(Folder));
  }
}

/// Where the driver chooses a toolchain: another GCC or a configuration file
/// that comes to be there would be found.
void addToolchain(const Arguments &FrontEnd, std::vector<FolderRecord> &To,
                  Absences &Missing) {
  std::string Programs = folderOf(FrontEnd[0]);
  addListed(To, Programs, ".cfg");
  for (const char *Folder : {"/../lib", "/../lib64"})
    for (const char *Name : {"/gcc", "/gcc-cross"})
      Missing.add(Programs + Folder + Name);
  for (const std::string &Word : FrontEnd) {
    size_t At = Word.find("/gcc/");
    if (At == std::string::npos || Word[0] != '/')
      continue;
    std::string Gcc = Word.substr(0, At + 4);
    std::string Triple = Word.substr(0, Word.find('/', At + 5));
    addListed(To, Gcc, "*");
    addListed(To, Triple, "*");
    std::error_code Ignored;
    for (const auto &Version :
         std::filesystem::directory_iterator(Triple, Ignored))
      Missing.add(Version.path().string() + "/crtbegin.o");
    return;
  }
}

/// Where the driver looks for ROCm, if it has to look.
void addRocm(const Arguments &FrontEnd, const CompileRequest &Request,
             std::vector<std::string> &Files, std::vector<FolderRecord> &To,
             Absences &Missing) {
  if (Request.Lang != Language::Hip)
    return;
  std::vector<std::string> Roots;
  for (const std::string &Flag : Request.Flags)
    for (std::string_view Option : {"--rocm-path=", "--hip-path="})
      if (startsWith(Flag, Option))
        Roots.push_back(Flag.substr(Option.size()));
  if (Roots.empty())
    for (const char *Name : {"HIP_PATH", "ROCM_PATH"})
      if (const char *Value = ::getenv(Name))
        Roots.push_back(Value);
  if (Roots.empty()) {
    addListed(To, "/opt", "*");
    Roots = {folderOf(folderOf(FrontEnd[0])), "/opt/rocm", "/usr/local",
             "/usr"};
  }
  for (const std::string &Root : Roots) {
    std::string Version =
        absolute(Root + "/share/hip/version", Request.Directory);
    if (::access(Version.c_str(), R_OK) == 0)
      return addOnce(Files, Version); // the driver reads its numbers
    Missing.add(Version);
    Missing.add(absolute(Root + "/amdgcn/bitcode", Request.Directory));
  }
}

/// Precompiled headers that the driver would take in place of -include's.
void addPrecompiled(const Arguments &Flags, const std::string &Directory,
                    Absences &Missing) {
  for (size_t I = 0; I + 1 < Flags.size(); ++I)
    if (Flags[I] == "-include")
      for (const char *Ending : {".pch", ".gch"})
        Missing.add(absolute(Flags[I + 1] + Ending, Directory));
}

/// Adds the files of flags that \p Files name in turn: from where the compiler
/// runs, or from their own folder, as a configuration file does.
void follow(std::vector<std::string> &Files, const std::string &Directory) {
  for (size_t I = 0; I < Files.size() && Files.size() < MaxFlagFiles; ++I) {
    std::string Text = contentOf(Files[I], MaxFlagFile);
    std::string Folder = folderOf(Files[I]);
    for (size_t At = 0; (At = Text.find('@', At)) != std::string::npos;) {
      size_t End = Text.find_first_of("\"' \t\r\n", ++At);
      std::string Name = Text.substr(At, End - At);
      std::error_code Ignored;
      for (const std::string &Base : {Directory, Folder})
        if (std::string File = absolute(Name, Base);
            std::filesystem::is_regular_file(File, Ignored))
          addOnce(Files, std::move(File));
    }
  }
}

/// The files of flags among \p Flags, and those that they name.
std::vector<std::string> flagFilesOf(const Arguments &Flags,
                                     const std::string &Directory) {
  std::vector<std::string> Files;
  for (const std::string &Flag : Flags)
    if (startsWith(Flag, "@"))
      addOnce(Files, absolute(Flag.substr(1), Directory));
  follow(Files, Directory);
  return Files;
}

/// All that \p Flags and \p Files say.
std::string textOf(const Arguments &Flags,
                   const std::vector<std::string> &Files) {
  std::string All;
  for (const std::string &Flag : Flags)
    All += Flag + "\n";
  for (const std::string &File : Files)
    All += contentOf(File, MaxFlagFile) + "\n";
  return All;
}

/// Of a source that is no file all that it brings along is in \p Folder, and
/// known by its text.
void leaveOutTemporary(const std::string &Folder, FileNames &Names) {
  auto IsThere = [&](const std::string &Path) {
    return startsWith(Path + "/", Folder);
  };
  for (std::vector<std::string> *Files : {&Names.Files, &Names.Named})
    Files->erase(std::remove_if(Files->begin(), Files->end(), IsThere),
                 Files->end());
  Names.Folders.erase(std::remove_if(Names.Folders.begin(), Names.Folders.end(),
                                     [&](const FolderRecord &Record) {
                                       return IsThere(Record.Path);
                                     }),
                      Names.Folders.end());
}

/// Answers one question for inputs.
class Scan {
public:
  explicit Scan(CompileJob &Work) : Work(Work), Request(Work.Request) {}

  Result<FileNames> run();

private:
  Status headers(size_t Half, const JobResult &Outcome,
                 const std::string &Command);
  void plan(size_t Half, const JobResult &Outcome);
  Status searches();
  Status assembly(const HeaderTexts &Texts, size_t Half,
                  const SearchPath &Search);
  Status processor();
  void named(const std::vector<std::string> &Paths);

  CompileJob &Work;
  const CompileRequest &Request;
  FileNames Names;
  Absences Missing;
  std::vector<std::vector<std::string>> Printed; ///< headers of each half
  std::vector<Arguments> FrontEnds;              ///< of each half
  std::vector<std::string> FlagFiles;            ///< that hold flags
  std::vector<std::string> LinkFlagFiles;
  std::vector<JobResult> Preprocessed;
};

Status Scan::headers(size_t Half, const JobResult &Outcome,
                     const std::string &Command) {
  Printed.push_back(filesOfMakeRule(Outcome.Out));
  // The source itself at least: a compiler that says nothing would have stale
  // objects taken for fresh ones.
  if (Printed[Half].empty())
    return Status(StatusCode::InvalidArgument,
                  Request.Compiler +
                      ": does not say which headers it reads; name a "
                      "clang++\n  command: " +
                      Command);
  for (const std::string &File : Printed[Half])
    addOnce(Names.Files, absolute(File, Request.Directory));
  return Status::success();
}

void Scan::named(const std::vector<std::string> &Paths) {
  std::string Source = absolute(Request.Source, Request.Directory);
  for (const std::string &Path : Paths)
    if (Path != Source && !contains(Names.Files, Path) &&
        !startsWith(Path, Work.Folder + "/"))
      addOnce(Names.Named, Path);
}

void Scan::plan(size_t Half, const JobResult &Outcome) {
  std::vector<Arguments> Commands = commandsOfDryRun(Outcome.Err);
  for (const std::string &File : filesOfDryRun(Commands))
    if (File.size() > 3 && File.compare(File.size() - 3, 3, ".bc") == 0)
      addOnce(Names.Files, File);
  for (std::string &File : configurationFiles(Outcome.Err)) {
    addListed(Names.Folders, folderOf(File), ".cfg");
    addOnce(FlagFiles, std::move(File));
  }
  if (FrontEnds.size() <= Half)
    FrontEnds.emplace_back();
  for (const Arguments &Words : Commands) {
    named(namedFiles(Arguments(Words.begin() + 1, Words.end()),
                     Request.Directory));
    if (!isFrontEnd(Words))
      continue;
    // The device's is the request's target.
    if (Half == 0)
      Names.Facts.emplace_back("processor", processorOf(Words));
    FrontEnds[Half] = Words;
  }
}

/// Assembly is taken in when code is made: what the preprocessor prints has
/// its names.
Status Scan::assembly(const HeaderTexts &Texts, size_t Half,
                      const SearchPath &Search) {
  if (!Texts.hasIncbin())
    return Status::success();
  if (Preprocessed.empty()) {
    Result<std::vector<JobResult>> Done =
        Work.run(preprocessCommands(Request), Request.Directory);
    if (!Done)
      return Done.status();
    Preprocessed = std::move(*Done);
  }
  for (const std::string &Name : assemblyIncludes(Preprocessed[Half].Out))
    if (std::string File =
            findForAssembly(Name, Search, Request.Directory, Missing);
        !File.empty())
      addOnce(Names.Files, std::move(File));
  return Status::success();
}

Status Scan::searches() {
  bool IsDated = false;
  for (size_t Half = 0; Half < Printed.size(); ++Half) {
    SearchPath Search = SearchPath::of(FrontEnds[Half], Request.Directory);
    HeaderTexts Texts(Printed[Half], Request.Directory);
    Texts.addAbsences(Search, Missing);
    IsDated |= Texts.hasDate();
    if (Status Found = assembly(Texts, Half, Search); !Found.ok())
      return Found;
    if (FrontEnds[Half].empty())
      continue;
    addToolchain(FrontEnds[Half], Names.Folders, Missing);
    addRocm(FrontEnds[Half], Request, Names.Files, Names.Folders, Missing);
  }
  if (IsDated)
    Names.Facts.emplace_back("dated", "yes");
  return Status::success();
}

/// A link that makes code asks for itself, and says nothing.
Status Scan::processor() {
  std::string Link = textOf(Request.LinkFlags, LinkFlagFiles);
  std::string All = textOf(Request.Flags, FlagFiles) + Link;
  if (const char *Value = ::getenv("CCC_OVERRIDE_OPTIONS"))
    All += Value;
  if (!asksForProcessor(All))
    return Status::success();
  Names.Facts.emplace_back("native", "yes");
  if (!asksForProcessor(Link))
    return Status::success();
  Result<std::vector<JobResult>> Done =
      Work.run({processorCommand(Request)}, Request.Directory);
  if (!Done)
    return Done.status();
  for (const Arguments &Words : commandsOfDryRun((*Done)[0].Err))
    if (isFrontEnd(Words))
      Names.Facts.emplace_back("processor", processorOf(Words));
  return Status::success();
}

Result<FileNames> Scan::run() {
  std::vector<Arguments> Commands = scanCommands(Request);
  size_t Halves = Commands.size();
  for (Arguments &Dry : dryRunCommands(Request))
    Commands.push_back(std::move(Dry));
  Commands.pop_back(); // the link is scanTools()'
  Result<std::vector<JobResult>> Done = Work.run(Commands, Request.Directory);
  if (!Done)
    return Done.status();
  for (size_t I = 0; I < Halves; ++I)
    if (Status Read = headers(I, (*Done)[I], shellQuoted(Commands[I]));
        !Read.ok())
      return Read;
  FlagFiles = flagFilesOf(Request.Flags, Request.Directory);
  LinkFlagFiles = flagFilesOf(Request.LinkFlags, Request.Directory);
  for (size_t I = 0; I < Halves; ++I)
    plan(I, (*Done)[Halves + I]);
  follow(FlagFiles, Request.Directory); // configuration files, too
  named(namedFiles(Request.Flags, Request.Directory));
  named(FlagFiles);
  named(LinkFlagFiles);
  if (Status Searched = searches(); !Searched.ok())
    return Searched;
  addPrecompiled(Request.Flags, Request.Directory, Missing);
  if (Status Asked = processor(); !Asked.ok())
    return Asked;
  addMissing(Names.Folders, Missing);
  std::string Source = absolute(Request.Source, Request.Directory);
  Names.Files.erase(std::remove(Names.Files.begin(), Names.Files.end(), Source),
                    Names.Files.end());
  leaveOutTemporary(Work.Folder + "/", Names);
  return std::move(Names);
}

/// The libraries in the dynamic linker's own listing.
void addLibraries(const std::string &Listing, std::vector<std::string> &Files) {
  for (size_t At = 0; (At = Listing.find(" => /", At)) != std::string::npos;) {
    At += 4;
    size_t End = Listing.find(" (0x", At);
    if (End != std::string::npos)
      addOnce(Files, Listing.substr(At, End - At));
  }
}

Result<std::vector<std::string>> linked(CompileJob &Work) {
  std::string Rule = Work.Folder + "/linked.d";
  Result<std::vector<JobResult>> Done = Work.run(
      {linkedFilesCommand(Work.Request, Rule, Work.Folder + "/none.so")},
      Work.Request.Directory);
  if (!Done &&
      Done.status().message().find("unrecognized option") != std::string::npos)
    return silentLinker(Work.Request);
  if (!Done)
    return Done.status();
  return linkedFiles(Work.Request, contentOf(Rule));
}

/// Programs that were found by their names are found so again.
void addLookups(const std::vector<std::string> &Programs, FileNames &Names,
                Absences &Missing) {
  for (const std::string &Program : Programs) {
    if (Program == Programs.front())
      continue; // the compiler has a path of its own
    std::string Name = Program.substr(Program.rfind('/') + 1);
    if (programCalled(Name) == Program)
      Names.Programs.push_back({Name, Program});
    for (const std::string &Other : Programs)
      Missing.add(folderOf(Other) + "/" + Name);
  }
}

} // namespace

Result<FileNames> jit::scanInputs(CompileJob &Work) { return Scan(Work).run(); }

Result<FileNames> jit::scanTools(CompileJob &Work) {
  const CompileRequest &Request = Work.Request;
  std::vector<Arguments> Commands = dryRunCommands(Request);
  size_t Dry = Commands.size();
  Commands.push_back({Request.Compiler, "--version"});
  Result<std::vector<JobResult>> Done = Work.run(Commands, Request.Directory);
  if (!Done)
    return Done.status();
  FileNames Names;
  Absences Missing;
  std::vector<std::string> Linking;
  addOnce(Names.Files, Request.Compiler);
  for (size_t I = 0; I < Dry; ++I) {
    std::vector<Arguments> Planned = commandsOfDryRun((*Done)[I].Err);
    for (const std::string &File : filesOfDryRun(Planned))
      if (File.compare(0, 9, "/nowhere/") != 0 &&
          ::access(File.c_str(), X_OK) == 0)
        addOnce(Names.Files, File);
    if (I + 1 != Dry)
      continue;
    for (const Arguments &Words : Planned) {
      addLibraryAbsences(Words, Request.Directory, Missing);
      for (std::string &File : namedFiles(
               Arguments(Words.begin() + 1, Words.end()), Request.Directory,
               /*WithOperands=*/false))
        addOnce(Linking, std::move(File));
    }
  }
  addLookups(Names.Files, Names, Missing);
  addMissing(Names.Folders, Missing);
  // The dynamic linker is asked, not the program: one that is linked statically
  // would run.
  std::vector<Arguments> Programs;
  for (const std::string &File : Names.Files)
    if (std::string Linker = interpreterOf(contentOf(File, ProgramStart));
        !Linker.empty())
      Programs.push_back({std::move(Linker), "--list", File});
  const std::string &Version = Done->back().Out;
  Names.Note = Version.substr(0, Version.find('\n'));
  Done = Work.run(Programs, Request.Directory);
  if (!Done)
    return Done.status();
  for (const JobResult &Listing : *Done)
    addLibraries(Listing.Out, Names.Files);
  Result<std::vector<std::string>> Linked = linked(Work);
  if (!Linked)
    return Linked.status();
  Names.Linked = std::move(*Linked);
  for (std::string &File : Linking)
    addOnce(Names.Linked, std::move(File));
  return Names;
}

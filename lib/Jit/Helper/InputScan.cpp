//===- InputScan.cpp - commands that list a compile's inputs --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Start reading at Scan::run(). One round of commands gives the headers (-M)
// and the driver's plans (-###) of both halves; the rest is derived from their
// output and the texts of the headers. Further commands run only if needed: the
// preprocessor for ".incbin", the driver for a link that asks for the native
// processor.
//
// The list must be complete, since a change of any other file goes unnoticed. A
// compiler that prints no headers is therefore an error, not an empty list.
// Files that name other files (@file, *.cfg) are followed up to a fixed number
// and size, since hostile ones could name each other. scanTools() runs the
// dynamic linker to list a program's libraries, and never the program.
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

/// Bytes of a program that contain its headers and the data that they point to.
constexpr size_t ProgramStart = 1 << 16;
/// Maximum bytes of a response file.
constexpr size_t MaxFlagFile = 1 << 20;
/// Maximum number of response files: hostile ones could name each other.
constexpr size_t MaxFlagFiles = 256;

bool contains(const std::vector<std::string> &Files, const std::string &File) {
  return std::find(Files.begin(), Files.end(), File) != Files.end();
}

bool isFrontEnd(const Arguments &Args) {
  return Args.size() > 1 && Args[1] == "-cc1";
}

/// Adds a folder of which all names that end with \p Ending count.
void addListed(std::vector<FolderRecord> &Folders, std::string Path,
               std::string Ending) {
  std::error_code Ignored;
  if (std::filesystem::is_directory(Path, Ignored) &&
      std::none_of(Folders.begin(), Folders.end(), [&](const FolderRecord &F) {
        return F.Path == Path && F.Ending == Ending;
      }))
    Folders.push_back({std::move(Path), "", "", std::move(Ending), {}});
}

void addMissing(std::vector<FolderRecord> &Folders, const Absences &Missing) {
  for (const auto &[Path, Names] : Missing.folders()) {
    FolderRecord Folder;
    Folder.Path = Path;
    for (const std::string &Name : Names)
      Folder.Missing += (Folder.Missing.empty() ? "" : "/") + Name;
    Folders.push_back(std::move(Folder));
  }
}

/// Adds the places where the driver selects a toolchain: it would find a new
/// GCC or configuration file there.
void addToolchain(const Arguments &FrontEnd, std::vector<FolderRecord> &Folders,
                  Absences &Missing) {
  std::string Programs = getFolder(FrontEnd[0]);
  addListed(Folders, Programs, ".cfg");
  for (const char *Folder : {"/../lib", "/../lib64"})
    for (const char *Name : {"/gcc", "/gcc-cross"})
      Missing.add(Programs + Folder + Name);
  for (const std::string &Word : FrontEnd) {
    size_t Offset = Word.find("/gcc/");
    if (Offset == std::string::npos || Word[0] != '/')
      continue;
    std::string Gcc = Word.substr(0, Offset + 4);
    std::string Triple = Word.substr(0, Word.find('/', Offset + 5));
    addListed(Folders, Gcc, "*");
    addListed(Folders, Triple, "*");
    std::error_code Ignored;
    for (const auto &Version :
         std::filesystem::directory_iterator(Triple, Ignored))
      Missing.add(Version.path().string() + "/crtbegin.o");
    return;
  }
}

/// Adds the places where the driver searches ROCm, if it has to.
void addRocm(const Arguments &FrontEnd, const CompileRequest &Request,
             std::vector<std::string> &Files,
             std::vector<FolderRecord> &Folders, Absences &Missing) {
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
    addListed(Folders, "/opt", "*");
    Roots = {getFolder(getFolder(FrontEnd[0])), "/opt/rocm", "/usr/local",
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

/// Adds the precompiled headers that the driver would prefer to those of
/// -include.
void addPrecompiled(const Arguments &Flags, const std::string &Directory,
                    Absences &Missing) {
  for (size_t I = 0; I + 1 < Flags.size(); ++I)
    if (Flags[I] == "-include")
      for (const char *Ending : {".pch", ".gch"})
        Missing.add(absolute(Flags[I + 1] + Ending, Directory));
}

/// Adds the response files that \p Files name in turn, relative to the
/// compiler's directory, or to their own as for configuration files.
void follow(std::vector<std::string> &Files, const std::string &Directory) {
  for (size_t I = 0; I < Files.size() && Files.size() < MaxFlagFiles; ++I) {
    std::string Text = readContent(Files[I], MaxFlagFile);
    std::string Folder = getFolder(Files[I]);
    for (size_t Offset = 0;
         (Offset = Text.find('@', Offset)) != std::string::npos;) {
      size_t End = Text.find_first_of("\"' \t\r\n", ++Offset);
      std::string Name = Text.substr(Offset, End - Offset);
      std::error_code Ignored;
      for (const std::string &Base : {Directory, Folder})
        if (std::string File = absolute(Name, Base);
            std::filesystem::is_regular_file(File, Ignored))
          addOnce(Files, std::move(File));
    }
  }
}

/// Returns the response files among \p Flags, and those that they name.
std::vector<std::string> findFlagFiles(const Arguments &Flags,
                                       const std::string &Directory) {
  std::vector<std::string> Files;
  for (const std::string &Flag : Flags)
    if (startsWith(Flag, "@"))
      addOnce(Files, absolute(Flag.substr(1), Directory));
  follow(Files, Directory);
  return Files;
}

/// Concatenates \p Flags and the content of \p Files.
std::string textOf(const Arguments &Flags,
                   const std::vector<std::string> &Files) {
  std::string All;
  for (const std::string &Flag : Flags)
    All += Flag + "\n";
  for (const std::string &File : Files)
    All += readContent(File, MaxFlagFile) + "\n";
  return All;
}

/// Removes the files of a source in memory: they are in \p Folder, and the key
/// holds their text.
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

/// Lists the inputs of one compile.
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
  std::vector<std::string> FlagFiles;            ///< response files
  std::vector<std::string> LinkFlagFiles;
  std::vector<JobResult> Preprocessed;
};

Status Scan::headers(size_t Half, const JobResult &Outcome,
                     const std::string &Command) {
  Printed.push_back(filesOfMakeRule(Outcome.Out));
  // At least the source is listed: with a compiler that prints nothing, stale
  // objects would pass for fresh ones.
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
    addListed(Names.Folders, getFolder(File), ".cfg");
    addOnce(FlagFiles, std::move(File));
  }
  if (FrontEnds.size() <= Half)
    FrontEnds.emplace_back();
  for (const Arguments &Command : Commands) {
    named(namedFiles(Arguments(Command.begin() + 1, Command.end()),
                     Request.Directory));
    if (!isFrontEnd(Command))
      continue;
    // The device's processor is the request's target.
    if (Half == 0)
      Names.Facts.emplace_back("processor", getProcessor(Command));
    FrontEnds[Half] = Command;
  }
}

/// Assembly files are included during code generation; the preprocessor's
/// output has their names.
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

/// A link that generates code detects the processor itself and reports nothing.
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
  for (const Arguments &Command : commandsOfDryRun((*Done)[0].Err))
    if (isFrontEnd(Command))
      Names.Facts.emplace_back("processor", getProcessor(Command));
  return Status::success();
}

Result<FileNames> Scan::run() {
  std::vector<Arguments> Commands = scanCommands(Request);
  size_t Halves = Commands.size();
  for (Arguments &Dry : dryRunCommands(Request))
    Commands.push_back(std::move(Dry));
  Commands.pop_back(); // scanTools() handles the link
  Result<std::vector<JobResult>> Done = Work.run(Commands, Request.Directory);
  if (!Done)
    return Done.status();
  for (size_t I = 0; I < Halves; ++I)
    if (Status Read = headers(I, (*Done)[I], shellQuoted(Commands[I]));
        !Read.ok())
      return Read;
  FlagFiles = findFlagFiles(Request.Flags, Request.Directory);
  LinkFlagFiles = findFlagFiles(Request.LinkFlags, Request.Directory);
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

/// Adds the libraries in the dynamic linker's listing.
void addLibraries(const std::string &Listing, std::vector<std::string> &Files) {
  for (size_t Offset = 0;
       (Offset = Listing.find(" => /", Offset)) != std::string::npos;) {
    Offset += 4;
    size_t End = Listing.find(" (0x", Offset);
    if (End != std::string::npos)
      addOnce(Files, Listing.substr(Offset, End - Offset));
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
  return linkedFiles(Work.Request, readContent(Rule));
}

/// Records programs that a search by name finds, so that a new one is noticed.
void addLookups(const std::vector<std::string> &Programs, FileNames &Names,
                Absences &Missing) {
  for (const std::string &Program : Programs) {
    if (Program == Programs.front())
      continue; // the compiler has an explicit path
    std::string Name = Program.substr(Program.rfind('/') + 1);
    if (programCalled(Name) == Program)
      Names.Programs.push_back({Name, Program});
    for (const std::string &Other : Programs)
      Missing.add(getFolder(Other) + "/" + Name);
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
    for (const Arguments &Command : Planned) {
      addLibraryAbsences(Command, Request.Directory, Missing);
      for (std::string &File : namedFiles(
               Arguments(Command.begin() + 1, Command.end()), Request.Directory,
               /*WithOperands=*/false))
        addOnce(Linking, std::move(File));
    }
  }
  addLookups(Names.Files, Names, Missing);
  addMissing(Names.Folders, Missing);
  // Run the dynamic linker, not the program: a statically linked program would
  // start.
  std::vector<Arguments> Programs;
  for (const std::string &File : Names.Files)
    if (std::string Linker = readInterpreter(readContent(File, ProgramStart));
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

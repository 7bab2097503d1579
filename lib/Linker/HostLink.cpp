//===- HostLink.cpp - the host link: one run of lld -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld's --remap-inputs replaces the inputs: it works for files named on the
// command line, found by -l and named by linker scripts, and keeps the user's
// name in archive(member).
//
//===----------------------------------------------------------------------===//
#include "HostLink.h"

#include "DependencyFile.h"
#include "lld/Common/Driver.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace kpack::linker {

void HostLink::listNames(const InputFiles &Inputs,
                         const MemoryFile *MarkerArchive) {
  Names.clear();
  for (const std::unique_ptr<InputFile> &File : Inputs.files())
    if (File->Replacement)
      Names.add(File->Replacement->path(), File->Path);
  Names.add(LinkedFile, Options.Output);
  if (!MapFile.empty())
    Names.add(MapFile, Options.MapFile);
  MarkerPath = MarkerArchive ? MarkerArchive->path() : "";
  if (MarkerArchive)
    Names.add(MarkerPath, "<kpack marker>");
}

/// By default lld writes its output through a shared mapping, where a full disk
/// is a SIGBUS. This option makes it use a buffer in memory; its sense is
/// reversed between the two versions of LLVM.
#if LLVM_VERSION_MAJOR >= 22
static constexpr const char *OutputInMemory = "--mmap-output-file";
#else
static constexpr const char *OutputInMemory = "--no-mmap-output-file";
#endif

/// Reports LLVM's fatal errors, such as a failed write, as one of our messages.
void HostLink::reportFatalError(void *Self, const char *Reason, bool) {
  auto &Link = *static_cast<HostLink *>(Self);
  Link.release();
  bool IsWrite = StringRef(Reason).starts_with("IO failure");
  Link.Err << "ld.kpack: error: " << Link.Options.Output << ": " << Reason
           << (IsWrite ? "; check the directory, its permissions and free "
                         "space\n"
                       : "; link again without the input that causes it\n");
}

int HostLink::run(const InputFiles &Inputs, const MemoryFile *MarkerArchive) {
  Output.restart();
  Messages.restart();
  listNames(Inputs, MarkerArchive);

  std::vector<std::string> Added;
  for (const std::unique_ptr<InputFile> &File : Inputs.files()) {
    if (!File->Replacement)
      continue;
    auto AddRemap = [&](StringRef Path) {
      Added.push_back("--remap-inputs=" + remapPattern(Path) + "=" +
                      File->Replacement->path());
    };
    AddRemap(File->Path);
    for (const std::string &Path : File->OtherPaths)
      AddRemap(Path);
  }
  Added.push_back("--dependency-file=" + Dependencies.path());
  if (!MapFile.empty())
    Added.push_back("--Map=" + MapFile);
  Added.insert(Added.end(), {"-o", LinkedFile});
  Added.push_back(OutputInMemory);
  // Resets the state that the user's options left.
  if (MarkerArchive)
    Added.insert(Added.end(),
                 {"--format=default", "--no-whole-archive", MarkerPath});

  std::vector<const char *> Arguments = {Options.LldArguments[0], "-flavor",
                                         "gnu"};
  Arguments.insert(Arguments.end(), Options.LldArguments.begin() + 1,
                   Options.LldArguments.end());
  for (const std::string &Argument : Added)
    Arguments.push_back(Argument.c_str());

  ScopedFatalErrorHandler Handler(reportFatalError, this);
  // Makes lld's fatal errors and crashes return here instead of ending the
  // process.
  CrashRecoveryContext::Enable();
  lld::Result Result =
      lld::lldMain(Arguments, Output, Messages, {{lld::Gnu, &lld::elf::link}});
  CrashRecoveryContext::Disable();
  return Result.retCode;
}

Expected<std::vector<std::string>> HostLink::openedFiles() const {
  Expected<std::unique_ptr<MemoryBuffer>> Text = Dependencies.read();
  if (!Text)
    return Text.takeError();
  std::vector<std::string> Paths;
  for (const std::string &Path : parseDependencies((*Text)->getBuffer()))
    if (Path != MarkerPath)
      Paths.push_back(Names.userName(Path).str());
  return Paths;
}

} // namespace kpack::linker

//===- Identity.cpp - compiler identity for ccache ------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ccache cannot pass the compile's arguments, which include --kpack-clang=, to
// the command that identifies the compiler. It runs that command itself, so we
// read them from the parent process.
//
// A clang may be a script that calls another one; the output of --version names
// that one's directory. Files are compared like compilers in ccache, by size
// and time.
//
//===----------------------------------------------------------------------===//

#include "Identity.h"
#include "Clang.h"
#include "ClangOptions.h"
#include "HipDefaults.h"
#include "RunBuild.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <set>
#include <unistd.h>

using namespace llvm;
using namespace llvm::opt;

namespace kpack::driver {

std::vector<std::string> argumentsOfCcache() {
  std::string Parent = "/proc/" + std::to_string(::getppid());
  SmallString<128> Program;
  if (sys::fs::real_path(Parent + "/exe", Program) ||
      !sys::path::filename(Program).starts_with("ccache"))
    return {};
  ErrorOr<std::unique_ptr<MemoryBuffer>> Text =
      MemoryBuffer::getFileAsStream(Parent + "/cmdline");
  if (!Text)
    return {};
  SmallVector<StringRef, 0> Args;
  (*Text)->getBuffer().split(Args, '\0');
  if (!Args.empty() && Args.back().empty())
    Args.pop_back(); // each word ends in NUL
  // "ccache [KEY=VALUE...] compiler", or by a link with the compiler's name.
  ArrayRef<StringRef> Rest(Args);
  if (!Rest.empty() && sys::path::filename(Rest[0]).starts_with("ccache"))
    do
      Rest = Rest.drop_front();
    while (!Rest.empty() && Rest[0].contains('='));
  if (!Rest.empty())
    Rest = Rest.drop_front();
  return {Rest.begin(), Rest.end()};
}

namespace {
/// A set of files with links resolved.
class FileList {
public:
  void add(const Twine &Path) {
    SmallString<256> Real;
    if (!sys::fs::real_path(Path, Real))
      Files.insert(Real.str().str());
  }
  /// Adds the files in \p Folder whose names satisfy \p Wanted.
  void addFrom(StringRef Folder, function_ref<bool(StringRef)> Wanted) {
    std::error_code EC;
    for (sys::fs::directory_iterator I(Folder, EC), End; !EC && I != End;
         I.increment(EC))
      if (Wanted(sys::path::filename(I->path())))
        add(I->path());
  }
  void print(raw_ostream &OS) const {
    for (const std::string &Path : Files) {
      sys::fs::file_status Status;
      if (sys::fs::status(Path, Status))
        continue;
      OS << Path << '\t' << Status.getSize() << '\t'
         << Status.getLastModificationTime().time_since_epoch().count() << '\n';
    }
  }

private:
  std::set<std::string> Files;
};
} // namespace

/// Adds clang's programs in \p Folder and the libraries that they load.
static void addInstallation(StringRef Folder, FileList &Files) {
  static constexpr StringLiteral Programs[] = {"clang", "clang++", "lld",
                                               "ld.lld"};
  Files.addFrom(Folder, [](StringRef Name) {
    return is_contained(Programs, Name) || Name.starts_with("llvm-spirv");
  });
  for (StringRef Libraries : {"/lib", "/lib64"})
    Files.addFrom(
        (sys::path::parent_path(Folder) + Libraries).str(), [](StringRef Name) {
          return Name.contains(".so") && (Name.starts_with("libLLVM") ||
                                          Name.starts_with("libclang-cpp"));
        });
}

/// Prints the arguments of \p Command that are not among \p Given.
static void printAdded(const CommandLine &Command, ArrayRef<const char *> Given,
                       raw_ostream &OS) {
  std::multiset<StringRef> Left(Given.begin(), Given.end());
  for (const std::string &Argument : Command.stockArguments())
    if (auto Known = Left.find(Argument); Known != Left.end())
      Left.erase(Known);
    else
      OS << Argument << '\n';
}

Error printIdentity(const CommandLine &Command, StringRef Clang,
                    ArrayRef<const char *> Given, const char *Argv0,
                    raw_ostream &OS) {
  Expected<ClangInstallation> Found = clangInstallation(Clang);
  if (!Found)
    return Found.takeError();
  FileList Files;
  Files.add("/proc/self/exe");
  Files.add(pluginPath(Argv0));
  Files.add(Clang);
  addInstallation(Found->Folder, Files);
  for (const Arg *Config : Command.args().filtered(options::OPT_config))
    Files.add(Config->getValue());
  for (StringRef Line : split(Found->Text, '\n'))
    if (Line.consume_front("Configuration file: "))
      Files.add(Line.trim());
  HipQuery Query = hipQuery(Command, Clang, Found->Version.getMajor());
  HipInstallation Hip = findHip(Query, *vfs::getRealFileSystem());
  Files.addFrom(Hip.DeviceLibs, [](StringRef Name) {
    return sys::path::extension(Name) == ".bc";
  });
  for (const Arg *A : Command.args().filtered(options::OPT_fpass_plugin_EQ,
                                              options::OPT_fplugin_EQ))
    Files.add(A->getValue());
  OS << "kpack-clang++ " KPACK_VERSION "\n" << Found->Text;
  if (!Hip.Root.empty())
    OS << "HIP " << Hip.FullVersion << ' ' << Hip.Root << '\n';
  if (!Given.empty())
    printAdded(Command, Given, OS);
  Files.print(OS);
  return Error::success();
}

} // namespace kpack::driver

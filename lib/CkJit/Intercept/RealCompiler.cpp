//===- RealCompiler.cpp - search for the replaced compiler ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program's name without "ck-jit-" is the role. The compiler is the one
// that CK_JIT_REAL_HIPCC or CK_JIT_REAL_CXX names, else one in bin and llvm/bin
// of the real ROCm, of ROCM_PATH and of /opt/rocm, else one in PATH. Relative
// folders in PATH are ignored: their meaning changes with the folder of a
// compile.
//
// This program is recognized by its file (device and inode) and not by its
// name, so that no link misleads the search. A wrapper may still call this
// program again; a count in the environment shows that. A program that is
// called back intercepts nothing, and after eight rounds it refuses to run.
//
//===----------------------------------------------------------------------===//
#include "RealCompiler.h"

#include "CkJit/Intercept/CompilerArguments.h"
#include "CkJit/Intercept/Intercept.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <vector>

using namespace kpack;
using namespace kpack::ckjit;
namespace fs = std::filesystem;

/// One or two wrappers around a compiler are usual; more are a cycle.
static constexpr int MaxRounds = 8;
static constexpr const char *RoundsVariable = "CK_JIT_HIPCC_ROUNDS";

static std::string variable(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

static std::string resolved(const std::string &Path) {
  std::error_code Ignored;
  return fs::canonical(Path, Ignored);
}

static bool isProgram(const std::string &Path) {
  std::error_code Ignored;
  return fs::is_regular_file(Path, Ignored) &&
         ::access(Path.c_str(), X_OK) == 0;
}

static bool isOurselves(const std::string &Path) {
  std::error_code Ignored;
  return fs::equivalent("/proc/self/exe", Path, Ignored);
}

bool ckjit::isKpack(const std::string &Path) {
  std::string Program = resolved(Path);
  std::string_view Name = fileName(Program);
  return Name == "kpack-clang++" || Name == "ck-jit-hipcc";
}

static int rounds() { return std::atoi(variable(RoundsVariable).c_str()); }

bool ckjit::isCalledBack() { return rounds() > 0; }

/// Returns "hipcc" for ".../bin/hipcc" and ".../bin/ck-jit-hipcc".
static std::string getRole(const std::string &Program) {
  static constexpr std::string_view Own = "ck-jit-";
  std::string Name(fileName(Program));
  if (Name.compare(0, Own.size(), Own) == 0)
    Name.erase(0, Own.size());
  return Name;
}

/// Returns the variable that names the compiler of a role, or null.
static const char *findVariable(const std::string &Role) {
  if (Role.find("hipcc") != std::string::npos)
    return "CK_JIT_REAL_HIPCC";
  return Role == "c++" || Role == "clang++" ? "CK_JIT_REAL_CXX" : nullptr;
}

/// Returns programs of that name in the absolute folders of PATH, in order.
static std::vector<std::string> programsInPath(const std::string &Name) {
  std::string Path = variable("PATH");
  std::vector<std::string> Found;
  for (size_t Start = 0; Start < Path.size();) {
    size_t End = std::min(Path.find(':', Start), Path.size());
    std::string Program = Path.substr(Start, End - Start) + "/" + Name;
    if (Path[Start] == '/' && isProgram(Program))
      Found.push_back(std::move(Program));
    Start = End + 1;
  }
  return Found;
}

/// Resolves the value of \p Variable: a path, or a name to be searched in PATH
/// like a shell, skipping this program.
static Result<std::string> named(const std::string &Path,
                                 const std::string &Variable) {
  std::string Hint = "; name the real compiler with " + Variable;
  if (Path.find('/') == Path.npos)
    for (const std::string &Program : programsInPath(Path))
      if (!isOurselves(Program))
        return Program;
  if (!isProgram(Path))
    return Status(StatusCode::FileNotFound,
                  Path + ": no program that can be run" + Hint);
  if (isOurselves(Path))
    return Status(StatusCode::InvalidArgument,
                  Path + ": is this program again" + Hint);
  return Path;
}

Result<std::string> ckjit::realCompiler(const std::string &Program) {
  if (rounds() >= MaxRounds)
    return Status(StatusCode::InvalidArgument,
                  "the real compiler runs this program again and again; name "
                  "another one with CK_JIT_REAL_HIPCC");
  std::string Role = getRole(Program);
  const char *Variable = findVariable(Role);
  if (Variable && !variable(Variable).empty())
    return named(variable(Variable), Variable);
  std::vector<std::string> Candidates;
  for (const std::string &Root :
       {variable("CK_JIT_REAL_ROCM"), variable("ROCM_PATH"),
        std::string("/opt/rocm")})
    if (!Root.empty())
      for (const char *Folder : {"/bin/", "/llvm/bin/"})
        Candidates.push_back(Root + Folder + Role);
  for (std::string &Program : programsInPath(Role))
    Candidates.push_back(std::move(Program));
  for (const std::string &Candidate : Candidates)
    if (isProgram(Candidate) && !isOurselves(Candidate) && !isKpack(Candidate))
      return Candidate;
  return Status(
      StatusCode::FileNotFound,
      Role + ": not found behind this one; " +
          (Variable ? std::string("name the real compiler with ") + Variable
                    : "put its folder into PATH"));
}

std::string ckjit::findArchiver(const std::string &Program) {
  std::string Role = getRole(Program);
  bool IsArchiver = Role == "llvm-ar" || Role == "llvm-ranlib";
  return IsArchiver && Role != fileName(Program) ? Role : "";
}

Result<std::string> ckjit::realArchiver(const std::string &Tool) {
  std::vector<std::string> Candidates;
  if (Result<std::string> Compiler = realCompiler("ck-jit-clang++"))
    for (const std::string &Path : {resolved(*Compiler), *Compiler})
      Candidates.push_back(Path.substr(0, Path.rfind('/') + 1) + Tool);
  for (const std::string &Name : {Tool, Tool.substr(strlen("llvm-"))})
    for (std::string &Program : programsInPath(Name))
      Candidates.push_back(std::move(Program));
  for (const std::string &Candidate : Candidates)
    if (isProgram(Candidate) && !isOurselves(Candidate) && !isKpack(Candidate))
      return Candidate;
  return Status(StatusCode::FileNotFound,
                Tool + ": not found beside the compiler nor in PATH; install "
                       "LLVM's tools");
}

std::string ckjit::ownFolder() {
  std::string Program = resolved("/proc/self/exe");
  return Program.substr(0, Program.rfind('/'));
}

void ckjit::restoreEnvironment() {
  ::setenv(RoundsVariable, std::to_string(rounds() + 1).c_str(), 1);
  std::string MadeUp = variable("CK_JIT_FAKE_ROCM"),
              Real = variable("CK_JIT_REAL_ROCM");
  if (MadeUp.empty() || Real.empty())
    return;
  for (const char *Name : {"ROCM_PATH", "ROCM_HOME", "HIP_PATH"})
    if (variable(Name) == MadeUp)
      ::setenv(Name, Real.c_str(), 1);
}

//===- Classify.cpp - kind of an intercepted command ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Doubtful commands pass through: the real compiler handles them correctly, and
// only time is lost. So a command with several sources is handled here only if
// all of them are dispatchers or blobs, and one with -E, -M or -S never is.
//   -c /b/mha_fwd/blob/fmha_fwd_d128.cpp   a blob, module "mha_fwd", API "fwd"
//   -c /b/mha_fwd/blob/fmha_fwd_api.cpp    a dispatcher
//   -o libmha_fwd.so a.o                   the link of a library
// A dispatcher is recognized by its file name, and first, because it may be in
// the folder of the blobs; a blob is recognized by its whole path. The
// expressions may match a part of the name.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Intercept/Classify.h"

#include <algorithm>
#include <cstdlib>
#include <regex.h>

using namespace kpack;
using namespace kpack::ckjit;

static constexpr const char *DefaultDispatchers =
    R"(fmha_(fwd|bwd|batch_prefill).*_api\.(cu|cpp|hip)$)";
static constexpr const char *DefaultBlobs = "/blob/";
static constexpr const char *DefaultLibraries =
    R"(libmha_(fwd|bwd).*\.so(\.[0-9.]+)?$)";

static std::string variableOr(const char *Name, const char *Default) {
  const char *Value = std::getenv(Name);
  return Value && *Value ? Value : Default;
}

Patterns Patterns::fromEnvironment() {
  Patterns P;
  P.Dispatchers = variableOr("CK_JIT_DISPATCHERS", DefaultDispatchers);
  P.Libraries = variableOr("CK_JIT_LIBRARIES", DefaultLibraries);
  std::string Blobs = variableOr("CK_JIT_BLOBS", DefaultBlobs);
  for (size_t Start = 0; Start < Blobs.size();) {
    size_t End = std::min(Blobs.find(':', Start), Blobs.size());
    if (End != Start)
      P.Blobs.push_back(Blobs.substr(Start, End - Start));
    Start = End + 1;
  }
  return P;
}

namespace {
class Expression {
public:
  Expression(const char *Variable, const std::string &Text) {
    if (int Code = ::regcomp(&Compiled, Text.c_str(), REG_EXTENDED)) {
      char Why[200];
      ::regerror(Code, &Compiled, Why, sizeof(Why));
      Problem = Status(StatusCode::InvalidArgument,
                       std::string(Variable) + "=" + Text + ": " + Why +
                           "; give a POSIX extended regular expression");
    }
  }
  ~Expression() {
    if (Problem.ok())
      ::regfree(&Compiled);
  }
  Expression(const Expression &) = delete;
  Expression &operator=(const Expression &) = delete;

  const Status &problem() const { return Problem; }
  /// Sets \p Group to the match of the first parentheses.
  bool matches(std::string_view Text, std::string *Group = nullptr) const {
    std::string Copy(Text);
    regmatch_t Parts[2];
    if (::regexec(&Compiled, Copy.c_str(), 2, Parts, 0) != 0)
      return false;
    if (Group && Parts[1].rm_so >= 0)
      *Group = Copy.substr(size_t(Parts[1].rm_so),
                           size_t(Parts[1].rm_eo - Parts[1].rm_so));
    return true;
  }

private:
  regex_t Compiled{};
  Status Problem;
};
} // namespace

/// Returns the API in a blob's name as ComposableKernel names it.
static std::string apiOfBlob(std::string_view Stem) {
  for (std::string_view Api : {"fwd", "bwd", "batch_prefill"})
    if (Stem.find("fmha_" + std::string(Api)) != std::string_view::npos)
      return std::string(Api);
  return "";
}

/// Returns the folder above the one that makes \p Path a blob.
static std::string findModule(const std::string &Path,
                              const std::vector<std::string> &Blobs) {
  for (const std::string &Part : Blobs) {
    size_t Offset = Path.rfind(Part);
    if (Offset == std::string::npos || Offset == 0)
      continue;
    return std::string(fileName(std::string_view(Path).substr(0, Offset)));
  }
  return "";
}

static bool isBlob(const std::string &Path,
                   const std::vector<std::string> &Blobs) {
  return std::any_of(Blobs.begin(), Blobs.end(), [&](const std::string &Part) {
    return Path.find(Part) != std::string::npos;
  });
}

/// Returns true for options with which -c does not produce an object.
static bool isNoCompile(const std::string &Name) {
  static constexpr std::string_view Names[] = {
      "-E", "-M", "-MM", "-S", "-fsyntax-only", "-###", "--version", "--help"};
  return std::find(std::begin(Names), std::end(Names), Name) != std::end(Names);
}

Result<Invocation> ckjit::classify(const std::vector<Argument> &Arguments,
                                   const std::string &Directory,
                                   const Patterns &Wanted) {
  Invocation Found;
  std::string Output;
  bool Compiles = false, Passes = false, Shared = false;
  std::vector<const Argument *> Inputs;
  for (const Argument &A : Arguments) {
    Compiles |= A.Name == "-c" || A.Name == "--compile";
    Passes |= isNoCompile(A.Name);
    Shared |= A.Name == "-shared" || A.Name == "--shared";
    if (A.Name == "-o" || A.Name == "--output")
      Output = A.Value;
    if (A.isInput())
      Inputs.push_back(&A);
  }
  if (Passes || Inputs.empty())
    return Found;
  if (!Compiles) {
    Expression Libraries("CK_JIT_LIBRARIES", Wanted.Libraries);
    if (!Libraries.problem().ok())
      return Libraries.problem();
    if (!Output.empty() && Libraries.matches(fileName(Output)))
      Found.Kind = InvocationKind::Link;
    else if (!Output.empty() && Shared)
      Found.Kind = InvocationKind::OtherLink;
    return Found;
  }
  Expression Dispatchers("CK_JIT_DISPATCHERS", Wanted.Dispatchers);
  if (!Dispatchers.problem().ok())
    return Dispatchers.problem();
  for (const Argument *Input : Inputs) {
    ManifestEntry S;
    S.Source = Input->Value;
    S.Output =
        !Output.empty() ? Output : std::string(fileStem(S.Source)) + ".o";
    std::string Path = absolutePath(S.Source, Directory);
    S.Module = findModule(Path, Wanted.Blobs);
    S.IsDispatcher = Dispatchers.matches(fileName(Path), &S.ApiKind);
    // If the compiler must see one source, it gets all of them.
    if (!S.IsDispatcher && !isBlob(Path, Wanted.Blobs))
      return Invocation();
    if (!S.IsDispatcher)
      S.ApiKind = apiOfBlob(fileStem(Path));
    Found.Sources.push_back(std::move(S));
  }
  // The compiler reports one -o for several sources.
  if (Found.Sources.size() == 1 || Output.empty())
    Found.Kind = InvocationKind::Compile;
  return Found;
}

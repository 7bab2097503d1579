//===- Explainer.cpp - errors about missing device code -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message is one write, so that lines of several threads do not mix.
//
//===----------------------------------------------------------------------===//
#include "Explainer.h"

#include "Runtime/ArchivePaths.h"
#include "Support/Files.h"
#include "Support/Printable.h"
#include "Support/SecureMode.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

using namespace kpack;
using namespace kpack::hipshim;
using kpack::runtime::withoutParents;

static std::string getProcessor(const std::string &TargetId) {
  return TargetId.substr(0, TargetId.find(':'));
}

static std::string joined(const std::vector<std::string> &Items) {
  std::string Text;
  for (const std::string &Item : Items)
    Text += (Text.empty() ? "" : ", ") + Item;
  return Text;
}

void Explainer::say(const std::string &Object, const std::string &Message) {
  std::string Line =
      "kpack_hip: error: " + printable(Object + ": " + Message) + "\n";
  if (Said.insert(Line).second)
    (void)writeAll(STDERR_FILENO, Line);
}

/// Returns the first file of \p S with \p Kind, or null.
static const LookedAt *getFirst(const Search &S, LookedAt::Kind Kind) {
  auto Found = std::find_if(S.Files.begin(), S.Files.end(),
                            [&](const LookedAt &L) { return L.What == Kind; });
  return Found == S.Files.end() ? nullptr : &*Found;
}

/// Returns the end of the first line: the reason, if a file gives one, and the
/// remedy. A file that exists and does not serve explains more than absent
/// ones.
static std::string adviceFor(const runtime::Device &D, const Search &S) {
  if (const LookedAt *L = getFirst(S, LookedAt::Kind::OfAnotherBuild))
    return ": " + withoutParents(L->Path) +
           " belongs to another build of this binary; install binary and "
           "archives of one build";
  if (const LookedAt *L = getFirst(S, LookedAt::Kind::Unreadable))
    return ": " + withoutParents(L->Path) + " cannot be read; install it again";
  if (D.empty())
    return "; install the archives of this binary" +
           makeAdvice(", or name them in ROCM_KPACK_PATH");
  std::string Processor = getProcessor(D.front());
  auto IsPreferred = [&](const LookedAt &L) {
    return L.Path == S.Preferred && L.What == LookedAt::Kind::Absent;
  };
  if (std::any_of(S.Files.begin(), S.Files.end(), IsPreferred))
    return "; install " + withoutParents(S.Preferred) + " (the " + Processor +
           " device package of what installed this binary)" +
           makeAdvice(", or name its archive in ROCM_KPACK_PATH");
  return "; install or build its archive again with " + Processor +
         " (--offload-arch=" + Processor + ")";
}

void Explainer::missing(const Wanted &W, const runtime::Device &D,
                        const Search &S) {
  std::string Name = D.empty() ? "any GPU" : "GPU " + D.front();
  if (!Said.insert(W.BinaryPath + '\0' + W.M.KernelName + '\0' + Name).second)
    return;
  std::string Text = "kpack_hip: error: " +
                     printable(W.BinaryPath + ": no device code for " + Name +
                               adviceFor(D, S)) +
                     "\n";
  auto Add = [&](const std::string &Line) {
    Text += "  " + printable(Line) + "\n";
  };
  Add("looked for '" + W.key() + "'" +
      (S.Targets.empty() ? "" : " for " + joined(S.Targets)));
  for (const LookedAt &L : S.Files)
    Add(withoutParents(L.Path) + ": " + L.Finding);
  std::vector<std::string> Absent;
  for (const LookedAt &L : S.Files)
    if (L.What == LookedAt::Kind::Absent)
      Absent.push_back(L.Path);
  if (std::string Advice = runtime::adviceOnHiddenFolder(Absent);
      !Advice.empty())
    Add(Advice);
  for (const std::string &Other : S.Others)
    Add(withoutParents(Other) + ": is there, but for another GPU");
  (void)writeAll(STDERR_FILENO, Text);
}

void Explainer::unreadable(const Wanted &W, const std::string &Target,
                           const std::vector<Candidate> &Candidates) {
  std::string Names;
  for (const Candidate &C : Candidates)
    Names += (Names.empty() ? "" : ", ") + withoutParents(C.Archive->path());
  say(W.BinaryPath, "its device code for " + Target +
                        " cannot be read; install " + Names + " again");
}

//===- Findings.h - list of a file's problems -------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every check of the verifier adds its problems and continues. A hostile file
// could have a problem in each byte, so their number is limited. Numbers have
// one format.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_LIB_HOSTREWRITE_VERIFIER_FINDINGS_H
#define KPACK_LIB_HOSTREWRITE_VERIFIER_FINDINGS_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace kpack::hostrewrite::verifier {

/// "0x1f000".
inline std::string hexText(uint64_t Value) {
  return "0x" + llvm::utohexstr(Value, /*LowerCase=*/true);
}

class Findings {
public:
  explicit Findings(llvm::StringRef Object) : Object(Object.str()) {}

  /// Adds a problem; the advice is nearly always the same.
  void problem(const llvm::Twine &Problem, llvm::StringRef Advice = Again) {
    if (++Count < Most)
      All.push_back((Object + ": " + Problem + "; " + Advice).str());
    else if (Count == Most)
      All.push_back((Object + ": and more of that kind; " + Advice).str());
  }

  bool empty() const { return All.empty(); }
  size_t size() const { return All.size(); }
  std::vector<std::string> take() { return std::move(All); }

private:
  static constexpr size_t Most = 50;
  static constexpr llvm::StringLiteral Again = "link or convert it again";

  std::string Object;
  std::vector<std::string> All;
  size_t Count = 0;
};

} // namespace kpack::hostrewrite::verifier

#endif // KPACK_LIB_HOSTREWRITE_VERIFIER_FINDINGS_H

//===- BundleTransfer.cpp - cache export and import by a helper -----------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The messages are in BundleProtocol.h.
//
//===----------------------------------------------------------------------===//
#include "Jit/Executor/CApi/BundleTransfer.h"

#include "Jit/Service/BundleProtocol.h"
#include "Jit/Service/HelperQuestion.h"
#include "Support/Numbers.h"

#include <filesystem>

using namespace kpack;
using namespace kpack::jit;

Result<uint64_t> jit::transferBundle(const std::string &Helper,
                                     const std::string &Directory,
                                     BundleWay Way, const std::string &Path) {
  if (Directory.empty())
    return Status(StatusCode::InvalidArgument,
                  Path + ": the cache has no files that it could " +
                      (Way == BundleWay::Export ? "come from; name its folder"
                                                : "go to; name its folder, "
                                                  "and mode rw"),
                  Errc::CacheUnusable);
  // The helper may have another working directory.
  std::error_code Ignored;
  std::string Whole = std::filesystem::absolute(Path, Ignored).string();
  Result<Message> Reply = askHelper(
      Helper, bundleQuestion(Way == BundleWay::Export ? "export" : "import",
                             Directory, Whole.empty() ? Path : Whole));
  if (!Reply)
    return Reply.status();
  return parseNumber<uint64_t>(std::string(Reply->get("entries"))).value_or(0);
}

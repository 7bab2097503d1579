//===- BundleCall.cpp - bundle requests of libraries ----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The errors of the first few bad members make one message; the other members
// are imported all the same.
//
//===----------------------------------------------------------------------===//
#include "BundleCall.h"

#include "Jit/Bundle/Bundle.h"
#include "Jit/Service/BundleProtocol.h"
#include "Jit/Service/HelperQuestion.h"
#include "kpack/Support/OutputFile.h"

using namespace kpack;
using namespace kpack::jit;

static Result<uint64_t> exportTo(const std::string &Directory,
                                 const std::string &Path) {
  auto Source = Store::open({Directory, /*ReadOnly=*/true});
  if (!Source)
    return Source.status();
  auto File = OutputFile::create(Path);
  if (!File)
    return File.status();
  bool IsCompressed =
      Path.size() > 3 && Path.compare(Path.size() - 3, 3, "zst") == 0;
  BundleWriter Writer(IsCompressed, [&](std::string_view Bytes) {
    return (*File)->append(Bytes);
  });
  Result<uint64_t> Count = exportEntries(**Source, getProducts(**Source),
                                         "'ck-jit cache verify'", Writer);
  if (!Count)
    return Count;
  if (Status Done = (*File)->commit(); !Done.ok())
    return Done;
  return Count;
}

namespace {
class FirstErrors : public ImportMessages {
public:
  void error(std::string Message) override {
    constexpr unsigned Most = 3;
    if (++Count <= Most)
      Text += (Text.empty() ? "" : "\n") + Message;
  }
  void note(std::string Message) override { error(std::move(Message)); }
  std::string size(uint64_t Bytes) const override {
    return std::to_string(Bytes) + " bytes";
  }

  std::string Text;

private:
  unsigned Count = 0;
};
} // namespace

static Result<uint64_t> importFrom(const std::string &Directory,
                                   const std::string &Path) {
  auto Reader = BundleReader::open(Path, "kpack_jit_cache_export()");
  if (!Reader)
    return Reader.status();
  // Read the first header before creating a cache: it shows whether this is a
  // bundle.
  auto First = (*Reader)->next();
  if (!First)
    return First.status();
  auto Target = Store::open({Directory});
  if (!Target)
    return Target.status();
  FirstErrors Told;
  BundleImport Import({Path, "kpack_jit_cache_export()"}, Target->get(),
                      Target->get(), Told);
  if (*First)
    Import.run(**Reader, std::move(**First));
  if (!Told.Text.empty())
    return Status(StatusCode::InvalidFormat, Told.Text);
  return Import.Imported;
}

Message jit::answerBundle(const Message &Question) {
  std::string Directory(Question.get("directory")), Path(Question.get("path"));
  Result<uint64_t> Count = Status(
      StatusCode::UnsupportedVersion,
      "kpack-jit-remote is of another version than the library that runs it; "
      "install both from one package");
  if (Question.get("bundle") == BundleProtocol)
    Count = Question.get("what") == "export" ? exportTo(Directory, Path)
                                             : importFrom(Directory, Path);
  Message Reply;
  addStatus(Reply, Count.status());
  if (Count)
    Reply.add("entries", std::to_string(*Count));
  return Reply;
}

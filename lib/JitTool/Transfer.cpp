//===- Transfer.cpp - ck-jit cache export, import -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Selects entries by the command line and prints messages; Jit/Bundle/Bundle.h
// exports and imports them.
//
//===----------------------------------------------------------------------===//
#include "HeaderExport.h"
#include "OpenedCache.h"
#include "Units.h"

#include "Jit/Bundle/Bundle.h"
#include "ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;
using namespace llvm::opt;

/// Writes the bundle under its name, complete or not at all.
static Error exportTo(const FrontDoor &Door, const std::string &Path,
                      const jit::Store &From,
                      const std::vector<jit::Digest> &Ids, uint64_t &Entries) {
  Result<OutputPlace> Place = findOutputPlace(Path);
  if (!Place)
    return toError(Place.status());
  return writeOutput(*Place, [&](OutputFile &File) {
    jit::BundleWriter To(
        /*Compressed=*/StringRef(Path).ends_with("zst"),
        [&](std::string_view Bytes) { return File.append(Bytes); });
    Result<uint64_t> Count =
        jit::exportEntries(From, Ids, Door.quoted("verify"), To);
    Entries = Count ? *Count : 0;
    return Count.status();
  });
}

/// Implements --header: exports the only program of \p Rows.
static void exportHeader(CacheInvocation &I, const std::string &Path,
                         const OpenedCache &C, std::vector<Row> Rows) {
  erase_if(Rows, [](const Row &R) { return R.Info.Functions.empty(); });
  if (Rows.size() != 1)
    return I.S.error(C.place().Directory + ": " +
                     showCount(Rows.size(), "program") +
                     " to export, and a header has one; name it by its key, "
                     "which " +
                     I.Door.quoted("list") + " shows");
  std::string Defect;
  std::optional<jit::StoredEntry> Entry =
      C.store()->find(Rows.front().Item.Id, &Defect);
  if (!Entry)
    return I.S.error(Rows.front().Info.Name + ": " + Defect + "; see " +
                     I.Door.quoted("verify"));
  Result<Buffer> Bytes = bytesOf(I.Door, *Entry);
  if (!Bytes)
    return I.S.error(Bytes.status());
  std::string Text = makeHeader(Path, Entry->Info, Bytes->bytes());
  if (Path == "-")
    I.S.out() << Text;
  else if (Error E = writeOutput(Path, Text))
    I.S.error(std::move(E));
}

static void runExport(CacheInvocation &I) {
  std::vector<std::string> Operands = I.operands();
  if (Operands.empty())
    return I.S.error("command line: no file given; " + I.Options.seeHelp());
  std::string Path = Operands.front();
  Expected<Filter> F = Filter::create(I, ArrayRef(Operands).drop_front());
  if (!F)
    return I.S.error(F.takeError());
  if (is_contained(I.Args.getAllArgValues(OPT_kind_EQ), "recipe"))
    return I.S.error("--kind=recipe: recipes name files of this machine; "
                     "export shared objects, they are found without");
  bool IsHeader = I.Args.hasArg(OPT_header);
  if (Path == "-" && !IsHeader && I.S.out().is_displayed())
    return I.S.error("standard output: a bundle is not for a terminal; "
                     "redirect the output or give a file");
  std::optional<OpenedCache> C =
      OpenedCache::open(I, OpenedCache::Access::Read);
  if (!C)
    return;
  std::vector<Row> Rows = C->rows(*F);
  F->reportUnused(I);
  erase_if(Rows, [&](const Row &R) {
    return !R.Defect.empty() || R.Info.Kind == "recipe" ||
           (!F->hasKinds() && !IsHeader && R.Info.Kind != "shared-object");
  });
  if (I.S.exitCode())
    return;
  if (IsHeader)
    return exportHeader(I, Path, *C, std::move(Rows));
  if (Rows.empty())
    return I.S.error(C->place().Directory + ": no entry to export; see " +
                     I.Door.quoted("list"));
  // Sort by key: names may change with a version.
  sort(Rows, [](const Row &A, const Row &B) { return A.Item.Id < B.Item.Id; });
  uint64_t Entries = 0, Bytes = 0;
  std::vector<jit::Digest> Ids;
  for (const Row &R : Rows) {
    Bytes += R.Item.FileSize;
    Ids.push_back(R.Item.Id);
  }
  if (Path == "-") {
    jit::BundleWriter To(false, [&](std::string_view Piece) {
      I.S.out() << StringRef(Piece);
      return Status::success();
    });
    Result<uint64_t> Done =
        jit::exportEntries(*C->store(), Ids, I.Door.quoted("verify"), To);
    if (!Done)
      I.S.error(Done.status());
    return;
  }
  if (Error E = exportTo(I.Door, Path, *C->store(), Ids, Entries))
    return I.S.error(std::move(E));
  if (I.json())
    return I.printJson("export", C->place().Directory, [&](json::OStream &J) {
      J.attribute("bundle", jsonText(Path));
      J.attribute("entries", Entries);
      J.attribute("bytes", Bytes);
    });
  I.S.out() << printable(Path) << ": " << showCount(Entries, "entry", "entries")
            << ", " << showSize(Bytes) << '\n';
}

namespace {
class Messages : public jit::ImportMessages {
public:
  explicit Messages(CacheInvocation &I) : I(I) {}
  void error(std::string Message) override { I.S.error(Message); }
  void note(std::string Message) override { I.S.note(Message); }
  std::string size(uint64_t Bytes) const override { return showSize(Bytes); }

private:
  CacheInvocation &I;
};
} // namespace

static void runImport(CacheInvocation &I) {
  std::vector<std::string> Operands = I.operands();
  if (Operands.size() != 1)
    return I.S.error("command line: one bundle must be given; " +
                     I.Options.seeHelp());
  uint64_t MaxSize = uint64_t(1) << 30;
  if (const Arg *A = I.Args.getLastArg(OPT_max_entry_EQ)) {
    std::optional<uint64_t> Value = parseSize(A->getValue());
    if (!Value || *Value >= uint64_t(1) << 62)
      return I.S.error(A->getAsString(I.Args) +
                       ": not a size; write for example 1G");
    MaxSize = *Value;
  }
  bool DryRun = I.Args.hasArg(OPT_dry_run);
  Result<std::unique_ptr<jit::BundleReader>> From =
      jit::BundleReader::open(Operands.front(), I.Door.quoted("export"));
  if (!From)
    return I.S.error(From.status());
  // Read the first header before creating a cache: it shows whether this is a
  // bundle.
  Result<std::optional<jit::BundleReader::Member>> M = (*From)->next();
  if (!M)
    return I.S.error(M.status());
  std::optional<OpenedCache> Writer;
  if (!DryRun) {
    Place Where = placeOf(I);
    if (!Where.Directory.empty())
      if (Status Made =
              I.Door.makeReadable(Where.Directory, Where.IsNamed,
                                  I.Args.getLastArgValue(OPT_mode_EQ).str());
          !Made.ok())
        return I.S.error(Made);
    Writer = OpenedCache::open(I, OpenedCache::Access::Create);
    if (!Writer)
      return;
  }
  std::optional<OpenedCache> Reader =
      OpenedCache::open(I, OpenedCache::Access::WouldCreate);
  if (!Reader)
    return;
  Messages Told(I);
  jit::BundleImport All({Operands.front(), I.Door.quoted("export"), MaxSize,
                         I.Args.hasArg(OPT_pin)},
                        Reader->store(), Writer ? Writer->store() : nullptr,
                        Told);
  if (*M)
    All.run(**From, std::move(**M));
  if (I.json())
    return I.printJson("import", Reader->place().Directory,
                       [&](json::OStream &J) {
                         J.attribute("bundle", jsonText(Operands.front()));
                         J.attribute("dry_run", DryRun);
                         J.attribute("imported", All.Imported);
                         J.attribute("imported_bytes", All.Bytes);
                         J.attribute("already_there", All.AlreadyThere);
                         J.attribute("recipes", All.Recipes);
                       });
  I.S.out() << (DryRun ? "would import " : "imported ")
            << showCount(All.Imported, "entry", "entries") << ", "
            << showSize(All.Bytes);
  if (All.AlreadyThere)
    I.S.out() << "; " << All.AlreadyThere << " were there already";
  if (All.Recipes)
    I.S.out() << "; " << showCount(All.Recipes, "recipe") << " left out";
  I.S.out() << '\n';
}

const CacheVerb jittool::ExportVerb = {
    {"export", "<file> [<entry>...]", "write entries to a bundle",
     "write entries to a bundle: a tar file, compressed when <file> ends with "
     "'zst'; '-'\nis standard output\n\n"
     "Without entries (names, globs, first digits of keys): all shared "
     "objects. "
     "Each is\nverified. The same entries give the same bytes. Recipes, which "
     "name files of this\nmachine, stay here.",
     "  $ ck-jit cache export kernels.tar.zst\n"
     "  $ ck-jit cache export --header add.h add.cpp "
     "--cache-dir=~/.cache/kpack/jit\n"
     "  $ ck-jit cache export fwd.tar 'fmha_fwd_*' --target=gfx942\n"
     "  $ ck-jit cache export - | ssh node7 ck-jit cache import -\n",
     ExportOption},
    runExport};

const CacheVerb jittool::ImportVerb = {
    {"import", "<file>", "add the entries of a bundle",
     "add the entries of a bundle to the cache; '-' is standard input\n\n"
     "Each entry is verified before it is added; one that is there already is "
     "not replaced.\nEntries are code that programs will run: import only what "
     "you would install. A\nmachine finds them when sources, headers, flags, "
     "target and compiler are the same.",
     "  $ ck-jit cache import kernels.tar.zst\n"
     "  $ ck-jit cache import --pin --cache-dir=/opt/app/cache kernels.tar\n",
     ImportOption},
    runImport};

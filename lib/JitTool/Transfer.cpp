//===- Transfer.cpp - ck-jit cache export, import -------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entries from a cache to a bundle (ExportArchive.h) and back. Every entry is
// verified on its way, in both directions. Recipes stay: they name files of one
// machine.
//
//===----------------------------------------------------------------------===//
#include "ExportArchive.h"
#include "OpenedCache.h"
#include "Units.h"

#include "kpack/ToolSupport/Output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace kpack;
using namespace kpack::jittool;
using namespace llvm;
using namespace llvm::opt;

/// The last member of a bundle: it says how many there are before it, so that
/// one that was cut off between members is noticed.
static constexpr const char *TrailerPath = "ck-jit-bundle";
static constexpr uint64_t MaxTrailerSize = 4096;

static std::string trailer(uint64_t Entries) {
  return "schema 1\nentries " + std::to_string(Entries) + "\n";
}

static Status writeExport(const FrontDoor &Door, const jit::Store &From,
                          ArrayRef<Row> Rows, ExportWriter &To,
                          uint64_t &Entries) {
  for (const Row &R : Rows) {
    std::string Defect;
    std::optional<jit::StoredEntry> Entry = From.find(R.Item.Id, &Defect);
    if (!Entry && Defect.empty())
      continue; // removed meanwhile
    if (!Entry)
      return Status(StatusCode::InvalidFormat, Defect + "; run " +
                                                   Door.quoted("verify") +
                                                   ", which moves it away");
    Result<Buffer> Bytes = bytesOf(Door, *Entry);
    if (!Bytes)
      return Bytes.status();
    if (Status Added = To.add(jit::Store::pathOf(R.Item.Id), Bytes->bytes());
        !Added.ok())
      return Added;
    ++Entries;
  }
  if (Status Added = To.add(TrailerPath, trailer(Entries)); !Added.ok())
    return Added;
  return To.finish();
}

/// The bundle under its name, complete or not at all.
static Error exportTo(const FrontDoor &Door, const std::string &Path,
                      const jit::Store &From, ArrayRef<Row> Rows,
                      uint64_t &Entries) {
  Result<OutputPlace> Place = findOutputPlace(Path);
  if (!Place)
    return toError(Place.status());
  return writeOutput(*Place, [&](OutputFile &File) {
    ExportWriter To(
        /*Compressed=*/StringRef(Path).ends_with("zst"),
        [&](std::string_view Bytes) { return File.append(Bytes); });
    return writeExport(Door, From, Rows, To, Entries);
  });
}

static void runExport(Invocation &I) {
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
  if (Path == "-" && I.S.out().is_displayed())
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
           (!F->hasKinds() && R.Info.Kind != "shared-object");
  });
  if (I.S.exitCode())
    return;
  if (Rows.empty())
    return I.S.error(C->place().Directory + ": no entry to export; see " +
                     I.Door.quoted("list"));
  // Names may change with a version, keys do not.
  sort(Rows, [](const Row &A, const Row &B) { return A.Item.Id < B.Item.Id; });
  uint64_t Entries = 0, Bytes = 0;
  for (const Row &R : Rows)
    Bytes += R.Item.FileSize;
  if (Path == "-") {
    ExportWriter To(false, [&](std::string_view Piece) {
      I.S.out() << StringRef(Piece);
      return Status::success();
    });
    if (Status Done = writeExport(I.Door, *C->store(), Rows, To, Entries);
        !Done.ok())
      I.S.error(Done);
    return;
  }
  if (Error E = exportTo(I.Door, Path, *C->store(), Rows, Entries))
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
/// One import: what is in the bundle, member by member.
class Import {
public:
  Import(Invocation &I, const OpenedCache &Reader, jit::Store *Writer,
         std::string Path, uint64_t MaxSize)
      : I(I), Reader(Reader), Writer(Writer), Path(std::move(Path)),
        MaxSize(MaxSize), Pin(I.Args.hasArg(OPT_pin)) {}

  /// False: nothing more can be read or written.
  bool take(ExportReader &From, const ExportReader::Member &M);
  /// After the last member.
  void finish();

  uint64_t Imported = 0;
  uint64_t Bytes = 0;
  uint64_t AlreadyThere = 0;
  uint64_t Recipes = 0;

private:
  void error(const ExportReader::Member &M, const Twine &What) {
    I.S.error(Path + ": " + (M.Path.empty() ? "a member" : M.Path) + ": " +
              What);
  }
  bool takeTrailer(ExportReader &From, const ExportReader::Member &M);
  bool takeEntry(ExportReader &From, const ExportReader::Member &M,
                 const jit::Digest &Id);
  bool keep(const jit::DecodedEntry &Entry);

  Invocation &I;
  const OpenedCache &Reader;
  jit::Store *Writer; ///< null: a dry run
  std::string Path;
  uint64_t MaxSize;
  bool Pin;
  std::set<jit::Digest> Seen;
  std::optional<std::string> Trailer;
};
} // namespace

/// The key in "objects/12/12...34.entry"; "./" may be in front.
static std::optional<jit::Digest> keyOfPath(StringRef Path) {
  Path.consume_front("./");
  jit::Digest Id;
  if (!jit::fromHex(
          std::string_view(Path.substr(strlen("objects/12/"), 2 * Id.size())),
          Id) ||
      Path != jit::Store::pathOf(Id))
    return std::nullopt;
  return Id;
}

bool Import::takeTrailer(ExportReader &From, const ExportReader::Member &M) {
  Result<Buffer> Bytes = From.read(MaxTrailerSize);
  if (!Bytes) {
    I.S.error(Bytes.status());
    return false;
  }
  if (!StringRef(Bytes->bytes()).starts_with("schema 1\n")) {
    error(M, "of another version; import it with that version of kpack");
    return false;
  }
  Trailer = std::string(Bytes->bytes());
  return true;
}

bool Import::keep(const jit::DecodedEntry &Entry) {
  const jit::Digest &Id = Entry.Info.Key.Id;
  if (Reader.store() && Reader.store()->find(Id)) {
    ++AlreadyThere;
  } else {
    if (Writer)
      if (Status Done = Writer->publish(Entry.Info, Entry.Payload);
          !Done.ok()) {
        I.S.error(Done);
        return false; // the next one would fail as well
      }
    ++Imported;
    Bytes += Entry.Payload.size();
  }
  if (Pin && Writer)
    if (Status Done = Writer->pin(Id, true); !Done.ok()) {
      I.S.error(Done);
      return false;
    }
  return true;
}

bool Import::takeEntry(ExportReader &From, const ExportReader::Member &M,
                       const jit::Digest &Id) {
  Result<Buffer> Bytes = From.read(MaxSize);
  if (!Bytes) {
    I.S.error(Bytes.status());
    return false;
  }
  Result<jit::DecodedEntry> Entry = jit::decodeEntry(Bytes->bytes());
  if (!Entry)
    error(M, Entry.status().message() + "; export it again");
  else if (Entry->Info.Key.Id != Id)
    error(M, "holds another entry than its name says; export it again");
  else if (Entry->Info.Kind == "recipe")
    ++Recipes;
  else
    return keep(*Entry);
  return true;
}

bool Import::take(ExportReader &From, const ExportReader::Member &M) {
  if (M.IsFolder)
    return true; // of a cache that was packed with tar
  if (M.IsFile && M.Path == TrailerPath && !Trailer)
    return takeTrailer(From, M);
  std::optional<jit::Digest> Id = keyOfPath(M.Path);
  if (!Id || !M.IsFile)
    error(M, "is not an entry of a cache; it is left out");
  else if (!Seen.insert(*Id).second)
    error(M, "occurs a second time; it is left out");
  else if (M.Size > MaxSize)
    error(M, showSize(M.Size) + " are more than the limit of " +
                 showSize(MaxSize) + "; see --max-entry-size");
  else
    return takeEntry(From, M, *Id);
  return true;
}

void Import::finish() {
  if (Trailer && *Trailer != trailer(Seen.size()))
    I.S.error(Path + ": entries are missing in it; export or copy it again");
  else if (!Trailer && !Seen.empty())
    I.S.note(Path + ": has no last member '" + TrailerPath +
             "': cut off, or not written by " + I.Door.quoted("export"));
}

static void runImport(Invocation &I) {
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
  Result<std::unique_ptr<ExportReader>> From =
      ExportReader::open(Operands.front(), I.Door.quoted("export"));
  if (!From)
    return I.S.error(From.status());
  // The first header tells whether it is one at all, before a cache is made.
  Result<std::optional<ExportReader::Member>> M = (*From)->next();
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
  Import All(I, *Reader, Writer ? Writer->store() : nullptr, Operands.front(),
             MaxSize);
  while (M && *M && All.take(**From, **M))
    M = (*From)->next();
  if (!M)
    I.S.error(M.status());
  else if (!*M)
    All.finish();
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

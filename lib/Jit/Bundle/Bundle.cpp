//===- Bundle.cpp - export and import of cache bundles --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paths of members are those of a cache directory.
//
//===----------------------------------------------------------------------===//
#include "Jit/Bundle/Bundle.h"

#include "Support/Files.h"

#include <algorithm>
#include <cstring>

using namespace kpack;
using namespace kpack::jit;
using Member = BundleReader::Member;

static constexpr const char *TrailerPath = "ck-jit-bundle";
static constexpr uint64_t MaxTrailerSize = 4096;

static std::string trailer(uint64_t Entries) {
  return "schema 1\nentries " + std::to_string(Entries) + "\n";
}

std::vector<Digest> jit::getProducts(const Store &Source) {
  std::vector<Digest> Ids;
  for (const StoreItem &Item : Source.list()) {
    Result<StoredEntry> Entry = Source.describe(Item.Id);
    if (Entry && !isAuxiliaryKind(Entry->Info.Kind))
      Ids.push_back(Item.Id);
  }
  std::sort(Ids.begin(), Ids.end());
  return Ids;
}

Result<Buffer> jit::getFile(const StoredEntry &Entry,
                            const std::string &Verifier) {
  Buffer Bytes;
  if (!Bytes.resize(Entry.FileSize))
    return Status(StatusCode::OutOfMemory, Entry.Path + ": no memory");
  if (readAt(Entry.File.get(), Bytes.data(), Bytes.size(), 0) !=
      ssize_t(Bytes.size()))
    return Status(StatusCode::IoError,
                  Entry.Path + ": cannot be read; run " + Verifier);
  return Bytes;
}

Result<uint64_t> jit::exportEntries(const Store &Source,
                                    const std::vector<Digest> &Ids,
                                    const std::string &Verifier,
                                    BundleWriter &Writer) {
  uint64_t Entries = 0;
  for (const Digest &Id : Ids) {
    std::string Defect;
    std::optional<StoredEntry> Entry = Source.find(Id, &Defect);
    if (!Entry && Defect.empty())
      continue; // removed meanwhile
    if (!Entry)
      return Status(StatusCode::InvalidFormat,
                    Defect + "; run " + Verifier + ", which moves it away");
    Result<Buffer> Bytes = getFile(*Entry, Verifier);
    if (!Bytes)
      return Bytes.status();
    if (Status Added = Writer.add(Store::pathOf(Id), Bytes->bytes());
        !Added.ok())
      return Added;
    ++Entries;
  }
  if (Status Added = Writer.add(TrailerPath, trailer(Entries)); !Added.ok())
    return Added;
  if (Status Done = Writer.finish(); !Done.ok())
    return Done;
  return Entries;
}

void BundleImport::error(const Member &M, const std::string &Problem) {
  Tell.error(Options.Path + ": " + (M.Path.empty() ? "a member" : M.Path) +
             ": " + Problem);
}

/// Returns the key in "objects/12/12...34.entry", which may begin with "./".
static std::optional<Digest> keyOfPath(std::string_view Path) {
  if (Path.substr(0, 2) == "./")
    Path.remove_prefix(2);
  Digest Id;
  size_t Start = std::strlen("objects/12/");
  if (Path.size() < Start || !fromHex(Path.substr(Start, 2 * Id.size()), Id) ||
      Path != Store::pathOf(Id))
    return std::nullopt;
  return Id;
}

bool BundleImport::takeTrailer(BundleReader &Reader, const Member &M) {
  Result<Buffer> Read = Reader.read(MaxTrailerSize);
  if (!Read) {
    Tell.error(Read.status().message());
    return false;
  }
  if (Read->bytes().substr(0, 9) != "schema 1\n") {
    error(M, "of another version; import it with that version of kpack");
    return false;
  }
  Trailer = std::string(Read->bytes());
  return true;
}

bool BundleImport::keep(const DecodedEntry &Entry) {
  const Digest &Id = Entry.Info.Key.Id;
  Status Done = Status::success();
  if (Reader && Reader->find(Id)) {
    ++AlreadyThere;
  } else {
    if (Writer)
      Done = Writer->publish(Entry.Info, Entry.Payload);
    Imported += Done.ok();
    Bytes += Done.ok() ? Entry.Payload.size() : 0;
  }
  if (Done.ok() && Options.Pin && Writer)
    Done = Writer->pin(Id, true);
  if (!Done.ok())
    Tell.error(Done.message());
  return Done.ok(); // the next one would fail as well
}

bool BundleImport::takeEntry(BundleReader &Reader, const Member &M,
                             const Digest &Id) {
  Result<Buffer> Read = Reader.read(Options.MaxSize);
  if (!Read) {
    Tell.error(Read.status().message());
    return false;
  }
  Result<DecodedEntry> Entry = decodeEntry(Read->bytes());
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

/// Returns false if no more can be read or written.
bool BundleImport::take(BundleReader &Reader, const Member &M) {
  if (M.IsFolder)
    return true; // from a cache packed with tar
  if (M.IsFile && M.Path == TrailerPath && !Trailer)
    return takeTrailer(Reader, M);
  std::optional<Digest> Id = keyOfPath(M.Path);
  if (!Id || !M.IsFile)
    error(M, "is not an entry of a cache; it is left out");
  else if (!Seen.insert(*Id).second)
    error(M, "occurs a second time; it is left out");
  else if (M.Size > Options.MaxSize)
    error(M, Tell.size(M.Size) + " are more than the limit of " +
                 Tell.size(Options.MaxSize) + "; see --max-entry-size");
  else
    return takeEntry(Reader, M, *Id);
  return true;
}

/// Checks the trailer after the last member.
void BundleImport::finish() {
  if (Trailer && *Trailer != trailer(Seen.size()))
    Tell.error(Options.Path +
               ": entries are missing in it; export or copy it again");
  else if (!Trailer && !Seen.empty())
    Tell.note(Options.Path + ": has no last member '" + TrailerPath +
              "': cut off, or not written by " + Options.Exporter);
}

void BundleImport::run(BundleReader &Reader, Member First) {
  std::optional<Member> M = std::move(First);
  while (M && take(Reader, *M)) {
    Result<std::optional<Member>> Next = Reader.next();
    if (!Next)
      return Tell.error(Next.status().message());
    M = std::move(*Next);
  }
  if (!M)
    finish();
}

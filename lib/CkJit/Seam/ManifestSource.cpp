//===- ManifestSource.cpp - source file that embeds a manifest ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads first the symbols that `ck-jit index` has found, then the blobs that a
// build has recorded, and makes a source file of both. That file has the
// manifest twice: as tables, sorted by stem, which the runtime searches without
// a parser, and as JSON in a separate section, for tools that read the library
// as a file.
//
// Paths move with the library: with the root /src/ck, "-I/src/ck/include"
// becomes "-I{root}/include", and "/src/ck2" stays. Texts for assembly are
// refused if they have quotes or backslashes; those for C++ are escaped.
// Without constants the tables have the first ABI version, so that an older
// libckjit accepts them.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Seam/Seam.h"
#include "ToolSupport/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace kpack;
using namespace kpack::ckjit;
using namespace llvm;

static Expected<std::unique_ptr<MemoryBuffer>> readText(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> File =
      MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!File)
    return objectError(Path, File.getError().message() +
                                 "; name a file that can be read");
  return std::move(*File);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

Error SymbolTable::add(StringRef Path) {
  Expected<std::unique_ptr<MemoryBuffer>> File = readText(Path);
  if (!File)
    return File.takeError();
  Expected<json::Value> Parsed = json::parse((*File)->getBuffer());
  if (!Parsed)
    return objectError(Path, Parsed.takeError());
  const json::Object *Top = Parsed->getAsObject();
  const json::Array *Stubs = Top ? Top->getArray("stubs") : nullptr;
  if (!Stubs)
    return objectError(Path, "has no list \"stubs\"; give a file that 'ck-jit "
                             "index' has written");
  if (Error E = addFunctions(Path, *Stubs, /*AreUsed=*/true))
    return E;
  if (const json::Array *Late = Top->getArray("late"))
    if (Error E = addFunctions(Path, *Late, /*AreUsed=*/false))
      return E;
  const json::Array *Data = Top->getArray("data");
  return Data ? addData(Path, *Data) : Error::success();
}

/// Reads symbol and stem, which become text in assembly.
static Expected<std::pair<StringRef, StringRef>>
readPlace(StringRef Path, const json::Object *Item) {
  std::optional<StringRef> Symbol, Stem;
  if (Item) {
    Symbol = Item->getString("symbol");
    Stem = Item->getString("stem");
  }
  auto IsPlain = [](StringRef Text) {
    return !Text.empty() && all_of(Text, [](char C) {
      return isPrint(C) && C != '"' && C != '\\';
    });
  };
  if (!Symbol || !Stem || !IsPlain(*Symbol) || !IsPlain(*Stem))
    return objectError(Path, "a stub without a plain \"symbol\" or \"stem\"; "
                             "write the file anew with 'ck-jit index'");
  return std::pair(*Symbol, *Stem);
}

static Expected<ConstantResult> readConstant(StringRef Path,
                                             const json::Object &Item) {
  ConstantResult Constant;
  const auto *Found = find(Constant.Kinds, Item.getString("kind").value_or(""));
  if (Found == std::end(Constant.Kinds) ||
      Item.getString("bits").value_or("").getAsInteger(0, Constant.Bits))
    return objectError(Path,
                       "a \"constant\" without \"kind\" or \"bits\"; write "
                       "the file anew with 'ck-jit index'");
  int64_t Size = Item.getInteger("size").value_or(0);
  std::optional<int64_t> Parameters = Item.getInteger("parameters");
  if (Size < 0 || Size > int64_t(sizeof(Constant.Bits)) ||
      !isUInt<16>(Parameters.value_or(0)))
    return objectError(Path, "a \"constant\" whose \"size\" or "
                             "\"parameters\" cannot be; write the file anew "
                             "with 'ck-jit index'");
  Constant.What = ConstantResult::Kind(Found - Constant.Kinds);
  // A constant without a parameter count would be called, so do not compare it.
  Constant.Size = Parameters ? unsigned(Size) : 0;
  Constant.Parameters = unsigned(Parameters.value_or(0));
  Constant.Weak = Item.getBoolean("weak").value_or(false);
  return Constant;
}

Error SymbolTable::addFunctions(StringRef Path, const json::Array &List,
                                bool AreUsed) {
  for (const json::Value &Value : List) {
    const json::Object *Item = Value.getAsObject();
    auto Read = readPlace(Path, Item);
    if (!Read)
      return Read.takeError();
    auto [Symbol, Stem] = *Read;
    auto [Place, IsNew] = Stems.try_emplace(Symbol, Stem.str());
    // Weak functions may be in several blobs; this one has no known use.
    if (!IsNew && !AreUsed)
      continue;
    if (!IsNew && Place->second != Stem)
      return objectError(Path, Symbol + ": is defined by " + Place->second +
                                   " and by " + Stem +
                                   "; one of them has to go");
    if (AreUsed)
      Symbols[Stem.str()].insert(Symbol.str());
    if (const json::Object *Constant = Item->getObject("constant")) {
      Expected<ConstantResult> Known = readConstant(Path, *Constant);
      if (!Known)
        return Known.takeError();
      Constants[Symbol] = *Known;
      ConstantSymbols[Stem.str()].insert(Symbol.str());
    }
  }
  return Error::success();
}

Error SymbolTable::addData(StringRef Path, const json::Array &List) {
  for (const json::Value &Value : List) {
    auto Read = readPlace(Path, Value.getAsObject());
    if (!Read)
      return Read.takeError();
    DataStems.try_emplace(Read->first, Read->second.str());
  }
  return Error::success();
}

std::vector<std::string> SymbolTable::getSymbols(StringRef Stem) const {
  auto Found = Symbols.find(Stem.str());
  if (Found == Symbols.end())
    return {};
  return std::vector<std::string>(Found->second.begin(), Found->second.end());
}

std::map<std::string, ConstantResult>
SymbolTable::getConstants(StringRef Stem) const {
  std::map<std::string, ConstantResult> Found;
  if (auto Place = ConstantSymbols.find(Stem.str());
      Place != ConstantSymbols.end())
    for (const std::string &Symbol : Place->second)
      Found[Symbol] = *findConstant(Symbol);
  return Found;
}

//===----------------------------------------------------------------------===//
// Blobs
//===----------------------------------------------------------------------===//

Expected<std::vector<BlobRecord>> ckjit::readManifest(StringRef Path) {
  Expected<std::unique_ptr<MemoryBuffer>> File = readText(Path);
  if (!File)
    return File.takeError();
  Result<Manifest> Read =
      Manifest::parse(std::string_view((*File)->getBuffer()), Path.str());
  if (!Read)
    return toError(Read.status());
  std::vector<BlobRecord> Blobs;
  for (ManifestEntry &Entry : Read->Entries) {
    if (Entry.Source.empty() || !Entry.HasWords)
      return objectError(Path, "an entry without \"source\" or \"argv\"");
    Blobs.push_back(getBlob(std::move(Entry)));
    SmallString<256> Source(Blobs.back().Source);
    sys::path::remove_dots(Source, /*remove_dot_dot=*/true);
    Blobs.back().Source = Source.str().str();
  }
  return std::move(Blobs);
}

//===----------------------------------------------------------------------===//
// The source file
//===----------------------------------------------------------------------===//

static std::string literal(StringRef Text) {
  std::string Quoted = "\"";
  for (unsigned char C : Text) {
    if (C == '"' || C == '\\')
      (Quoted += '\\') += char(C);
    else if (isPrint(char(C)) && C != '?')
      Quoted += char(C);
    else // three digits: following characters never belong to it
      for (int Shift : {-1, 6, 3, 0})
        Quoted += Shift < 0 ? '\\' : char('0' + ((C >> Shift) & 7));
  }
  return Quoted + '"';
}

namespace {
/// Writes arrays of texts, each distinct one once.
class Lists {
public:
  explicit Lists(raw_ostream &OS) : OS(OS) {}
  std::string add(ArrayRef<std::string> Texts) {
    if (Texts.empty())
      return "nullptr";
    std::string Body;
    for (const std::string &Text : Texts)
      Body += "    " + literal(Text) + ",\n";
    auto [Place, IsNew] = Names.try_emplace(Body, Names.size());
    std::string Name = "List" + std::to_string(Place->second);
    if (IsNew)
      OS << "static const char *const " << Name << "[] = {\n"
         << Body << "    nullptr};\n";
    return Name;
  }

private:
  raw_ostream &OS;
  StringMap<size_t> Names;
};
} // namespace

Expected<std::vector<BlobRecord>>
ckjit::relocated(std::vector<BlobRecord> Blobs, const SymbolTable &Symbols,
                 const EmbedOptions &Options) {
  // The runtime searches by bytes.
  sort(Blobs, [](const BlobRecord &A, const BlobRecord &B) {
    return A.Stem < B.Stem;
  });
  std::string Root = StringRef(Options.BuildRoot).rtrim('/').str();
  for (size_t I = 0; I != Blobs.size(); ++I)
    if (I && Blobs[I - 1].Stem == Blobs[I].Stem)
      return objectError(Blobs[I].Source,
                         "has the same name as " + Blobs[I - 1].Source +
                             "; blobs are known by their names");
  for (BlobRecord &Blob : Blobs) {
    Blob.Source = withFolder(std::move(Blob.Source), Root, "{root}");
    StringRef Below = Blob.Source;
    if (Below.consume_front("{root}/"))
      Blob.Source = Below.str();
    for (std::string &Flag : Blob.Flags)
      Flag = withFolder(std::move(Flag), Root, "{root}");
    // Options with relative paths need the build's folder.
    Blob.Directory = withFolder(std::move(Blob.Directory), Root, "{root}");
    Blob.Symbols = Symbols.getSymbols(Blob.Stem);
  }
  return std::move(Blobs);
}

std::string ckjit::manifestJson(ArrayRef<BlobRecord> Blobs,
                                const EmbedOptions &Options) {
  Manifest M;
  static_cast<ManifestHeader &>(M) = Options;
  for (const BlobRecord &Blob : Blobs) {
    ManifestEntry &Entry = M.Entries.emplace_back();
    // Otherwise the source would be relative to the folder.
    bool IsBelow = sys::path::is_relative(Blob.Source) &&
                   !StringRef(Blob.Source).starts_with("{");
    Entry.Source = (IsBelow ? "{root}/" : "") + Blob.Source;
    Entry.Directory = Blob.Directory;
    Entry.Words = Blob.Flags;
    Entry.Symbols = Blob.Symbols;
  }
  return M.toJson(/*SharesWords=*/true);
}

/// Writes \p Text as a read-only section, for tools that read the library as a
/// file.
static void writeSection(raw_ostream &OS, StringRef Text) {
  OS << "#if defined(__has_attribute)\n#if __has_attribute(retain)\n"
        "__attribute__((retain))\n#endif\n#endif\n"
        "__attribute__((used, section(\""
     << ManifestSection
     << "\"), aligned(1)))\nstatic const char ManifestText[] =";
  if (Text.empty())
    OS << " \"\"";
  for (; !Text.empty();
       Text = Text.drop_front(std::min<size_t>(Text.size(), 64)))
    OS << "\n    " << literal(Text.take_front(64));
  OS << ";\n";
}

/// Returns the \p Count rows of a table of ck_jit_constant.
static std::string constantRows(ArrayRef<BlobRecord> Blobs,
                                const SymbolTable &Symbols, size_t &Count) {
  std::string Table;
  raw_string_ostream Rows(Table);
  Count = 0;
  for (const BlobRecord &Blob : Blobs)
    for (const auto &[Symbol, C] : Symbols.getConstants(Blob.Stem)) {
      if (C.Size == 0)
        continue;
      bool IsInteger = C.What == ConstantResult::Kind::Integer;
      Rows << "    {" << literal(Blob.Stem) << ", " << literal(Symbol)
           << ", CK_JIT_" << (IsInteger ? "INTEGER" : "FLOATING") << ", "
           << C.Size << ", " << C.Parameters << ", " << C.Weak << ", 0x"
           << utohexstr(C.Bits) << "ULL},\n";
      ++Count;
    }
  return Table;
}

std::string ckjit::manifestSource(ArrayRef<BlobRecord> Blobs,
                                  const SymbolTable &Symbols,
                                  const EmbedOptions &Options) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "// Generated by ck-jit embed.\n#include \"kpack/CkJit/Runtime.h\"\n\n";
  Lists Arrays(OS);
  std::string Table;
  raw_string_ostream Rows(Table);
  for (const BlobRecord &Blob : Blobs)
    Rows << "    {" << literal(Blob.Stem) << ", " << literal(Blob.Source)
         << ",\n     "
         << (Blob.Directory.empty() ? "nullptr" : literal(Blob.Directory))
         << ", " << Arrays.add(Blob.Flags) << ", " << Arrays.add(Blob.Symbols)
         << "},\n";
  std::string LinkFlags =
      Arrays.add(Options.LinkFlags.value_or(std::vector<std::string>()));
  auto OrNull = [](const std::string &Value) {
    return Value.empty() ? std::string("nullptr") : literal(Value);
  };
  if (!Blobs.empty())
    OS << "\nstatic const ck_jit_blob Blobs[] = {\n" << Table << "};\n";
  size_t ConstantCount;
  std::string Constants = constantRows(Blobs, Symbols, ConstantCount);
  if (ConstantCount)
    OS << "\nstatic const ck_jit_constant Constants[] = {\n"
       << Constants << "};\n";
  OS << "\nconst ck_jit_manifest ck_jit_embedded_manifest = {\n    "
     << (ConstantCount ? "CK_JIT_ABI, " : "1, ") << OrNull(Options.Name) << ", "
     << OrNull(Options.Root) << ", " << OrNull(Options.Compiler) << ", "
     << (Blobs.empty() ? "nullptr" : "Blobs") << ", " << Blobs.size() << ", "
     << LinkFlags << ", " << (ConstantCount ? "Constants" : "nullptr") << ", "
     << ConstantCount << "};\n\n";
  writeSection(OS, manifestJson(Blobs, Options));
  return Text;
}

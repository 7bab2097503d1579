//===- Key.cpp - the content key of a compile -----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/format/jit-cache.md, "Key", specifies the byte string that is hashed.
//
//===----------------------------------------------------------------------===//
// The EVP interface would first load providers and a configuration file; that
// takes a millisecond, which a cache hit cannot afford.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "Jit/Store/Key.h"

#include "Support/ErrorText.h"
#include "kpack/Support/LittleEndian.h"
#include "kpack/Support/UniqueFd.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {
/// Incremental SHA-256.
class Sha256 {
public:
  Sha256() { SHA256_Init(&Context); }
  void add(std::string_view Bytes) {
    SHA256_Update(&Context, Bytes.data(), Bytes.size());
  }
  /// Adds the length first, so that no two sequences of fields give the same
  /// bytes.
  void addField(std::string_view Bytes) {
    std::string Length;
    appendLittleEndian(Length, Bytes.size());
    add(Length);
    add(Bytes);
  }
  Digest finish() {
    Digest Value{};
    SHA256_Final(Value.data(), &Context);
    return Value;
  }

private:
  SHA256_CTX Context;
};
} // namespace

std::string jit::toHex(const Digest &Value) {
  static const char Digits[] = "0123456789abcdef";
  std::string Text;
  for (uint8_t Byte : Value) {
    Text += Digits[Byte >> 4];
    Text += Digits[Byte & 15];
  }
  return Text;
}

static int digitValue(char C) {
  if (C >= '0' && C <= '9')
    return C - '0';
  return C >= 'a' && C <= 'f' ? C - 'a' + 10 : -1;
}

bool jit::fromHex(std::string_view Text, Digest &Value) {
  if (Text.size() != 2 * Value.size() ||
      std::any_of(Text.begin(), Text.end(),
                  [](char C) { return digitValue(C) < 0; }))
    return false;
  for (size_t I = 0; I != Value.size(); ++I)
    Value[I] = static_cast<uint8_t>(digitValue(Text[2 * I]) * 16 +
                                    digitValue(Text[2 * I + 1]));
  return true;
}

Digest jit::sha256(std::string_view Bytes) {
  Sha256 Hash;
  Hash.add(Bytes);
  return Hash.finish();
}

static Status cannotRead(const std::string &Path, int Error) {
  bool Missing = Error == ENOENT || Error == ENOTDIR;
  return Status(
      Missing ? StatusCode::FileNotFound : StatusCode::IoError,
      Path + ": cannot be read: " +
          errorText(Error, "give the path of a file that can be read"));
}

static bool isSameState(const struct stat &A, const struct stat &B) {
  return A.st_size == B.st_size && A.st_mtim.tv_sec == B.st_mtim.tv_sec &&
         A.st_mtim.tv_nsec == B.st_mtim.tv_nsec &&
         A.st_ctim.tv_sec == B.st_ctim.tv_sec &&
         A.st_ctim.tv_nsec == B.st_ctim.tv_nsec;
}

/// Hashes the file to its end. Returns false if it was written to meanwhile:
/// these bytes may never have been in it together.
static Result<bool> hashOnce(const std::string &Path, Digest &Value) {
  // O_NONBLOCK: opening a FIFO must not wait for its other end.
  UniqueFd File(::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat Before, After;
  if (!File || ::fstat(File.get(), &Before) != 0)
    return cannotRead(Path, errno);
  if (!S_ISREG(Before.st_mode))
    return Status(StatusCode::IoError,
                  Path + ": not a regular file; give the path of one");
  Sha256 Hash;
  char Piece[65536];
  while (true) {
    ssize_t Size = ::read(File.get(), Piece, sizeof(Piece));
    if (Size == 0)
      break;
    if (Size < 0 && errno != EINTR)
      return cannotRead(Path, errno);
    if (Size > 0)
      Hash.add(std::string_view(Piece, static_cast<size_t>(Size)));
  }
  Value = Hash.finish();
  if (::fstat(File.get(), &After) != 0)
    return cannotRead(Path, errno);
  return isSameState(Before, After);
}

Result<Digest> jit::sha256OfFile(const std::string &Path) {
  Digest Value{};
  for (int Attempt = 0; Attempt != 3; ++Attempt) {
    Result<bool> Whole = hashOnce(Path, Value);
    if (!Whole)
      return Whole.status();
    if (*Whole)
      return Value;
  }
  return Status(StatusCode::IoError,
                Path + ": is written to all the time; try again when it is "
                       "finished");
}

/// Returns the value itself if it is short and printable.
static std::string shown(std::string_view Value) {
  bool Readable = Value.size() <= 200 &&
                  std::all_of(Value.begin(), Value.end(),
                              [](char C) { return C >= ' ' && C <= '~'; });
  return Readable ? std::string(Value)
                  : std::to_string(Value.size()) + " bytes";
}

KeyBuilder::KeyBuilder(std::string_view Schema) { add("schema", Schema); }

KeyBuilder &KeyBuilder::add(std::string_view Name, std::string_view Value) {
  return addDigest(Name, sha256(Value), shown(Value));
}

KeyBuilder &KeyBuilder::addDigest(std::string_view Name, const Digest &Value,
                                  std::string_view Shown) {
  Fields.push_back({std::string(Name), Value, std::string(Shown)});
  return *this;
}

Status KeyBuilder::addFile(std::string_view Name, const std::string &Path) {
  Result<Digest> Content = sha256OfFile(Path);
  if (!Content)
    return Content.status();
  addDigest(Name, *Content, toHex(*Content).substr(0, 16));
  return Status::success();
}

Digest jit::getKey(const std::vector<KeyField> &Fields) {
  Sha256 Hash;
  for (const KeyField &Field : Fields) {
    Hash.addField(Field.Name);
    Hash.add(bytesOf(Field.Hash));
  }
  return Hash.finish();
}

KeyRecord KeyBuilder::finish() const { return {getKey(Fields), Fields}; }

/// Returns the fields named \p Name, in order.
static std::vector<const KeyField *> called(const KeyRecord &Key,
                                            const std::string &Name) {
  std::vector<const KeyField *> Found;
  for (const KeyField &Field : Key.Fields)
    if (Field.Name == Name)
      Found.push_back(&Field);
  return Found;
}

/// Removes equal fields at both ends: a flag inserted between others is one
/// difference, not one for each flag after it.
static void dropCommonEnds(std::vector<const KeyField *> &A,
                           std::vector<const KeyField *> &B) {
  auto IsSame = [](const KeyField *X, const KeyField *Y) {
    return X->Hash == Y->Hash;
  };
  auto Front = std::mismatch(A.begin(), A.end(), B.begin(), B.end(), IsSame);
  A.erase(A.begin(), Front.first);
  B.erase(B.begin(), Front.second);
  auto Back = std::mismatch(A.rbegin(), A.rend(), B.rbegin(), B.rend(), IsSame);
  A.erase(Back.first.base(), A.end());
  B.erase(Back.second.base(), B.end());
}

std::vector<KeyDifference> jit::explain(const KeyRecord &Before,
                                        const KeyRecord &After) {
  std::vector<std::string> Names;
  for (const KeyRecord *Key : {&Before, &After})
    for (const KeyField &Field : Key->Fields)
      if (std::find(Names.begin(), Names.end(), Field.Name) == Names.end())
        Names.push_back(Field.Name);
  std::vector<KeyDifference> Differences;
  for (const std::string &Name : Names) {
    auto Old = called(Before, Name), New = called(After, Name);
    dropCommonEnds(Old, New);
    for (size_t I = 0; I < std::max(Old.size(), New.size()); ++I) {
      const KeyField *O = I < Old.size() ? Old[I] : nullptr;
      const KeyField *N = I < New.size() ? New[I] : nullptr;
      if (O && N && O->Hash == N->Hash)
        continue;
      Differences.push_back({Name, O ? O->Shown : "", N ? N->Shown : ""});
    }
  }
  return Differences;
}

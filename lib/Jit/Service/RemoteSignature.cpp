//===- RemoteSignature.cpp - HMAC signatures of remote entries ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is <entry> <HMAC, 32 bytes> <version, 8 bytes> "KPACKSIG". The
// signature follows the entry and ends with a fixed text, so that a reader
// without a secret can detect and remove it. The signed bytes begin with a line
// that names the purpose: a secret that also signs other data does not turn it
// into kernels. The comparison takes constant time, so a server learns nothing
// from guessing.
//
// The checks of a secret's file use the descriptor that is then read, so that
// no process can replace the file in between.
//
//===----------------------------------------------------------------------===//
#include "RemoteSignature.h"

#include "Jit/Store/Store.h"
#include "Support/Files.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

static constexpr std::string_view Magic = "KPACKSIG";
/// Prefix of the signed bytes, and the version before the magic.
static constexpr std::string_view Purpose = "kpack-jit remote 1\n";
static constexpr std::string_view Version("\1\0\0\0\0\0\0\0", 8);
static constexpr size_t DigestSize = 32;
static constexpr size_t SignatureSize =
    DigestSize + Version.size() + Magic.size();
/// Rejects files that are no secrets.
static constexpr size_t MaxSecret = 4096;

Result<std::string> jit::readSecret(const std::string &Path, size_t MinBytes) {
  auto Refuse = [&](StatusCode Code, const std::string &Why) {
    return Status(Code, Path + ": " + Why);
  };
  UniqueFd File(::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat Info;
  if (!File || ::fstat(File.get(), &Info) != 0)
    return Refuse(errno == ENOENT ? StatusCode::FileNotFound
                                  : StatusCode::IoError,
                  std::string("cannot be read: ") + std::strerror(errno));
  if (!S_ISREG(Info.st_mode) ||
      (Info.st_uid != ::geteuid() && Info.st_uid != 0) || Info.st_mode & 077)
    return Refuse(StatusCode::InvalidArgument,
                  "holds a secret and must be a file of your own that nobody "
                  "else may read; chmod 600 it");
  std::optional<std::string> Read = readToEnd(File.get(), MaxSecret + 1);
  if (!Read)
    return Refuse(StatusCode::IoError,
                  std::string("cannot be read: ") + std::strerror(errno));
  std::string Text = std::move(*Read);
  while (!Text.empty() && (Text.back() == '\n' || Text.back() == '\r'))
    Text.pop_back();
  if (Text.size() > MaxSecret || Text.size() < MinBytes)
    return Refuse(
        StatusCode::InvalidArgument,
        "a secret has " + std::to_string(MinBytes) + " to " +
            std::to_string(MaxSecret) + " bytes, this has " +
            (Text.size() > MaxSecret ? "more" : std::to_string(Text.size())));
  return Text;
}

static std::string hmac(std::string_view Entry, std::string_view Secret) {
  std::string Signed(Purpose);
  Signed += Entry;
  unsigned char Value[EVP_MAX_MD_SIZE];
  unsigned Size = 0;
  if (!HMAC(EVP_sha256(), Secret.data(), static_cast<int>(Secret.size()),
            reinterpret_cast<const unsigned char *>(Signed.data()),
            Signed.size(), Value, &Size) ||
      Size != DigestSize)
    return {};
  return std::string(reinterpret_cast<const char *>(Value), Size);
}

std::string jit::getSignature(std::string_view Entry, std::string_view Secret) {
  std::string Tail = hmac(Entry, Secret);
  if (!Tail.empty())
    Tail.append(Version).append(Magic);
  return Tail;
}

Result<std::string_view> jit::takeSigned(std::string_view Value,
                                         std::string_view Secret) {
  bool IsSigned = Value.size() >= SignatureSize &&
                  Value.substr(Value.size() - Magic.size()) == Magic &&
                  Value.substr(Value.size() - Magic.size() - Version.size(),
                               Version.size()) == Version;
  if (!IsSigned && Secret.empty())
    return Value;
  if (!IsSigned)
    return Status(StatusCode::InvalidFormat, "is not signed");
  std::string_view Entry = Value.substr(0, Value.size() - SignatureSize);
  if (Secret.empty())
    return Entry;
  std::string Right = hmac(Entry, Secret);
  if (Right.empty() ||
      CRYPTO_memcmp(Right.data(), Value.data() + Entry.size(), DigestSize) != 0)
    return Status(StatusCode::InvalidFormat,
                  "is signed with another key than ours");
  return Entry;
}

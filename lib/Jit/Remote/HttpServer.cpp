//===- HttpServer.cpp - client of a cache on an HTTP server ---------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GET, HEAD and PUT of <base>/<2 digits>/<64 digits>, with libcurl. A WebDAV
// server that lacks the folder (409; nginx replies 500) gets an MKCOL.
// Redirections count as errors: a request is never sent to another address.
//
//===----------------------------------------------------------------------===//
#include "RemoteServer.h"

#include "Jit/Service/RemoteTrust.h"
#include "Support/SecureMode.h"

#include <algorithm>
#include <cstring>
#include <curl/curl.h>

using namespace kpack;
using namespace kpack::jit;
using Outcome = RemoteAnswer::Outcome;

namespace {

/// Splits "http+unix:/socket:/prefix" into the socket and a URL below
/// localhost.
struct Address {
  std::string Url;    ///< ends with a slash
  std::string Socket; ///< empty: TCP
};

Address addressOf(std::string Url) {
  static constexpr std::string_view Unix = "http+unix:";
  Address A;
  if (Url.compare(0, Unix.size(), Unix) == 0) {
    Url.erase(0, Unix.size());
    if (Url.compare(0, 3, "///") == 0)
      Url.erase(0, 2);
    size_t Colon = Url.rfind(":/");
    A.Socket = Url.substr(0, Colon);
    Url = "http://localhost" +
          (Colon == std::string::npos ? std::string() : Url.substr(Colon + 1));
  }
  A.Url = std::move(Url);
  if (A.Url.back() != '/')
    A.Url += '/';
  return A;
}

class HttpServer : public RemoteServer {
public:
  HttpServer(const RemoteCall &Call, std::function<void()> OnAnswer)
      : RemoteServer(Call, std::move(OnAnswer)), Where(addressOf(Call.Url)),
        Handle(::curl_easy_init()) {}
  ~HttpServer() override { ::curl_easy_cleanup(Handle); }

  RemoteAnswer get() override;
  RemoteAnswer has() override;
  RemoteAnswer put(const std::string &Value) override;

private:
  /// Returns false and sets Error on failure.
  bool prepare(const std::string &Path);
  void addCredentials();
  /// Returns the HTTP status, or 0 and sets Error.
  long perform();
  RemoteAnswer found(long Status);
  long upload(const std::string &Value);
  RemoteAnswer refusal(long Status) const;

  std::string folder() const { return Call.Key.substr(0, 2) + "/"; }
  static curl_socket_t onSocket(void *This, curlsocktype Purpose,
                                curl_sockaddr *Address);
  static size_t onHeader(char *, size_t Size, size_t Count, void *This);
  static size_t onBody(char *Bytes, size_t Size, size_t Count, void *This);
  static size_t onSend(char *Bytes, size_t Size, size_t Count, void *This);

  Address Where;
  CURL *Handle;
  char ErrorText[CURL_ERROR_SIZE] = "";
  std::string Error;
  std::string Body;
  bool TooLarge = false;
  bool Foreign = false; ///< a connection to another machine was refused
  std::string_view Unsent;
};

/// Opens a socket only if the resolved address is this machine's.
curl_socket_t HttpServer::onSocket(void *This, curlsocktype,
                                   curl_sockaddr *Address) {
  if (!isLoopback(&Address->addr)) {
    static_cast<HttpServer *>(This)->Foreign = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(Address->family, Address->socktype | SOCK_CLOEXEC,
                  Address->protocol);
}

size_t HttpServer::onHeader(char *, size_t Size, size_t Count, void *This) {
  static_cast<HttpServer *>(This)->OnAnswer();
  return Size * Count;
}

size_t HttpServer::onBody(char *Bytes, size_t Size, size_t Count, void *This) {
  auto *Self = static_cast<HttpServer *>(This);
  Size *= Count;
  if (Size > Self->Call.MaxBytes - Self->Body.size()) {
    Self->TooLarge = true;
    return 0; // ends the transfer
  }
  Self->Body.append(Bytes, Size);
  return Size;
}

size_t HttpServer::onSend(char *Bytes, size_t Size, size_t Count, void *This) {
  std::string_view &Left = static_cast<HttpServer *>(This)->Unsent;
  size_t Now = std::min(Size * Count, Left.size());
  std::memcpy(Bytes, Left.data(), Now);
  Left.remove_prefix(Now);
  return Now;
}

void HttpServer::addCredentials() {
  if (Call.Credentials.empty())
    return; // use those of the URL, if any
  size_t Colon = Call.Credentials.find(':');
  if (Colon == std::string::npos) {
    ::curl_easy_setopt(Handle, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    ::curl_easy_setopt(Handle, CURLOPT_XOAUTH2_BEARER,
                       Call.Credentials.c_str());
    return;
  }
  ::curl_easy_setopt(Handle, CURLOPT_USERNAME,
                     Call.Credentials.substr(0, Colon).c_str());
  ::curl_easy_setopt(Handle, CURLOPT_PASSWORD,
                     Call.Credentials.substr(Colon + 1).c_str());
}

bool HttpServer::prepare(const std::string &Path) {
  Body.clear();
  TooLarge = Foreign = false;
  Error = "libcurl does not take this address";
  if (!Handle)
    return false;
  ::curl_easy_reset(Handle);
  auto Set = [&](CURLoption Option, auto Value) {
    return ::curl_easy_setopt(Handle, Option, Value) == CURLE_OK;
  };
  Set(CURLOPT_NOSIGNAL, 1L);
  Set(CURLOPT_ERRORBUFFER, ErrorText);
  Set(CURLOPT_USERAGENT, "kpack-jit-remote");
  Set(CURLOPT_FOLLOWLOCATION, 0L);
  Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(Call.TimeoutMs));
  Set(CURLOPT_TIMEOUT_MS, static_cast<long>(Call.TotalMs));
  Set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(Call.MaxBytes));
  Set(CURLOPT_HEADERFUNCTION, &onHeader);
  Set(CURLOPT_HEADERDATA, this);
  Set(CURLOPT_WRITEFUNCTION, &onBody);
  Set(CURLOPT_WRITEDATA, this);
  Set(CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
  addCredentials();
  if (!Call.CaFile.empty() && !Set(CURLOPT_CAINFO, Call.CaFile.c_str()))
    return false;
  if (!Where.Socket.empty() &&
      (!Set(CURLOPT_UNIX_SOCKET_PATH, Where.Socket.c_str()) ||
       !Set(CURLOPT_PROXY, "")))
    return false;
  if (Call.OnlyLoopback &&
      (!Set(CURLOPT_PROXY, "") || !Set(CURLOPT_OPENSOCKETFUNCTION, &onSocket) ||
       !Set(CURLOPT_OPENSOCKETDATA, this)))
    return false;
  return Set(CURLOPT_PROTOCOLS_STR, "http,https") &&
         Set(CURLOPT_URL, (Where.Url + Path).c_str());
}

long HttpServer::perform() {
  ErrorText[0] = '\0';
  CURLcode Code = ::curl_easy_perform(Handle);
  long Status = 0;
  if (Code == CURLE_OK) {
    ::curl_easy_getinfo(Handle, CURLINFO_RESPONSE_CODE, &Status);
    return Status;
  }
  if (TooLarge || Code == CURLE_FILESIZE_EXCEEDED)
    Error =
        "the answer has more than " + std::to_string(Call.MaxBytes) + " bytes";
  else if (Foreign)
    Error = NotThisMachine;
  else
    Error = ErrorText[0] ? ErrorText : ::curl_easy_strerror(Code);
  return 0;
}

RemoteAnswer HttpServer::refusal(long Status) const {
  if (Status == 0)
    return remoteFailure(Error);
  std::string Fix;
  if (Status == 401 || Status == 403)
    Fix = "; check the credentials" + makeAdvice(" (CK_JIT_REMOTE_AUTH_FILE)") +
          " and what the server allows";
  else if (Status == 405)
    Fix = "; the server takes no uploads" +
          makeAdvice(" (CK_JIT_REMOTE_MODE=read)");
  else if (Status == 413)
    Fix = "; allow larger uploads in the server's configuration";
  else if (Status >= 300 && Status < 400)
    Fix = "; redirections are not followed, give the final address";
  return remoteFailure("answers with HTTP status " + std::to_string(Status) +
                       Fix);
}

RemoteAnswer HttpServer::get() {
  return found(prepare(folder() + Call.Key) ? perform() : 0);
}

RemoteAnswer HttpServer::has() {
  if (!prepare(folder() + Call.Key))
    return refusal(0);
  ::curl_easy_setopt(Handle, CURLOPT_NOBODY, 1L);
  // The size does not matter here.
  ::curl_easy_setopt(Handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(0));
  return found(perform());
}

RemoteAnswer HttpServer::found(long Status) {
  if (Status == 200)
    return {Outcome::Found, {}, std::move(Body)};
  if (Status == 404 || Status == 410)
    return {Outcome::Missing, {}, {}};
  return refusal(Status);
}

long HttpServer::upload(const std::string &Value) {
  if (!prepare(folder() + Call.Key))
    return 0;
  Unsent = Value;
  // Send no "Expect: 100-continue", which would cost up to a second.
  curl_slist *Headers = ::curl_slist_append(nullptr, "Expect:");
  ::curl_easy_setopt(Handle, CURLOPT_HTTPHEADER, Headers);
  ::curl_easy_setopt(Handle, CURLOPT_UPLOAD, 1L);
  ::curl_easy_setopt(Handle, CURLOPT_INFILESIZE_LARGE,
                     static_cast<curl_off_t>(Value.size()));
  ::curl_easy_setopt(Handle, CURLOPT_READFUNCTION, &onSend);
  ::curl_easy_setopt(Handle, CURLOPT_READDATA, this);
  long Status = perform();
  ::curl_slist_free_all(Headers);
  return Status;
}

RemoteAnswer HttpServer::put(const std::string &Value) {
  long Status = upload(Value);
  bool MayLackFolder = Status == 404 || Status == 409 || Status == 500;
  if (MayLackFolder && prepare(folder())) {
    ::curl_easy_setopt(Handle, CURLOPT_CUSTOMREQUEST, "MKCOL");
    perform(); // another process may have created it: the upload shows that
    Status = upload(Value);
  }
  if (Status >= 200 && Status < 300)
    return {Outcome::Stored, {}, {}};
  return refusal(Status);
}

} // namespace

std::unique_ptr<RemoteServer>
kpack::jit::makeHttpServer(const RemoteCall &Call,
                           std::function<void()> OnAnswer) {
  return std::make_unique<HttpServer>(Call, std::move(OnAnswer));
}

//===- RedisServer.cpp - client of a cache on a Redis server --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GET, SET and EXISTS of "kpack-jit:<64 digits>", with hiredis. The server
// decides how long values live (maxmemory-policy). An answer is read in pieces,
// so that an endless one is noticed.
//
//===----------------------------------------------------------------------===//
#include "RemoteServer.h"

#include "Jit/Service/RemoteTrust.h"
#include "Support/SecureMode.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <curl/curl.h>
#include <hiredis/hiredis.h>
#include <sys/socket.h>

using namespace kpack;
using namespace kpack::jit;
using Outcome = RemoteAnswer::Outcome;

namespace {

struct Address {
  std::string Socket; ///< empty for TCP
  std::string Host;
  int Port = 6379;
  std::string User, Password;
  std::string Database;
};

/// Returns one part of a URL, decoded, or empty.
std::string getPart(CURLU *Url, CURLUPart Part) {
  char *Text = nullptr;
  if (::curl_url_get(Url, Part, &Text, CURLU_URLDECODE) != CURLUE_OK)
    return {};
  std::string Copy = Text;
  ::curl_free(Text);
  return Copy;
}

/// Parses "unix:/socket?db=2" or "redis+unix:///socket".
bool parseSocket(std::string Path, Address &Parsed) {
  if (Path.compare(0, 3, "///") == 0)
    Path.erase(0, 2);
  size_t Question = Path.find('?');
  if (Question != std::string::npos) {
    if (Path.compare(Question, 4, "?db=") != 0)
      return false;
    Parsed.Database = Path.substr(Question + 4);
    Path.resize(Question);
  }
  Parsed.Socket = std::move(Path);
  return Parsed.Socket.size() > 1 && Parsed.Socket[0] == '/' &&
         Parsed.Socket[1] != '/';
}

bool parse(const std::string &Text, Address &Parsed) {
  for (const char *Scheme : {"unix:", "redis+unix:"})
    if (Text.compare(0, std::strlen(Scheme), Scheme) == 0)
      return parseSocket(Text.substr(std::strlen(Scheme)), Parsed);
  CURLU *Url = ::curl_url();
  bool IsUrl = Url && ::curl_url_set(Url, CURLUPART_URL, Text.c_str(),
                                     CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK;
  if (IsUrl) {
    Parsed.Host = getPart(Url, CURLUPART_HOST);
    if (Parsed.Host.size() > 2 && Parsed.Host.front() == '[')
      Parsed.Host = Parsed.Host.substr(1, Parsed.Host.size() - 2);
    Parsed.User = getPart(Url, CURLUPART_USER);
    Parsed.Password = getPart(Url, CURLUPART_PASSWORD);
    std::string Port = getPart(Url, CURLUPART_PORT);
    if (!Port.empty())
      Parsed.Port = std::atoi(Port.c_str());
    std::string Path = getPart(Url, CURLUPART_PATH);
    Parsed.Database = Path.empty() ? Path : Path.substr(1);
  }
  ::curl_url_cleanup(Url);
  return !Parsed.Host.empty() && Parsed.Port > 0 && Parsed.Port < 65536;
}

struct FreeReply {
  void operator()(redisReply *Reply) const { ::freeReplyObject(Reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

class RedisServer : public RemoteServer {
public:
  using RemoteServer::RemoteServer;
  ~RedisServer() override {
    if (Connection)
      ::redisFree(Connection);
  }

  RemoteAnswer get() override;
  RemoteAnswer has() override;
  RemoteAnswer put(const std::string &Value) override;

private:
  /// Returns false and sets Error on failure.
  bool connect();
  bool logIn(const Address &Server);
  /// Returns null and sets Error on failure; an error reply of the server is
  /// one.
  Reply command(const std::vector<std::string> &Arguments);
  Reply fail(std::string Why) {
    Error = std::move(Why);
    return nullptr;
  }
  std::string key() const { return "kpack-jit:" + Call.Key; }

  redisContext *Connection = nullptr;
  bool LoggedIn = false;
  std::string Error;
};

bool RedisServer::connect() {
  if (Connection)
    return LoggedIn;
  Address Server;
  if (!parse(Call.Url, Server)) {
    Error = "no address of a Redis server; give redis://host:port/database or "
            "unix:/path of its socket";
    return false;
  }
  timeval Limit = getTime(Call.TimeoutMs);
  Connection =
      Server.Socket.empty()
          ? ::redisConnectWithTimeout(Server.Host.c_str(), Server.Port, Limit)
          : ::redisConnectUnixWithTimeout(Server.Socket.c_str(), Limit);
  if (!Connection || Connection->err) {
    Error = std::string("cannot be connected to: ") +
            (Connection ? Connection->errstr : "out of memory");
    return false;
  }
  // Check the peer before anything is sent or read.
  sockaddr_storage Peer = {};
  socklen_t Size = sizeof(Peer);
  auto *Address = reinterpret_cast<sockaddr *>(&Peer);
  if (Call.OnlyLoopback &&
      (::getpeername(Connection->fd, Address, &Size) != 0 ||
       !isLoopback(Address))) {
    Error = NotThisMachine;
    return false;
  }
  ::redisSetTimeout(Connection, getTime(Call.TotalMs));
  return LoggedIn = logIn(Server);
}

bool RedisServer::logIn(const Address &Server) {
  std::string User = Server.User, Password = Server.Password;
  if (!Call.Credentials.empty()) {
    size_t Colon = Call.Credentials.find(':');
    User = Colon == std::string::npos ? "" : Call.Credentials.substr(0, Colon);
    Password = Colon == std::string::npos ? Call.Credentials
                                          : Call.Credentials.substr(Colon + 1);
  }
  if (!Password.empty() && !(User.empty() ? command({"AUTH", Password})
                                          : command({"AUTH", User, Password})))
    return false;
  return Server.Database.empty() || command({"SELECT", Server.Database});
}

Reply RedisServer::command(const std::vector<std::string> &Arguments) {
  std::vector<const char *> Texts;
  std::vector<size_t> Sizes;
  for (const std::string &Word : Arguments) {
    Texts.push_back(Word.data());
    Sizes.push_back(Word.size());
  }
  ::redisAppendCommandArgv(Connection, static_cast<int>(Arguments.size()),
                           Texts.data(), Sizes.data());
  int Written = 0;
  while (!Written)
    if (::redisBufferWrite(Connection, &Written) != REDIS_OK)
      return fail(Connection->errstr);
  void *Answer = nullptr;
  while (true) {
    if (::redisGetReplyFromReader(Connection, &Answer) != REDIS_OK)
      return fail(Connection->errstr);
    if (Answer)
      break;
    if (Connection->reader->len > Call.MaxBytes + 1024)
      return fail("the answer has more than " + std::to_string(Call.MaxBytes) +
                  " bytes");
    if (::redisBufferRead(Connection) != REDIS_OK)
      return fail(Connection->errstr);
    // An answer to a login does not count.
    if (Arguments[0] == "GET" || Arguments[0] == "SET" ||
        Arguments[0] == "EXISTS")
      OnAnswer();
  }
  Reply Whole(static_cast<redisReply *>(Answer));
  if (Whole->type == REDIS_REPLY_ERROR)
    // Keep only the first word of the server's text, the kind of error.
    return fail("refuses " + Arguments[0] + ": " +
                std::string(Whole->str, std::strcspn(Whole->str, " ")) +
                "; check the credentials" +
                makeAdvice(" (CK_JIT_REMOTE_AUTH_FILE)") +
                " and what the server allows");
  return Whole;
}

RemoteAnswer RedisServer::get() {
  Reply Answer = connect() ? command({"GET", key()}) : nullptr;
  if (!Answer)
    return remoteFailure(Error);
  if (Answer->type == REDIS_REPLY_NIL)
    return {Outcome::Missing, {}, {}};
  if (Answer->type != REDIS_REPLY_STRING || Answer->len > Call.MaxBytes)
    return remoteFailure("the answer is no value");
  return {Outcome::Found, {}, std::string(Answer->str, Answer->len)};
}

RemoteAnswer RedisServer::has() {
  Reply Answer = connect() ? command({"EXISTS", key()}) : nullptr;
  if (!Answer)
    return remoteFailure(Error);
  if (Answer->type != REDIS_REPLY_INTEGER)
    return remoteFailure("the answer is no number");
  return {Answer->integer ? Outcome::Found : Outcome::Missing, {}, {}};
}

RemoteAnswer RedisServer::put(const std::string &Value) {
  if (!connect() || !command({"SET", key(), Value}))
    return remoteFailure(Error);
  return {Outcome::Stored, {}, {}};
}

} // namespace

std::unique_ptr<RemoteServer>
kpack::jit::makeRedisServer(const RemoteCall &Call,
                            std::function<void()> OnAnswer) {
  return std::make_unique<RedisServer>(Call, std::move(OnAnswer));
}

//===- Remote.cpp - client of a shared remote cache -----------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each question starts a kpack-jit-remote process. We enforce its time limit,
// in whatever state it is.
//
//===----------------------------------------------------------------------===//
#include "Jit/Service/Remote.h"

#include "HelperProcess.h"
#include "RemoteSignature.h"

#include "Jit/Service/RemotePause.h"
#include "Jit/Service/RemoteProtocol.h"
#include "Jit/Service/RemoteTrust.h"
#include "Support/ForkGuard.h"
#include "Support/SecureMode.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <mutex>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;
using Clock = HelperProcess::Clock;
using Outcome = RemoteAnswer::Outcome;

/// Total time as a multiple of Timeout; time of an upload as a multiple of
/// Total.
static constexpr double TotalFactor = 5, UploadFactor = 2;
/// A shorter secret can be guessed.
static constexpr size_t MinKeyBytes = 16;
/// After this many wrong entries in a row, stop using the server.
static constexpr unsigned MaxRefusedInARow = 3;

static Clock::time_point after(Clock::time_point Start, double Seconds) {
  return Start + std::chrono::duration_cast<Clock::duration>(
                     std::chrono::duration<double>(Seconds));
}
static uint64_t milliseconds(double Seconds) {
  return static_cast<uint64_t>(std::ceil(Seconds * 1000));
}
static std::string shown(double Seconds) {
  char Text[32];
  std::snprintf(Text, sizeof(Text), "%g s", Seconds);
  return Text;
}

/// Removes user and password from \p Url.
static std::string withoutUser(const std::string &Url) {
  size_t Offset = Url.rfind('@');
  size_t Colon = Url.find(':');
  if (Offset == std::string::npos || Colon == std::string::npos ||
      Offset < Colon)
    return Url;
  bool HasSlashes = Url.compare(Colon, 3, "://") == 0;
  return Url.substr(0, Colon + (HasSlashes ? 3 : 1)) + Url.substr(Offset + 1);
}

/// Returns true if only the server, or an owner of the key, can answer.
static bool isTrusted(const RemoteOptions &Options) {
  return !Options.KeyFile.empty() || !isPlainText(Options.Url) ||
         namesLoopback(Options.Url);
}

static Status check(const RemoteOptions &Options) {
  static constexpr std::string_view Schemes[] = {
      "http", "https", "http+unix", "redis", "redis+unix", "unix"};
  const std::string &Url = Options.Url;
  auto Refuse = [&](const std::string &Why) {
    return Status(StatusCode::InvalidArgument,
                  "'" + withoutUser(Url) + "': " + Why);
  };
  std::string Scheme = Url.substr(0, Url.find(':'));
  if (Scheme == "rediss")
    return Refuse("Redis over TLS is not there; use https, or a tunnel on this "
                  "machine (stunnel) and redis");
  if (Scheme.size() == Url.size() ||
      std::find(std::begin(Schemes), std::end(Schemes), Scheme) ==
          std::end(Schemes))
    return Refuse("no address of a remote cache; give http://host/path/, "
                  "https://, redis://host or unix:/path of Redis' socket");
  for (unsigned char C : Url)
    if (C <= ' ' || C == 127)
      return Refuse("a space or control character in an address");
  if (Scheme.compare(0, 4, "http") == 0 &&
      Url.find_first_of("?#") != std::string::npos)
    return Refuse("keys are appended to the address; take away what follows "
                  "its path");
  if (!isTrusted(Options) && !Options.Insecure)
    return Refuse("without a key, what a server of another machine sends in "
                  "plain text could be anybody's code; sign entries" +
                  makeAdvice(" (CK_JIT_REMOTE_KEY_FILE)") + ", or use https" +
                  makeAdvice("; CK_JIT_REMOTE_INSECURE=1 takes them all the "
                             "same"));
  if (!(Options.Timeout > 0 && Options.Timeout <= 3600) ||
      !(Options.Total >= 0 && Options.Total <= 36000) ||
      !(Options.Pause >= 0 && Options.Pause <= 1e6))
    return Refuse("time limit or pause out of range; give seconds");
  if (::access(Options.Helper.c_str(), X_OK) != 0)
    return Status(StatusCode::FileNotFound,
                  Options.Helper + ": cannot be run; kpack-jit-remote is "
                                   "installed with kpack's tools");
  return Status::success();
}

namespace {

class Tier : public RemoteTier {
public:
  Tier(RemoteOptions O, std::string Secret, std::string Credentials);

  std::optional<RemoteEntry> fetch(const RemoteWanted &Wanted,
                                   std::string &Problem) override;
  void store(const EntryInfo &Info, std::string_view Payload,
             std::string &Problem) override;
  Result<bool> has(const Digest &Id) override;
  Status upload(const Digest &Id, std::string Entry) override;
  Status check() override;
  const std::string &name() const override { return Name; }
  RemoteMode mode() const override { return Options.Mode; }
  bool isInsecure() const override { return !isTrusted(Options); }

private:
  RemoteCall call(const char *Operation, const Digest &Id, double Total) const;
  RemoteAnswer ask(const RemoteCall &Call, double FirstByte,
                   double Total) const;
  Result<RemoteEntry> verify(std::string Value,
                             const RemoteWanted &Wanted) const;
  std::string pauseFile(const char *Suffix) const;
  void makeDirectory() const;

  const RemoteOptions Options;
  const std::string Name;
  const std::string Secret; ///< empty: no signatures
  const std::string Credentials;
  std::mutex Lock; ///< guards all that follows
  RemotePause Fetching, Storing;
  bool StoringTold = false;
  std::set<Digest> Refused;
  unsigned RefusedInARow = 0;
  std::list<HelperProcess> Uploads; ///< end soon; each starts an upload
  ForkGuard Guard{Lock};
};

} // namespace

Tier::Tier(RemoteOptions O, std::string Secret, std::string Credentials)
    : Options(std::move(O)), Name(withoutUser(Options.Url)),
      Secret(std::move(Secret)), Credentials(std::move(Credentials)),
      Fetching(pauseFile("get"), Options.Pause),
      Storing(pauseFile("put"), Options.Pause) {}

std::string Tier::pauseFile(const char *Suffix) const {
  if (Options.Directory.empty())
    return {};
  return Options.Directory + "/remote/" +
         toHex(sha256(Options.Url)).substr(0, 16) + "-" + Suffix;
}

/// Does not create the cache directory itself: without it, state is not shared.
void Tier::makeDirectory() const {
  if (!Options.Directory.empty())
    ::mkdir((Options.Directory + "/remote").c_str(), 0700);
}

RemoteCall Tier::call(const char *Operation, const Digest &Id,
                      double Total) const {
  RemoteCall Call;
  Call.What = Operation;
  Call.Url = Options.Url;
  Call.Credentials = Credentials;
  Call.CaFile = Options.CaFile;
  Call.Key = toHex(Id);
  Call.TimeoutMs = milliseconds(Options.Timeout);
  Call.TotalMs = milliseconds(Total);
  Call.MaxBytes = Options.MaxBytes;
  Call.OnlyLoopback =
      Secret.empty() && !Options.Insecure && isPlainText(Options.Url);
  return Call;
}

RemoteAnswer Tier::ask(const RemoteCall &Call, double FirstByte,
                       double Total) const {
  Clock::time_point Start = Clock::now();
  auto Failed = [](std::string Why) {
    return RemoteAnswer{Outcome::Failed, std::move(Why), {}};
  };
  Result<HelperProcess> Process =
      HelperProcess::start(Options.Helper, encodeCall(Call));
  if (!Process)
    return Failed(Process.status().message());
  std::string Heard;
  while (true) {
    double Limit = Heard.empty() ? FirstByte : Total;
    auto Event = Process->hear(Heard, after(Start, Limit));
    if (Event == HelperProcess::Heard::End)
      break;
    if (Event == HelperProcess::Heard::Late)
      return Failed(Heard.empty() ? "no answer within " + shown(Limit)
                                  : "no whole answer within " + shown(Limit));
    if (Heard.size() > Options.MaxBytes + 65536)
      return Failed("more than was asked for");
  }
  std::string_view Reply = Heard;
  if (!Reply.empty() && Reply.front() == RemoteAnswerBegins)
    Reply.remove_prefix(1);
  std::optional<Message> Answer = Message::decode(Reply);
  if (!Answer)
    return Failed(Options.Helper + " was ended from outside");
  RemoteAnswer Decoded = decodeAnswer(*Answer);
  Decoded.Detail = oneLine(Decoded.Detail);
  return Decoded;
}

/// Checks the entry like a local one, and its signature.
Result<RemoteEntry> Tier::verify(std::string Value,
                                 const RemoteWanted &Wanted) const {
  Result<std::string_view> Bytes = takeSigned(Value, Secret);
  if (!Bytes)
    return Bytes.status();
  Result<DecodedEntry> Entry = decodeEntry(*Bytes);
  if (!Entry)
    return Entry.status();
  const EntryInfo &Info = Entry->Info;
  if (Info.Key.Id != Wanted.Id)
    return Status(StatusCode::InvalidFormat, "has the key " + Info.Key.hex());
  if (Info.Kind != Wanted.Kind || Info.Target != Wanted.Target ||
      Info.Symbol != Wanted.Symbol)
    return Status(StatusCode::InvalidFormat,
                  "is made for something else (" + Info.Kind + " '" +
                      Info.Target + "' '" + Info.Symbol + "')");
  size_t Size = Entry->Payload.size();
  RemoteEntry Found{std::move(Entry->Info), {}};
  Value.resize(Size); // the value begins with the payload
  Found.Payload = std::move(Value);
  return Found;
}

std::optional<RemoteEntry> Tier::fetch(const RemoteWanted &Wanted,
                                       std::string &Problem) {
  {
    std::lock_guard<std::mutex> Held(Lock);
    if (Refused.count(Wanted.Id) || Fetching.reason())
      return std::nullopt;
  }
  double Total = Options.Total;
  RemoteAnswer Answer =
      ask(call("get", Wanted.Id, Total), Options.Timeout, Total);
  std::optional<RemoteEntry> Entry;
  std::string Defect;
  if (Answer.What == Outcome::Found) {
    Result<RemoteEntry> Verified = verify(std::move(Answer.Value), Wanted);
    if (Verified)
      Entry = std::move(*Verified);
    else
      Defect = oneLine(Verified.status().message());
  }
  makeDirectory();
  std::lock_guard<std::mutex> Held(Lock);
  std::string Pause = "; it is left alone for " + shown(Options.Pause);
  if (Answer.What != Outcome::Found && Answer.What != Outcome::Missing) {
    Problem = Name + ": " + Answer.Detail + Pause;
    Fetching.begin(Answer.Detail);
    return std::nullopt;
  }
  Fetching.end();
  if (Answer.What == Outcome::Missing)
    return std::nullopt;
  if (Entry) {
    RefusedInARow = 0;
    return Entry;
  }
  Refused.insert(Wanted.Id);
  Problem = Name + ": " + toHex(Wanted.Id) + ": " + Defect + "; it is not used";
  if (++RefusedInARow == MaxRefusedInARow) {
    RefusedInARow = 0;
    Fetching.begin("what it has are no entries");
    Problem += Pause;
  }
  return std::nullopt;
}

void Tier::store(const EntryInfo &Info, std::string_view Payload,
                 std::string &Problem) {
  if (Options.Mode == RemoteMode::Read || !takes(Info.Kind))
    return;
  {
    std::lock_guard<std::mutex> Held(Lock);
    Uploads.remove_if([](HelperProcess &P) { return P.hasEnded(); });
    std::optional<std::string> Why = Storing.reason();
    if (Why && !StoringTold)
      // Report it here: the background upload that failed could not.
      Problem = Name + ": nothing is uploaded for " + shown(Options.Pause) +
                ": " + *Why;
    StoringTold = StoringTold || Why;
    if (Why || Fetching.reason())
      return;
  }
  Result<std::string> Tail = encodeEntryTail(Info, Payload);
  if (!Tail)
    return;
  double Total = UploadFactor * Options.Total;
  RemoteCall Call = call("put", Info.Key.Id, Total);
  Call.Value.assign(Payload).append(*Tail);
  if (!Secret.empty())
    Call.Value += getSignature(Call.Value, Secret);
  if (Call.Value.size() > Options.MaxBytes)
    return;
  makeDirectory();
  if (Options.Mode == RemoteMode::Sync) {
    RemoteAnswer Answer = ask(Call, Total, Total);
    std::lock_guard<std::mutex> Held(Lock);
    if (Answer.What == Outcome::Stored) {
      Storing.end();
      return;
    }
    StoringTold = true;
    Storing.begin(Answer.Detail);
    Problem = Name + ": " + Answer.Detail + "; nothing is uploaded for " +
              shown(Options.Pause);
    return;
  }
  Call.Detached = true;
  Call.LockFile = pauseFile("upload");
  Call.PauseFile = pauseFile("put");
  Call.PauseMs = milliseconds(Options.Pause);
  Result<HelperProcess> Process = HelperProcess::start(
      Options.Helper, encodeCall(std::move(Call)), HelperProcess::Output::None);
  std::lock_guard<std::mutex> Held(Lock);
  if (Process)
    Uploads.push_back(std::move(*Process));
  else
    Storing.begin(Process.status().message());
}

Result<bool> Tier::has(const Digest &Id) {
  double Total = Options.Total;
  RemoteAnswer Answer = ask(call("has", Id, Total), Options.Timeout, Total);
  if (Answer.What == Outcome::Found || Answer.What == Outcome::Missing)
    return Answer.What == Outcome::Found;
  return Status(StatusCode::IoError, Name + ": " + Answer.Detail);
}

Status Tier::upload(const Digest &Id, std::string Entry) {
  if (Options.Mode == RemoteMode::Read)
    return Status(StatusCode::InvalidArgument,
                  Name + ": is only read from" +
                      makeAdvice("; set CK_JIT_REMOTE_MODE"));
  double Total = UploadFactor * Options.Total;
  RemoteCall Call = call("put", Id, Total);
  Call.Value = std::move(Entry);
  if (!Secret.empty())
    Call.Value += getSignature(Call.Value, Secret);
  if (Call.Value.size() > Options.MaxBytes)
    return Status(StatusCode::InvalidArgument,
                  toHex(Id) + ": has more than " +
                      std::to_string(Options.MaxBytes) +
                      " bytes, which nobody would fetch; it stays here");
  RemoteAnswer Answer = ask(Call, Total, Total);
  std::lock_guard<std::mutex> Held(Lock);
  if (Answer.What == Outcome::Stored) {
    Storing.end();
    return Status::success();
  }
  return Status(StatusCode::IoError, Name + ": " + Answer.Detail);
}

Status Tier::check() {
  double Total = Options.Total;
  // A key that no entry has.
  RemoteCall Call =
      call("check", sha256("kpack-jit-remote check " + Options.Url), Total);
  if (Options.Mode != RemoteMode::Read)
    Call.Value = "kpack-jit-remote check of process " +
                 std::to_string(::getpid()) + "\n";
  RemoteAnswer Answer = ask(Call, Options.Timeout, Total);
  if (Answer.What != Outcome::Failed)
    return Status::success();
  return Status(StatusCode::IoError, Name + ": " + Answer.Detail);
}

/// Returns true if other users control the names in \p Directory.
static bool isForeign(const std::string &Directory) {
  struct stat Found;
  return ::stat(Directory.c_str(), &Found) == 0 &&
         (Found.st_uid != ::geteuid() || (Found.st_mode & 022));
}

Result<std::shared_ptr<RemoteTier>> RemoteTier::open(RemoteOptions Options) {
  if (Status Checked = ::check(Options); !Checked.ok())
    return Checked;
  if (Options.Total == 0)
    Options.Total = TotalFactor * Options.Timeout;
  // Timeout, the limit until the answer begins, must not exceed the total.
  Options.Timeout = std::min(Options.Timeout, Options.Total);
  if (isForeign(Options.Directory))
    Options.Directory.clear(); // the cache refuses it too
  std::string Secret, Credentials;
  if (!Options.KeyFile.empty()) {
    Result<std::string> Read = readSecret(Options.KeyFile, MinKeyBytes);
    if (!Read)
      return Read.status();
    Secret = std::move(*Read);
  }
  if (!Options.AuthFile.empty()) {
    Result<std::string> Read = readSecret(Options.AuthFile, 1);
    if (!Read)
      return Read.status();
    Credentials = std::move(*Read);
  }
  return std::shared_ptr<RemoteTier>(std::make_shared<Tier>(
      std::move(Options), std::move(Secret), std::move(Credentials)));
}

bool RemoteTier::takes(const std::string &Kind) {
  return Kind == "shared-object" || Kind == "code-object" || Kind == "ptx";
}

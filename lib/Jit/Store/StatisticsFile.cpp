//===- StatisticsFile.cpp - log and table of statistics -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// append() finds the current log in the table, locks it and checks again:
// another process may have folded the log between the two steps. Such a log has
// no name any more, and append() starts again. fold() upgrades the lock, which
// is not atomic, so it repeats these checks. It renames the new table into
// place before it removes the log; a process that is killed in between leaves a
// log whose number the table already counts.
//
// Files are opened without following links and must be this user's or root's;
// names are cleaned for terminals, and sizes of reads are limited. Each batch
// begins with a newline, which ends a line that a full disk or a kill has
// truncated. The reader skips lines that do not parse.
//
//===----------------------------------------------------------------------===//
#include "Jit/Store/StatisticsFile.h"

#include "StoreLayout.h"

#include "Support/FileSizeGuard.h"
#include "Support/Files.h"
#include "Support/Numbers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::jit;

namespace {

constexpr const char *FolderName = "stats";
constexpr const char *TableName = "table";
constexpr std::string_view Title = "kpack-jit statistics 1 ";
/// Logs of this size are folded into the table.
constexpr off_t FoldAt = 256 << 10;
/// Size limit of a log that could not be folded.
constexpr off_t MaxLog = 4 << 20;
/// Read at most this many bytes of a table or log.
constexpr size_t MaxFile = 32 << 20;
/// Kernels with a separate row.
constexpr size_t MaxRows = 32768;
constexpr size_t MaxName = 512;

std::string logName(uint64_t Index) { return "log-" + std::to_string(Index); }

UniqueFd openFolder(int Root) {
  return UniqueFd(::openat(Root, FolderName,
                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// Opens a regular file of ours (or root's, in a system layer).
UniqueFd openOwn(int Folder, const std::string &Name, int Flags) {
  UniqueFd File = openToWrite(Folder, Name, Flags | O_NONBLOCK, 0600);
  struct stat Info;
  if (!File || ::fstat(File.get(), &Info) != 0 || !S_ISREG(Info.st_mode) ||
      (Info.st_uid != ::geteuid() && Info.st_uid != 0))
    return UniqueFd();
  return File;
}

std::string readAll(int Fd, size_t Limit) {
  ::lseek(Fd, 0, SEEK_SET);
  return readToEnd(Fd, Limit).value_or("");
}

/// Cuts \p Text to MaxName bytes and replaces its control characters: names are
/// fields of lines and shown on terminals.
std::string clean(std::string_view Text) {
  std::string Out(Text.substr(0, MaxName));
  for (char &C : Out)
    if (static_cast<unsigned char>(C) < 0x20 || C == 0x7f)
      C = '?';
  return Out;
}

constexpr uint64_t KernelStatistics::*Columns[] = {
    &KernelStatistics::Hits,     &KernelStatistics::Misses,
    &KernelStatistics::Compiles, &KernelStatistics::Failures,
    &KernelStatistics::Waits,    &KernelStatistics::CompileMilliseconds,
    &KernelStatistics::Bytes,    &KernelStatistics::LastUse};

void appendLine(std::string &Text, const KernelStatistics &Row) {
  for (uint64_t KernelStatistics::*Column : Columns)
    Text += std::to_string(Row.*Column) + '\t';
  Text += clean(Row.Target) + '\t' + clean(Row.Name);
  // Only if not zero: earlier versions skip lines with this column.
  if (Row.Fetched)
    Text += '\t' + std::to_string(Row.Fetched);
  Text += '\n';
}

/// Removes the text up to and including \p End from \p Rest and returns it
/// without \p End; nullopt if there is no \p End.
std::optional<std::string_view> take(std::string_view &Rest, char End) {
  size_t Offset = Rest.find(End);
  if (Offset == std::string_view::npos)
    return std::nullopt;
  std::string_view Part = Rest.substr(0, Offset);
  Rest.remove_prefix(Offset + 1);
  return Part;
}

std::optional<KernelStatistics> makeRow(std::string_view Line) {
  KernelStatistics Row;
  for (uint64_t KernelStatistics::*Column : Columns) {
    auto Text = take(Line, '\t');
    auto Value = Text ? parseNumber<uint64_t>(*Text) : std::nullopt;
    if (!Value)
      return std::nullopt;
    Row.*Column = *Value;
  }
  auto Target = take(Line, '\t');
  if (!Target)
    return std::nullopt;
  Row.Target = clean(*Target);
  if (auto Name = take(Line, '\t')) {
    auto Fetched = parseNumber<uint64_t>(Line);
    if (!Fetched)
      return std::nullopt;
    Row.Fetched = *Fetched;
    Line = *Name;
  }
  Row.Name = clean(Line);
  return Row;
}

void addLines(StatisticsTable &Table, std::string_view Text) {
  while (auto Line = take(Text, '\n'))
    if (auto Row = makeRow(*Line))
      addRow(Table, *Row);
}

/// Returns the number of the last log in the table; 0 without a table.
uint64_t foldedLogs(std::string_view Table) {
  if (Table.substr(0, Title.size()) != Title)
    return 0;
  Table.remove_prefix(Title.size());
  auto Text = take(Table, '\n');
  return Text ? parseNumber<uint64_t>(*Text).value_or(0) : 0;
}

/// Retries for 20 ms; folding takes a few. Also true on a file system without
/// locks.
bool lockToAppend(int Log) {
  constexpr int Tries = 20;
  for (int Try = 0; Try != Tries; ++Try) {
    if (::flock(Log, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      return true;
    ::usleep(1000);
  }
  return false;
}

std::string readTable(int Folder, size_t Limit) {
  UniqueFd File = openOwn(Folder, TableName, O_RDONLY);
  return File ? readAll(File.get(), Limit) : "";
}

/// Returns the number of the log that takes appends.
uint64_t currentLog(int Folder) {
  constexpr size_t FirstLine = Title.size() + 24;
  return foldedLogs(readTable(Folder, FirstLine)) + 1;
}

bool replaceTable(int Folder, const char *Temporary, uint64_t LogIndex,
                  const StatisticsTable &Table) {
  std::string Text = std::string(Title) + std::to_string(LogIndex) + "\n";
  for (const auto &[Key, Row] : Table)
    appendLine(Text, Row);
  ::unlinkat(Folder, Temporary, 0);
  UniqueFd File = openOwn(Folder, Temporary, O_WRONLY | O_CREAT | O_EXCL);
  if (File && writeAll(File.get(), Text) && ::fsync(File.get()) == 0 &&
      ::renameat(Folder, Temporary, Folder, TableName) == 0)
    return true;
  ::unlinkat(Folder, Temporary, 0);
  return false;
}

/// Sums the rows unused for longest in one.
void limitRows(StatisticsTable &Table) {
  if (Table.size() <= MaxRows)
    return;
  std::vector<KernelStatistics> Rows;
  for (auto &[Key, Row] : Table) {
    // A wrong clock must not keep a row for years.
    Row.LastUse = std::min(Row.LastUse, secondsNow());
    Rows.push_back(std::move(Row));
  }
  std::sort(Rows.begin(), Rows.end(),
            [](const auto &A, const auto &B) { return A.LastUse > B.LastUse; });
  Table.clear();
  for (size_t I = 0; I != Rows.size(); ++I) {
    // Keep half, so that this does not happen at every fold.
    if (I >= MaxRows / 2)
      Rows[I].Name.clear(), Rows[I].Target.clear(), Rows[I].Bytes = 0;
    addRow(Table, Rows[I]);
  }
}

} // namespace

void jit::addRow(StatisticsTable &Table, const KernelStatistics &Row) {
  KernelStatistics &Sum = Table[{Row.Name, Row.Target}];
  Sum.Name = Row.Name;
  Sum.Target = Row.Target;
  Sum.add(Row);
}

bool StatisticsFile::append(const StatisticsTable &Rows) {
  FileSizeGuard NoSignal;
  ::mkdirat(Root, FolderName, 0700);
  UniqueFd Folder = openFolder(Root);
  if (!Folder)
    return false;
  // Ends a line that another process left incomplete.
  std::string Text = "\n";
  for (const auto &[Key, Row] : Rows)
    appendLine(Text, Row);
  constexpr int Tries = 10;
  for (int Try = 0; Try != Tries; ++Try) {
    uint64_t LogIndex = currentLog(Folder.get());
    UniqueFd Log =
        openOwn(Folder.get(), logName(LogIndex), O_RDWR | O_APPEND | O_CREAT);
    if (!Log)
      return false;
    if (!lockToAppend(Log.get()))
      return false;
    struct stat Info;
    if (::fstat(Log.get(), &Info) != 0 || Info.st_size > MaxLog)
      return false;
    // Folded after we read the table and before we had the lock. Our open may
    // even have created the name again.
    if (Info.st_nlink == 0)
      continue;
    if (currentLog(Folder.get()) != LogIndex) {
      ::unlinkat(Folder.get(), logName(LogIndex).c_str(), 0);
      continue;
    }
    bool Written = writeAll(Log.get(), Text);
    if (Info.st_size + off_t(Text.size()) > FoldAt)
      fold(Folder.get(), LogIndex, Log.get());
    return Written;
  }
  return false;
}

/// Rows that others wrote before we took the lock are in \p Log. No process
/// writes to it later: append() sees that it has no name any more.
void StatisticsFile::fold(int Folder, uint64_t LogIndex, int Log) {
  struct stat Info;
  if (::flock(Log, LOCK_EX | LOCK_NB) != 0 || ::fstat(Log, &Info) != 0 ||
      Info.st_nlink == 0)
    return;
  std::string Old = readTable(Folder, MaxFile);
  if (foldedLogs(Old) + 1 == LogIndex) {
    StatisticsTable Table;
    addLines(Table, Old);
    addLines(Table, readAll(Log, MaxFile));
    limitRows(Table);
    // Only the lock's owner gets here, so the name is free.
    if (!replaceTable(Folder, "table.tmp", LogIndex, Table))
      return;
  }
  ::unlinkat(Folder, logName(LogIndex).c_str(), 0);
}

std::vector<KernelStatistics> StatisticsFile::read() const {
  std::vector<KernelStatistics> Rows;
  UniqueFd Folder = openFolder(Root);
  if (!Folder)
    return Rows;
  StatisticsTable Table;
  constexpr int Tries = 3;
  for (int Try = 0; Try != Tries; ++Try) {
    std::string Folded = readTable(Folder.get(), MaxFile);
    uint64_t LogIndex = foldedLogs(Folded) + 1;
    std::string Text;
    if (UniqueFd Log = openOwn(Folder.get(), logName(LogIndex), O_RDONLY))
      Text = readAll(Log.get(), MaxFile);
    if (currentLog(Folder.get()) != LogIndex && Try + 1 != Tries)
      continue; // folded meanwhile
    addLines(Table, Folded);
    addLines(Table, Text);
    break;
  }
  for (auto &[Key, Row] : Table)
    Rows.push_back(std::move(Row));
  return Rows;
}

bool StatisticsFile::clear() {
  UniqueFd Folder = openFolder(Root);
  if (!Folder)
    return errno == ENOENT;
  // Store an empty table that counts the log as folded.
  uint64_t LogIndex = currentLog(Folder.get());
  if (!replaceTable(Folder.get(), "table.new", LogIndex, {}))
    return false;
  ::unlinkat(Folder.get(), logName(LogIndex).c_str(), 0);
  return true;
}

//===- EntryComplaints.cpp - compile errors of named functions ------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "EntryComplaints.h"

#include "Jit/Service/CompilePlan.h"
#include "Support/Texts.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

using namespace kpack;
using namespace kpack::jit;

/// Replaces the end of \p Line from " due to requirement" on. Returns \p Line
/// unless it is about an entry's type:
///   F:L:C: error: static assertion failed due to requirement
///   'kpack_jit_has_type_N<A, kpack_jit_unit::kpack_unit_declared<B>>': entry
///   'f'
static std::string spelled(const std::string &Line) {
  static constexpr char Requirement[] =
      " due to requirement 'kpack_jit_has_type_";
  static constexpr char Declared[] = ", kpack_jit_unit::kpack_unit_declared<";
  static constexpr char Closing[] = ">>': entry '";
  size_t Start = Line.find(Requirement);
  size_t Actual = Line.find('<', Start);
  size_t Middle = Line.find(Declared, Actual);
  size_t End = Line.find(Closing, Middle);
  if (Start == std::string::npos || End == std::string::npos)
    return Line;
  std::string ActualType = Line.substr(Actual + 1, Middle - Actual - 1);
  Middle += sizeof(Declared) - 1;
  std::string DeclaredType = Line.substr(Middle, End - Middle);
  std::string Entry = Line.substr(End + std::string(">>'").size());
  auto IsActual = [&](const char *Template) {
    return ActualType.rfind(std::string("kpack_jit_unit::") + Template, 0) == 0;
  };
  if (IsActual("kpack_unit_overloaded<"))
    return Line.substr(0, Start) + Entry +
           " is overloaded, and none has the type that the caller declared: " +
           DeclaredType;
  if (IsActual("kpack_unit_member<"))
    return Line.substr(0, Start) + Entry +
           " is a member that needs an object; the caller declared " +
           DeclaredType;
  return Line.substr(0, Start) + Entry + " has type " + ActualType +
         ", the caller declared " + DeclaredType;
}

std::string jit::spellEntryTypes(std::string Text) {
  std::string Spelled;
  for (size_t Start = 0; Start < Text.size();) {
    size_t End = std::min(Text.find('\n', Start), Text.size());
    Spelled += spelled(Text.substr(Start, End - Start));
    if (End < Text.size())
      Spelled += '\n';
    Start = End + 1;
  }
  return Spelled;
}

namespace {

/// A diagnostic with its source lines and notes.
struct Complaint {
  std::string Place;   ///< "entries:77:52: error: "; empty if it is no error
  std::string Message; ///< the rest of the line
  std::string Rest;    ///< lines that follow
};

} // namespace

/// Splits a compiler's output into diagnostics; drops "4 errors generated."
static std::vector<Complaint> complaintsIn(const std::string &Text) {
  std::vector<Complaint> All;
  for (const std::string &Line : splitAt(Text, '\n')) {
    static constexpr std::string_view Mark = ": error: ";
    size_t Offset = Line.find(Mark);
    bool IsCount = Line.find(" generated.") != std::string::npos &&
                   std::isdigit(static_cast<unsigned char>(Line[0]));
    if (IsCount)
      continue;
    if (Offset != std::string::npos && Line[0] != ' ')
      All.push_back({Line.substr(0, Offset + Mark.size()),
                     Line.substr(Offset + Mark.size()), ""});
    else if (All.empty() || Line.find(": warning: ") != std::string::npos)
      All.push_back({"", Line, ""});
    else
      All.back().Rest += "\n" + Line;
  }
  return All;
}

/// Returns the quoted name that \p Message reports as missing, or empty.
static std::string missingName(const std::string &Message) {
  for (std::string_view Start :
       {"use of undeclared identifier '", "no member named '",
        "no template named '", "use of undeclared template '"})
    if (startsWith(Message, Start))
      return Message.substr(Start.size(),
                            Message.find('\'', Start.size()) - Start.size());
  size_t Type = Message.find("' does not refer to a value");
  if (Type != std::string::npos && Message[0] == '\'')
    return Message.substr(1, Type - 1);
  return "";
}

static bool isOfWord(char C) {
  return std::isalnum(static_cast<unsigned char>(C)) || C == '_';
}

/// Returns true if \p Name is a word of \p Text.
static bool hasWord(std::string_view Text, const std::string &Name) {
  for (size_t Offset = 0;
       (Offset = Text.find(Name, Offset)) != std::string_view::npos; ++Offset) {
    size_t End = Offset + Name.size();
    if ((Offset == 0 || !isOfWord(Text[Offset - 1])) &&
        (End == Text.size() || !isOfWord(Text[End])))
      return true;
  }
  return false;
}

/// Rewrites \p Message for the entry that contains \p Name.
static std::string inWordsOfEntry(const std::string &Message,
                                  const std::string &Name,
                                  const std::vector<std::string> &Entries) {
  for (const std::string &Entry : Entries)
    if (hasWord(std::string_view(Entry).substr(0, Entry.find('<')), Name))
      return "no function '" + Entry + "' in the text: " + Message;
  for (const std::string &Entry : Entries)
    if (hasWord(Entry, Name))
      return "entry '" + Entry + "': " + Message;
  return Message;
}

/// Removes the source of the checks, which the user did not write, from
/// \p Rest: all up to the first note.
static std::string notesIn(const std::string &Rest) {
  size_t Note = Rest.find(": note: ");
  size_t Start = Rest.rfind('\n', Note);
  return Note == std::string::npos || Start == std::string::npos
             ? std::string()
             : Rest.substr(Start);
}

std::string jit::nameMissingEntries(const std::string &Text,
                                    const std::vector<std::string> &Entries) {
  std::vector<Complaint> All = complaintsIn(Text);
  auto IsOfEntries = [](const Complaint &C) {
    return startsWith(C.Place, "entries:");
  };
  if (std::none_of(All.begin(), All.end(), [&](const Complaint &C) {
        return IsOfEntries(C) && !missingName(C.Message).empty();
      }))
    return Text;
  std::string Said;
  std::set<std::string> Known;
  size_t Errors = 0;
  for (Complaint &C : All) {
    if (IsOfEntries(C)) {
      std::string Name = missingName(C.Message);
      if (!Known.insert(C.Message).second ||
          (Name.empty() && startsWith(C.Message, "static assertion failed")))
        continue;
      if (!Name.empty()) {
        C.Message = inWordsOfEntry(C.Message, Name, Entries);
        C.Rest = notesIn(C.Rest);
      }
    }
    Errors += !C.Place.empty();
    Said += C.Place + C.Message + C.Rest + "\n";
  }
  return Said + std::to_string(Errors) +
         (Errors == 1 ? " error generated." : " errors generated.");
}

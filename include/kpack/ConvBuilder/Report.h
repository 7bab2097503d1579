//===- ConvBuilder/Report.h - list of violated requirements -----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The findings of requirements (Requirements.h). Each finding is data,
//
//   Report R = validate(Sig, Algo, "gfx1100");
//   R.ok()                                  false
//   R[0].Id                                 "A3"
//   R[0].Path                               "algorithm.isa"
//   R[0].Fact                               "MFMA is not in gfx1100"
//   R[0].Remedy                             "it has WMMA, DOT, VALU"
//
// and view() is the text of all findings, in one line because compilers show
// one line: "[A3] algorithm.isa: MFMA is not in gfx1100; it has WMMA, DOT,
// VALU". It is empty without findings. Reports are constexpr.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REPORT_H
#define KPACK_CONVBUILDER_REPORT_H

#include "kpack/ConvBuilder/Enums.h"
#include "kpack/ConvBuilder/FixedText.h"

namespace kpack::conv {

/// A finding. Views into its report.
struct Finding {
  std::string_view Id;
  std::string_view Path;   ///< of the field to change
  std::string_view Fact;   ///< the violation
  std::string_view Remedy; ///< a valid alternative
  long long Limit;         ///< the exceeded limit; 0 if it is no number
};

class Report {
public:
  /// The number of findings that are kept; more are only counted.
  static constexpr unsigned MaxFindings = 16;

  constexpr bool ok() const { return Total == 0; }
  /// The number of all findings.
  constexpr unsigned total() const { return Total; }
  /// The number of findings that are kept.
  constexpr unsigned size() const {
    return Total < MaxFindings ? Total : MaxFindings;
  }
  constexpr Finding operator[](unsigned I) const {
    const Place &P = Places[I];
    return {P.Id, cut(P.Path, P.Fact, 2), cut(P.Fact, P.Remedy, 2),
            cut(P.Remedy, P.End, 0), P.Limit};
  }
  /// Returns the text of finding \p I.
  constexpr std::string_view textOf(unsigned I) const {
    return cut(Places[I].Start, Places[I].End, 0);
  }
  /// Returns the text of all findings.
  constexpr std::string_view view() const { return Text.view(); }

  /// Empties the report without writing all of it, since it is large.
  constexpr void clear() {
    Text.Size = 0;
    Total = 0;
  }

  /// True if a finding \p Id is among those that are kept.
  constexpr bool has(std::string_view Id) const {
    for (unsigned I = 0; I < size(); ++I)
      if (Places[I].Id == Id)
        return true;
    return false;
  }

private:
  friend class FindingOut;
  friend struct ReportEnd;

  /// The offsets in Text of the parts of a finding.
  struct Place {
    std::string_view Id;
    unsigned short Start = 0;
    unsigned short Path = 0;
    unsigned short Fact = 0;
    unsigned short Remedy = 0;
    unsigned short End = 0;
    long long Limit = 0;
  };

  /// Returns the text between two offsets without the separator.
  constexpr std::string_view cut(std::size_t Begin, std::size_t End,
                                 std::size_t Separator) const {
    std::string_view All = Text.view();
    if (Begin >= All.size() || End < Begin + Separator)
      return {};
    return All.substr(Begin, End - Begin - Separator);
  }

  FixedText<MaxFindings * 384> Text; ///< longer than any findings
  Place Places[MaxFindings];
  unsigned Total = 0;
};

/// Writes one finding: first the path, then fact() and remedy(). A finding must
/// be complete before the next one begins.
class FindingOut {
public:
  // Not inlined, here and below: there are hundreds of calls, few of which are
  // ever executed.
  [[gnu::noinline]] constexpr FindingOut(Report &R, std::string_view Id)
      : R(R), Kept(R.Total < Report::MaxFindings) {
    if (Kept) {
      Report::Place &P = R.Places[R.Total];
      P.Id = Id;
      if (R.Total)
        R.Text << "; ";
      P.Start = at();
      R.Text << '[' << Id << "] ";
      P.Path = at();
    }
    ++R.Total;
  }

  [[gnu::noinline]] constexpr FindingOut &operator<<(std::string_view Message) {
    if (Kept) {
      R.Text << Message;
      place().End = at();
    }
    return *this;
  }
  [[gnu::noinline]] constexpr FindingOut &operator<<(const char *Message) {
    return *this << std::string_view(Message);
  }
  [[gnu::noinline]] constexpr FindingOut &operator<<(char Letter) {
    char Word[] = {Letter};
    return *this << std::string_view(static_cast<const char *>(Word),
                                     std::size(Word));
  }
  [[gnu::noinline]] constexpr FindingOut &operator<<(long long Value) {
    if (Kept) {
      R.Text << Value;
      place().End = at();
    }
    return *this;
  }
  constexpr FindingOut &operator<<(int Value) {
    return *this << static_cast<long long>(Value);
  }
  constexpr FindingOut &operator<<(unsigned Value) {
    return *this << static_cast<long long>(Value);
  }
  template <Enumeration Enum> constexpr FindingOut &operator<<(Enum Value) {
    return *this << nameOf(Value);
  }

  /// Begins the fact.
  [[gnu::noinline]] constexpr FindingOut &fact(long long Limit = 0) {
    if (Kept) {
      place().Limit = Limit;
      R.Text << ": ";
      place().Fact = at();
    }
    return *this;
  }
  /// Begins the remedy.
  [[gnu::noinline]] constexpr FindingOut &remedy() {
    if (Kept) {
      R.Text << "; ";
      place().Remedy = at();
    }
    return *this;
  }

private:
  constexpr unsigned short at() const {
    return static_cast<unsigned short>(R.Text.size());
  }
  constexpr Report::Place &place() { return R.Places[R.Total - 1]; }

  Report &R;
  bool Kept;
};

/// Appends the number of dropped findings at the end.
struct ReportEnd {
  constexpr explicit ReportEnd(Report &R) {
    if (R.Total > Report::MaxFindings)
      R.Text << " and " << R.Total - Report::MaxFindings << " more";
  }
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_REPORT_H

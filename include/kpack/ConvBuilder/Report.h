//===- kpack/ConvBuilder/Report.h - why something is refused ----*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What requirements (Requirements.h) have found. Each finding is data,
//
//   Report R = validate(Sig, Algo, "gfx1100");
//   R.ok()                                  false
//   R[0].Id                                 "A3"
//   R[0].Path                               "algorithm.isa"
//   R[0].Fact                               "MFMA is not in gfx1100"
//   R[0].Remedy                             "it has WMMA, DOT, VALU"
//
// and view() is the text of all of them, in one line because compilers show one
// line: "[A3] algorithm.isa: MFMA is not in gfx1100; it has WMMA, DOT, VALU".
// It is empty where nothing was found. Reports are made while compiling, too.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_CONVBUILDER_REPORT_H
#define KPACK_CONVBUILDER_REPORT_H

#include "kpack/ConvBuilder/Enums.h"
#include "kpack/ConvBuilder/FixedText.h"

namespace kpack::conv {

/// Views into the report that it is of.
struct Finding {
  std::string_view Id;
  std::string_view Path;   ///< of the field that is to change
  std::string_view Fact;   ///< what is wrong with it
  std::string_view Remedy; ///< what would not be
  long long Limit;         ///< that was exceeded; 0 where it is no number
};

class Report {
public:
  /// Of findings that are kept; more are counted.
  static constexpr unsigned MaxFindings = 16;

  constexpr bool ok() const { return Total == 0; }
  /// All that was found.
  constexpr unsigned total() const { return Total; }
  /// Those that are kept.
  constexpr unsigned size() const {
    return Total < MaxFindings ? Total : MaxFindings;
  }
  constexpr Finding operator[](unsigned I) const {
    const Place &P = Places[I];
    return {P.Id, cut(P.Path, P.Fact, 2), cut(P.Fact, P.Remedy, 2),
            cut(P.Remedy, P.End, 0), P.Limit};
  }
  /// The text of finding \p I alone.
  constexpr std::string_view textOf(unsigned I) const {
    return cut(Places[I].Start, Places[I].End, 0);
  }
  /// The text of all.
  constexpr std::string_view view() const { return Text.view(); }

  /// As it was made, without writing all of it: it is large.
  constexpr void clear() {
    Text.Size = 0;
    Total = 0;
  }

  /// Whether finding \p Id is among those that are kept.
  constexpr bool has(std::string_view Id) const {
    for (unsigned I = 0; I < size(); ++I)
      if (Places[I].Id == Id)
        return true;
    return false;
  }

private:
  friend class FindingOut;
  friend struct ReportEnd;

  /// Where in Text the pieces of a finding begin.
  struct Place {
    std::string_view Id;
    unsigned short Start = 0;
    unsigned short Path = 0;
    unsigned short Fact = 0;
    unsigned short Remedy = 0;
    unsigned short End = 0;
    long long Limit = 0;
  };

  /// What is between two pieces, less what separates them.
  constexpr std::string_view cut(std::size_t From, std::size_t To,
                                 std::size_t Separator) const {
    std::string_view All = Text.view();
    if (From >= All.size() || To < From + Separator)
      return {};
    return All.substr(From, To - From - Separator);
  }

  FixedText<MaxFindings * 384> Text; ///< none of them is that long
  Place Places[MaxFindings];
  unsigned Total = 0;
};

/// Writes one finding: first the path, then fact() and remedy(). It has to be
/// complete before the next one begins.
class FindingOut {
public:
  // Not inlined, neither here nor below: there are hundreds of calls, of which
  // hardly one is ever taken.
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

  [[gnu::noinline]] constexpr FindingOut &operator<<(std::string_view Words) {
    if (Kept) {
      R.Text << Words;
      place().End = at();
    }
    return *this;
  }
  [[gnu::noinline]] constexpr FindingOut &operator<<(const char *Words) {
    return *this << std::string_view(Words);
  }
  [[gnu::noinline]] constexpr FindingOut &operator<<(char Letter) {
    char Word[] = {Letter};
    return *this << std::string_view(static_cast<const char *>(Word),
                                     std::size(Word));
  }
  [[gnu::noinline]] constexpr FindingOut &operator<<(long long Number) {
    if (Kept) {
      R.Text << Number;
      place().End = at();
    }
    return *this;
  }
  constexpr FindingOut &operator<<(int Number) {
    return *this << static_cast<long long>(Number);
  }
  constexpr FindingOut &operator<<(unsigned Number) {
    return *this << static_cast<long long>(Number);
  }
  template <Enumeration Enum> constexpr FindingOut &operator<<(Enum Value) {
    return *this << nameOf(Value);
  }

  /// What is wrong follows.
  [[gnu::noinline]] constexpr FindingOut &fact(long long Limit = 0) {
    if (Kept) {
      place().Limit = Limit;
      R.Text << ": ";
      place().Fact = at();
    }
    return *this;
  }
  /// What would be right follows.
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

/// Says how many were not kept, once all are found.
struct ReportEnd {
  constexpr explicit ReportEnd(Report &R) {
    if (R.Total > Report::MaxFindings)
      R.Text << " and " << R.Total - Report::MaxFindings << " more";
  }
};

} // namespace kpack::conv

#endif // KPACK_CONVBUILDER_REPORT_H

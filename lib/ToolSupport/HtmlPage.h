//===- ToolSupport/HtmlPage.h - pages of reports ----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tools that write a report as one page of HTML, which loads nothing, so
// that it can be kept and mailed. A page is a text with places:
//
//   /*style*/       what all pages look like, by day and by night
//   <!--data-->     JSON for the page's script, without any '<'
//
// and others of its own. Pages: lib/Tool/Report/ReportPage.html,
// lib/ConvBuilder/Tool/CandidatesPage.html.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_HTMLPAGE_H
#define KPACK_TOOLSUPPORT_HTMLPAGE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kpack {

/// A text out of a file as a part of a page: printable, escaped, and cut.
std::string htmlText(llvm::StringRef Text);

class HtmlPage {
public:
  /// A page whose style is there already.
  explicit HtmlPage(llvm::StringRef Text);

  /// Puts \p Text in the place \p Mark, which the page has. From the last place
  /// to the first, so that no text can be taken for a place.
  void put(llvm::StringRef Mark, const std::string &Text);
  /// The same for JSON that a script reads.
  void putData(const std::string &Json);

  std::string take() && { return std::move(Page); }

private:
  std::string Page;
};

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_HTMLPAGE_H

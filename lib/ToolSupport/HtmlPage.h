//===- ToolSupport/HtmlPage.h - HTML pages of reports -----------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tools that write a report as a single HTML page, which loads nothing, so
// that it can be archived and mailed. A page is a text with the placeholders
//
//   /*style*/     the common style, for light and dark mode
//   <!--data-->   JSON for the page's script, without any '<'
//
// and others of the page. Pages: lib/Tool/Report/ReportPage.html,
// lib/ConvBuilder/Tool/CandidatesPage.html.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_HTMLPAGE_H
#define KPACK_TOOLSUPPORT_HTMLPAGE_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace kpack {

/// Returns untrusted text for a page: printable, escaped, and cut.
std::string htmlText(llvm::StringRef Text);

class HtmlPage {
public:
  /// Makes a page and fills in its style.
  explicit HtmlPage(llvm::StringRef Text);

  /// Replaces the placeholder \p Mark by \p Text. Call it from the last to the
  /// first, so that inserted text cannot match a placeholder.
  void put(llvm::StringRef Mark, const std::string &Text);
  /// Does the same for JSON that a script reads.
  void putData(const std::string &Json);

  std::string take() && { return std::move(Page); }

private:
  std::string Page;
};

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_HTMLPAGE_H

//===- HtmlPage.cpp - HTML pages of reports -------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See HtmlPage.h; the style is Page.css.
//
//===----------------------------------------------------------------------===//
#include "ToolSupport/HtmlPage.h"

#include "ToolSupport/Session.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace kpack;
using namespace llvm;

static constexpr StringLiteral Style =
#include "PageStyle.inc"
    ;

std::string kpack::htmlText(StringRef Text) {
  constexpr size_t Most = 2000;
  std::string Seen = printable(Text.take_front(Most));
  std::string Out;
  raw_string_ostream OS(Out);
  printHTMLEscaped(Seen, OS);
  if (Text.size() > Most)
    OS << "...";
  return Out;
}

HtmlPage::HtmlPage(StringRef Text) : Page(Text) {
  // Skip the licence's comment.
  StringRef Rules = Style.substr(Style.find("*/") + 2);
  put("/*style*/", Rules.trim().str());
}

void HtmlPage::put(StringRef Mark, const std::string &Text) {
  size_t Offset = Page.find(Mark.str());
  assert(At != std::string::npos && "the page has no such place");
  Page.replace(Offset, Mark.size(), Text);
}

void HtmlPage::putData(const std::string &Json) {
  std::string Safe;
  for (char C : Json)
    if (C == '<')
      Safe += "\\u003c";
    else
      Safe += C;
  put("<!--data-->", Safe);
}

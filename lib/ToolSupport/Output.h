//===- ToolSupport/Output.h - what tools write ------------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tools that print more than messages: a full disk is an error in our
// words, where the stream's destructor would end the program. And the one way
// in which they write a file: lib/ToolSupport/Output.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_TOOLSUPPORT_OUTPUT_H
#define KPACK_TOOLSUPPORT_OUTPUT_H

#include "ToolSupport/Errors.h"
#include "ToolSupport/Session.h"
#include "kpack/Support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

namespace kpack {

/// What main() of \p Program returns: \p Status, or \p Failed after a message
/// when not all of its standard output could be written.
int finishOutput(llvm::StringRef Program, int Status, int Failed = 1);

/// Whether something that is written under another name can be renamed to
/// \p Path: a regular file is there, or nothing. "-" is standard output.
bool isReplaceable(llvm::StringRef Path);

/// Gives the file \p Path the content \p Bytes, at once and as a whole, as
/// kpack/Support/OutputFile.h does; a signal that ends the program leaves no
/// temporary file, and those of killed programs go. Pipes and devices are
/// written to as they stand. Only \p Who may read the file. The error names
/// \p Path.
llvm::Error writeOutput(llvm::StringRef Path, llvm::StringRef Bytes,
                        std::optional<Readers> Who = std::nullopt);

/// The same for a \p Place that was looked at before somebody else replaced
/// the file there (a compiler).
llvm::Error writeOutput(const OutputPlace &Place, llvm::StringRef Bytes);

/// The same for what \p Write writes to the file.
llvm::Error writeOutput(const OutputPlace &Place,
                        llvm::function_ref<Status(OutputFile &)> Write,
                        std::optional<Readers> Who = std::nullopt);

/// Writes to the pipe or device \p Path as it stands; "-" is standard output.
/// Errors name \p Path: those of Support/SafePath.h's
/// openDeviceToWrite() among them.
llvm::Error writeToDevice(llvm::StringRef Path, llvm::StringRef Bytes);

/// Writes the file \p Path, whose folder no other user may write to.
std::error_code writeInPlace(llvm::StringRef Path, llvm::StringRef Bytes);

/// An object with the name of its layout, "kpack.list/1", and a new line.
void printJson(llvm::raw_ostream &OS, llvm::StringRef Schema,
               llvm::function_ref<void(llvm::json::OStream &)> Print,
               unsigned Indent = 2);

/// Names out of files as the array \p Key.
template <typename Texts>
void attributeTexts(llvm::json::OStream &J, llvm::StringRef Key,
                    const Texts &All) {
  J.attributeArray(Key, [&] {
    for (llvm::StringRef Text : All)
      J.value(jsonText(Text));
  });
}

/// A result of \p S: for "-" to its standard output.
void writeResult(Session &S, llvm::StringRef Path, llvm::StringRef Text);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_OUTPUT_H

//===- ToolSupport/Output.h - output files of tools -------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tools that print more than messages: reports a full disk with kpack's
// message, while the stream's destructor would end the program. Also the only
// way in which tools write files (lib/ToolSupport/Output.cpp).
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

/// Returns the exit status of main() of \p Program: \p Status, or \p Failed
/// after a message if not all of its standard output could be written.
int finishOutput(llvm::StringRef Program, int Status, int Failed = 1);

/// True if a file written under another name can be renamed to \p Path: there
/// is a regular file, or nothing. "-" is standard output.
bool isReplaceable(llvm::StringRef Path);

/// Replaces the content of the file \p Path by \p Bytes, atomically as
/// kpack/Support/OutputFile.h does. A signal that ends the program leaves no
/// temporary file, and those of killed programs are removed. Pipes and devices
/// are written in place. Only \p Who may read the file. The error names
/// \p Path.
llvm::Error writeOutput(llvm::StringRef Path, llvm::StringRef Bytes,
                        std::optional<Readers> Who = std::nullopt);

/// Does the same for a \p Place that was found before another program (a
/// compiler) replaced the file there.
llvm::Error writeOutput(const OutputPlace &Place, llvm::StringRef Bytes);

/// Does the same; \p Write writes the file.
llvm::Error writeOutput(const OutputPlace &Place,
                        llvm::function_ref<Status(OutputFile &)> Write,
                        std::optional<Readers> Who = std::nullopt);

/// Writes to the pipe or device \p Path in place; "-" is standard output.
/// Errors name \p Path, and include those of openDeviceToWrite()
/// (Support/SafePath.h).
llvm::Error writeToDevice(llvm::StringRef Path, llvm::StringRef Bytes);

/// Writes the file \p Path, whose folder no other user may write to.
std::error_code writeInPlace(llvm::StringRef Path, llvm::StringRef Bytes);

/// Prints an object with the name of its layout, "kpack.list/1", and a newline.
void printJson(llvm::raw_ostream &OS, llvm::StringRef Schema,
               llvm::function_ref<void(llvm::json::OStream &)> Print,
               unsigned Indent = 2);

/// Writes untrusted names as the array \p Key.
template <typename Texts>
void attributeTexts(llvm::json::OStream &J, llvm::StringRef Key,
                    const Texts &All) {
  J.attributeArray(Key, [&] {
    for (llvm::StringRef Text : All)
      J.value(jsonText(Text));
  });
}

/// Writes a result of \p S; "-" is its standard output.
void writeResult(Session &S, llvm::StringRef Path, llvm::StringRef Text);

} // namespace kpack

#endif // KPACK_TOOLSUPPORT_OUTPUT_H

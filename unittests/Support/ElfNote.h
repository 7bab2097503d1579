//===- ElfNote.h - maker of ELF notes for tests -----------------*- C++ -*-===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes notes for tests of their readers. Includes no ELF header, since those
// of LLVM and of the system exclude each other.
//
//===----------------------------------------------------------------------===//
#ifndef KPACK_UNITTESTS_SUPPORT_ELFNOTE_H
#define KPACK_UNITTESTS_SUPPORT_ELFNOTE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace kpack::test {

/// Returns a note with an alignment of 4.
inline std::string elfNote(std::string_view Owner, uint32_t Type,
                           std::string_view Description) {
  const uint32_t Header[] = {static_cast<uint32_t>(Owner.size() + 1),
                             static_cast<uint32_t>(Description.size()), Type};
  std::string Note(reinterpret_cast<const char *>(Header), sizeof(Header));
  (Note += Owner) += '\0';
  Note.resize((Note.size() + 3) / 4 * 4);
  Note += Description;
  Note.resize((Note.size() + 3) / 4 * 4);
  return Note;
}

} // namespace kpack::test

#endif // KPACK_UNITTESTS_SUPPORT_ELFNOTE_H

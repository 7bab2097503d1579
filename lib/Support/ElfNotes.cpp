//===- ElfNotes.cpp - reader of ELF notes ---------------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See ElfNotes.h. Structures are copied, as they may be unaligned. Segments of
// a hostile file may overlap, so notes are searched in no more bytes than the
// file has.
//
//===----------------------------------------------------------------------===//
#include "Support/ElfNotes.h"

#include <cstring>
#include <elf.h>

using namespace kpack;

template <typename T>
static bool readAt(std::string_view Bytes, uint64_t Offset, T &Out) {
  if (Offset > Bytes.size() || Bytes.size() - Offset < sizeof(T))
    return false;
  std::memcpy(&Out, Bytes.data() + Offset, sizeof(T));
  return true;
}

static uint64_t padded(uint64_t Size) { return (Size + 3) / 4 * 4; }

/// True if the name of a note, with its zero, is \p Owner.
static bool isName(std::string_view Name, std::string_view Owner) {
  return Name.size() == Owner.size() + 1 && Name.back() == '\0' &&
         Name.substr(0, Owner.size()) == Owner;
}

static void addNotes(std::string_view Notes, std::string_view Owner,
                     uint32_t Type, std::vector<std::string_view> &Contents) {
  Elf64_Nhdr Head;
  for (uint64_t Offset = 0; readAt(Notes, Offset, Head);) {
    uint64_t Name = Offset + sizeof(Head),
             Content = Name + padded(Head.n_namesz);
    if (Content > Notes.size() || Notes.size() - Content < Head.n_descsz)
      return;
    if (Head.n_type == Type && isName(Notes.substr(Name, Head.n_namesz), Owner))
      Contents.push_back(Notes.substr(Content, Head.n_descsz));
    Offset = Content + padded(Head.n_descsz);
  }
}

std::vector<std::string_view>
kpack::elfNotes(std::string_view Image, std::string_view Owner, uint32_t Type) {
  std::vector<std::string_view> Found;
  Elf64_Ehdr Header;
  if (!readAt(Image, 0, Header) ||
      std::memcmp(Header.e_ident, ELFMAG, SELFMAG) != 0 ||
      Header.e_ident[EI_CLASS] != ELFCLASS64 ||
      Header.e_ident[EI_DATA] != ELFDATA2LSB)
    return Found;
  uint64_t BytesLeft = Image.size();
  for (uint64_t I = 0; I < Header.e_phnum; ++I) {
    Elf64_Phdr Segment;
    // A sum of a huge offset must not wrap around.
    if (Header.e_phoff > Image.size() ||
        !readAt(Image, Header.e_phoff + I * sizeof(Segment), Segment))
      break;
    if (Segment.p_type != PT_NOTE || Segment.p_offset > Image.size() ||
        Image.size() - Segment.p_offset < Segment.p_filesz)
      continue;
    if (Segment.p_filesz > BytesLeft)
      break;
    BytesLeft -= Segment.p_filesz;
    addNotes(Image.substr(Segment.p_offset, Segment.p_filesz), Owner, Type,
             Found);
  }
  return Found;
}

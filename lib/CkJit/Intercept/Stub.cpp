//===- Stub.cpp - objects in place of deferred compiles -------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of a stub: ELF header, record, section names, section headers. The
// four sections are the empty one, .note.GNU-stack (without which linkers would
// assume an executable stack), .ck_jit_stub with the record, and the names. No
// byte depends on time or process: equal records give equal bytes.
//
// Reading does not parse ELF. It takes the bytes from the header to the first
// occurrence of the section names (a record has no zero byte; the names begin
// with one), makes a stub of them and compares: no offset of a foreign file is
// used. looksLikeStub() reads only the header, because it checks the many
// inputs of a link that most likely has no stub.
//
//===----------------------------------------------------------------------===//
#include "CkJit/Intercept/Stub.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

using namespace kpack;
using namespace kpack::ckjit;

//===----------------------------------------------------------------------===//
// The object
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)
static constexpr Elf64_Half Machine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr Elf64_Half Machine = EM_AARCH64;
#else
#error "stub objects: this architecture is not known"
#endif

static constexpr char Names[] = "\0.note.GNU-stack\0.ck_jit_stub\0.shstrtab";
static constexpr Elf64_Word StackName = 1, StubName = 17, StringsName = 30;
static constexpr Elf64_Xword ExcludeFromLinks = 0x80000000;

template <typename T> static void append(std::string &Bytes, const T &Value) {
  Bytes.append(reinterpret_cast<const char *>(&Value), sizeof(Value));
}

static Elf64_Ehdr stubHeader() {
  Elf64_Ehdr Header{};
  std::memcpy(Header.e_ident, ELFMAG, SELFMAG);
  Header.e_ident[EI_CLASS] = ELFCLASS64;
  Header.e_ident[EI_DATA] = ELFDATA2LSB;
  Header.e_ident[EI_VERSION] = EV_CURRENT;
  Header.e_type = ET_REL;
  Header.e_machine = Machine;
  Header.e_version = EV_CURRENT;
  Header.e_ehsize = sizeof(Elf64_Ehdr);
  Header.e_shentsize = sizeof(Elf64_Shdr);
  Header.e_shnum = 4;
  Header.e_shstrndx = 3;
  return Header;
}

std::string ckjit::stubObject(std::string_view Record) {
  Elf64_Ehdr Header = stubHeader();
  Elf64_Shdr Sections[4]{};
  for (Elf64_Shdr &S : Sections)
    S.sh_addralign = 1;
  Sections[0].sh_addralign = 0;
  Sections[1].sh_name = StackName;
  Sections[1].sh_type = SHT_PROGBITS;
  Sections[1].sh_offset = sizeof(Header);
  Sections[2].sh_name = StubName;
  Sections[2].sh_type = SHT_PROGBITS;
  Sections[2].sh_flags = ExcludeFromLinks;
  Sections[2].sh_offset = sizeof(Header);
  Sections[2].sh_size = Record.size();
  Sections[3].sh_name = StringsName;
  Sections[3].sh_type = SHT_STRTAB;
  Sections[3].sh_offset = sizeof(Header) + Record.size();
  Sections[3].sh_size = sizeof(Names);
  size_t End = sizeof(Header) + Record.size() + sizeof(Names);
  Header.e_shoff = (End + 7) / 8 * 8;
  std::string Bytes;
  append(Bytes, Header);
  Bytes += Record;
  Bytes.append(Names, sizeof(Names));
  Bytes.resize(Header.e_shoff);
  append(Bytes, Sections);
  return Bytes;
}

static bool isStubHeader(const Elf64_Ehdr &Found) {
  Elf64_Ehdr Header = stubHeader();
  Header.e_shoff = Found.e_shoff;
  return std::memcmp(&Header, &Found, sizeof(Found)) == 0;
}

bool ckjit::looksLikeStub(const std::string &Path) {
  int Fd = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return false;
  Elf64_Ehdr Found;
  bool IsStub = ::pread(Fd, &Found, sizeof(Found), 0) == sizeof(Found) &&
                isStubHeader(Found);
  ::close(Fd);
  return IsStub;
}

std::optional<std::string_view> ckjit::recordOfStub(std::string_view Object) {
  // Accept only output of stubObject().
  Elf64_Ehdr Found;
  if (Object.size() < sizeof(Found))
    return std::nullopt;
  std::memcpy(&Found, Object.data(), sizeof(Found));
  if (!isStubHeader(Found))
    return std::nullopt;
  size_t End = Object.find(std::string_view(Names, sizeof(Names)));
  if (End == std::string_view::npos || End < sizeof(Found))
    return std::nullopt;
  std::string_view Record = Object.substr(sizeof(Found), End - sizeof(Found));
  if (stubObject(Record) != Object)
    return std::nullopt;
  return Record;
}

//===----------------------------------------------------------------------===//
// Dependencies
//===----------------------------------------------------------------------===//

/// Quotes file names for make as compilers do.
static std::string quotedForMake(std::string_view Text) {
  std::string Quoted;
  for (char C : Text) {
    if (C == ' ' || C == '\t' || C == '#')
      Quoted += '\\';
    else if (C == '$')
      Quoted += '$';
    Quoted += C;
  }
  return Quoted;
}

DependencyFile ckjit::dependencyFile(const std::vector<Argument> &Arguments,
                                     const std::string &Output) {
  DependencyFile File;
  bool Wanted = false;
  for (const Argument &A : Arguments) {
    Wanted |= A.Name == "-MD" || A.Name == "-MMD";
    if (A.Name == "-MF")
      File.Path = A.Value;
    if (A.Name == "-MT" || A.Name == "-MQ") {
      File.Target += File.Target.empty() ? "" : " ";
      File.Target += A.Name == "-MT" ? A.Value : quotedForMake(A.Value);
      File.HasTarget = true;
    }
  }
  if (!Wanted)
    return DependencyFile();
  if (!File.HasTarget)
    File.Target = quotedForMake(Output);
  if (File.Path.empty()) {
    size_t Name = Output.size() - fileName(Output).size();
    File.Path = Output.substr(0, Name) + std::string(fileStem(Output)) + ".d";
  }
  return File;
}

std::string ckjit::dependencyRule(const DependencyFile &File,
                                  std::string_view Source) {
  return File.Target + ": " + quotedForMake(Source) + "\n";
}

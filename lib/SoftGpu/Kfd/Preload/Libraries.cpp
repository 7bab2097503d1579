//===- Libraries.cpp - audit library for another ROCm's tree --------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libsoftgpu_libraries.so, which kpack-run --rocm=DIR passes to the dynamic
// linker of the tree with --audit. The linker asks it about every library by
// name and path, and it answers with the file of the tree for:
//
//   - an absolute path that the tree has, which a program opens (plugins, the C
//     library's converters of character sets) or a default folder leads to;
//   - a file of the tree that is a link to an absolute path;
//   - a name that is to be found in an absolute RUNPATH or RPATH. The dynamic
//     linker would search there itself and ask again for each path it finds,
//     but after the first name it skips folders that the system does not have.
//     The first folder that has the name counts: if that is another one, as
//     $ORIGIN mostly is, the search is left to the dynamic linker.
//
// Auditing libraries live in a separate namespace. This one needs no other
// library, so that no second C library is loaded. Calls come one at a time,
// under the dynamic linker's lock. Programs.cpp does the same for programs.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Kfd/Preload/TreePath.h"

#include <elf.h>
#include <initializer_list>
#include <link.h>

using namespace kpack::softgpu;

#define KPACK_EXPORT extern "C" __attribute__((visibility("default")))

static char Tree[PATH_MAX]; // the root; empty if there is none
static const char *CallersPath;
static char Answer[PATH_MAX];
static char ProgramFile[PATH_MAX]; // absolute; empty if unknown

//===----------------------------------------------------------------------===//
// Functions that the compiler may call
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("hidden"))) void *
memcpy(void *Target, const void *Source, size_t Size) {
  void *Result = Target;
  asm volatile("rep movsb" : "+D"(Target), "+S"(Source), "+c"(Size)::"memory");
  return Result;
}

extern "C" __attribute__((visibility("hidden"))) void *
memset(void *Target, int Value, size_t Size) {
  void *Result = Target;
  asm volatile("rep stosb" : "+D"(Target), "+c"(Size) : "a"(Value) : "memory");
  return Result;
}

extern "C" __attribute__((visibility("hidden"))) size_t
strlen(const char *Text) {
  size_t Length = 0;
  for (; Text[Length]; ++Length)
    asm volatile(""); // or the compiler calls this function
  return Length;
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

/// Returns the value of \p Line if it sets \p Name, else null.
static const char *valueOf(const char *Line, const char *Name) {
  while (*Name && *Line == *Name) {
    ++Line;
    ++Name;
  }
  return !*Name && *Line == '=' ? Line + 1 : nullptr;
}

/// Reads the link "rocm" in the folder of the run.
static void readTree(const char *Run) {
  constexpr char Name[] = "/rocm";
  char Link[PATH_MAX];
  size_t Length = strlen(Run);
  if (Length + sizeof(Name) > sizeof(Link))
    return;
  memcpy(Link, Run, Length);
  memcpy(Link + Length, Name, sizeof(Name));
  if (!findInTree("", Link, Tree))
    Tree[0] = '\0';
}

namespace {
/// A path in the making.
class PathText {
public:
  void add(char C) {
    Fits = Fits && Used < sizeof(Text);
    if (Fits)
      Text[Used++] = C;
  }
  void add(const char *Piece, size_t Length) {
    for (size_t I = 0; I != Length; ++I)
      add(Piece[I]);
  }

  /// Returns null if the path is too long.
  const char *finish() {
    add('\0');
    return Fits ? Text : nullptr;
  }

private:
  char Text[PATH_MAX];
  size_t Used = 0;
  bool Fits = true;
};
} // namespace

/// Sets the file whose folder is a program's $ORIGIN. It has no name in the
/// link map. AT_EXECFN names it if the dynamic linker was started as a program,
/// which has no address in AT_BASE.
static void findProgram(const ElfW(auxv_t) * Values) {
  const char *Name = nullptr;
  bool IsByLinker = true;
  for (; Values->a_type != AT_NULL; ++Values)
    if (Values->a_type == AT_EXECFN)
      Name = reinterpret_cast<const char *>(Values->a_un.a_val);
    else if (Values->a_type == AT_BASE)
      IsByLinker = Values->a_un.a_val == 0;
  if (!findInTree("", IsByLinker ? "/proc/self/cwd" : "/proc/self/exe",
                  ProgramFile))
    ProgramFile[0] = '\0';
  if (!IsByLinker)
    return;
  PathText Path;
  if (Name && *Name != '/') {
    Path.add(ProgramFile, strlen(ProgramFile));
    Path.add('/');
  }
  if (Name)
    Path.add(Name, strlen(Name));
  const char *Full = Path.finish();
  if (Full)
    memcpy(ProgramFile, Full, strlen(Full) + 1);
  else
    ProgramFile[0] = '\0';
}

/// The dynamic linker passes the program's arguments and environment.
__attribute__((constructor)) static void start(int, char **,
                                               char **Environment) {
  char **Line = Environment;
  for (; *Line; ++Line)
    if (const char *Run = valueOf(*Line, "KPACK_SOFTGPU_SYSFS"))
      readTree(Run);
    else if (const char *Path = valueOf(*Line, "LD_LIBRARY_PATH"))
      CallersPath = *Path ? Path : nullptr;
  if (Tree[0])
    findProgram(reinterpret_cast<const ElfW(auxv_t) *>(Line + 1));
}

//===----------------------------------------------------------------------===//
// Look-ups
//===----------------------------------------------------------------------===//

/// True for files of kpack, as the tree may have another kpack installed.
static bool isOurs(const char *Path) {
  const char *Name = Path;
  for (const char *Position = Path; *Position; ++Position)
    if (*Position == '/')
      Name = Position + 1;
  for (const char *Ours : {"libsoftgpu_", "libkpack_hip.so"}) {
    const char *Position = Name;
    while (*Ours && *Position == *Ours) {
      ++Position;
      ++Ours;
    }
    if (!*Ours)
      return true;
  }
  return false;
}

static const char *pathInTree(const char *Path) {
  const char *Inside = isBelow(Path, Tree)     ? Path + strlen(Tree)
                       : isInstalledPath(Path) ? Path
                                               : nullptr;
  return Inside && !isOurs(Path) && findInTree(Tree, Inside, Answer) ? Answer
                                                                     : nullptr;
}

namespace {
/// The strings of an object's dynamic section; null if absent.
struct SearchPaths {
  const char *RunPath = nullptr, *RPath = nullptr;

  explicit SearchPaths(const link_map &Object) {
    const char *Strings = nullptr;
    const ElfW(Dyn) *RunEntry = nullptr, *REntry = nullptr;
    for (const ElfW(Dyn) *D = Object.l_ld; D && D->d_tag != DT_NULL; ++D) {
      if (D->d_tag == DT_STRTAB)
        Strings = reinterpret_cast<const char *>(
            D->d_un.d_ptr < Object.l_addr ? D->d_un.d_ptr + Object.l_addr
                                          : D->d_un.d_ptr);
      else if (D->d_tag == DT_RUNPATH)
        RunEntry = D;
      else if (D->d_tag == DT_RPATH)
        REntry = D;
    }
    if (Strings && RunEntry)
      RunPath = Strings + RunEntry->d_un.d_val;
    else if (Strings && REntry)
      RPath = Strings + REntry->d_un.d_val;
  }
};
} // namespace

/// Returns the text after $ORIGIN or ${ORIGIN}; null for other variables, which
/// only the dynamic linker knows.
static const char *skipOrigin(const char *Text) {
  bool HasBraces = Text[1] == '{';
  Text += HasBraces ? 2 : 1;
  for (const char *Word = "ORIGIN"; *Word; ++Word)
    if (*Text++ != *Word)
      return nullptr;
  if (HasBraces)
    return *Text == '}' ? Text + 1 : nullptr;
  return *Text == '\0' || *Text == '/' || *Text == ':' ? Text : nullptr;
}

/// Adds the first folder of the list \p Position, with $ORIGIN replaced by the
/// folder of the file \p Object, and advances \p Position to its end. Returns
/// false for other variables, or if \p Object has no absolute path.
static bool addFolder(PathText &Result, const char *&Position,
                      const char *Object) {
  if (!*Position || *Position == ':')
    Result.add('.');
  while (*Position && *Position != ':') {
    if (*Position != '$') {
      Result.add(*Position++);
      continue;
    }
    size_t Length = strlen(Object);
    while (Length && Object[Length - 1] != '/')
      --Length;
    Position = skipOrigin(Position);
    if (!Position || Object[0] != '/')
      return false;
    Result.add(Object, Length - 1); // without the slash
  }
  return true;
}

/// Returns the tree's file \p Name in the first of \p Folders, a search path of
/// \p Object, that has it. Returns \p Name if the dynamic linker finds it in
/// that folder or has to search, and null if no folder has it.
static const char *nameInFolders(const char *Folders, const link_map &Object,
                                 const char *Name) {
  const char *File = Object.l_name[0] ? Object.l_name : ProgramFile;
  // Set if the system has the file and the tree has not: the dynamic linker
  // would take the system's.
  bool IsOnSystem = false;
  for (const char *Position = Folders; Position;
       Position = *Position ? Position + 1 : nullptr) {
    PathText Text;
    if (!addFolder(Text, Position, File))
      return Name;
    Text.add('/');
    Text.add(Name, strlen(Name));
    const char *Path = Text.finish();
    if (!Path)
      continue;
    if (!isInstalledPath(Path) && !IsOnSystem && pathExists(Path))
      return Name;
    if (const char *Found = pathInTree(Path))
      return Found;
    IsOnSystem = IsOnSystem || pathExists(Path);
  }
  return nullptr;
}

/// Finds a library that \p Loader needs by the paths in its file. Returns
/// \p Name if the dynamic linker is to search, null if no path has it. The
/// caller's LD_LIBRARY_PATH comes before a RUNPATH.
static const char *nameForLoader(const link_map &Loader, const char *Name) {
  const link_map *Program = &Loader;
  while (Program->l_prev)
    Program = Program->l_prev;
  SearchPaths Own(Loader), OfProgram(*Program);
  if (const char *Found = nameInFolders(Own.RPath, Loader, Name))
    return Found;
  if (Own.RunPath)
    return isInCallersPath(CallersPath, Name)
               ? nullptr
               : nameInFolders(Own.RunPath, Loader, Name);
  return nameInFolders(OfProgram.RPath, *Program, Name);
}

KPACK_EXPORT unsigned la_version(unsigned Version) {
  return Version < LAV_CURRENT ? Version : LAV_CURRENT;
}

KPACK_EXPORT unsigned la_objopen(link_map *Object, Lmid_t, uintptr_t *Cookie) {
  *Cookie = reinterpret_cast<uintptr_t>(Object);
  return 0; // do not audit its bindings
}

KPACK_EXPORT char *la_objsearch(const char *Name, uintptr_t *Cookie,
                                unsigned Flag) {
  const char *Found = nullptr;
  if (Tree[0] && Name[0] == '/') {
    Found = pathInTree(Name);
  } else if (Tree[0] && Flag == LA_SER_ORIG && *Cookie) {
    bool HasFolder = false;
    for (const char *Position = Name; *Position; ++Position)
      HasFolder |= *Position == '/';
    if (!HasFolder)
      Found = nameForLoader(*reinterpret_cast<link_map *>(*Cookie), Name);
  }
  return const_cast<char *>(Found ? Found : Name);
}

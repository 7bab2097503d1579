//===- TreePath.cpp - paths below another root ----------------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TreePath.h. This file makes direct system calls: the preloaded library
// replaces the C library's functions of these names, and the auditing library
// has no C library.
//
//===----------------------------------------------------------------------===//
#include "SoftGpu/Kfd/Preload/TreePath.h"

#include <cerrno>
#include <fcntl.h>
#include <initializer_list>
#include <sys/syscall.h>
#include <unistd.h>

using namespace kpack;

#if !defined(__x86_64__)
#error "system calls of x86-64"
#endif

static long systemCall(long Call, long A, long B, long C, long D) {
  long Result;
  register long Fourth asm("r10") = D;
  asm volatile("syscall"
               : "=a"(Result)
               : "a"(Call), "D"(A), "S"(B), "d"(C), "r"(Fourth)
               : "rcx", "r11", "memory");
  return Result;
}

/// Returns the length of the link's text, or a negated errno.
static long readLink(const char *Path, char *Buffer, size_t Size) {
  return systemCall(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>(Path),
                    reinterpret_cast<long>(Buffer), static_cast<long>(Size));
}

/// access() without errno.
static bool hasAccess(const char *Path, int Mode) {
  return systemCall(SYS_faccessat, AT_FDCWD, reinterpret_cast<long>(Path), Mode,
                    0) == 0;
}

bool softgpu::pathExists(const char *Path) { return hasAccess(Path, F_OK); }

static size_t getLength(const char *Text) {
  size_t Length = 0;
  while (Text[Length])
    ++Length;
  return Length;
}

static bool startsWith(const char *Text, const char *Prefix, size_t Length) {
  for (size_t I = 0; I != Length; ++I)
    if (Text[I] != Prefix[I])
      return false;
  return true;
}

bool softgpu::isBelow(const char *Path, const char *Folder) {
  size_t Length = getLength(Folder);
  return startsWith(Path, Folder, Length) &&
         (Path[Length] == '\0' || Path[Length] == '/');
}

bool softgpu::isInstalledPath(const char *Path) {
  for (const char *Folder : {"/usr", "/opt", "/etc", "/bin", "/sbin", "/lib",
                             "/lib32", "/lib64", "/libx32"})
    if (isBelow(Path, Folder))
      return true;
  return false;
}

namespace {

/// The rest of a path to look up, at the end of a buffer, so that a link's text
/// can be put in front of it.
class Rest {
public:
  bool set(const char *Path) { return putInFront(Path, getLength(Path)); }

  bool putInFront(const char *Text, size_t Length) {
    // Count the slash, and keep space for a link's text.
    if (Length + 1 >= Begin)
      return false;
    char *Start = Buffer + (Begin -= Length + 1);
    // The text may be in the buffer, further to the left.
    for (size_t I = Length; I != 0; --I)
      Start[I - 1] = Text[I - 1];
    Start[Length] = '/';
    return true;
  }

  /// Returns the next component, of \p Length bytes, or null at the end.
  const char *take(size_t &Length) {
    while (Begin != sizeof(Buffer) && Buffer[Begin] == '/')
      ++Begin;
    const char *Name = Buffer + Begin;
    Length = 0;
    while (Begin != sizeof(Buffer) && Buffer[Begin] != '/') {
      ++Begin;
      ++Length;
    }
    return Length ? Name : nullptr;
  }

  char *freeSpace() { return Buffer; }
  size_t freeSize() const { return Begin; }

private:
  char Buffer[PATH_MAX];
  size_t Begin = sizeof(Buffer);
};

/// The part of a path that has been looked up.
class Resolved {
public:
  Resolved(char (&Text)[PATH_MAX]) : Text(Text) {}

  bool begin(const char *Tree) {
    Text[RootSize = Size = 0] = '\0';
    bool Fits = append(Tree, getLength(Tree));
    while (Size && Text[Size - 1] == '/')
      Text[--Size] = '\0';
    RootSize = Size;
    return Fits;
  }

  bool add(const char *Name, size_t Length) {
    return append("/", 1) && append(Name, Length);
  }

  void removeLast() {
    while (Size > RootSize && Text[Size - 1] != '/')
      --Size;
    if (Size > RootSize)
      --Size;
    Text[Size] = '\0';
  }

  bool isTreeRoot(const char *Path) const {
    return startsWith(Path, Text, RootSize) && Path[RootSize] == '/';
  }
  size_t rootSize() const { return RootSize; }
  const char *text() const { return Text; }

private:
  bool append(const char *Source, size_t Length) {
    if (Length >= sizeof(Text) - Size)
      return false;
    for (size_t I = 0; I != Length; ++I)
      Text[Size++] = Source[I];
    Text[Size] = '\0';
    return true;
  }

  char (&Text)[PATH_MAX];
  size_t Size = 0, RootSize = 0;
};

} // namespace

static bool isName(const char *Name, size_t Length, const char *Wanted) {
  return getLength(Wanted) == Length && startsWith(Name, Wanted, Length);
}

/// True if the absolute link text \p Target leads out of \p Tree, as in a
/// folder of links to another tree: only the system has the file, and it is not
/// where packages install.
static bool leadsOut(const char *Tree, const char *Target) {
  char Inside[PATH_MAX];
  Resolved Path(Inside);
  return !softgpu::isInstalledPath(Target) && Path.begin(Tree) &&
         Path.add(Target, getLength(Target)) && !softgpu::pathExists(Inside) &&
         softgpu::pathExists(Target);
}

bool softgpu::findInTree(const char *Tree, const char *Path,
                         char (&Found)[PATH_MAX]) {
  constexpr unsigned MostLinks = 40; // the kernel's limit
  Rest Left;
  Resolved Out(Found);
  if (!Left.set(Path) || !Out.begin(Tree))
    return false;
  size_t Length = 0;
  for (unsigned Links = 0; const char *Name = Left.take(Length);) {
    if (isName(Name, Length, "."))
      continue;
    if (isName(Name, Length, "..")) {
      Out.removeLast();
      continue;
    }
    if (!Out.add(Name, Length))
      return false;
    char *Target = Left.freeSpace();
    long Size = readLink(Out.text(), Target, Left.freeSize());
    if (Size == -EINVAL) // not a link
      continue;
    if (Size <= 0 || size_t(Size) == Left.freeSize() || ++Links > MostLinks)
      return false;
    Target[Size] = '\0';
    Out.removeLast();
    if (*Target == '/') {
      if (!Out.begin(Tree))
        return false;
      if (Out.isTreeRoot(Target)) {
        // A link made from outside already names the tree.
        Target += Out.rootSize();
        Size -= long(Out.rootSize());
      } else if (leadsOut(Tree, Target)) {
        Out.begin("");
      }
    }
    if (!Left.putInFront(Target, size_t(Size)))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Scripts
//===----------------------------------------------------------------------===//

/// Reads the start of the file. Returns the number of bytes.
static size_t readStart(const char *Path, char *Buffer, size_t Size) {
  long Fd = systemCall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(Path),
                       O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (Fd < 0)
    return 0;
  long Got = systemCall(SYS_read, Fd, reinterpret_cast<long>(Buffer),
                        static_cast<long>(Size), 0);
  systemCall(SYS_close, Fd, 0, 0, 0);
  return Got > 0 ? size_t(Got) : 0;
}

static bool isBlank(char C) { return C == ' ' || C == '\t'; }

/// Terminates the word at \p Text, and returns the text after the blanks that
/// follow it.
static char *cutWord(char *Text) {
  while (*Text && !isBlank(*Text))
    ++Text;
  while (isBlank(*Text))
    *Text++ = '\0';
  return Text;
}

static bool isEqual(const char *A, const char *B) {
  return isName(A, getLength(A), B);
}

/// True if \p Text is a name that env(1) would look up, without options.
static bool isPlainName(const char *Text) {
  for (const char *Position = Text; *Position; ++Position)
    if (isBlank(*Position) || *Position == '=' || *Position == '/')
      return false;
  return *Text && *Text != '-';
}

static bool isElf(const char *Path) {
  char Magic[4];
  return readStart(Path, Magic, sizeof(Magic)) == sizeof(Magic) &&
         startsWith(Magic, "\177ELF", sizeof(Magic));
}

static bool isScript(const char *Path) {
  char Magic[2];
  return readStart(Path, Magic, sizeof(Magic)) == sizeof(Magic) &&
         startsWith(Magic, "#!", sizeof(Magic));
}

/// Returns false if \p Script does not begin with "#!", or \p Tree lacks the
/// program.
static bool findInterpreter(const char *Tree, const char *Script,
                            softgpu::Interpreter &Found) {
  char Line[256]; // the kernel's limit
  size_t Size = readStart(Script, Line, sizeof(Line) - 1);
  size_t End = 0;
  while (End != Size && Line[End] && Line[End] != '\n')
    ++End;
  if (End < 3 || Line[0] != '#' || Line[1] != '!' ||
      (End == Size && Size == sizeof(Line) - 1))
    return false;
  while (isBlank(Line[End - 1]))
    --End;
  Line[End] = '\0';
  char *Program = Line + 2;
  while (isBlank(*Program))
    ++Program;
  char *Argument = cutWord(Program);
  if (*Program != '/')
    return false;
  char Named[300] = "/usr/bin/";
  if (isEqual(Program, "/usr/bin/env") && isPlainName(Argument)) {
    size_t Used = getLength(Named);
    while (*Argument)
      Named[Used++] = *Argument++;
    Named[Used] = '\0';
    Program = Named;
  }
  size_t Used = 0;
  for (; Argument[Used]; ++Used)
    Found.Argument[Used] = Argument[Used];
  Found.Argument[Used] = '\0';
  return softgpu::findInTree(Tree, Program, Found.Path);
}

softgpu::ScriptKind softgpu::findInterpreters(const char *Tree,
                                              const char *Script,
                                              InterpreterChain &Found) {
  const char *File = Script;
  for (Found.Size = 0; Found.Size != InterpreterChain::Most;) {
    Interpreter &Next = Found.Of[Found.Size];
    if (!findInterpreter(Tree, File, Next))
      return File == Script || isScript(File) ? ScriptKind::Other
                                              : ScriptKind::BadFormat;
    ++Found.Size;
    File = Next.Path;
    if (!hasAccess(File, X_OK))
      return ScriptKind::NoPermission;
    if (isElf(File))
      return ScriptKind::OfTree;
  }
  return ScriptKind::TooDeep;
}

//===----------------------------------------------------------------------===//
// Search paths of libraries
//===----------------------------------------------------------------------===//

namespace {
/// Iterates over the folders of a variable: none if it is null, else at least
/// one.
class Folders {
public:
  explicit Folders(const char *List) : Next(List) {}

  /// Returns false at the end. \p Name is not terminated.
  bool take(const char *&Name, size_t &Length) {
    if (!Next)
      return false;
    Name = Next;
    Length = 0;
    while (Name[Length] && Name[Length] != ':' && Name[Length] != ';')
      ++Length;
    Next = Name[Length] ? Name + Length + 1 : nullptr;
    return true;
  }

private:
  const char *Next;
};

class Output {
public:
  Output(char *Buffer, size_t Size) : To(Buffer), Size(Size) {}

  void add(const char *Name, size_t Length) {
    if (Used)
      put(':');
    for (size_t I = 0; I != Length; ++I)
      put(Name[I]);
  }
  bool finish() {
    put('\0');
    return Fits;
  }

private:
  void put(char C) {
    Fits &= Used < Size;
    if (Fits)
      To[Used] = C;
    ++Used;
  }

  char *To;
  size_t Size, Used = 0;
  bool Fits = true;
};
} // namespace

/// True if the folder [\p Name, \p Name + \p Length) is the system's.
static bool isSystems(const char *Name, size_t Length) {
  char Path[PATH_MAX];
  if (Length >= sizeof(Path))
    return false;
  for (size_t I = 0; I != Length; ++I)
    Path[I] = Name[I];
  Path[Length] = '\0';
  return softgpu::isInstalledPath(Path);
}

bool softgpu::composeLibraryPath(const char *Callers, const char *Tree,
                                 char *Buffer, size_t Size) {
  Output Out(Buffer, Size);
  if (Callers && !*Callers)
    Callers = nullptr;
  const char *Name;
  size_t Length;
  for (Folders F(Callers); F.take(Name, Length);)
    if (!isSystems(Name, Length))
      // An empty entry is the current folder.
      Out.add(Length ? Name : ".", Length ? Length : 1);
  Out.add(Tree, getLength(Tree));
  for (Folders F(Callers); F.take(Name, Length);)
    if (isSystems(Name, Length))
      Out.add(Name, Length);
  return Out.finish();
}

bool softgpu::isInCallersPath(const char *Callers, const char *Wanted) {
  const char *Name;
  size_t Length;
  for (Folders F(Callers); F.take(Name, Length);) {
    char Path[PATH_MAX];
    size_t Used = 0;
    if (isSystems(Name, Length) ||
        Length + getLength(Wanted) + 2 > sizeof(Path))
      continue;
    for (size_t I = 0; I != Length; ++I)
      Path[Used++] = Name[I];
    if (Length)
      Path[Used++] = '/';
    for (const char *Position = Wanted; *Position; ++Position)
      Path[Used++] = *Position;
    Path[Used] = '\0';
    if (pathExists(Path))
      return true;
  }
  return false;
}

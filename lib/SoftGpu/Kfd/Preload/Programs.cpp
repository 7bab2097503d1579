//===- Programs.cpp - exec of programs of another ROCm --------------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kpack-run --rocm=DIR starts its program with the dynamic linker and the
// libraries of that tree. Programs of the tree that it starts in turn (the
// compiler that rocFFT has beside it, Python's sys.executable) need the same:
// the system's linker would give them the system's libraries. So the functions
// that start a program start the command that kpack-run would have used
// (RocmTree.cpp, which leaves its words in the folder of the run). They may be
// called in a child of vfork(), so nothing is allocated here. They may also be
// called by a crash handler on a small stack, so without a tree they go
// straight to the C library.
//
//===----------------------------------------------------------------------===//
#include "Next.h"
#include "Redirect.h"

#include "SoftGpu/Kfd/Preload/TreePath.h"

#include <alloca.h>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

using namespace kpack::softgpu;

using ExecFunction = int(const char *, char *const *, char *const *);

KPACK_NEXT Next<ExecFunction> NextExecve("execve"), NextExecvpe("execvpe");

namespace {
/// A program, and its command in the tree.
class TreeProgram {
public:
  /// The arguments of exec(), without a search in PATH.
  TreeProgram(const char *Path, char *const *Arguments,
              char *const *Environment);

  /// False if the system is to start path().
  explicit operator bool() const { return Found || Refusal; }
  const char *path() const { return Program; }
  /// The errno that refuses a script of the tree, or 0.
  int refusal() const { return Refusal; }

  static constexpr int WordsInFront = 9 + InterpreterChain::MostWords;
  /// \p Output has room for \p Arguments with the null after them, plus
  /// WordsInFront and path().
  void write(char **Output, char *const *Arguments);

  const char *linker() const { return Linker; }

private:
  bool isOfTree(const char *Tree);
  bool findInterpreters();
  bool findLinker(const char *Tree);
  bool readFolders(const char *Tree, char *const *Environment);

  RedirectedPath Program;
  InterpreterChain Chain; ///< of a script; else empty
  char Root[PATH_MAX];
  bool Found = false;
  int Refusal = 0;
  char Linker[PATH_MAX];
  char Audit[PATH_MAX];       ///< the auditing library
  char Folders[6 * PATH_MAX]; ///< of libraries, as a search path
};
} // namespace

/// True if the file names a dynamic linker. Statically linked programs are left
/// to the system.
static bool namesLinker(const char *Path) {
  // Do not wait for the other end of a named pipe.
  int Fd = ::open(Path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (Fd < 0)
    return false;
  Elf64_Ehdr Header;
  bool Is = ::pread(Fd, &Header, sizeof(Header), 0) == sizeof(Header) &&
            std::memcmp(Header.e_ident, ELFMAG, SELFMAG) == 0 &&
            Header.e_ident[EI_CLASS] == ELFCLASS64 &&
            Header.e_phentsize == sizeof(Elf64_Phdr);
  bool Names = false;
  for (unsigned I = 0; Is && !Names && I < Header.e_phnum; ++I) {
    Elf64_Phdr Segment;
    auto Offset = off_t(Header.e_phoff + I * sizeof(Segment));
    Is = ::pread(Fd, &Segment, sizeof(Segment), Offset) == sizeof(Segment);
    Names = Is && Segment.p_type == PT_INTERP;
  }
  ::close(Fd);
  return Names;
}

TreeProgram::TreeProgram(const char *Path, char *const *Arguments,
                         char *const *Environment)
    : Program(Path) {
  const char *Tree = runFolder();
  int Before = errno;
  Found = Path && Arguments && *Tree && isOfTree(Tree) &&
          ::access(Program, X_OK) == 0 && findLinker(Tree) &&
          (namesLinker(Program) || findInterpreters()) &&
          readFolders(Tree, Environment);
  errno = Before;
}

/// Returns false if the system executes the program itself, or Refusal is set.
bool TreeProgram::findInterpreters() {
  switch (kpack::softgpu::findInterpreters(Root, Program, Chain)) {
  case ScriptKind::OfTree:
    return true;
  case ScriptKind::Other:
    Chain.Size = 0;
    break;
  case ScriptKind::NoPermission:
    Refusal = EACCES;
    break;
  case ScriptKind::BadFormat:
    Refusal = ENOEXEC;
    break;
  case ScriptKind::TooDeep:
    Refusal = ELOOP;
    break;
  }
  return false;
}

bool TreeProgram::isOfTree(const char *Tree) {
  char Link[PATH_MAX];
  char Real[PATH_MAX];
  if (std::snprintf(Link, sizeof(Link), "%s/rocm", Tree) >= int(sizeof(Link)) ||
      !::realpath(Link, Root) || !::realpath(Program, Real))
    return false;
  // A program that starts itself gets the libraries that it has.
  const char *Ours = programOfLinker();
  return isBelow(Real, Root) || (Ours && std::strcmp(Real, Ours) == 0);
}

/// Returns false if the tree has no C library; then the system's starts all.
bool TreeProgram::findLinker(const char *Tree) {
  char Path[PATH_MAX];
  return std::snprintf(Linker, sizeof(Linker), "%s/linker", Tree) <
             int(sizeof(Linker)) &&
         ::realpath(Linker, Path) &&
         std::snprintf(Audit, sizeof(Audit), "%s/audit", Tree) <
             int(sizeof(Audit));
}

/// Returns the value of the variable \p Name, or null if it is not set.
static const char *valueIn(char *const *Environment, const char *Name) {
  size_t Length = std::strlen(Name);
  for (; Environment && *Environment; ++Environment)
    if (std::strncmp(*Environment, Name, Length) == 0 &&
        (*Environment)[Length] == '=')
      return *Environment + Length + 1;
  return nullptr;
}

bool TreeProgram::readFolders(const char *Tree, char *const *Environment) {
  char Path[PATH_MAX], OfTree[4 * PATH_MAX];
  if (std::snprintf(Path, sizeof(Path), "%s/folders", Tree) >=
      int(sizeof(Path)))
    return false;
  int Fd = ::open(Path, O_RDONLY | O_CLOEXEC);
  if (Fd < 0)
    return false;
  ssize_t Length = ::read(Fd, OfTree, sizeof(OfTree));
  ::close(Fd);
  if (Length <= 0 || Length == sizeof(OfTree))
    return false;
  OfTree[Length] = '\0';
  // Leave out the caller's path if it is too long.
  return composeLibraryPath(valueIn(Environment, "LD_LIBRARY_PATH"), OfTree,
                            Folders, sizeof(Folders)) ||
         composeLibraryPath(nullptr, OfTree, Folders, sizeof(Folders));
}

void TreeProgram::write(char **Output, char *const *Arguments) {
  auto *Path = const_cast<char *>(static_cast<const char *>(Program));
  // A program may look for its files from its location; PATH would lead it to
  // the system's.
  bool HasFolder = *Arguments && std::strchr(*Arguments, '/');
  auto *OfScript = Chain.Size ? const_cast<char *>(Chain.program()) : nullptr;
  char *InFront[] = {Linker,
                     const_cast<char *>("--inhibit-cache"),
                     const_cast<char *>("--audit"),
                     Audit,
                     const_cast<char *>("--argv0"),
                     OfScript    ? OfScript
                     : HasFolder ? *Arguments
                                 : Path,
                     const_cast<char *>("--library-path"),
                     Folders};
  for (char *Word : InFront)
    *Output++ = Word;
  if (OfScript)
    *Output++ = OfScript;
  Chain.eachWord(
      [&](const char *Word) { *Output++ = const_cast<char *>(Word); });
  *Output++ = Path;
  while (*Arguments && *++Arguments)
    *Output++ = *Arguments;
  *Output = nullptr;
}

static size_t countOf(char *const *Args) {
  size_t Count = 0;
  while (Args[Count])
    ++Count;
  return Count;
}

/// Allocates room for \p Arguments and the words in front by alloca().
#define KPACK_WORDS(Arguments)                                                 \
  static_cast<char **>(alloca(                                                 \
      (countOf(Arguments) + TreeProgram::WordsInFront + 2) * sizeof(char *)))

/// Searches PATH for \p Name; a name with a slash is its path. Returns false if
/// it is not found, or its path is too long.
static bool findInPath(const char *Name, char (&Found)[PATH_MAX]) {
  const char *Folders = ::getenv("PATH");
  if (!Name || !*Name || !Folders)
    return false;
  if (std::strchr(Name, '/'))
    return std::snprintf(Found, sizeof(Found), "%s", Name) < PATH_MAX;
  int Before = errno;
  bool Has = false;
  for (const char *Position = Folders; Position && !Has;) {
    const char *End = std::strchr(Position, ':');
    int Length = End ? int(End - Position) : int(std::strlen(Position));
    Has = std::snprintf(Found, sizeof(Found), "%.*s%s%s", Length, Position,
                        Length ? "/" : "", Name) < PATH_MAX &&
          ::access(Found, X_OK) == 0;
    Position = End ? End + 1 : nullptr;
  }
  errno = Before;
  return Has;
}

//===----------------------------------------------------------------------===//
// exec
//===----------------------------------------------------------------------===//

[[gnu::noinline]] static int
execOfTree(const char *Path, char *const *Arguments, char *const *Environment) {
  TreeProgram Program(Path, Arguments, Environment);
  if (!Program)
    return NextExecve(Program.path(), Arguments, Environment);
  if (Program.refusal()) {
    errno = Program.refusal();
    return -1;
  }
  char **Args = KPACK_WORDS(Arguments);
  Program.write(Args, Arguments);
  return NextExecve(Program.linker(), Args, Environment);
}

KPACK_EXPORT int execve(const char *Path, char *const *Arguments,
                        char *const *Environment) noexcept {
  return hasRocm() ? execOfTree(Path, Arguments, Environment)
                   : NextExecve(Path, Arguments, Environment);
}

[[gnu::noinline]] static int
execInPath(const char *Name, char *const *Arguments, char *const *Environment) {
  char Path[PATH_MAX];
  if (findInPath(Name, Path) && TreeProgram(Path, Arguments, Environment))
    return execve(Path, Arguments, Environment);
  return NextExecvpe(Name, Arguments, Environment);
}

KPACK_EXPORT int execvpe(const char *Name, char *const *Arguments,
                         char *const *Environment) noexcept {
  return hasRocm() ? execInPath(Name, Arguments, Environment)
                   : NextExecvpe(Name, Arguments, Environment);
}

KPACK_EXPORT int execv(const char *Path, char *const *Arguments) noexcept {
  return execve(Path, Arguments, ::environ);
}

KPACK_EXPORT int execvp(const char *Name, char *const *Arguments) noexcept {
  return execvpe(Name, Arguments, ::environ);
}

/// Returns the number of words from \p First on, without the null after them.
static size_t countOf(const char *First, va_list Rest) {
  size_t Count = 0;
  for (const char *Word = First; Word; Word = va_arg(Rest, const char *))
    ++Count;
  return Count;
}

/// Copies words including the null, which it also reads from \p Rest.
static void collect(char **Output, const char *First, va_list &Rest) {
  for (const char *Word = First; Word; Word = va_arg(Rest, const char *))
    *Output++ = const_cast<char *>(Word);
  *Output = nullptr;
}

/// Collects the arguments of execl() and its like on the caller's stack.
#define KPACK_COLLECT(Words, First)                                            \
  va_list Rest;                                                                \
  va_start(Rest, First);                                                       \
  auto **Words = static_cast<char **>(                                         \
      alloca((countOf(First, Rest) + 1) * sizeof(char *)));                    \
  va_end(Rest);                                                                \
  va_start(Rest, First);                                                       \
  collect(Words, First, Rest)

KPACK_EXPORT int execl(const char *Path, const char *First, ...) noexcept {
  KPACK_COLLECT(Args, First);
  va_end(Rest);
  return execve(Path, Args, ::environ);
}

KPACK_EXPORT int execlp(const char *Name, const char *First, ...) noexcept {
  KPACK_COLLECT(Args, First);
  va_end(Rest);
  return execvpe(Name, Args, ::environ);
}

KPACK_EXPORT int execle(const char *Path, const char *First, ...) noexcept {
  KPACK_COLLECT(Args, First);
  char *const *Environment = va_arg(Rest, char *const *);
  va_end(Rest);
  return execve(Path, Args, Environment);
}

//===----------------------------------------------------------------------===//
// posix_spawn
//===----------------------------------------------------------------------===//

using SpawnFunction = int(pid_t *, const char *,
                          const posix_spawn_file_actions_t *,
                          const posix_spawnattr_t *, char *const *,
                          char *const *);

KPACK_NEXT Next<SpawnFunction> NextSpawn("posix_spawn"),
    NextSpawnp("posix_spawnp");

[[gnu::noinline]] static int
spawnOfTree(pid_t *Child, const char *Path,
            const posix_spawn_file_actions_t *Actions,
            const posix_spawnattr_t *Attributes, char *const *Arguments,
            char *const *Environment) {
  TreeProgram Program(Path, Arguments, Environment);
  if (!Program)
    return NextSpawn(Child, Program.path(), Actions, Attributes, Arguments,
                     Environment);
  if (Program.refusal())
    return Program.refusal();
  char **Args = KPACK_WORDS(Arguments);
  Program.write(Args, Arguments);
  return NextSpawn(Child, Program.linker(), Actions, Attributes, Args,
                   Environment);
}

KPACK_EXPORT int posix_spawn(pid_t *Child, const char *Path,
                             const posix_spawn_file_actions_t *Actions,
                             const posix_spawnattr_t *Attributes,
                             char *const *Arguments, char *const *Environment) {
  return hasRocm() ? spawnOfTree(Child, Path, Actions, Attributes, Arguments,
                                 Environment)
                   : NextSpawn(Child, Path, Actions, Attributes, Arguments,
                               Environment);
}

[[gnu::noinline]] static int
spawnInPath(pid_t *Child, const char *Name,
            const posix_spawn_file_actions_t *Actions,
            const posix_spawnattr_t *Attributes, char *const *Arguments,
            char *const *Environment) {
  char Path[PATH_MAX];
  if (findInPath(Name, Path) && TreeProgram(Path, Arguments, Environment))
    return spawnOfTree(Child, Path, Actions, Attributes, Arguments,
                       Environment);
  return NextSpawnp(Child, Name, Actions, Attributes, Arguments, Environment);
}

KPACK_EXPORT int posix_spawnp(pid_t *Child, const char *Name,
                              const posix_spawn_file_actions_t *Actions,
                              const posix_spawnattr_t *Attributes,
                              char *const *Arguments,
                              char *const *Environment) {
  return hasRocm() ? spawnInPath(Child, Name, Actions, Attributes, Arguments,
                                 Environment)
                   : NextSpawnp(Child, Name, Actions, Attributes, Arguments,
                                Environment);
}

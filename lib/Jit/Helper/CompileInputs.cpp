//===- CompileInputs.cpp - files that a compile depends on ----------------===//
//
// Part of kpack, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A superfluous path costs another look at the compiler's list some day; a
// missing one would be a stale kernel. So directives in inactive branches
// count, too.
//
//===----------------------------------------------------------------------===//
#include "CompileInputs.h"

#include "CompileJob.h"

#include <algorithm>
#include <cctype>
#include <sys/stat.h>

using namespace kpack;
using namespace kpack::jit;

static bool isRegular(const std::string &Path) {
  struct stat Info;
  return ::stat(Path.c_str(), &Info) == 0 && S_ISREG(Info.st_mode);
}

/// Resolves \p Path against \p Base as the compiler spells it: a ".." after a
/// link cannot be removed.
static std::string joined(std::string Path, const std::string &Base) {
  if (!startsWith(Path, "/"))
    Path = Base + "/" + Path;
  for (size_t Offset; (Offset = Path.find("/./")) != std::string::npos;)
    Path.erase(Offset, 2);
  for (size_t Offset; (Offset = Path.find("//")) != std::string::npos;)
    Path.erase(Offset, 1);
  while (Path.size() > 1 && Path.back() == '/')
    Path.pop_back();
  return Path;
}

//===----------------------------------------------------------------------===//
// The driver's plan
//===----------------------------------------------------------------------===//

std::vector<std::string> jit::configurationFiles(const std::string &DryRun) {
  static constexpr std::string_view Title = "Configuration file: ";
  std::vector<std::string> Files;
  for (size_t Offset = 0; Offset < DryRun.size();) {
    size_t End = std::min(DryRun.find('\n', Offset), DryRun.size());
    if (DryRun.compare(Offset, Title.size(), Title) == 0)
      addOnce(Files, DryRun.substr(Offset + Title.size(),
                                   End - Offset - Title.size()));
    Offset = End + 1;
  }
  return Files;
}

std::vector<std::string> jit::namedFiles(const Arguments &Args,
                                         const std::string &Directory,
                                         bool WithOperands) {
  std::vector<std::string> Files;
  auto TryPath = [&](const std::string &Path) {
    if (std::string File = absolute(Path, Directory);
        !Path.empty() && File != "/dev/null" && isRegular(File))
      addOnce(Files, std::move(File));
  };
  for (size_t I = 0; I < Args.size(); ++I) {
    const std::string &Word = Args[I];
    std::string_view Before = I ? Args[I - 1] : std::string_view();
    if (isOneOf(Before, {"-D", "-U", "-o", "-x", "-main-file-name", "-MT",
                         "-MQ", "-MF", "-dependency-file", "-soname"}) ||
        (Before != "-Xclang" &&
         (startsWith(Word, "-D") || startsWith(Word, "-U"))))
      continue;
    if (startsWith(Word, "@"))
      TryPath(Word.substr(1));
    bool IsValue = isOneOf(Before, {"-plugin", "--plugin", "-load"});
    if (Word.empty() || Word[0] != '-') {
      if (WithOperands || IsValue) {
        TryPath(Word);
        // name=path, for modules and arguments of plugins
        if (size_t Equals = Word.rfind('='); Equals != std::string::npos)
          TryPath(Word.substr(Equals + 1));
      }
      continue;
    }
    for (size_t Equals : {Word.find('='), Word.rfind('='), Word.find('/') - 1})
      if (Equals + 1 < Word.size() && Equals + 1 != 0)
        TryPath(Word.substr(Equals + 1));
  }
  return Files;
}

std::string jit::getProcessor(const Arguments &FrontEnd) {
  std::string Text;
  for (size_t I = 0; I + 1 < FrontEnd.size(); ++I)
    if (isOneOf(FrontEnd[I], {"-triple", "-target-cpu", "-tune-cpu",
                              "-target-feature", "-target-abi"}))
      Text += (Text.empty() ? "" : " ") + FrontEnd[I + 1];
  return Text;
}

//===----------------------------------------------------------------------===//
// Missing paths
//===----------------------------------------------------------------------===//

bool Absences::isFolder(const std::string &Path) {
  auto [It, IsNew] = Folders.try_emplace(Path, false);
  if (IsNew) {
    struct stat Info;
    It->second = ::stat(Path.c_str(), &Info) == 0 && S_ISDIR(Info.st_mode);
  }
  return It->second;
}

void Absences::add(const std::string &Path) {
  size_t End = Path.rfind('/');
  if (End == std::string::npos)
    return;
  struct stat Info;
  if (isFolder(getFolder(Path))) {
    if (::lstat(Path.c_str(), &Info) != 0)
      Names[getFolder(Path)].insert(Path.substr(End + 1));
    return;
  }
  // Record the first missing folder of the path.
  size_t Known = 0;
  for (size_t Slash = 1; (Slash = Path.find('/', Slash)) != std::string::npos;
       ++Slash) {
    if (!isFolder(Path.substr(0, Slash)))
      break;
    Known = Slash;
  }
  size_t Next = std::min(Path.find('/', Known + 1), Path.size());
  Names[Known ? Path.substr(0, Known) : "/"].insert(
      Path.substr(Known + 1, Next - Known - 1));
}

//===----------------------------------------------------------------------===//
// Headers
//===----------------------------------------------------------------------===//

/// Returns the value of \p Option at \p I, in the same word or the next one.
static std::string valueOf(const Arguments &Args, size_t I,
                           std::string_view Option) {
  if (!startsWith(Args[I], Option))
    return "";
  if (Args[I].size() > Option.size())
    return Args[I].substr(Option.size());
  return I + 1 < Args.size() ? Args[I + 1] : "";
}

SearchPath SearchPath::of(const Arguments &FrontEnd,
                          const std::string &Directory) {
  static constexpr std::string_view Groups[][6] = {
      {"-iquote"},
      {"-I", "-F"},
      {"-isystem", "-internal-isystem", "-internal-externc-isystem",
       "-cxx-isystem", "-iframework", "-iwithsysroot"},
      {"-idirafter"}};
  SearchPath Search;
  for (const auto &Group : Groups) {
    for (size_t I = 1; I < FrontEnd.size(); ++I)
      for (std::string_view Option : Group) {
        std::string Folder = Option.empty() ? "" : valueOf(FrontEnd, I, Option);
        if (!Folder.empty())
          Search.Folders.push_back(joined(std::move(Folder), Directory));
      }
    if (&Group == &Groups[0])
      Search.Quoted = Search.Folders.size();
  }
  return Search;
}

HeaderTexts::HeaderTexts(const std::vector<std::string> &All,
                         const std::string &Directory) {
  for (const std::string &Path : All) {
    Paths.push_back(joined(Path, Directory));
    Includers.insert(getFolder(Paths.back()));
  }
  Includers.insert(joined(Directory, "/")); // for -include
  for (const std::string &Path : Paths)
    read(Path);
}

static size_t skipBlanks(std::string_view Text, size_t Offset) {
  while (Offset < Text.size() && (Text[Offset] == ' ' || Text[Offset] == '\t'))
    ++Offset;
  return Offset;
}

/// Calls \p Note with the name in quotes or brackets at \p At, after blanks.
template <typename Function>
static void takeName(std::string_view Text, size_t Offset, Function Note) {
  Offset = skipBlanks(Text, Offset);
  if (Offset >= Text.size() || (Text[Offset] != '"' && Text[Offset] != '<'))
    return;
  char Last = Text[Offset] == '"' ? '"' : '>';
  size_t End = Text.find_first_of(std::string{Last, '\n'}, Offset + 1);
  if (End != std::string_view::npos && Text[End] == Last && End > Offset + 1)
    Note(std::string(Text.substr(Offset + 1, End - Offset - 1)), Last == '"');
}

void HeaderTexts::read(const std::string &Path) {
  std::string Whole = readContent(Path);
  std::string_view Text = Whole;
  auto Has = [&](const char *Word) {
    return Text.find(Word) != std::string_view::npos;
  };
  Incbin |= Has("incbin") || Has("\".include") || Has("t.include") ||
            Has("n.include") || Has(" .include");
  Date |= Has("__DATE__") || Has("__TIME__") || Has("__TIMESTAMP__");
  std::string Folder = getFolder(Path);
  bool Next = false;
  auto Note = [&](std::string Name, bool Quoted) {
    Names.insert({std::move(Name), Quoted ? Folder : "", Next});
  };
  for (size_t Offset = 0;
       (Offset = Text.find('#', Offset)) != std::string_view::npos;) {
    Offset = skipBlanks(Text, Offset + 1);
    for (std::string_view Word : {"include_next", "include", "import", "embed"})
      if (Text.compare(Offset, Word.size(), Word) == 0) {
        Next = Word == "include_next";
        takeName(Text, Offset + Word.size(), Note);
        break;
      }
  }
  for (std::string_view Word : {"__has_include", "__has_embed"})
    for (size_t Offset = 0;
         (Offset = Text.find(Word, Offset)) != std::string_view::npos;) {
      Offset += Word.size();
      Next = Text.compare(Offset, 5, "_next") == 0;
      size_t Open = skipBlanks(Text, Next ? Offset + 5 : Offset);
      if (Open < Text.size() && Text[Open] == '(')
        takeName(Text, Open + 1, Note);
    }
}

void HeaderTexts::addAbsences(const SearchPath &Search,
                              Absences &Missing) const {
  std::set<std::string> Found;
  for (const Wanted &W : Names) {
    if (W.Name[0] == '/') {
      Missing.add(W.Name);
      continue;
    }
    // #include_next starts somewhere in the middle of the path: every folder
    // counts.
    auto IsHere = [&](const std::string &Folder) {
      std::string Path = Folder + "/" + W.Name;
      if (!isRegular(Path)) {
        Missing.add(Path);
        return false;
      }
      Found.insert(joined(Path, "/"));
      return !W.Next;
    };
    if (!W.Folder.empty() && IsHere(W.Folder))
      continue;
    for (size_t I = W.Folder.empty() ? Search.Quoted : 0;
         I < Search.Folders.size(); ++I)
      if (IsHere(Search.Folders[I]))
        break;
  }
  // Headers whose name is not in the text: those of macros and flags.
  for (const std::string &Path : Paths) {
    if (Found.count(Path))
      continue;
    for (size_t K = 0; K < Search.Folders.size(); ++K) {
      std::string Start = Search.Folders[K] + "/";
      if (!startsWith(Path, Start))
        continue;
      std::string Name = Path.substr(Start.size());
      for (const std::string &Folder : Includers)
        Missing.add(Folder + "/" + Name);
      for (size_t I = 0; I < K; ++I)
        Missing.add(Search.Folders[I] + "/" + Name);
    }
  }
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace {

/// Extracts string literals from preprocessed text.
class LiteralReader {
public:
  explicit LiteralReader(std::string_view Text) : Text(Text) {}

  /// Returns the next run of adjacent literals as one; false at the end.
  bool next(std::string &Value) {
    Value.clear();
    bool Any = false;
    while (At < Text.size()) {
      char C = Text[At];
      if (C == '"') {
        Any = true;
        isRaw() ? takeRaw(Value) : takePlain(Value);
      } else if (C == '\'' && !isDigitSeparator()) {
        takeCharacter();
      } else if (Any && C != ' ' && C != '\t' && C != '\n' && C != '\r' &&
                 !isPrefix()) {
        return true;
      } else {
        ++At;
      }
    }
    return Any;
  }

private:
  bool isRaw() const { return At > 0 && Text[At - 1] == 'R'; }
  bool isDigitSeparator() const {
    return At > 0 && At + 1 < Text.size() && std::isxdigit(Text[At - 1]) &&
           std::isxdigit(Text[At + 1]) &&
           (At + 2 >= Text.size() || Text[At + 2] != '\'');
  }
  /// Returns true at the encoding prefix of a literal: R, L, u8 and so on.
  bool isPrefix() const {
    size_t Quote = Text.find_first_not_of("uUL8R", At);
    return Quote != std::string_view::npos && Quote - At <= 3 &&
           Text[Quote] == '"';
  }
  void takeRaw(std::string &Value) {
    size_t Open = Text.find('(', At);
    if (Open == std::string_view::npos)
      return void(At = Text.size());
    std::string Close =
        ")" + std::string(Text.substr(At + 1, Open - At - 1)) + "\"";
    size_t End = std::min(Text.find(Close, Open), Text.size());
    Value += Text.substr(Open + 1, End - Open - 1);
    At = std::min(End + Close.size(), Text.size());
  }
  void takePlain(std::string &Value) {
    for (++At; At < Text.size() && Text[At] != '"'; ++At) {
      if (Text[At] == '\\' && At + 1 < Text.size()) {
        ++At;
        Value += Text[At] == 'n' ? '\n' : Text[At] == 't' ? '\t' : Text[At];
        continue;
      }
      Value += Text[At];
    }
    ++At;
  }
  void takeCharacter() {
    for (++At; At < Text.size() && Text[At] != '\'' && Text[At] != '\n'; ++At)
      At += Text[At] == '\\';
    ++At;
  }

  std::string_view Text;
  size_t At = 0;
};

} // namespace

std::vector<std::string> jit::assemblyIncludes(std::string_view Preprocessed) {
  std::vector<std::string> Names;
  LiteralReader Literals(Preprocessed);
  for (std::string Value; Literals.next(Value);)
    for (std::string_view Word : {".incbin", ".include"})
      for (size_t Offset = 0;
           (Offset = Value.find(Word, Offset)) != std::string::npos;) {
        Offset += Word.size();
        takeName(Value, Offset, [&](std::string Name, bool Quoted) {
          if (Quoted)
            addOnce(Names, std::move(Name));
        });
      }
  return Names;
}

std::string jit::findForAssembly(const std::string &Name,
                                 const SearchPath &Search,
                                 const std::string &Directory,
                                 Absences &Missing) {
  std::string Path = joined(Name, Directory);
  for (size_t I = 0; !isRegular(Path); ++I) {
    Missing.add(Path);
    if (I == Search.Folders.size() || Name[0] == '/')
      return "";
    Path = Search.Folders[I] + "/" + Name;
  }
  return absolute(Path, Directory);
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

void jit::addLibraryAbsences(const Arguments &Link,
                             const std::string &Directory, Absences &Missing) {
  std::vector<std::string> Folders;
  for (size_t I = 1; I < Link.size(); ++I)
    if (std::string Folder = valueOf(Link, I, "-L"); !Folder.empty())
      Folders.push_back(joined(std::move(Folder), Directory));
  for (size_t I = 1; I < Link.size(); ++I) {
    std::string Name = valueOf(Link, I, "-l");
    if (Name.empty())
      continue;
    std::vector<std::string> Files =
        Name[0] == ':' ? std::vector<std::string>{Name.substr(1)}
                       : std::vector<std::string>{"lib" + Name + ".so",
                                                  "lib" + Name + ".a"};
    for (const std::string &Folder : Folders) {
      bool IsHere = false;
      for (const std::string &File : Files) {
        IsHere |= isRegular(Folder + "/" + File);
        Missing.add(Folder + "/" + File);
      }
      if (IsHere)
        break;
    }
  }
}

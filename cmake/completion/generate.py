# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completions for bash, zsh and fish out of the option tables of the programs.

usage: generate.py PROGRAM OUTPUT_FOLDER SOURCE... [--names NAME...] [--kind KIND]
                   [--same COMMAND=OTHER]

SOURCE is [COMMAND=]FILE: a table as `llvm-tblgen -dump-json` gives it, whose
visibilities (ListOption) are the commands (list) that know an option, below
COMMAND where one is named; or, with the suffix .h, a help text in C++ as
lib/Driver/Help.h has it. KIND is `wrapper` for a program that runs another one,
and `clang` for one that also has the options of clang, which it knows itself.

Writes OUTPUT_FOLDER/bash/PROGRAM, zsh/_PROGRAM and fish/PROGRAM.fish.
"""
import argparse
import json
import os
import re

KINDS = {"KIND_FLAG": None, "KIND_JOINED": "=", "KIND_SEPARATE": " ",
         "KIND_JOINED_OR_SEPARATE": " "}


class Option:
    """One spelling. `value` is None, "=" (in the same word) or " " (the next)."""

    def __init__(self, spelling, value, meta, help_text):
        self.spelling = spelling
        self.value = value
        self.help = " ".join((help_text or "").split())
        words = re.sub(r"\[[^]]*\]", "", meta or "").split("|")
        self.words = [] if len(words) < 2 else [re.sub(r"^<|>$", "", w) for w in words]
        self.place = ("folder" if "<folder>" in (meta or "") else
                      "file" if re.search(r"<(file|path|program)>", meta or "") else None)


def read_table(path, outer, commands):
    """Adds (command, ...) -> [Option] to `commands`."""
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
    for name in sorted(table["!instanceof"]["Option"]):
        entry = table[name]
        kind = entry["Kind"]["def"]
        named = table[entry["Alias"]["def"]] if entry["Alias"] else entry
        if kind not in KINDS or not named["HelpText"]:
            continue  # not for people
        for prefix in entry["Prefixes"]:
            option = Option(prefix + entry["Name"], KINDS[kind],
                            named["MetaVarName"], named["HelpText"])
            for visible in entry["Visibility"]:
                word = re.sub("Option$", "", visible["def"]).lower()
                command = outer + (() if visible["def"] == "DefaultVis" else (word,))
                commands.setdefault(command, []).append(option)


def read_help(path, outer, commands):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    options = []
    for line in text.splitlines():
        first = re.match(r"  (--?[\w-]+)(\[)?(=)?(\S*)\s*(.*)", line)
        if first:
            name, optional, equals, meta, help_text = first.groups()
            if optional:
                options.append([name, None, "", help_text])
                equals, meta = "=", meta.lstrip("=").rstrip("]")
            options.append([name + (equals or ""), equals, meta, help_text])
        elif options and re.match(r" {20,}\S", line):
            for option in options[-2:]:
                if option[0].rstrip("=") == options[-1][0].rstrip("="):
                    option[3] += " " + line.strip()
    commands.setdefault(outer, []).extend(Option(*o) for o in options)


def without_twins(options):
    """Of `--x=` and `--x`, which takes the next word, the first is enough to show."""
    joined = {o.spelling for o in options if o.value == "="}
    return [o for o in options if o.spelling + "=" not in joined or not o.value]


def subcommands(commands, outer):
    return sorted({c[len(outer)] for c in commands
                   if len(c) > len(outer) and c[:len(outer)] == outer})


def all_commands(commands):
    """With those that only have commands of their own."""
    found = {()}
    for command in commands:
        found.update(command[:n] for n in range(len(command) + 1))
    return sorted(found)


BASH = r"""# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of @names@ for bash, made from the tables of the options.
_@function@() {
  local line=${COMP_LINE:0:COMP_POINT} words current command= options= commands= value= i=1
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current=${words[-1]}
  COMPREPLY=()
@find@
  case $command in
@tables@  esac
  # The value of an option: in this word, or this word.
  local option=${words[-2]} typed=$current
  if [[ $current == -*=* ]]; then
    option=${current%%=*}= typed=${current#*=}
  fi
  case $command:$option in
@values@  esac
  if [[ -n $value ]]; then
    case $value in
    file) mapfile -t COMPREPLY < <(compgen -f -- "$typed"); compopt -o filenames ;;
    folder) mapfile -t COMPREPLY < <(compgen -d -- "$typed"); compopt -o filenames ;;
    any) ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$value" -- "$typed") ;;
    esac
    # readline replaces what is behind a '=' only where that ends a word.
    if [[ $typed != "$current" && $COMP_WORDBREAKS != *=* ]]; then
      COMPREPLY=("${COMPREPLY[@]/#/$option}")
    fi
    return
  fi
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")@more@
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
  elif [[ -n $commands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
  fi
}
complete -o default -F _@function@ @names@
"""

# The words in front of the current one that are commands.
BASH_FIND = r"""  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    case "$command/${words[i]}" in
    @paths@) command=$command/${words[i]} ;;
    esac
  done"""

BASH_WRAPPER = r"""  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    [[ ${words[i]} == -- ]] && i=$((i + 1)) && break
    [[ ${words[i]} != -* ]] && break
  done
  if [[ $i -lt $((${#words[@]} - 1)) || ($current != -* && ${#words[@]} -gt 1) ]]; then
    # The other program has completions of its own.
    if declare -F _command_offset >/dev/null; then
      # Its count is that of COMP_WORDS, where a '=' stands alone.
      local offset=1
      while [[ $offset -lt $COMP_CWORD && (${COMP_WORDS[offset]} == -* || ${COMP_WORDS[offset]} == "=" || ${COMP_WORDS[offset - 1]} == "=") ]]; do
        offset=$((offset + 1))
      done
      _command_offset $offset
    elif [[ $i -ge $((${#words[@]} - 1)) ]]; then
      mapfile -t COMPREPLY < <(compgen -c -- "$current")
    fi
    return
  fi"""

BASH_CLANG = r"""
    # The rest is clang's, which lists what begins so.
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <("${words[0]}" --autocomplete="$current" 2>/dev/null | cut -f1 | grep .)"""


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def bash(function, names, commands, kind):
    paths = ["/" + "/".join(c) for c in all_commands(commands) if c]
    if kind == "wrapper":
        find = BASH_WRAPPER
    else:
        find = BASH_FIND.replace("@paths@", " | ".join(paths)) if paths else ""
    tables = values = ""
    for command in all_commands(commands):
        name = "/" + "/".join(command) if command else ""
        options = commands.get(command, [])
        tables += "  %s)\n    options=%s\n    commands=%s\n    ;;\n" % (
            quote(name), quote(" ".join(o.spelling for o in without_twins(options))),
            quote(" ".join(subcommands(commands, command))))
        for option in options:
            if option.value:
                values += "  %s) value=%s ;;\n" % (
                    quote(name + ":" + option.spelling),
                    quote(" ".join(option.words) or option.place or "any"))
    text = BASH.replace("@function@", function).replace("@names@", " ".join(names))
    text = text.replace("@find@", find).replace("@tables@", tables)
    return text.replace("@values@", values).replace(
        "@more@", BASH_CLANG if kind == "clang" else "")


def zsh_spec(option, separate):
    """One word of _arguments."""
    name = option.spelling
    text = re.sub(r"([\[\]:])", r"\\\1", option.help)
    if option.value is None:
        return "*" + name + "[" + text + "]"
    action = ("(" + " ".join(w.replace(":", "\\:") for w in option.words) + ")" if option.words
              else "_files -/" if option.place == "folder"
              else "_files" if option.place == "file" else " ")
    # "--x=-": the value is in the same word; "--x=": there or in the next one.
    mark = "" if option.value != "=" or option.spelling[:-1] in separate else "-"
    return "*" + name + mark + "[" + text + "]:value:" + action


def zsh(function, names, commands, kind):
    lines = ["#compdef " + " ".join(names),
             "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
             "# Completion for zsh, made from the tables of the options.", ""]
    for command in all_commands(commands):
        lines.append("_%s() {" % "_".join((function,) + command))
        below = subcommands(commands, command)
        options = commands.get(command, [])
        separate = {o.spelling for o in options if o.value == " "}
        specs = [quote(zsh_spec(o, separate)) for o in without_twins(options)]
        if below:
            lines += ["  local state line", "  local -a context",
                      "  _arguments -C \\"]
            lines += ["    %s \\" % s for s in specs]
            lines += ["    '1:command:(%s)' '*::argument:->rest'" % " ".join(below),
                      "  [[ $state == rest ]] || return", "  case $words[1] in"]
            lines += ["  %s) _%s ;;" % (b, "_".join((function,) + command + (b,)))
                      for b in below]
            lines += ["  esac"]
        elif kind == "wrapper":
            lines += ["  _arguments -S \\"] + ["    %s \\" % s for s in specs]
            lines += ["    '(-):program:_command_names -e' '*::argument: _normal'"]
        else:
            lines += ["  _arguments \\"] + ["    %s \\" % s for s in specs]
            lines += ["    '*:file:_files'"]
        lines += ["}", ""]
    lines.append("_%s \"$@\"" % function)
    return "\n".join(lines) + "\n"


def fish(names, commands, kind):
    lines = ["# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
             "# Completion for fish, made from the tables of the options."]
    for name in names:
        for command in all_commands(commands):
            below = subcommands(commands, command)
            seen = ["__fish_seen_subcommand_from " + c for c in command]
            here = seen + (["not __fish_seen_subcommand_from " + " ".join(below)] if below else [])
            only = " -n " + quote("; and ".join(here)) if here else ""
            if below:
                lines.append("complete -c %s -f%s -a %s" % (name, only, quote(" ".join(below))))
            for option in without_twins(commands.get(command, [])):
                dashes, word = re.match(r"(--?)(.*?)=?$", option.spelling).groups()
                flag = "-l" if dashes == "--" else "-s" if len(word) == 1 else "-o"
                line = "complete -c %s%s %s %s" % (name, only, flag, quote(word))
                if option.words:
                    line += " -x -a " + quote(" ".join(option.words))
                elif option.value:
                    line += " -r" if option.place else " -x"
                lines.append(line + " -d " + quote(option.help))
        if kind == "wrapper":
            lines.append("complete -c %s -x -a '(__fish_complete_subcommand)'" % name)
        if kind == "clang":
            lines.append("complete -c %s -a '(%s --autocomplete=(commandline -ct) 2>/dev/null)'"
                         " -n 'string match -q -- \"-*\" (commandline -ct)'" % (name, name))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--names", nargs="+", default=[])
    parser.add_argument("--kind", default="")
    parser.add_argument("--same", action="append", default=[],
                        metavar="COMMAND=OTHER", help="OTHER has the options of COMMAND")
    given = parser.parse_args()
    commands = {}
    for source in given.sources:
        outer, _, path = source.rpartition("=")
        read = read_help if path.endswith(".h") else read_table
        read(path, (outer,) if outer else (), commands)
    for pair in given.same:
        command, other = (tuple(c.split("/")) for c in pair.split("="))
        commands[other] = list(commands[command])
    if () not in commands:
        commands[()] = [Option("--help", None, "", "Print the commands"),
                        Option("--version", None, "", "Print the version")]
    for options in commands.values():
        options.sort(key=lambda o: o.spelling)
    names = [given.program] + given.names
    function = re.sub(r"\W", "_", given.program)
    for shell, name, text in (
            ("bash", given.program, bash(function, names, commands, given.kind)),
            ("zsh", "_" + given.program, zsh(function, names, commands, given.kind)),
            ("fish", given.program + ".fish", fish(names, commands, given.kind))):
        os.makedirs(os.path.join(given.folder, shell), exist_ok=True)
        with open(os.path.join(given.folder, shell, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()

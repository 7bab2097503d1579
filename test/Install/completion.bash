# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What bash would offer for a command line, a word a line.
#   bash completion.bash [--plain] FOLDER COMMAND_LINE
# As bash-completion does it: the file in FOLDER that has the program's name is
# read, and the function that it registers is called with what readline sets.
# --plain: without bash-completion's own functions.
set -uo pipefail
if [ "$1" = --plain ]; then
  shift
else
  . /usr/share/bash-completion/bash_completion
fi
folder=$1 COMP_LINE=$2
COMP_POINT=${#COMP_LINE}
. "$folder/${COMP_LINE%% *}"
# The words as readline cuts them: '=' and ':' stand alone.
read -ra COMP_WORDS <<<"$(sed 's/[=:]/ & /g' <<<"$COMP_LINE")"
[[ $COMP_LINE == *[[:space:]=:] ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { :; } # there is no readline to tell
registered=$(complete -p "${COMP_LINE%% *}")
function=$(sed -n 's/.* -F \([^ ]*\) .*/\1/p' <<<"$registered")
"$function" "${COMP_LINE%% *}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]-}" | sort

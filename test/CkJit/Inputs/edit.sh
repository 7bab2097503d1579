# Adds a line to a file, which is then newer than whatever was written before.
# Clocks of file systems tick in milliseconds: two programs that are run one
# after the other can leave files of the same time.
#   edit.sh LINE FILE
reference=$2.before
: > "$reference"
printf '%s\n' "$1" >> "$2"
until [ "$2" -nt "$reference" ]; do touch "$2"; done
rm "$reference"

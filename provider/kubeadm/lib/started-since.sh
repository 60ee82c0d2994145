#!/bin/sh
# started-since.sh: started_since PROCESS FILE tests whether a process began after the file came to its place; a copy may be dated back.

started_since() {
    seconds=$(ps -o etimes= -p "$1" 2>/dev/null) || return 1
    came=$(stat -c %.Z "$2")
    [ $(($(date +%s) - seconds)) -gt $((${came%.*} + 1)) ]
}

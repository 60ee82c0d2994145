#!/bin/sh
# has-text-of.sh: has_text_of PART FILE tests whether a file of certificates has those of another one.

one_line() { tr -d ' \r\n'; }
has_text_of() {
    if [ ! -s "$2" ]; then return 1; fi
    case $(one_line < "$2") in *"$(one_line < "$1")"*) return 0 ;; esac
    return 1
}

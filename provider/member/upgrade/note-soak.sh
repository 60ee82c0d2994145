#!/bin/sh
# note-soak.sh: notes that this node is to be watched with its version.
# inputs: VERSION
# constants: SOAK_NOTE

printf '%s\n' "$VERSION" > "$SOAK_NOTE"
sync -- "$SOAK_NOTE"

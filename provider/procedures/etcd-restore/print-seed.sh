#!/bin/sh
# print-seed.sh: prints word and id of the snapshot that a restore has brought onto this machine, and for which version of Kubernetes, if there is one.
# constants: SEED_FOLDER

cat "$SEED_FOLDER/note" 2> /dev/null || true

#!/bin/sh
# was-reset.sh: host_was_reset: whether a run has reset this host and was killed before its notes went. What is there now was there before us, or
# came since: a second reset would no longer know whose it is.
# constants: ORIGINALS_FOLDER

host_was_reset() { [ -d "$ORIGINALS_FOLDER.gone" ] && [ ! -d "$ORIGINALS_FOLDER" ]; }

#!/bin/sh
# observe-originals.sh: looks whether each file that we replace has its copy, or the note that there was none.
# inputs: FILES (paths, one a line, without spaces)
# constants: ORIGINALS_FOLDER ORIGINAL_PLUGINS_FILE

. shell/lib/observed.sh

. shell/lib/originals.sh

[ -e "$ORIGINAL_PLUGINS_FILE" ] || differs "$ORIGINAL_PLUGINS_FILE is gone"
for file in $FILES; do
    there "$ORIGINALS_FOLDER$file" || [ -e "$ORIGINALS_FOLDER$file.absent" ] || differs "the copy of $file is gone"
done

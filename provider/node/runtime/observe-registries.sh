#!/bin/sh
# observe-registries.sh: looks whether what we wrote for former registry mirrors is gone.
# inputs: FOLDERS (containerd's folders of registries with a mirror, one a line)
# constants: ORIGINALS_FOLDER CERTS_FOLDER

. shell/lib/observed.sh

for folder in "$ORIGINALS_FOLDER$CERTS_FOLDER/"*; do
    [ -d "$folder" ] || continue
    folder="${folder#"$ORIGINALS_FOLDER"}"
    printf '%s\n' "$FOLDERS" | grep -qxF "$folder" || differs "$folder still has a mirror that is not wanted any more"
done

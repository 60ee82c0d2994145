#!/bin/sh
# end-upgrade.sh: forgets a finished upgrade. Of bundles the programs of its two versions stay; those of earlier ones go. Packages are installed, and go.
# A node that is to be watched notes that first: the run may be killed while it watches.
# inputs: VERSION SOAKS (yes: it is to be watched)
# constants: PROGRAM_FOLDER SOAK_NOTE UPGRADE_FOLDER
# shellcheck disable=SC2153 # inputs

from=$(cut -d ' ' -f 1 "$UPGRADE_FOLDER"/move 2>/dev/null) || from=
if [ -n "$from" ]; then
    for folder in "$PROGRAM_FOLDER"/kubernetes/*/; do
        version=${folder%/}
        version=${version##*/}
        case $version in "$VERSION" | "$from" | '*') ;; [0-9]*.[0-9]*.[0-9]*) rm -rf "$PROGRAM_FOLDER/kubernetes/$version" ;; esac
    done
fi
# of this version, or of one that is not wanted any more; what a kill leaves of it must not count as programs of a bundle
gone=$PROGRAM_FOLDER/kubernetes/gone
for packages in "$PROGRAM_FOLDER"/kubernetes/*/packages; do
    rm -rf "$gone"
    if [ -d "$packages" ]; then mv -T "${packages%/*}" "$gone"; fi
done
rm -rf "$gone"
rm -f "$SOAK_NOTE"
if [ "$SOAKS" = yes ]; then
    printf '%s\n' "$VERSION" > "$SOAK_NOTE"
    sync -- "$SOAK_NOTE"
fi
rm -rf "$UPGRADE_FOLDER"

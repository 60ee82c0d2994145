#!/bin/sh
# images-staged.sh: succeeds if each image of the bundle is imported.
# inputs: IMAGES (lines: checksum, path of the archive, name of the image)
# constants: IMAGE_FOLDER

. shell/lib/usual-path.sh

known=$(ctr -n k8s.io images list -q)
printf '%s\n' "$IMAGES" | while read -r sum _ name; do
    [ -e "$IMAGE_FOLDER/$sum.imported" ] || exit 1
    [ -z "$name" ] || printf '%s\n' "$known" | grep -qxF "$name" || exit 1
done

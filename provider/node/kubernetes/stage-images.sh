#!/bin/sh
# stage-images.sh: imports the bundle's archives of images into containerd, and deletes them.
# inputs: IMAGES (lines: checksum, path of the archive, name of the image)
# constants: IMAGE_FOLDER

. shell/lib/usual-path.sh

printf '%s\n' "$IMAGES" | while read -r sum archive name; do
    [ -e "$archive" ] || continue
    echo "import $name"
    ctr -n k8s.io images import "$archive" >/dev/null
    # another archive had this name before: it is not what the name means now
    grep -lxF "$name" "$IMAGE_FOLDER"/*.imported 2>/dev/null | xargs -r rm -f
    printf '%s\n' "$name" > "$IMAGE_FOLDER/$sum.imported"
    rm -rf "${archive%/*}"
done

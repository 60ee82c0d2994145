#!/bin/sh
# folder.sh: functions that make an exported folder. Clients write beside it, and their links must not lead root out of the volume.
# leads_out FOLDER: whether a part of it that exists is a link.
# make_folder FOLDER PLACE OWNER MODE: makes it in the volume mounted at PLACE. Owner and mode are set when it is made or empty, and when the program
# changes them: software that runs may have chosen others for what is its folder, too.
# constants: FOREIGN_VOLUME

leads_out() {
    part=$1
    while [ ! -e "$part" ] && [ ! -L "$part" ]; do part=${part%/*}; done
    [ "$(readlink -e "$part" || true)" != "$part" ]
}
holds_files() { [ -n "$(find "$1" -mindepth 1 -maxdepth 1 ! -name lost+found ! -name .pulumi-nfv -print -quit)" ]; }
# lines of $notes: OWNER MODE FOLDER
is_noted() { [ -e "$notes" ] && cut -d ' ' -f 3- "$notes" | grep -qxF -- "$1"; }
note_folder() {
    {
        if [ -e "$notes" ]; then awk -v folder="$1" '$3 != folder' "$notes"; fi
        if [ -n "$2" ]; then printf '%s\n' "$2"; fi
    } > "$notes.new"
    sync -- "$notes.new"
    mv "$notes.new" "$notes"
}
make_folder() {
    notes=$2/.pulumi-nfv/folders
    wanted="$3 $4 $1"
    if [ ! -d "$1" ] && is_noted "$1"; then note_folder "$1" ""; fi
    mkdir -p "$1"
    if [ -e "$notes" ] && grep -qxF -- "$wanted" "$notes"; then return 0; fi
    if is_noted "$1" || ! holds_files "$1"; then
        (
            # from within: the path may have become another one meanwhile
            cd "$1" || exit 1
            if [ "$(pwd -P)" != "$1" ]; then
                echo "$1 leads to $(pwd -P)" >&2
                exit "$FOREIGN_VOLUME"
            fi
            chown "$3" .
            chmod "$4" .
        )
    fi
    note_folder "$1" "$wanted"
}

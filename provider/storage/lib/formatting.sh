#!/bin/sh
# formatting.sh: functions for two notes about a volume: that its mkfs has begun on a disk that was proven empty, and that it was made.
# The first holds until the volume carries its mark, for this very disk, and only until the next boot or attachment: after that a person decides.
# constants: FORMATTING_FOLDER MADE_FOLDER
# has_begun NAME UUID DEVICE, note_begin NAME UUID DEVICE, forget_begin NAME, was_made NAME UUID, note_made NAME UUID.

boot_id() { cat /proc/sys/kernel/random/boot_id; }
# a number of the kernel that no other disk gets until the next boot; kernels before 5.15 have none
disk_id() {
    folder=/sys/dev/block/$(number_of "$1")
    echo "$(number_of "$1") $(blockdev --getsize64 "$1") $(cat "$folder/diskseq" "$folder/serial" "$folder/wwid" "$folder/device/wwid" "$folder/device/serial" 2>/dev/null | tr -s '[:space:]' ' ')"
}
begin_of() { echo "$1 $(boot_id) $(disk_id "$2")"; }
has_begun() { [ "$(cat "$FORMATTING_FOLDER/$1" 2>/dev/null || true)" = "$(begin_of "$2" "$3")" ]; }
note_begin() {
    mkdir -p "$FORMATTING_FOLDER"
    begin_of "$2" "$3" > "$FORMATTING_FOLDER/$1"
    sync -- "$FORMATTING_FOLDER/$1" "$FORMATTING_FOLDER"
}
was_made() { [ "$(cat "$MADE_FOLDER/$1" 2>/dev/null || true)" = "$2" ]; }
note_made() {
    ! was_made "$1" "$2" || return 0
    mkdir -p "$MADE_FOLDER"
    echo "$2" > "$MADE_FOLDER/$1"
    sync -- "$MADE_FOLDER/$1" "$MADE_FOLDER"
}
# on the disk before anything is exported: a note that came back could cost data
forget_begin() {
    [ -e "$FORMATTING_FOLDER/$1" ] || return 0
    rm -f "$FORMATTING_FOLDER/$1"
    sync -- "$FORMATTING_FOLDER"
}

#!/bin/sh
# note-stage.sh: notes how far the upgrade of the operating system is on this machine.
# inputs: WORD STAGE

. member/os-note.sh

os_note "$WORD" "$STAGE"

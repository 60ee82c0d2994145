#!/bin/sh
# note-stage.sh: notes how far a request is on this machine.
# inputs: NAME WORD STAGE

. member/request-note.sh

request_note "$NAME" "$WORD" "$STAGE"

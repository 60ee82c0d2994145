#!/bin/sh
# member-since.sh: member_since prints which join made this machine a member; each join writes a new note.
# constants: MEMBER_FILE

member_since() { stat -c %i.%y "$MEMBER_FILE" 2>/dev/null | tr ' ' _ || true; }

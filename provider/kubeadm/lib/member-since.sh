#!/bin/sh
# member-since.sh: member_since prints which join made this machine a member; each join writes a new note.
# constants: MEMBER_FILE

# seconds, not a date: those who call it may have other time zones
member_since() { stat -c %i.%.9Y "$MEMBER_FILE" 2>/dev/null || true; }

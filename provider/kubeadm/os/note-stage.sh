#!/bin/sh
# note-stage.sh: notes how far the upgrade of the operating system is on this machine.
# inputs: WORD STAGE

. kubeadm/os/os-note.sh

os_note "$WORD" "$STAGE"

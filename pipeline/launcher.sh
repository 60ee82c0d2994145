#!/bin/sh
# launcher.sh: becomes the Pulumi command line that lies beside it as `cli`. The Automation API starts only FOLDER/bin/pulumi.
# needs: PULUMI_NFV_PROCESS (file, may be empty): receives /proc/PID/stat of what takes the stack's lock

case "${1-}" in
up | destroy) [ -z "${PULUMI_NFV_PROCESS-}" ] || cat "/proc/$$/stat" >"$PULUMI_NFV_PROCESS" ;;
esac
cli=$(dirname "$0")/../cli
# A session of its own: Ctrl-C of a terminal reaches only the runner, which passes one signal on. Pulumi ends at once when it gets two.
if command -v setsid >/dev/null; then
    exec setsid "$cli" "$@"
fi
exec "$cli" "$@"

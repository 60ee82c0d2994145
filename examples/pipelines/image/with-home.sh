#!/bin/sh
# with-home.sh: in the image, the commands `pulumi` and `nfv` are links to it. They run in a PULUMI_HOME that is writable and has the image's plugins,
# whoever the user is, and also where the root folder is read-only: only /tmp (TMPDIR) must be writable.
set -eu

# Go knows a user without an entry in /etc/passwd by these only.
export HOME="${HOME:-/tmp}" USER="${USER:-nfv}"
export PULUMI_HOME="${PULUMI_HOME:-${TMPDIR:-/tmp}/pulumi-home-$(id -u)}"
if [ ! -e "$PULUMI_HOME/plugins" ]; then
    (umask 077 && mkdir -p "$PULUMI_HOME")
    # Several of these start at once.
    ln -s /opt/pulumi/plugins "$PULUMI_HOME/plugins" 2>/dev/null || [ -e "$PULUMI_HOME/plugins" ]
fi
case ${0##*/} in
nfv) exec node /node_modules/pulumi-nfv/dist/pipeline/nfv.js "$@" ;;
*) exec /opt/pulumi/pulumi "$@" ;;
esac

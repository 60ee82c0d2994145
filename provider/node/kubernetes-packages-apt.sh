#!/bin/sh
# kubernetes-packages-apt.sh: installs Debian packages of Kubernetes in exactly the wanted version and holds them there.
# inputs: NAMES VERSION
# inputs: KEY_URL (where to get the repository's key; empty: a file of the step)
# constants: KEY_FILE
# shellcheck disable=SC2086 # lists of names, separated by spaces

. shell/lib/packages.sh

if [ -n "$KEY_URL" ]; then
    command -v curl >/dev/null || { APT_PACKAGES="curl ca-certificates"; install_packages; }
    mkdir -p /etc/apt/keyrings
    curl -fsSL --retry 3 -o "$KEY_FILE.new" "$KEY_URL"
    mv "$KEY_FILE.new" "$KEY_FILE"
fi
apt-mark unhold $NAMES >/dev/null 2>&1 || true
APT_PACKAGES="$NAMES kubernetes-cni"
install_packages
exact=
for name in $NAMES; do exact="$exact $name=$VERSION-*"; done
apt_install --allow-downgrades $exact
apt-mark hold $NAMES >/dev/null

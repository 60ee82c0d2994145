#!/bin/sh
# kubernetes-packages-dnf.sh: installs RPM packages of Kubernetes in exactly the wanted version.
# inputs: NAMES VERSION
# constants: INSTALLED_PACKAGES_FILE
# shellcheck disable=SC2086 # lists of names, separated by spaces

. shell/lib/packages.sh

exact=
for name in $NAMES; do
    rpm -q --quiet "$name" || printf '%s\n' "$name" >> "$INSTALLED_PACKAGES_FILE"
    exact="$exact $name-$VERSION"
done
dnf -q -y install --disableexcludes=pulumi-nfv-kubernetes $exact kubernetes-cni

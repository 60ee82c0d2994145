#!/bin/sh
# kubernetes-packages-dnf.sh: installs RPM packages of Kubernetes in exactly the wanted version.
# inputs: NAMES VERSION
# shellcheck disable=SC2086 # lists of names, separated by spaces

. shell/lib/packages.sh

exact=
for name in $NAMES; do
    exact="$exact $name-$VERSION"
done
dnf_install "$NAMES kubernetes-cni" --disableexcludes=pulumi-nfv-kubernetes $exact kubernetes-cni

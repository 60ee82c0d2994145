#!/bin/sh
# kubernetes-packages-dnf.sh: installs RPM packages of Kubernetes in exactly the wanted version. On a member whose kubelet runs another version they are only
# staged: its Node installs them when its pods have left.
# inputs: NAMES VERSION
# constants: KUBERNETES_PACKAGES REPOSITORY
# shellcheck disable=SC2034,SC2086 # for choose_packages; lists of names, separated by spaces

. shell/lib/packages.sh

. shell/lib/without-restarts.sh

. node/kubernetes/repository-versions.sh

. node/kubernetes/stage-packages.sh

unpack_rpm() {
    mkdir -p "$2"
    rpm2cpio "$1" | (cd "$2" && cpio -idm --quiet)
}
# dnf5 has neither --disableexcludes nor, with install, --destdir in all of its versions; dnf4 has these settings, too
all_of_ours="--setopt=disable_excludes=$REPOSITORY"
stage_rpms() {
    begin_staging
    has=$(dnf_versions --refresh $all_of_ours --repo="$REPOSITORY")
    choose_packages -
    dnf_plan $all_of_ours $exact
    refuse_upgrade "$(printf '%s\n' "$changes" | awk -v ours=" $KUBERNETES_PACKAGES " '$1 == "upgrade" && !index(ours, " " $2 " ") { printf "%s%s", space, $2; space = " " }')"
    # it checks the signatures, too
    dnf -q -y $all_of_ours --setopt=destdir="$draft/packages" install --downloadonly $exact
    # those that are installed: their programs may be former ones, put back by a move that failed
    there=
    for package in $exact; do
        if ! ls "$draft/packages/$package".*rpm >/dev/null 2>&1; then there="$there $package"; fi
    done
    [ -z "$there" ] || dnf -q -y $all_of_ours --setopt=destdir="$draft/packages" reinstall --downloadonly $there
    end_staging unpack_rpm
}
install_rpms() {
    exact=
    for name in $NAMES; do exact="$exact $name-$VERSION"; done
    dnf_install "$NAMES kubernetes-cni" $all_of_ours $exact kubernetes-cni
}
if runs_other_version; then stage_rpms; else without_restarts install_rpms; fi

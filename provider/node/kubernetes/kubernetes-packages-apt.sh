#!/bin/sh
# kubernetes-packages-apt.sh: installs Debian packages of Kubernetes in exactly the wanted version and holds them there. On a member whose kubelet runs another
# version they are only staged: its Node installs them when its pods have left.
# inputs: NAMES VERSION
# inputs: KEY_URL (where to get the repository's key; empty: a file of the step)
# constants: KEY_FILE KUBERNETES_PACKAGES SOURCE_FILE
# shellcheck disable=SC2016,SC2034,SC2086,SC2119 # fields of dpkg; for choose_packages; lists of names, separated by spaces

. shell/lib/packages.sh

. shell/lib/finish-dpkg.sh

. shell/lib/without-restarts.sh

. node/kubernetes/repository-versions.sh

. node/kubernetes/stage-packages.sh

unpack_deb() { dpkg-deb -x "$1" "$2"; }
# its own repository must answer; what is wrong with others is not ours
own_source="-o Dir::Etc::SourceList=$SOURCE_FILE -o Dir::Etc::SourceParts=/dev/null"
read_list() { apt_with_locks apt-get -q $own_source -o APT::Get::List-Cleanup=0 -o APT::Update::Error-Mode=any update; }
has_exact() {
    for name in $NAMES; do
        case $(dpkg-query -W -f '${db:Status-Status} ${Version}' "$name" 2>/dev/null) in "installed $VERSION-"*) ;; *) return 1 ;; esac
    done
}
stage_debs() {
    begin_staging
    read_list
    has=$(apt_versions $own_source)
    choose_packages "="
    simulate_apt apt-get -s -q install --no-install-recommends --allow-downgrades --allow-change-held-packages $exact
    refuse_removal "$(printf '%s\n' "$said" | apt_removed)"
    coming=$(printf '%s\n' "$said" | apt_coming)
    refuse_upgrade "$(printf '%s\n' "$coming" | awk -v ours=" $KUBERNETES_PACKAGES " '$2 != "-" && !index(ours, " " $1 " ") { printf "%s%s", space, $1; space = " " }')"
    # also those that are installed: their programs may be former ones, put back by a move that failed
    wanted=$({ printf '%s\n' "$coming" | awk 'NF { print $1 "=" $3 }'; printf '%s\n' $exact; } | sort -u)
    # it fails where a signature or a checksum does not fit
    (cd "$draft/packages" && apt-get -q -o APT::Sandbox::User=root download $wanted)
    end_staging unpack_deb
}
if [ -n "$KEY_URL" ]; then
    command -v curl >/dev/null || { APT_PACKAGES="curl ca-certificates"; install_packages; }
    mkdir -p /etc/apt/keyrings
    curl -fsSL --proto =https --retry 3 -o "$KEY_FILE.new" "$KEY_URL"
    mv "$KEY_FILE.new" "$KEY_FILE"
fi
install_debs() {
    finish_dpkg
    has_exact || read_list
    apt-mark unhold $NAMES >/dev/null 2>&1 || true
    APT_PACKAGES="$NAMES kubernetes-cni"
    install_packages
    exact=
    for name in $NAMES; do exact="$exact $name=$VERSION-*"; done
    apt_install --allow-downgrades $exact
    apt-mark hold $NAMES >/dev/null
}
if runs_other_version; then stage_debs; else without_restarts install_debs; fi

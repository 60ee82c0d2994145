#!/bin/sh
# staged-packages.sh: packages of a version that wait on this machine (node/stage-packages.sh).
# has_staged_packages VERSION succeeds if there are any. install_staged_packages VERSION installs them, without a repository: nothing else comes, goes or is
# upgraded. Their scripts restart no service.
# place_kubelet FILE makes it the kubelet of the packages: the former one, or that of a package which counts as installed.
# constants: PROGRAM_FOLDER

. shell/lib/apt-and-dnf.sh

. shell/lib/finish-dpkg.sh

package_kubelet=/usr/bin/kubelet
has_staged_packages() { [ -d "$PROGRAM_FOLDER/kubernetes/$1/packages" ]; }
place_kubelet() {
    if cmp -s "$1" "$package_kubelet"; then return 0; fi
    cp -p "$1" "${package_kubelet%/*}/.kubelet.nfv-new"
    sync -- "${package_kubelet%/*}/.kubelet.nfv-new"
    mv -fT "${package_kubelet%/*}/.kubelet.nfv-new" "$package_kubelet"
}
install_staged_packages() {
    folder=$PROGRAM_FOLDER/kubernetes/$1
    # systemctl of the packages' scripts then changes files only
    export SYSTEMD_OFFLINE=1
    if command -v apt-get >/dev/null 2>&1; then
        finish_dpkg
        set -- "$folder"/packages/*.deb
        if [ -e "$1" ]; then
            apt_install -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=/dev/null --allow-downgrades --allow-change-held-packages "$@"
        fi
        apt-mark hold kubelet kubeadm kubectl >/dev/null
    else
        set -- "$folder"/packages/*.rpm
        if [ -e "$1" ]; then dnf_install "" --disablerepo='*' --setopt=localpkg_gpgcheck=1 "$@"; fi
    fi
    unset SYSTEMD_OFFLINE
    place_kubelet "$folder/kubelet"
    systemctl daemon-reload
}

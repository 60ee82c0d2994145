#!/bin/sh
# staged-packages.sh: packages of a version that wait on this machine (node/kubernetes/stage-packages.sh).
# has_staged_packages VERSION succeeds if there are any. install_staged_packages VERSION installs them, without a repository: nothing else comes, goes or is
# upgraded. Their scripts restart no service.
# place_kubelet FILE makes it the kubelet of the packages: the former one, or that of a package which counts as installed.
# constants: PROGRAM_FOLDER

. shell/lib/apt-and-dnf.sh

. shell/lib/finish-dpkg.sh

. shell/lib/without-restarts.sh

package_kubelet=/usr/bin/kubelet
has_staged_packages() { [ -d "$PROGRAM_FOLDER/kubernetes/$1/packages" ]; }
place_kubelet() {
    rm -f "${package_kubelet%/*}/.kubelet.nfv-new"
    if cmp -s "$1" "$package_kubelet"; then return 0; fi
    cp -p "$1" "${package_kubelet%/*}/.kubelet.nfv-new"
    sync -- "${package_kubelet%/*}/.kubelet.nfv-new"
    mv -fT "${package_kubelet%/*}/.kubelet.nfv-new" "$package_kubelet"
    # with SELinux a copy has another label than the package's file
    if command -v restorecon >/dev/null 2>&1; then restorecon "$package_kubelet"; fi
}
install_from() {
    if command -v apt-get >/dev/null 2>&1; then
        finish_dpkg
        set -- "$1"/*.deb
        if [ -e "$1" ]; then
            apt_install -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=/dev/null --allow-downgrades --allow-change-held-packages "$@"
        fi
        apt-mark hold kubelet kubeadm kubectl >/dev/null
    else
        set -- "$1"/*.rpm
        if [ -e "$1" ]; then dnf_install "" --disablerepo='*' --setopt=localpkg_gpgcheck=1 "$@"; fi
    fi
}
install_staged_packages() {
    without_restarts install_from "$PROGRAM_FOLDER/kubernetes/$1/packages"
    place_kubelet "$PROGRAM_FOLDER/kubernetes/$1/kubelet"
}

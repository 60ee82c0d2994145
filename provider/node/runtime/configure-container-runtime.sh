#!/bin/sh
# configure-container-runtime.sh: writes containerd's configuration in the version that the installed containerd speaks, and has it read it.
# inputs: SANDBOX_IMAGE (empty: the one that kubeadm of VERSION names; with / at its end: the same from this repository) VERSION (of Kubernetes) RUNTIME (versions of the bundle's; empty: the distribution's)
# constants: CONFIG_1 CONFIG_2 CONFIG_COPY IMAGE_PLACEHOLDER PROGRAM_FOLDER VERSION_PLACEHOLDER

. shell/lib/usual-path.sh

. node/runtime/containerd-answers.sh

config=/etc/containerd/config.toml
# that of the version is staged, or installed; with a version it needs no network
image_of_kubeadm() {
    kubeadm=$PROGRAM_FOLDER/kubernetes/$VERSION/kubeadm
    [ -x "$kubeadm" ] || kubeadm=kubeadm
    "$kubeadm" config images list --kubernetes-version "v$VERSION" ${SANDBOX_IMAGE:+--image-repository "${SANDBOX_IMAGE%/}"} | grep '/pause:'
}
image=$SANDBOX_IMAGE
case $image in '' | */)
    if ! image=$(image_of_kubeadm); then
        echo "kubeadm of v$VERSION on this machine names no sandbox image (kubeadm config images list); kubernetes.sandboxImage can name one" >&2
        exit 1
    fi ;;
esac
speaks=$(containerd config default | sed -n 's/^version = *\([0-9]*\).*/\1/p' | head -n 1)
# later versions migrate it from the newest one that is known here
case $speaks in
    '') echo "containerd does not say the version of its configuration (containerd config default)" >&2; exit 1 ;;
    2) text=$CONFIG_1 ;;
    3 | 4) text=$CONFIG_2 ;;
    *) text=$CONFIG_2 speaks=4 ;;
esac
mkdir -p /opt/cni/bin /etc/cni/net.d "${config%/*}"
printf '%s' "$text" | sed -e "s|$VERSION_PLACEHOLDER|$speaks|" -e "s|$IMAGE_PLACEHOLDER|$image|" > "$CONFIG_COPY".new
# for one that was stopped by hand, a refresh has this step done again
systemctl enable -q --no-reload containerd.service
# the copy comes to its place when containerd has read the same
if ! cmp -s "$CONFIG_COPY".new "$config" || ! cmp -s "$CONFIG_COPY" "$config" || ! timeout 5 ctr version >/dev/null 2>&1; then
    cp "$CONFIG_COPY".new "$config".new
    sync -- "$config".new
    mv "$config".new "$config"
    systemctl restart containerd.service || true
    wait_for_containerd "with this configuration${RUNTIME:+ of $RUNTIME}"
fi
mv "$CONFIG_COPY".new "$CONFIG_COPY"
# kubelet deletes images that are not pinned. containerd 1.7 pins this one only if it comes after the configuration
if [ -n "$(ctr -n k8s.io images list -q "name==$image")" ]; then
    ctr -n k8s.io images label "$image" io.cri-containerd.pinned=pinned >/dev/null
fi

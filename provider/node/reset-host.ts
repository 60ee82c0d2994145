import { checkScriptPath } from "../endpoint/keepalived-config";
import { resetNodeScript } from "../kubeadm/leave-scripts";
import { runScript } from "../kubeadm/run-script";
import type { HostSpec } from "../model";
import type { Connection } from "../ssh/types";
import type { ProgressListener } from "../steps/types";
import { certsFolder } from "./containerd-config";
import { keptFiles, originalsNotes } from "./keep-originals";
import { installedPackagesFile, originalsFolder, programFolder, sh, stateFolder } from "./script";

/** Files that are only ours. Those of packages and of the user are in `keptFiles`. */
const ownFiles = [
    "/etc/modules-load.d/pulumi-nfv.conf",
    "/etc/sysctl.d/90-pulumi-nfv.conf",
    "/etc/cloud/cloud.cfg.d/99-pulumi-nfv.cfg",
    "/etc/systemd/system/containerd.service.d/http-proxy.conf",
    "/etc/systemd/system/kubelet.service.d/http-proxy.conf",
    "/etc/apt/apt.conf.d/95pulumi-nfv-proxy",
    "/etc/apt/sources.list.d/pulumi-nfv-kubernetes.list",
    "/etc/apt/preferences.d/pulumi-nfv-kubernetes",
    "/etc/apt/keyrings/pulumi-nfv-kubernetes.asc",
    "/etc/yum.repos.d/pulumi-nfv-kubernetes.repo",
];

/**
 * A machine as it was before `hostSteps`, as far as that can be: services stopped, packages that came with us purged, originals put
 * back, folders of ours gone. Containers, images and pods of Kubernetes are removed; what else containerd holds stays.
 */
export const resetHostScript = sh`
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; export PATH
    # keepalived first: the address moves before HAProxy stops answering
    if [ "$LOAD_BALANCER" = yes ]; then systemctl -q disable --now keepalived.service haproxy.service 2>/dev/null || true; fi
    systemctl -q disable --now kubelet.service 2>/dev/null || true
    if [ "$SOURCE" != image ] && command -v ctr >/dev/null; then
        # images of the bundle; containers are gone with the node's membership
        names=$(ctr -n k8s.io images list -q 2>/dev/null || true)
        [ -z "$names" ] || ctr -n k8s.io images remove $names >/dev/null 2>&1 || true
    fi
    for file in $OWN_FILES; do rm -f "$file"; done
    # links and units of ours, not those that an image brought
    for name in kubeadm kubelet kubectl etcdctl etcdutl; do
        case $(readlink "/usr/local/bin/$name" || true) in ${programFolder}/*) rm -f "/usr/local/bin/$name" ;; esac
    done
    if [ "$SOURCE" = bundle ]; then
        rm -rf /etc/systemd/system/kubelet.service /etc/systemd/system/kubelet.service.d
    fi
    if [ -e ${originalsNotes.plugins} ]; then
        for plugin in $(ls /opt/cni/bin 2>/dev/null); do
            grep -qxF "$plugin" ${originalsNotes.plugins} || rm -f "/opt/cni/bin/$plugin"
        done
    fi
    for mark in ${certsFolder}/*/.pulumi-nfv; do [ ! -e "$mark" ] || rm -rf "\${mark%/*}"; done
    for folder in /usr/local/share/ca-certificates /etc/pki/ca-trust/source/anchors; do
        [ -n "$(ls $folder/pulumi-nfv-*.crt 2>/dev/null)" ] || continue
        rm -f $folder/pulumi-nfv-*.crt
        if command -v update-ca-certificates >/dev/null; then update-ca-certificates >/dev/null; else update-ca-trust; fi
    done
    if [ -s ${installedPackagesFile} ]; then
        packages=$(sort -u ${installedPackagesFile})
        echo "purge $(echo $packages)"
        if command -v apt-get >/dev/null; then
            export DEBIAN_FRONTEND=noninteractive
            apt-mark unhold $packages >/dev/null 2>&1 || true
            installed=
            for package in $packages; do
                [ "$(dpkg-query -W -f '\${db:Status-Status}' "$package" 2>/dev/null)" != installed ] || installed="$installed $package"
            done
            [ -z "$installed" ] || apt-get -q -y -o DPkg::Lock::Timeout=300 purge $installed >/dev/null
        else
            dnf -q -y remove $packages
        fi
    fi
    for file in $KEPT_FILES; do
        copy=${originalsFolder}$file
        if [ -e "$copy" ]; then
            # written in place: /etc/hosts may be a mount. The folder of a purged package is gone, and so is the file's use
            if [ -d "\${file%/*}" ]; then cat "$copy" > "$file"; fi
        elif [ -e "$copy.absent" ]; then
            rm -f "$file"
        fi
    done
    rmdir /etc/containerd/certs.d /etc/containerd /etc/keepalived /etc/haproxy /opt/cni/bin /opt/cni /etc/cni/net.d /etc/cni 2>/dev/null || true
    rm -rf ${programFolder}
    rm -f ${checkScriptPath}
    systemctl daemon-reload
    for folder in $(cat ${originalsNotes.folders} 2>/dev/null || true); do mkdir -p "$folder"; done
    for service in $(cat ${originalsNotes.services} 2>/dev/null || true); do
        # one that was a package of ours is gone
        systemctl -q enable "$service" 2>/dev/null || true
    done
    systemctl reset-failed kubelet.service haproxy.service keepalived.service 2>/dev/null || true
    systemctl -q try-restart containerd.service || true
    hostname "$(cat /etc/hostname)" || true
    # the agent that may be running this, its journal and lease are taken away by who holds them
    rm -rf ${originalsFolder} ${installedPackagesFile} ${stateFolder}/images ${stateFolder}/certificates ${stateFolder}/keepalived.conf
`;

export interface HostReset {
    spec: HostSpec;
    connection: Connection;
    report: ProgressListener;
    signal?: AbortSignal;
}

/** Undoes `hostSteps`. The journal is not touched: `forgetNode` of the steps takes it away. */
export async function resetHost({ spec, connection, report, signal }: HostReset): Promise<void> {
    report(`reset the host (${spec.name})`);
    // still there if the node's own goodbye was skipped, as it is when everything goes at once
    await runScript(connection, {
        step: "reset the node",
        script: resetNodeScript,
        timeoutSeconds: 300,
        node: spec.name,
        signal,
    });
    const source = (["image", "bundle", "apt", "dnf"] as const).find(kind => spec.source[kind]) ?? "image";
    await runScript(connection, {
        step: "reset the host",
        script: resetHostScript,
        env: {
            SOURCE: source,
            LOAD_BALANCER: spec.role === "controlPlane" && spec.endpoint.vip ? "yes" : "",
            OWN_FILES: ownFiles.join("\n"),
            KEPT_FILES: keptFiles.join("\n"),
        },
        timeoutSeconds: 600,
        node: spec.name,
        signal,
    });
}

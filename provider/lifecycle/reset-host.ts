import { checkScriptPath } from "../endpoint/keepalived-config";
import { formersFile, withoutFormer } from "../endpoint/side-by-side";
import { guardFunctions } from "../endpoint/vrrp-guard";
import { resetNode, whatStays } from "../kubeadm/leave-acts";
import type { HostSpec } from "../model";
import { certsFolder } from "../node/containerd-config";
import { replacedFiles } from "../node/keep-originals";
import { installedPackagesFile, originalsFolder, programFolder, stateFolder } from "../shell/folders";
import { restoreOriginal } from "../shell/originals";
import { originalsNotes } from "../shell/originals-notes";
import { sh } from "../shell/script";
import { script } from "../shell/script-file";
import type { Connection } from "../ssh/types";
import { runAct } from "../steps";
import type { Act, ProgressListener } from "../steps/types";
import { isAsWritten, writtenFiles, writtenText } from "./written-files";

/** Files that only we write. Files of packages and of the user are in `replacedFiles`. */
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
    "/etc/pki/rpm-gpg/RPM-GPG-KEY-pulumi-nfv-kubernetes",
];

/**
 * Undoes what `hostSteps` did and nothing else. It stops services, purges packages that we installed unless something
 * else needs them now, removes our lines from files of others, restores files that we replaced, and deletes our
 * folders. It removes containers, images and pods of Kubernetes. If containerd holds anything else, that stays, and
 * containerd and its plugins with it.
 */
export const resetHostScript =
    restoreOriginal +
    withoutFormer +
    guardFunctions +
    isAsWritten +
    script("node/purge-packages.sh") +
    sh`
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; export PATH
    # keepalived first: the address moves before HAProxy stops answering
    former=
    # a change of the endpoint has not ended: its virtual address is served, although the wanted endpoint has none
    if [ "$ROLE" = controlPlane ] && [ "$LOAD_BALANCER" != yes ] && grep -q '"vip":' ${formersFile} 2>/dev/null; then former=yes; fi
    if [ "$LOAD_BALANCER$former" = yes ]; then systemctl -q disable --now keepalived.service haproxy.service 2>/dev/null || true; fi
    remove_guard
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
    used=
    for namespace in $(ctr namespaces list -q 2>/dev/null || true); do
        [ "$namespace" = k8s.io ] || [ -z "$(ctr -n "$namespace" containers list -q 2>/dev/null || true)" ] || used="$used $namespace"
    done
    [ -z "$used" ] || echo "containerd stays: there are containers in its namespaces$used"
    if [ -z "$used" ] && [ -e ${originalsNotes.plugins} ]; then
        for plugin in $(ls /opt/cni/bin 2>/dev/null); do
            grep -qxF "$plugin" ${originalsNotes.plugins} || rm -f "/opt/cni/bin/$plugin"
        done
    fi
    for folder in /usr/local/share/ca-certificates /etc/pki/ca-trust/source/anchors; do
        [ -n "$(ls $folder/pulumi-nfv-*.crt 2>/dev/null)" ] || continue
        rm -f $folder/pulumi-nfv-*.crt
        if command -v update-ca-certificates >/dev/null; then update-ca-certificates >/dev/null; else update-ca-trust; fi
    done
    # lines of ours, not the file: others may have changed it since. Written in place: /etc/hosts may be a mount
    if grep -qx '# pulumi-nfv begin' /etc/hosts; then
        rest=$(sed '/^# pulumi-nfv begin$/,/^# pulumi-nfv end$/d' /etc/hosts)
        printf '%s\\n' "$rest" > /etc/hosts
    fi
    if [ -e /etc/fstab ]; then sed -i 's/^# pulumi-nfv: //' /etc/fstab; fi
    if [ -s ${installedPackagesFile} ]; then
        purge_packages "$(sort -u ${installedPackagesFile})" "\${used:+containerd runc}"
    fi
    named=$(cat /etc/hostname 2>/dev/null || true)
    for file in $REPLACED_FILES ${stateFolder}/keepalived.conf; do without_former "$file"; done
    for file in $REPLACED_FILES; do
        # a name that somebody gave since is not ours
        if [ "$file" != /etc/hostname ]; then
            ! is_as_written "$file" || restore "$file"
        elif [ "$named" = "$NAME" ]; then
            restore "$file"
            hostname "$(cat /etc/hostname)" || true
        fi
    done
    if [ -n "$former" ]; then
        restore /etc/keepalived/keepalived.conf
        restore /etc/haproxy/haproxy.cfg
    fi
    for folder in ${originalsFolder}${certsFolder}/*; do
        [ -d "$folder" ] || continue
        folder=\${folder#${originalsFolder}}
        # with containerd's package its folders may have gone
        for file in hosts.toml ca.crt; do
            if there "${originalsFolder}$folder/$file"; then mkdir -p "$folder"; fi
            restore "$folder/$file"
        done
        rmdir "$folder" 2>/dev/null || true
    done
    rmdir /etc/systemd/system/kubelet.service.d 2>/dev/null || true
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
    # the copies go only when what they were put back to is on the disk
    sync -f /etc
    # the agent that may be running this, its journal and lease are taken away by who holds them
    rm -rf ${originalsFolder} ${installedPackagesFile} ${stateFolder}/images ${stateFolder}/certificates ${stateFolder}/keepalived.conf \\
        ${stateFolder}/virtual-address.nft ${formersFile} /etc/pulumi-nfv
`;

/** Undoes the steps of a host with this spec. */
export function undoHost(spec: HostSpec): Act {
    const source = (["image", "bundle", "apt", "dnf"] as const).find(kind => spec.source[kind]) ?? "image";
    return {
        id: "host.reset",
        title: "reset the host",
        target: "self",
        run: resetHostScript,
        env: {
            SOURCE: source,
            ROLE: spec.role,
            LOAD_BALANCER: spec.role === "controlPlane" && spec.endpoint.vip ? "yes" : "",
            OWN_FILES: ownFiles.join("\n"),
            REPLACED_FILES: replacedFiles.join("\n"),
            WRITTEN: writtenText(writtenFiles(spec)),
            NAME: spec.name,
        },
        timeoutSeconds: 600,
        disruptive: "all that we installed goes",
    };
}

export interface HostReset {
    spec: HostSpec;
    connection: Connection;
    report: ProgressListener;
    /** Called with what stays: files of others, and files of ours that somebody changed. */
    warn?: ProgressListener;
    signal?: AbortSignal;
}

/** Undoes `hostSteps`. Does not touch the journal: `forgetNode` (steps/) deletes it. */
export async function resetHost({ spec, connection, report, warn, signal }: HostReset): Promise<void> {
    const { clusterId, name: node } = spec;
    const act = (what: Act) => runAct(what, { node, clusterId, connection, report, signal });
    // still needed if the Node resource skipped its reset, as it does when everything is deleted at once
    const ofNode = await act(resetNode());
    const ofHost = await act(undoHost(spec));
    for (const line of [...whatStays(ofNode), ...whatStays(ofHost)]) warn?.(`${node}: ${line}`);
}

import type { HostSpec } from "../common/model";
import { checkScriptPath, interfacePlaceholder } from "../endpoint/keepalived-config";
import { formerConstants, formersFile } from "../endpoint/side-by-side";
import { guardConstants } from "../endpoint/vrrp-guard";
import { resetNode, whatStays } from "../member/leave/leave-acts";
import { metadataConstants } from "../node/guard-metadata";
import { storageGuardConstants } from "../node/guard-storage";
import { replacedFiles } from "../node/keep-originals";
import { certsFolder } from "../node/runtime/containerd-config";
import { errorsFor } from "../shell/exit-codes";
import { kernelModulesFile, programFolder } from "../shell/folders";
import { ownSigns } from "../shell/own-signs";
import { script } from "../shell/script-file";
import type { Connection } from "../ssh/types";
import { runAct } from "../steps";
import type { Act, ProgressListener } from "../steps/types";
import { writtenFiles, writtenText } from "./written-files";

/** Files that only we write. Files of packages and of the user are in `replacedFiles`. */
const ownFiles = [
    kernelModulesFile,
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
    "/etc/systemd/system/pulumi-nfv-etcd-snapshot.timer",
    "/etc/systemd/system/pulumi-nfv-etcd-snapshot.service",
];

/**
 * Undoes what `hostSteps` did and nothing else. It stops services, purges packages that we installed unless something
 * else needs them now, removes our lines from files of others, restores files that we replaced, and deletes our
 * folders. It removes containers, images and pods of Kubernetes. If containerd holds anything else, that stays, and
 * containerd and its plugins with it.
 */
export const resetHostScript = script("host/reset-host.sh", {
    ...formerConstants,
    ...guardConstants,
    ...storageGuardConstants,
    ...metadataConstants,
    ...ownSigns,
    CERTS_FOLDER: certsFolder,
    CHECK_SCRIPT: checkScriptPath,
    FORMERS_FILE: formersFile,
    INTERFACE_PLACEHOLDER: interfacePlaceholder,
    PROGRAM_FOLDER: programFolder,
});

/** Undoes the steps of a host with this spec, unless it is a member of a cluster: another run has joined it again. */
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
            LEFT: "yes",
            MEMBER_SINCE: "",
        },
        errors: errorsFor("NODE_BUSY"),
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
    const ofNode = await act(resetNode(true));
    const ofHost = await act(undoHost(spec));
    for (const line of [...whatStays(ofNode), ...whatStays(ofHost)]) warn?.(`${node}: ${line}`);
}

import { createHash } from "node:crypto";
import type { NodeSpec } from "../../common/model";
import { toYaml } from "../../common/to-yaml";
import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { clusterConfigFile, patchesFolder } from "../../kubeadm/paths";
import { step } from "../../steps/step";
import type { StepFile } from "../../steps/types";
import { initConfig, kubeletConfiguration, kubeletExtraArgs } from "./kubeadm-config";

/** kubeadm's patch files: the node's own kubelet settings, and the user's patches. */
export function patchFiles(spec: NodeSpec): StepFile[] {
    const kubelet: Record<string, string> =
        Object.keys(spec.kubelet).length > 0 ? { "kubeletconfiguration0+merge": toYaml(spec.kubelet) } : {};
    return Object.entries({ ...kubelet, ...spec.patches })
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, content]) => ({
            path: `${patchesFolder}/${/\.(ya?ml|json)$/.test(name) ? name : `${name}.yaml`}`,
            content,
            mode: 0o600,
        }));
}

/** The files that init, join and all later phases read. Deletes patches that are no longer wanted. */
export const placeKubeadmFiles = step<NodeSpec>({ id: "node.kubeadm-files", title: "write kubeadm's configuration" })(
    spec => {
        const patches = patchFiles(spec);
        const cluster = () => ({ path: clusterConfigFile, content: initConfig(spec), mode: 0o600 });
        return {
            revision: 1,
            files: [...(spec.role === "controlPlane" ? [cluster()] : []), ...patches],
            env: { PATCHES: patches.map(file => file.path).join("\n") },
            run: kubeadmScript("member/join/place-kubeadm-files.sh"),
            observe: { script: kubeadmScript("member/join/observe-kubeadm-files.sh") },
            timeoutSeconds: 60,
        };
    },
);

function hash(...parts: unknown[]): string {
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

/**
 * Marks for the settings that a node runs with. The join writes them, and the steps that apply later changes compare
 * them. So these steps have nothing to do on a new node.
 */
export function appliedMarks(spec: NodeSpec): Record<"cluster" | "kubelet" | "etcd", string> {
    const master = spec.role === "controlPlane";
    const etcdPatches = userPatches(spec).filter(([name]) => name.startsWith("etcd"));
    return {
        cluster: master ? hash(initConfig(spec), userPatches(spec)) : "",
        kubelet: hash(kubeletConfiguration(spec), patchFiles(spec), kubeletFlags(spec)),
        etcd: master ? hash(spec.extraArgs["etcd"] ?? {}, etcdPatches) : "",
    };
}

/** Our kubelet flags, one "--name=value" per line, as kubeadm writes them at the join. */
export function kubeletFlags(spec: NodeSpec): string {
    return kubeletExtraArgs(spec)
        .map(({ name, value }) => `--${name}=${value}`)
        .join("\n");
}

function userPatches(spec: NodeSpec): [string, string][] {
    return Object.entries(spec.patches).filter(([name]) => !name.startsWith("kubeletconfiguration"));
}

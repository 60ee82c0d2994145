import { runScript } from "../kubeadm/run-script";
import { type CniSpec, networkManifest } from "../network/manifests";
import { applyManifestScript, keepCoreDnsApartScript, missingObjectsScript } from "../network/scripts";
import type { StepFactory } from "../steps";
import { type ClusterWideInputs, type ClusterWideState, clusterWide } from "./cluster-wide";

export interface ClusterNetworkSpec extends CniSpec {
    clusterId: string;
    /** At least two nodes will take CoreDNS: its replicas wait for a second one instead of sharing the first. */
    coreDnsApart?: boolean;
}

export type ClusterNetworkInputs = ClusterWideInputs<ClusterNetworkSpec>;
export type ClusterNetworkState = ClusterWideState<ClusterNetworkSpec>;

const applyNetwork: StepFactory<ClusterNetworkSpec> = spec => {
    const manifest = networkManifest(spec);
    if (manifest === "") return undefined;
    return {
        id: "cluster.network",
        title: "apply the pod network",
        env: { MANIFEST: manifest },
        identity: { cluster: spec.clusterId, manifest },
        run: applyManifestScript,
        timeoutSeconds: 180,
    };
};

/** Done while CoreDNS still waits for the pod network: later its pods would have to be moved. */
const keepCoreDnsApart: StepFactory<ClusterNetworkSpec> = spec =>
    spec.coreDnsApart
        ? {
              id: "cluster.coredns-apart",
              title: "keep CoreDNS's replicas apart",
              identity: { cluster: spec.clusterId },
              run: keepCoreDnsApartScript,
              timeoutSeconds: 60,
          }
        : undefined;

export const networkSteps: StepFactory<ClusterNetworkSpec>[] = [keepCoreDnsApart, applyNetwork];

/** The pod network, applied as soon as the first master lives, so that nodes become ready as they join. */
export const clusterNetwork = clusterWide("network", networkSteps, async (spec, master) => {
    const call = { step: "look at the pod network", script: missingObjectsScript, timeoutSeconds: 40 };
    return (await runScript(master, { ...call, env: { MANIFEST: networkManifest(spec) } })).trim() === "";
});

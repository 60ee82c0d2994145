import { match, strictEqual } from "node:assert/strict";
import { podNetworkHint } from "../../../../provider/cluster-api/pod-network-hint";

const said =
    "Machine w1-a: NodeHealthy is False: NodeNotHealthy: Node.Ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized";

describe("the hint for nodes that have no pod network", () => {
    for (const [cni, words] of [
        [undefined, /addOns: \["\.\/network\.yaml"\]/],
        ["your own", /network\.cniManifests .* or as addOns/],
        ["bridge", /network\.kubectlPath.*network\.image/],
        ["flannel", /flannel does not run/],
    ] as const)
        it(`names the input that brings it where it is ${cni ?? "that of the user's own objects"}`, () =>
            match(podNetworkHint(said, cni)!, words));

    it("is none where something else hinders", () =>
        strictEqual(podNetworkHint("Machine w1-a: InfrastructureReady is False: no flavor", undefined), undefined));
});

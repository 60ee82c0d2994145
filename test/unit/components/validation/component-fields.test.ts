import assert from "node:assert/strict";
import { problems } from "../../../../components/validation/validate";
import { clusterArgs } from "../sample-args";

const found = (more: object) =>
    problems("KubernetesCluster", { ...clusterArgs(1), ...more }).filter(each => each.includes("such field"));

describe("fields of kubelet's and kube-proxy's configurations", () => {
    it("are refused where they are misspelt, at each place", () => {
        const wrong = {
            kubelet: { maxPodz: 200 },
            kubeProxy: { metricsBindAdress: "0.0.0.0" },
            controlPlane: { kubelet: { maxpods: 200 } },
            pools: { workers: { count: 0, kubelet: { cpuManagerPoilcy: "static" } } },
        };
        assert.deepEqual(found(wrong), [
            'kubelet.maxPodz: there is no such field; did you mean "maxPods"?',
            'kubeProxy.metricsBindAdress: there is no such field; did you mean "metricsBindAddress"?',
            'controlPlane.kubelet.maxpods: there is no such field; did you mean "maxPods"?',
            'pools.workers.kubelet.cpuManagerPoilcy: there is no such field; did you mean "cpuManagerPolicy"?',
        ]);
    });

    it("may be those of a newer version", () => {
        assert.deepEqual(
            found({ kubelet: { maxPods: 200, ofTheNextVersion: true }, kubeProxy: { mode: "nftables" } }),
            [],
        );
    });
});

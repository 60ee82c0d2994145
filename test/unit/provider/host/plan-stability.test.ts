import assert from "node:assert/strict";
import type { HostSpec, NodeSpec } from "../../../../provider/common/model";
import { hostSteps } from "../../../../provider/host/host-steps";
import { nodeSteps } from "../../../../provider/member/node-steps";
import { plan, stepTitles } from "../../../../provider/steps/plan";
import { hostSpec, hostSpecs, masters, nodeSpec } from "../sample-specs";

function changedTitles(before: Record<string, string>, after: Record<string, string>): string[] {
    const titles = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return titles.filter(title => before[title] !== after[title]).sort();
}

const hostTitles = (spec: HostSpec) => stepTitles(plan(hostSteps, spec, "key"));
const nodeTitles = (spec: NodeSpec, mode: "init" | "join" = "join") => stepTitles(plan(nodeSteps(mode), spec, "key"));

async function nodeChange(change: Partial<NodeSpec>, base: Partial<NodeSpec> = {}): Promise<string[]> {
    return changedTitles(nodeTitles(await nodeSpec(base)), nodeTitles(await nodeSpec({ ...base, ...change })));
}

describe("plan of a host", () => {
    it("lists the steps in the order in which they happen", () => {
        assert.deepEqual(Object.keys(hostTitles(hostSpec())), [
            "wait for cloud-init",
            "look whether another machine has the virtual address",
            "keep the original files",
            "set the host name",
            "write names to /etc/hosts",
            "turn swap off",
            "load kernel modules",
            "set kernel parameters",
            "configure the HTTP proxy",
            "trust certificate authorities",
            "install the container runtime",
            "stage Kubernetes binaries",
            "stage network plugins",
            "stage container images",
            "configure the container runtime",
            "configure registry mirrors",
            "install kubelet's service",
            "install the load balancer",
            "configure HAProxy",
            "look for other owners of the virtual router id",
            "keep pods from taking the virtual address",
            "configure keepalived",
        ]);
    });

    it("of a worker has no load balancer", () => {
        const titles = Object.keys(hostTitles(hostSpecs["a worker of a bundle"]));
        assert.ok(!titles.some(title => /HAProxy|keepalived|balancer|virtual router/.test(title)), titles.join());
    });

    it("of a ready image installs nothing of Kubernetes", () => {
        const titles = Object.keys(hostTitles(hostSpecs["a master of an image"]));
        assert.ok(titles.includes("check the image's Kubernetes version"));
        assert.ok(!titles.some(title => /^stage|packages|install the container/.test(title)), titles.join());
    });

    it("changes only the load balancer and who may speak to it when a master comes", () => {
        const more = [...masters, { name: "m4", address: "10.0.0.14" }];
        const change = (spec: HostSpec) => changedTitles(hostTitles(spec), hostTitles({ ...spec, masters: more }));
        const guard = "keep pods from taking the virtual address";
        assert.deepEqual(change(hostSpec()), ["configure HAProxy", "configure keepalived", guard]);
        assert.deepEqual(change(hostSpecs["a worker of a bundle"]), [guard]);
    });

    it("does not hang on where the bundle lies on the operator's machine", () => {
        const { files } = hostSpec().source.bundle!;
        const elsewhere = hostSpec({ source: { bundle: { path: "/elsewhere", files } } });
        assert.deepEqual(hostTitles(elsewhere), hostTitles(hostSpec()));
    });

    it("configures containerd again with another version only where the machine's kubeadm names the sandbox image", () => {
        const runtime = "configure the container runtime";
        const changes = (spec: Partial<HostSpec>) =>
            changedTitles(hostTitles(hostSpec(spec)), hostTitles(hostSpec({ ...spec, kubernetesVersion: "1.34.5" })));
        assert.ok(!changes({}).includes(runtime), "the bundle names it");
        assert.ok(changes({ source: { apt: {} } }).includes(runtime));
    });

    it("shows a changed kernel setting as that one step", () => {
        const after = hostTitles(hostSpec({ sysctls: { "vm.max_map_count": "262144" } }));
        assert.deepEqual(changedTitles(hostTitles(hostSpec()), after), ["set kernel parameters"]);
    });
});

describe("plan of a node", () => {
    it("is the same whether the node initialises the cluster or joins it", async () => {
        for (const role of ["controlPlane", "worker"] as const) {
            const spec = await nodeSpec({ role });
            assert.deepEqual(nodeTitles(spec, "init"), nodeTitles(spec, "join"));
        }
    });

    it("shows changed labels, annotations and taints as one step", async () => {
        for (const role of ["controlPlane", "worker"] as const) {
            assert.deepEqual(await nodeChange({ labels: { a: "b" } }, { role }), ["set labels and taints"]);
            assert.deepEqual(await nodeChange({ annotations: { a: "b" } }, { role }), ["set labels and taints"]);
            const taints = [{ key: "a", effect: "NoSchedule" as const }];
            assert.deepEqual(await nodeChange({ taints }, { role }), ["set labels and taints"]);
        }
    });

    it("never joins a second time because of a setting", async () => {
        const changes: Partial<NodeSpec>[] = [
            { kubernetesVersion: "1.34.5" },
            { labels: { a: "b" } },
            { kubelet: { maxPods: 1 } },
            { clusterKubelet: { maxPods: 1 } },
            { certificateSans: ["x"] },
            { extraArgs: { apiServer: { v: "3" } } },
            { address: "10.0.0.99" },
            { drain: { timeoutSeconds: 1, policy: "delete" } },
        ];
        for (const change of changes) {
            const titles = await nodeChange(change);
            assert.ok(!titles.includes("initialise or join the cluster"), JSON.stringify(change));
        }
    });

    it("shows kubelet settings of one node without touching the control plane", async () => {
        const expected = ["apply kubelet settings", "write kubeadm's configuration"];
        assert.deepEqual(await nodeChange({ kubelet: { maxPods: 50 } }), expected);
        assert.deepEqual(await nodeChange({ kubelet: { maxPods: 50 } }, { role: "worker" }), expected);
    });

    it("applies changed flags of etcd to masters and of kubelet to all nodes", async () => {
        const control = ["apply control-plane settings", "write kubeadm's configuration"];
        assert.deepEqual(await nodeChange({ extraArgs: { etcd: { "quota-backend-bytes": "1" } } }), control);
        const kubelet = { extraArgs: { kubelet: { v: "4" } } };
        assert.deepEqual(await nodeChange(kubelet, { role: "worker" }), ["apply kubelet settings"]);
        assert.deepEqual(await nodeChange(kubelet), [
            "apply control-plane settings",
            "apply kubelet settings",
            control[1],
        ]);
        assert.deepEqual(await nodeChange({ extraArgs: { etcd: { v: "4" } } }, { role: "worker" }), []);
    });

    it("changes nothing of a node because of how it is drained", async () => {
        assert.deepEqual(await nodeChange({ drain: { timeoutSeconds: 9, policy: "evict" } }), []);
    });
});

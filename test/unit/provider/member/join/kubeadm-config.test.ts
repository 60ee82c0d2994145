import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import type { NodeSpec } from "../../../../../provider/common/model";
import { encryptionConfig } from "../../../../../provider/member/join/api-server-files";
import { certificateSans, initConfig, joinConfig } from "../../../../../provider/member/join/kubeadm-config";
import { appliedMarks, patchFiles } from "../../../../../provider/member/join/kubeadm-files";
import { keyFiles } from "../../../../../provider/member/join/place-keys";
import { nodeSpec, nodeSpecs } from "../../sample-specs";

function documents(text: string): Record<string, any> {
    return Object.fromEntries(parseAllDocuments(text).map(document => [document.toJS().kind, document.toJS()]));
}

const flag = (list: { name: string; value: string }[], name: string) => list.find(one => one.name === name)?.value;

describe("kubeadm's configuration", () => {
    it("for init has all four documents, with endpoint, networks and systemd's cgroups", async () => {
        const all = documents(initConfig(await nodeSpec()));
        assert.deepEqual(Object.keys(all), [
            "InitConfiguration",
            "ClusterConfiguration",
            "KubeletConfiguration",
            "KubeProxyConfiguration",
        ]);
        const cluster = all["ClusterConfiguration"];
        assert.equal(cluster.apiVersion, "kubeadm.k8s.io/v1beta4");
        assert.equal(cluster.kubernetesVersion, "v1.34.4");
        assert.equal(cluster.controlPlaneEndpoint, "10.0.0.100:16443");
        assert.equal(cluster.networking.podSubnet, "10.244.0.0/16");
        assert.equal(all["KubeletConfiguration"].cgroupDriver, "systemd");
        assert.equal(all["InitConfiguration"].localAPIEndpoint.advertiseAddress, "10.0.0.11");
        assert.equal(flag(all["InitConfiguration"].nodeRegistration.kubeletExtraArgs, "node-ip"), "10.0.0.11");
    });

    it("audits and encrypts by default, and mounts what that needs", async () => {
        const { apiServer } = documents(initConfig(await nodeSpec()))["ClusterConfiguration"];
        assert.ok(flag(apiServer.extraArgs, "encryption-provider-config"));
        const policy = flag(apiServer.extraArgs, "audit-policy-file")!;
        const mounts: string[] = apiServer.extraVolumes.map((volume: { mountPath: string }) => volume.mountPath);
        assert.ok(mounts.some(path => policy.startsWith(`${path}/`)));
        assert.ok(mounts.some(path => flag(apiServer.extraArgs, "audit-log-path")!.startsWith(`${path}/`)));
    });

    it("has neither where neither is wanted", async () => {
        const off: Partial<NodeSpec> = { audit: { enabled: false, policy: "" }, encryptionAtRest: { enabled: false } };
        const { apiServer } = documents(initConfig(await nodeSpec(off)))["ClusterConfiguration"];
        assert.deepEqual(apiServer.extraArgs, []);
        assert.deepEqual(apiServer.extraVolumes, []);
    });

    it("lets the user's own flags win", async () => {
        const { apiServer, etcd } = documents(initConfig(await nodeSpecs["a master with everything"]))[
            "ClusterConfiguration"
        ];
        assert.equal(flag(apiServer.extraArgs, "audit-log-maxage"), "7");
        assert.equal(flag(etcd.local.extraArgs, "quota-backend-bytes"), "1");
    });

    it("has deadlines, from which a start probe follows", async () => {
        const timeoutsOf = async (more: Partial<NodeSpec>) =>
            documents(initConfig(await nodeSpec(more)))["InitConfiguration"].timeouts;
        assert.equal((await timeoutsOf({})).controlPlaneComponentHealthCheck, "240s", "kubeadm's own");
        const slow = await timeoutsOf({ startTimeoutSeconds: 600 });
        assert.equal(slow.controlPlaneComponentHealthCheck, "600s");
        assert.deepEqual(new Set(Object.values(slow)), new Set(["600s"]));
        const marks = async (more: Partial<NodeSpec>) => appliedMarks(await nodeSpec(more)).cluster;
        assert.notEqual(await marks({ startTimeoutSeconds: 600 }), await marks({}));
        const { timeouts } = documents(joinConfig(await nodeSpec()))["JoinConfiguration"];
        assert.equal(timeouts.kubernetesAPICall, "240s");
        assert.equal(timeouts.discovery, "300s", "no less than kubeadm's own");
    });

    it("for join knows the authority and has no token in it", async () => {
        const master = documents(joinConfig(await nodeSpec()))["JoinConfiguration"];
        assert.match(master.discovery.bootstrapToken.caCertHashes[0], /^sha256:[0-9a-f]{64}$/);
        assert.equal(master.discovery.bootstrapToken.token, "@TOKEN@");
        assert.equal(master.discovery.bootstrapToken.apiServerEndpoint, "10.0.0.100:16443");
        assert.equal(master.controlPlane.localAPIEndpoint.advertiseAddress, "10.0.0.11");
        const worker = documents(joinConfig(await nodeSpec({ role: "worker" })))["JoinConfiguration"];
        assert.equal(worker.controlPlane, undefined);
    });

    it("passes kubeadm's check of cgroups only where the program allows those of version 1 to a kubelet that refuses them", async () => {
        const ignored = async (kubernetesVersion: string, more: Partial<NodeSpec>) => {
            const spec = await nodeSpec({ kubernetesVersion, ...more });
            const all = { ...documents(initConfig(spec)), ...documents(joinConfig(spec)) };
            return ["InitConfiguration", "JoinConfiguration"].map(
                kind => all[kind].nodeRegistration.ignorePreflightErrors,
            );
        };
        const allows = { failCgroupV1: false };
        const both = [["SystemVerification"], ["SystemVerification"]];
        assert.deepEqual(await ignored("1.35.4", { clusterKubelet: allows }), both);
        assert.deepEqual(await ignored("1.35.4", { kubelet: allows }), both);
        const none = [undefined, undefined];
        assert.deepEqual(await ignored("1.35.4", {}), none);
        assert.deepEqual(await ignored("1.34.4", { clusterKubelet: allows }), none);
        assert.deepEqual(await ignored("1.35.4", { clusterKubelet: allows, kubelet: { failCgroupV1: true } }), none);
    });

    it("registers taints at the join, so that no pod slips in before", async () => {
        const taints = [{ key: "upf", effect: "NoSchedule" as const }];
        const worker = documents(joinConfig(await nodeSpec({ role: "worker", taints })))["JoinConfiguration"];
        assert.deepEqual(worker.nodeRegistration.taints, taints);
    });

    it("quotes what YAML 1.1, as Kubernetes reads it, would take for a boolean", async () => {
        assert.match(initConfig(await nodeSpec({ clusterName: "y" })), /clusterName: "y"/);
    });

    it("holds no private key", async () => {
        const spec = await nodeSpec();
        assert.doesNotMatch(initConfig(spec) + joinConfig(spec), /PRIVATE KEY/);
        assert.ok(!initConfig(spec).includes(spec.keys!.encryptionKey));
    });
});

describe("certificate names", () => {
    it("hold the endpoint and the user's, and no other master", async () => {
        const sans = certificateSans(await nodeSpec({ certificateSans: ["api.example.org", "10.0.0.100"] }));
        assert.deepEqual(sans, ["10.0.0.100", "localhost", "127.0.0.1", "api.example.org"]);
    });
});

describe("keys of a master", () => {
    it("lie where kubeadm looks, private ones root-only and secret", async () => {
        const files = keyFiles((await nodeSpec()).keys!);
        for (const file of files) {
            const isPrivate = /PRIVATE KEY/.test(file.content);
            assert.equal(isPrivate, file.secret, file.path);
            if (isPrivate) assert.equal(file.mode, 0o600, file.path);
        }
        assert.ok(files.some(file => file.path === "/etc/kubernetes/pki/etcd/ca.key"));
    });

    it("encrypt secrets, and still read what was written before", () => {
        const [config] = parseAllDocuments(encryptionConfig("a2V5"));
        const [{ providers }] = config.toJS().resources;
        assert.deepEqual(Object.keys(providers[0]), ["secretbox"]);
        assert.deepEqual(Object.keys(providers[1]), ["identity"]);
    });
});

describe("patches", () => {
    it("are named as kubeadm wants them, kubelet's own among them", async () => {
        const files = patchFiles(await nodeSpecs["a master with everything"]);
        const names = files.map(file => file.path.split("/").pop());
        assert.deepEqual(names, ["kube-apiserver+merge.yaml", "kubeletconfiguration0+merge.yaml"]);
    });

    it("of kubelet leave the control plane's mark alone, and the other way round", async () => {
        const before = appliedMarks(await nodeSpec());
        const kubelet = appliedMarks(await nodeSpec({ kubelet: { maxPods: 9 } }));
        assert.equal(kubelet.cluster, before.cluster);
        assert.notEqual(kubelet.kubelet, before.kubelet);
        const flags = appliedMarks(await nodeSpec({ extraArgs: { scheduler: { v: "4" } } }));
        assert.notEqual(flags.cluster, before.cluster);
        assert.equal(flags.kubelet, before.kubelet);
    });
});

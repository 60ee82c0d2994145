import { strict as assert } from "node:assert";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { asStory } from "../support/story";
import { clusterArguments, eventually, type Fixture, machineOf, openFixture } from "./cluster-fixture";

/** A containerd configuration that somebody else would write for kubeadm's cluster: the available sandbox image, systemd's cgroups. */
const containerdConfig = `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:3.10.2"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/opt/cni/bin"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = true
`;

/** A cluster made by hand with plain kubeadm on m1 and w1; our own cluster is on m2, w2 and w3. */
describe("somebody else's kubeadm cluster", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: Fixture;
    let theirs: Record<string, string>;

    const ssh = (node: string, command: string) => fixture.lab.mustSsh(node, command);
    const theirKubectl = (words: string) => ssh("m1", `kubectl --kubeconfig /etc/kubernetes/admin.conf ${words}`);

    /** Configures `up` for machines under our names. `at`: name → the lab's machine whose address it gets, if another. */
    const configure = (masters: string[], workers: string[], at: Record<string, string> = {}) => {
        const args: any = clusterArguments(fixture.lab, { masters: [], workers: [] });
        const machine = (name: string) => [name, machineOf(fixture.lab, at[name] ?? name)];
        args.infrastructure.hosts.controlPlane = Object.fromEntries(masters.map(machine));
        args.infrastructure.hosts.pools = { workers: Object.fromEntries(workers.map(machine)) };
        delete args.registries;
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        return fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    };
    const refusal = () =>
        fixture.project.up().then(
            () => assert.fail("it should have been refused"),
            error => String(error),
        );

    /** Files, processes, etcd members and nodes that must not change. */
    const look = async (nodes: string[]) => {
        const found: Record<string, string> = {};
        for (const node of nodes) {
            const files =
                "/etc /usr/local /opt /root /var/lib/pulumi-nfv /var/lib/kubelet/pki /var/lib/kubelet/config.yaml";
            found[`files of ${node}`] = await ssh(
                node,
                `find ${files} -xdev -type f -exec sha256sum {} + 2>/dev/null | sort -k2`,
            );
            found[`processes of ${node}`] = await ssh(
                node,
                "hostname; ps -eo pid=,comm= | grep -E ' (kubelet|containerd|etcd|kube-apiserver)$' | sort",
            );
        }
        const pki = "/etc/kubernetes/pki/etcd";
        const etcdctl = `etcdctl --cacert ${pki}/ca.crt --cert ${pki}/server.crt --key ${pki}/server.key member list`;
        found["members of etcd"] = await theirKubectl(`-n kube-system exec etcd-m1 -- ${etcdctl}`);
        found["nodes"] = await theirKubectl(
            `get nodes -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.uid}{"\\n"}{end}'`,
        );
        return found;
    };
    const joinThem = async (node: string) => {
        const join = (await theirKubectl("version >/dev/null; kubeadm token create --print-join-command")).trim();
        await ssh(node, `${join.split("\n").at(-1)} --ignore-preflight-errors=all`);
        await eventually(120, () => theirKubectl(`get node ${node}`));
    };

    const prepare = (node: string) =>
        ssh(
            node,
            `printf '%s' '${containerdConfig}' >/etc/containerd/config.toml && systemctl restart containerd && sysctl -qw net.ipv4.ip_forward=1`,
        );

    before(async () => {
        fixture = await openFixture({ name: "foreign", nodes: ["m1", "m2", "w1", "w2", "w3"], plugins: [] });
        const config = [
            {
                apiVersion: "kubeadm.k8s.io/v1beta4",
                kind: "InitConfiguration",
                localAPIEndpoint: { advertiseAddress: fixture.lab.node("m1").address },
            },
            {
                apiVersion: "kubeadm.k8s.io/v1beta4",
                kind: "ClusterConfiguration",
                kubernetesVersion: "v1.36.3",
                networking: { podSubnet: "10.200.0.0/16" },
            },
            { ...labKubelet, apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" },
            { ...labKubeProxy, apiVersion: "kubeproxy.config.k8s.io/v1alpha1", kind: "KubeProxyConfiguration" },
        ];
        await Promise.all([prepare("m1"), prepare("w1")]);
        const text = config.map(each => JSON.stringify(each)).join("\n---\n");
        await ssh(
            "m1",
            `printf '%s' '${text}' >/root/theirs.yaml && kubeadm init --config /root/theirs.yaml --ignore-preflight-errors=all`,
        );
        await joinThem("w1");
        theirs = await look(["m1", "w1"]);
    });
    after(() => fixture?.close());

    it("stays as it is when its master's address is given as a master of ours, also by `destroy`", async () => {
        await configure(["m4"], [], { m4: "m1" });
        const said = await refusal();
        assert.match(
            said,
            /m4: FOREIGN_NODE[\s\S]*node name: m1[\s\S]*API server: https:\/\/10\.99\.0\.11:6443[\s\S]*its authority's key: sha256:/,
        );
        assert.deepEqual(await look(["m1", "w1"]), theirs);
        await fixture.project.destroy();
        assert.deepEqual(await look(["m1", "w1"]), theirs);
    });

    it("stays as it is when its worker's address is given as a worker of ours, whose master lives", async () => {
        await configure(["m2"], ["w2", "w3"]);
        await fixture.project.up();
        await configure(["m2"], ["w2", "w3", "w9"], { w9: "w1" });
        assert.match(await refusal(), /w9: FOREIGN_NODE[\s\S]*node name: w1/);
        assert.deepEqual(await look(["m1", "w1"]), theirs);
    });

    it("keeps the workers that it got from us by hand, when ours scales down and when ours is destroyed", async () => {
        await configure(["m2"], ["w2", "w3"]);
        await fixture.project.up();
        const takeByHand = async (node: string) => {
            await fixture.kubectl("delete", "node", node);
            await ssh(node, "kubeadm reset -f >/dev/null 2>&1; rm -rf /etc/cni/net.d/*");
            await joinThem(node);
        };
        await takeByHand("w2");
        theirs = await look(["m1", "w1", "w2"]);
        await configure(["m2"], ["w3"]);
        assert.match(
            await fixture.project.up().catch(String),
            /w2: nothing was undone there: the machine belongs to another cluster|FOREIGN_NODE/,
        );
        assert.deepEqual(await look(["m1", "w1", "w2"]), theirs);
        await takeByHand("w3");
        theirs = await look(["m1", "w1", "w2", "w3"]);
        const said = await fixture.project.destroy();
        assert.match(said, /left as found[\s\S]*w3 \(/);
        assert.deepEqual(await look(["m1", "w1", "w2", "w3"]), theirs);
        assert.equal((await ssh("m2", "find /etc/kubernetes -type f 2>/dev/null || true")).trim(), "", "ours is gone");
    });
});

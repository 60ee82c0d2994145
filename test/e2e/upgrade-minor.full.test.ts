import { strict as assert } from "node:assert";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import type { RequestClient } from "./request-client";
import { endClients, openClients } from "./upgrade-clients";
import { minors, openUpgrade, type UpgradeFixture } from "./upgrade-fixture";
import { longestGap, type Writer } from "./writer";

const [, from, to] = minors;
const masters = ["m1", "m2", "m3"];
const workers = ["w1", "w2"];
const nodes = [...masters, ...workers];
/** kubeadm's own choice for `to`; what is in the images, tools/versions.ts says. */
const addOns = { coredns: "v1.14.2", etcd: /^3\.6\./, pause: "3.10.2" };

/** Genuine builds of two minors. With two patch releases: upgrade.full.test.ts. */
describe("a cluster that moves to the next minor version while it is in use", function () {
    this.timeout("30m");
    asStory(this);
    let fixture: UpgradeFixture;
    let writer: Writer;
    let client: RequestClient;

    const times = async (node: string, act: string) =>
        Number(
            await fixture.lab.mustSsh(
                node,
                `journalctl --no-pager -o cat | grep -c '^nfv-step-${act} begins$' || true`,
            ),
        );
    const system = (...args: string[]) => fixture.kubectl("-n", "kube-system", ...args);
    const imagesOf = async (selector: string) =>
        (await system("get", "pods", "-l", selector, "-o", "jsonpath={.items[*].spec.containers[0].image}")).split(" ");

    before(async function () {
        this.timeout("120m");
        fixture = await openUpgrade("upgrademinor", masters, workers, [from, to]);
        ({ writer, client } = await openClients(fixture, workers));
    });
    after(async () => {
        endClients({ writer, client });
        await fixture?.close();
    });

    it("says in preview what happens, and refuses the way back before anything has moved", async () => {
        await fixture.give(to);
        const { output } = await fixture.project.start(["preview", "--non-interactive", "--diff"]).done;
        assert.equal(output.match(new RegExp(`upgrade in place: Kubernetes ${from} to ${to}`, "g"))?.length, 5, output);
        assert.match(output, /the API of the cluster is available throughout/);
    });

    it("goes on after a kill in the middle of the second control-plane node, and moves no node twice", async () => {
        let killed = false;
        const began = Date.now();
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--json"], text => {
            if (killed || !/move the control plane to the Kubernetes version \(m2\)/.test(text)) return;
            killed = true;
            setTimeout(() => killTree(run.pid), 5000);
        });
        const first = await run.done;
        console.log(`      first run ${Math.round((Date.now() - began) / 1000)} s`);
        assert.ok(killed, first.output.slice(-5000));
        await fixture.project.stack.cancel();
        const half = await fixture.versions();
        assert.equal(half["m1"], `v${to}`, "the first one has moved");
        assert.equal(half["w1"], `v${from}`);
        const again = Date.now();
        await fixture.project.up();
        console.log(`      second run ${Math.round((Date.now() - again) / 1000)} s`);
        assert.deepEqual(await fixture.versions(), Object.fromEntries(nodes.map(name => [name, `v${to}`])));
        assert.deepEqual(await Promise.all(nodes.map(name => times(name, "upgrade.kubelet"))), [1, 1, 1, 1, 1]);
    });

    it("had its API and its network function all the time", () => {
        const writes = writer.since();
        const failed = writes.filter(({ by }) => by === undefined);
        const { requests, failures } = client.since();
        console.log(
            `      ${writes.length} writes, ${failed.length} failed, longest time without ${longestGap(writes)} s; ${requests} requests, ${failures.length} failed`,
        );
        for (const text of new Set(failed.map(({ problems }) => problems.join("; ")))) console.log(`      ${text}`);
        assert.ok(longestGap(writes) < 30, `${longestGap(writes)} s without the API`);
        assert.ok(failures.length <= requests / 100, failures.join("\n"));
    });

    it("has servers, add-ons and kubeadm's objects of the new minor", async () => {
        for (const component of ["kube-apiserver", "kube-controller-manager", "kube-scheduler"])
            assert.deepEqual(
                await imagesOf(`component=${component}`),
                masters.map(() => `registry.k8s.io/${component}:v${to}`),
            );
        for (const image of await imagesOf("component=etcd")) assert.match(image.replace(/^.*:/, ""), addOns.etcd);
        assert.deepEqual(new Set(await imagesOf("k8s-app=kube-proxy")), new Set([`registry.k8s.io/kube-proxy:v${to}`]));
        assert.deepEqual(
            new Set(await imagesOf("k8s-app=kube-dns")),
            new Set([`registry.k8s.io/coredns/coredns:${addOns.coredns}`]),
        );
        await system("rollout", "status", "deployment/coredns", "--timeout=120s");
        await system("rollout", "status", "daemonset/kube-proxy", "--timeout=120s");
        const cluster = await system(
            "get",
            "configmap",
            "kubeadm-config",
            "-o",
            "jsonpath={.data.ClusterConfiguration}",
        );
        assert.match(cluster, new RegExp(`^kubernetesVersion: v${to}$`, "m"));
    });

    it("has kubelet's settings as kubeadm of the new minor makes them, and no flag that is gone", async () => {
        const stored = () => system("get", "configmap", "kubelet-config", "-o", "jsonpath={.data.kubelet}");
        const upgraded = await stored();
        const upload = "kubeadm init phase upload-config kubelet --config /etc/kubernetes/pulumi-nfv/cluster.yaml";
        await fixture.lab.mustSsh("m1", `sudo ${upload}`);
        assert.equal(upgraded, await stored());
        for (const name of nodes) {
            const flags = await fixture.lab.mustSsh(name, "sudo cat /var/lib/kubelet/kubeadm-flags.env");
            assert.doesNotMatch(flags, /pod-infra-container-image/, "kubelet 1.35 does not know it");
            assert.match(flags, /--node-ip=/, "ours stay");
            const settings = await fixture.lab.mustSsh(name, "sudo cat /var/lib/kubelet/config.yaml");
            assert.match(settings, /^failCgroupV1: false$/m);
            assert.match(
                await fixture.lab.mustSsh(name, "sudo cat /etc/containerd/config.toml"),
                new RegExp(`pause:${addOns.pause}"`),
            );
            assert.equal((await fixture.lab.ssh(name, "test -e /var/lib/pulumi-nfv/upgrade")).code, 1);
        }
        for (const name of masters)
            assert.match(
                await fixture.lab.mustSsh(name, "sudo ls /var/lib/pulumi-nfv/etcd-before-upgrade"),
                new RegExp(`^before-${to}\\.db$`, "m"),
            );
    });

    it("changes nothing in a second run, and a refresh finds no drift", async () => {
        assert.doesNotMatch(await fixture.kubectl("get", "nodes"), /SchedulingDisabled|NotReady/);
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });
});

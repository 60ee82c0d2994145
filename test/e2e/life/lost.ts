import { strict as assert } from "node:assert";
import { apply, holderOf } from "../cluster-observed";
import type { Life } from "./life";

export function isLostAndHealed(life: Life): void {
    let lost: string;

    it("answers through the virtual address while the control-plane node that holds it is powered off", async () => {
        const { fixture } = life;
        lost = await life.settles(() => holderOf(fixture));
        await fixture.lab.powerOff(lost);
        const nodes = await life.settles(() => fixture.kubectl("get", "nodes", "--request-timeout=5s", "-o", "name"));
        assert.equal(nodes.trim().split("\n").length, 4);
        // Writes wait for etcd's new leader if the old one was on the machine that is off.
        const written = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "written-meanwhile" } };
        await life.settles(() => apply(fixture, written));
        await life.settles(async () => assert.notEqual(await holderOf(fixture), lost));
    });

    it("gets that node back when its machine was installed anew: `up --refresh` finds it blank, and it joins again", async () => {
        const { fixture } = life;
        const uid = ["get", "node", lost, "-o", "jsonpath={.metadata.uid}"];
        const before = await fixture.kubectl(...uid);
        await life.reinstall(lost);
        await life.give(({ cluster }) => (cluster.infrastructure.hosts.controlPlane[lost] = life.machine(lost)));
        await fixture.project.up();
        await fixture.project.up({ refresh: true });
        assert.deepEqual(Object.keys(await life.ready()), [...life.controlPlaneNodes, "w1"]);
        assert.notEqual(await fixture.kubectl(...uid), before);
        const got = ["-n", "default", "get", "configmap", "written-meanwhile", "-o", "name"];
        assert.equal(await fixture.kubectl(...got), "configmap/written-meanwhile\n");
        const pods = ["-n", "kube-system", "get", "pods", "-l", "component=etcd", "-o", "name"];
        await life.settles(async () => assert.equal((await fixture.kubectl(...pods)).trim().split("\n").length, 3));
    });

    it("finds nothing to do after a refresh", () => life.fixture.project.up({ refresh: true, expectNoChanges: true }));

    it("is said to be well by `nfv check`; what somebody stopped and changed on a node is named, and `up --refresh` puts it back", async () => {
        const { lab, project } = life.fixture;
        assert.deepEqual(await life.check(), { code: 0, found: [] });
        await lab.mustSsh("w1", "systemctl stop kubelet; sysctl -q net.ipv4.ip_forward=0");
        const { code, found } = await life.check();
        assert.equal(code, 20, JSON.stringify(found));
        const all = found.map(({ node, code: each }) => `${node} ${each}`);
        assert.deepEqual([...new Set(all)].sort(), ["w1 drift", "w1 kubelet-stopped"]);
        await project.up({ refresh: true });
        assert.equal(
            await lab.mustSsh("w1", "systemctl is-active kubelet; sysctl -n net.ipv4.ip_forward"),
            "active\n1\n",
        );
    });
}

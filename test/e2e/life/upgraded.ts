import { strict as assert } from "node:assert";
import { killTree } from "../../support/kill-tree";
import { stepTimes } from "../step-times";
import { from, to } from "../upgrade-fixture";
import type { Life } from "./life";

const nodes = ["m1", "w1"];
const all = (version: string) => Object.fromEntries(nodes.map(name => [name, `v${version}`]));

export function isUpgraded(life: Life): void {
    it("says in preview what another Kubernetes version does to each node, and that the API is interrupted", async () => {
        const newer = await life.programs(to);
        await life.give(({ cluster }) => (cluster.kubernetes = newer));
        const output = await life.fixture.project.preview("--diff");
        assert.match(output, new RegExp(`change current package: .*Kubernetes ${from} to ${to}`));
        assert.equal(output.match(new RegExp(`upgrade in place: Kubernetes ${from} to ${to}`, "g"))?.length, 2, output);
        assert.match(output, /the API of the cluster is interrupted for some minutes: there is one control-plane node/);
    });

    it("goes on after a kill in the middle of the move of its only control plane, and moves no node twice", async () => {
        const { project } = life.fixture;
        let killed = false;
        const run = project.start(["up", "--yes", "--skip-preview", "--json"], text => {
            if (killed || !/move the control plane to the Kubernetes version \(m1\)/.test(text)) return;
            killed = true;
            setTimeout(() => killTree(run.pid), 3000);
        });
        const { output } = await run.done;
        assert.ok(killed, output.slice(-3000));
        life.events += output;
        await project.stack.cancel();
        assert.equal((await life.ready())["w1"], `v${from}`);
        await project.up();
        assert.deepEqual(await life.ready(), all(to));
        for (const node of nodes) {
            const { begun, failed } = (await stepTimes(life.fixture.lab, node))["upgrade.kubelet"]!;
            assert.equal(begun - failed, 1, node);
        }
    });

    it("has nothing left of the move, but what etcd held before it", async () => {
        const { kubectl, lab, project } = life.fixture;
        const images = ["get", "pods", "-o", "jsonpath={.items[*].spec.containers[*].image}"];
        const old = (await kubectl("-n", "kube-system", ...images))
            .split(" ")
            .filter(each => each.endsWith(`:v${from}`));
        assert.deepEqual(old, []);
        for (const node of nodes) assert.equal((await lab.ssh(node, "test -e /var/lib/pulumi-nfv/upgrade")).code, 1);
        const copy = await lab.mustSsh("m1", "ls /var/lib/pulumi-nfv/etcd-before-upgrade");
        assert.match(copy, new RegExp(`^before-${to}\\.db$`, "m"));
        await project.up({ expectNoChanges: true });
    });

    it("refuses at preview to go back once it has moved", async () => {
        const [former, newer] = [await life.programs(from), await life.programs(to)];
        await life.give(({ cluster }) => (cluster.kubernetes = former));
        assert.match(await life.fails("preview"), new RegExp(`UPGRADE_REFUSED.*${from} is earlier`));
        await life.give(({ cluster }) => (cluster.kubernetes = newer));
    });
}

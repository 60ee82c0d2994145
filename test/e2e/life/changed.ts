import { strict as assert } from "node:assert";
import type { Life } from "./life";

export function isChanged(life: Life): void {
    it("shows in preview exactly one step of one node when one label changes", async () => {
        await life.give(({ cluster }) => (cluster.pools.workers.labels.site = "north"));
        const text = await life.fixture.project.preview("--diff");
        const [, node = "", ...others] = text.split("dynamic/nfv:Node: (update)");
        assert.match(node, /\[urn=\S+::core-w1\]/);
        assert.deepEqual(others, []);
        const steps = node.split("\n").filter(line => /^\s*~ .+: "[0-9a-f]{12}" => "[0-9a-f]{12}"/.test(line));
        assert.equal(steps.length, 1, text);
        assert.match(steps[0]!, /set labels and taints/);
        assert.match(text, /operation: modify information: pools\.workers\.labels/);
        assert.match(text, /~ 2 to update\n +\d+ unchanged/, "its Node, and what notes the operation");
    });

    it("gets that label, two more control-plane nodes, another worker and another replica of its network function in one `up`", async () => {
        await life.give(wish => {
            const { hosts } = wish.cluster.infrastructure;
            for (const name of life.controlPlaneNodes) hosts.controlPlane[name] ??= life.machine(name);
            hosts.pools.workers.w2 = life.machine("w2");
            wish.replicas = 2;
            // A node that leaves is drained as it was made.
            wish.cluster.drain.timeoutSeconds = 10;
        });
        const output = await life.fixture.project.up();
        assert.match(output, /operation: .*scale out control plane \+2 \(m2, m3\), workers \+1 \(w2\)/);
        assert.equal(Object.keys(await life.ready()).length, 5);
        const site = ["-l", "site=north", "-o", "jsonpath={.items[*].metadata.name}"];
        assert.equal(await life.fixture.kubectl("get", "nodes", ...site), "w1 w2");
    });

    it("runs the replicas on different workers, which answer by Service and by DNS name", async () => {
        const { kubectl } = life.fixture;
        const pods = JSON.parse(await kubectl("-n", "web", "get", "pods", "-o", "json")).items;
        assert.deepEqual(pods.map((pod: any) => pod.spec.nodeName).sort(), life.workers);
        const address = await kubectl("-n", "web", "get", "service", "web", "-o", "jsonpath={.spec.clusterIP}");
        const ask = (host: string) => `timeout 5 wget -qO- http://${host}/`;
        for (const host of [address, "web", "web.web.svc.cluster.local"]) {
            const from = ["-n", "web", "exec", pods[0].metadata.name, "--", "sh", "-c"];
            const seen = new Set<string>();
            await life.settles(async () => {
                const said = await kubectl(...from, Array(8).fill(ask(host)).join("; "));
                for (const line of said.trim().split("\n")) seen.add(line);
                const all = life.workers.map(name => `web on ${name}`);
                assert.deepEqual([...seen].sort(), all, `through ${host}`);
            });
        }
    });

    it("keeps two CoreDNS replicas on two machines", () =>
        life.settles(async () => {
            const get = ["-n", "kube-system", "get", "pods", "-l", "k8s-app=kube-dns", "-o", "json"];
            const { items } = JSON.parse(await life.fixture.kubectl(...get));
            const running = items.filter(
                (pod: any) => !pod.metadata.deletionTimestamp && pod.status.phase === "Running",
            );
            assert.equal(new Set(running.map((pod: any) => pod.spec.nodeName)).size, 2);
        }));
}

import { strict as assert } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import { skipIf } from "../support/skip";
import { asStory } from "../support/story";
import { notBuilt } from "../support/user-project";
import { endsOnDisk } from "./certificates-on-nodes";
import { clusterArguments, eventually, type Fixture, openFixture, webObjects } from "./cluster-fixture";
import { apply } from "./cluster-observed";
import { endCertificates } from "./ended-certificates";

const shape = { masters: ["m1", "m2", "m3"], workers: ["w1"] };
const nodes = [...shape.masters, ...shape.workers];
const day = 86_400_000;

/** Real kubeadm nodes that were off, or that were forgotten, until all their certificates had ended. */
describe("a cluster whose certificates have ended", function () {
    this.timeout("30m");
    asStory(this);
    let fixture: Fixture;
    let former: Record<string, string>;

    /** kubelet refuses to start then, so nothing else runs. */
    const dies = async () => {
        await Promise.all(nodes.map(node => fixture.lab.reboot(node)));
        await sleep(15_000);
        for (const node of nodes) {
            const { stdout } = await fixture.lab.ssh(node, "pgrep -l '^(etcd|kube-)'");
            assert.equal(stdout, "", `${node} runs something`);
        }
        for (const master of shape.masters) {
            const { address } = fixture.lab.node(master);
            const { code } = await fixture.lab.ssh(master, `curl -sk -m 3 https://${address}:6443/livez`);
            assert.notEqual(code, 0, `${master} answers`);
        }
    };
    const seen = async () => ({
        pods: await fixture.kubectl("-n", "default", "get", "pods", "-o", "jsonpath={.items[*].metadata.uid}"),
        nodes: await fixture.kubectl("get", "nodes", "-o", "jsonpath={.items[*].metadata.uid}"),
        token: await fixture.project.output("token"),
        kubeconfig: await fixture.project.output("kubeconfig"),
    });
    const lives = async () => {
        for (const node of nodes)
            for (const [file, end] of Object.entries(await endsOnDisk(fixture.lab, node)))
                assert.ok(end.getTime() > Date.now() + 300 * day, `${file} of ${node} ends ${end.toISOString()}`);
        await eventually(120, async () => {
            const lines = (await fixture.kubectl("get", "nodes", "--no-headers")).trim().split("\n");
            assert.equal(lines.filter(line => / Ready /.test(line)).length, nodes.length, lines.join("\n"));
        });
        for (const master of shape.masters) {
            const { address } = fixture.lab.node(master);
            const server = ["--server", `https://${address}:6443`];
            await eventually(60, async () =>
                assert.equal(await fixture.kubectl(...server, "get", "--raw", "/readyz"), "ok"),
            );
        }
        assert.deepEqual(await seen(), former);
        await eventually(120, async () => {
            const page = await fixture.kubectl("get", "--raw", "/api/v1/namespaces/default/services/web:80/proxy/");
            assert.match(page, /web on w1/);
        });
    };

    const give = (objects: object[] = []) => {
        const args = { ...clusterArguments(fixture.lab, shape), registries: {} };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        const given = {
            cluster: JSON.stringify(args),
            ...(objects.length > 0 && { objects: JSON.stringify(objects) }),
        };
        return fixture.project.setConfig(given, { secrets: JSON.stringify(secrets) });
    };

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture({ name: "ended", nodes });
        await give();
        await fixture.project.up();
        await fixture.kubectl("get", "nodes");
        await apply(fixture, ...webObjects);
        await fixture.kubectl("-n", "default", "rollout", "status", "deployment/web", "--timeout=120s");
        former = await seen();
    });
    after(() => fixture?.close());

    it("is dead when its machines start again", async () => {
        await endCertificates(fixture.lab, shape, -3600);
        await dies();
    });

    it("is brought back by up --refresh, with the pods, nodes and credentials that it had", async () => {
        const began = Date.now();
        const said = await fixture.project.up({ refresh: true });
        console.log(`      brought back in ${Math.round((Date.now() - began) / 1000)} s`);
        assert.doesNotMatch(said, /replaced|up changes nothing/);
        await lives();
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("is brought back by up alone, because the state knows when its certificates end, and no network function is replaced", async () => {
        await give(webObjects);
        await fixture.project.up();
        await endCertificates(fixture.lab, shape, 150);
        const ended = Date.now() + 150_000;
        await fixture.project.refresh();
        assert.ok(Date.now() < ended, "the refresh saw them before their end");
        await sleep(ended - Date.now() + 1000);
        await dies();
        const preview = await fixture.project.preview();
        for (const node of nodes) assert.match(preview, new RegExp(`${node}: renew certificates: .* ended on`));
        assert.doesNotMatch(preview, /replace|Deployment.*(update|create)/);
        // Pulumi's Kubernetes plug-in cannot refresh objects of a cluster that does not answer: a rule of its own
        await assert.rejects(fixture.project.up({ refresh: true }), /unreachable cluster/);
        await fixture.project.up();
        await lives();
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });
});

import { strict as assert } from "node:assert";
import { asStory } from "../support/story";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";

describe("a worker whose machine is dead for ever", function () {
    this.timeout("20m");
    asStory(this);
    const [master, worker] = ["m1", "w1"];
    let fixture: Fixture;
    let args: any;

    const give = () =>
        fixture.project.setConfig(
            { cluster: JSON.stringify(args) },
            { secrets: JSON.stringify({ privateKey: fixture.lab.node(master).privateKey }) },
        );
    /** Pods of the cluster's DNS on a node: they belong to a Deployment, so a drain waits for them. */
    const podsOn = async (node: string) => {
        const of = ["-l", "k8s-app=kube-dns", "--field-selector", `spec.nodeName=${node}`];
        const names = await fixture.kubectl("-n", "kube-system", "get", "pods", ...of, "-o", "name");
        return names.split("\n").filter(Boolean);
    };

    before(async () => {
        fixture = await openFixture({ name: "dead", nodes: [master, worker], plugins: [] });
        args = clusterArguments(fixture.lab, { masters: [master], workers: [worker] });
        delete args.registries;
        args.drain = { timeoutSeconds: 20 };
        await give();
        await fixture.project.up();
        assert.notDeepEqual(await podsOn(worker), []);
        await fixture.lab.powerOff(worker);
        await fixture.kubectl("wait", "--for=condition=Ready=Unknown", `node/${worker}`, "--timeout=180s");
        delete args.infrastructure.hosts.pools.workers[worker];
        await give();
    });
    after(() => fixture?.close());

    it("is kept while only its silence is known; the error says how it is given up", async () => {
        const { code, output } = await fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"])
            .done;
        assert.notEqual(code, 0, output);
        assert.match(output, /w1: drain: DRAIN_FAILED/);
        const [, name] = /NFV_GIVE_UP=(\S+\/w1) /.exec(output) ?? [];
        assert.ok(name, output);
        fixture.project.env["NFV_GIVE_UP"] = name;
    });

    it("leaves when it is given up by name, although no kubelet confirms that its pods have ended; they run elsewhere", async () => {
        await fixture.project.up();
        assert.equal(await fixture.kubectl("get", "node", worker, "--ignore-not-found", "-o", "name"), "");
        await eventually(120, async () => {
            assert.deepEqual(await podsOn(worker), []);
            // The other replica has no node left.
            await fixture.kubectl(
                "-n",
                "kube-system",
                "wait",
                "--for=condition=Available",
                "deployment/coredns",
                "--timeout=5s",
            );
        });
        await fixture.project.up({ expectNoChanges: true });
    });
});

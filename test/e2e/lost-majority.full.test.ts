import { strict as assert } from "node:assert";
import { asStory } from "../support/story";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";

describe("a cluster that has lost two of its three masters for ever", function () {
    this.timeout("40m");
    asStory(this);
    const [survivor, worker] = ["m1", "w1"];
    const lost = ["m2", "m3"];
    /** Fresh machines in place of the lost ones. */
    const spare = { m2: "m4", m3: "m5" };
    let fixture: Fixture;
    let args: any;
    let clusterId = "";

    /** The program has the lost masters on these machines. */
    const program = async (machines: Record<string, string>) => {
        const { controlPlane } = args.infrastructure.hosts;
        for (const [name, node] of Object.entries(machines)) {
            const { address, hostKey } = fixture.lab.node(node);
            controlPlane[name] = { address, ssh: { hostKey } };
        }
        await fixture.project.setConfig(
            { cluster: JSON.stringify(args) },
            { secrets: JSON.stringify({ privateKey: fixture.lab.node(survivor).privateKey }) },
        );
    };
    const say = (env: Record<string, string>) => {
        for (const name of ["NFV_FORCE_NEW_CLUSTER", "NFV_GIVE_UP"]) delete fixture.project.env[name];
        Object.assign(fixture.project.env, env);
    };
    const refused = async () => {
        const { code, output } = await fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"])
            .done;
        assert.notEqual(code, 0, output);
        return output;
    };
    const lostNames = () => lost.map(name => `${clusterId}/${name}`).join(",");
    const cure = () => ({ NFV_FORCE_NEW_CLUSTER: `${clusterId}/${survivor}`, NFV_GIVE_UP: lostNames() });
    const write = (name: string) =>
        eventually(120, async () => {
            try {
                await fixture.kubectl("create", "configmap", name, `--from-literal=name=${name}`);
            } catch (error) {
                // an answer may have been lost
                if (!/AlreadyExists/.test(String(error))) throw error;
            }
        });
    const read = (name: string) => fixture.kubectl("get", "configmap", name, "-o", "jsonpath={.data.name}");
    const members = async () => {
        const pki = "/etc/kubernetes/pki/etcd";
        const login = `--cacert ${pki}/ca.crt --cert ${pki}/server.crt --key ${pki}/server.key`;
        const { address } = fixture.lab.node(survivor);
        const json = await fixture.lab.mustSsh(
            survivor,
            `curl -s --http1.1 -m 5 ${login} https://${address}:2380/members`,
        );
        return (JSON.parse(json) as { name: string }[]).map(({ name }) => name).sort();
    };

    before(async () => {
        const nodes = [survivor, ...lost, ...Object.values(spare), worker];
        fixture = await openFixture({ name: "majority", nodes, plugins: [] });
        args = clusterArguments(fixture.lab, { masters: [survivor, ...lost], workers: [worker] });
        delete args.registries;
        await program({});
        await fixture.project.up();
        await write("precious");
        await Promise.all(lost.map(name => fixture.lab.powerOff(name)));
    });
    after(() => fixture?.close());

    it("is not repaired by a plain `up` with a fresh machine; the error names the cure", async () => {
        await program({ m2: spare.m2 });
        const output = await refused();
        console.log(
            output
                .split("\n")
                .filter(line => /leader|lost-majority|NO_CONTROL/.test(line))
                .join("\n"),
        );
        assert.match(output, /NO_CONTROL_PLANE/);
        assert.match(output, /m1: its API server is not ready: its etcd has no leader/);
        assert.match(output, /docs\/lost-majority\.md/);
        [, clusterId = ""] = /NFV_FORCE_NEW_CLUSTER=(\S+)\/m1 /.exec(output) ?? [];
        assert.notEqual(clusterId, "", output);
    });

    it("is not given a new etcd while the others are only silent; the error names them", async () => {
        await program(spare);
        say({ NFV_FORCE_NEW_CLUSTER: `${clusterId}/${survivor}` });
        const output = await refused();
        assert.match(output, /QUORUM_AT_RISK/);
        assert.match(output, new RegExp(`NFV_GIVE_UP=${lostNames()} `));
        assert.deepEqual(await members(), [survivor, ...lost]);
    });

    it("is cured by one `up` with fresh machines: shown in the preview, through a power failure in the middle, with its data", async () => {
        say(cure());
        const preview = await fixture.project.preview("--diff");
        assert.match(preview, /forceNewCluster/);
        assert.match(preview, /Changes that m1 did not receive are lost/);
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
        await fixture.lab.mustSsh(survivor, "until [ -d /var/lib/etcd/new-cluster/data/member ]; do sleep 0.05; done");
        await fixture.lab.powerOff(survivor);
        await fixture.lab.powerOn(survivor);
        const { code, output } = await run.done;
        assert.equal(code, 0, output);
        console.log(
            output
                .split("\n")
                .filter(line => /revision and keys|of one member;/.test(line))
                .at(-1),
        );
        assert.deepEqual(await members(), [survivor, ...lost]);
        assert.equal(await eventually(120, () => read("precious")), "precious");
        await write("after-the-cure");
        await fixture.kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=120s");
    });

    it("refuses the cure where etcd works: the variable cannot stay on", async () => {
        assert.match(await refused(), /its etcd has a majority \(of 3\): there is nothing to force/);
    });

    it("has nothing more to change, and is whole: it works without one of its three masters", async () => {
        say({});
        await fixture.project.up({ expectNoChanges: true });
        await fixture.lab.powerOff(spare.m3);
        await write("without-one");
        for (const name of ["precious", "after-the-cure", "without-one"]) assert.equal(await read(name), name);
        await fixture.lab.powerOn(spare.m3);
    });

    it("is not disturbed by a lost master that comes back with its old data: its etcd ends by itself", async () => {
        await fixture.lab.powerOn("m2");
        await eventually(180, async () => {
            const said = await fixture.lab.ssh(
                "m2",
                "grep -l 'permanently removed from the cluster' /var/log/pods/kube-system_etcd-m2_*/etcd/*.log",
            );
            assert.equal(said.code, 0, said.stderr);
        });
        await write("beside-the-old-one");
        assert.equal(await read("beside-the-old-one"), "beside-the-old-one");
        assert.deepEqual(await members(), [survivor, ...lost]);
    });
});

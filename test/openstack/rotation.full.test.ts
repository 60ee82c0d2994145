import { strict as assert } from "node:assert";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import type { BackEnd } from "../../provider/openstack/requirements";
import { versions } from "../../tools/versions";
import { eventually } from "../e2e/cluster-fixture";
import { asStory } from "../support/story";
import {
    type CloudFixture,
    destroyOrSay,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    readyNodes,
    serverIds,
} from "./cloud-fixture";
import { openRotation, type Rotation } from "./rotation";

interface Row {
    title: string;
    backEnd: BackEnd;
    bootVolume?: boolean;
}

const rows: Row[] = [
    { title: "by Nova, from boot volumes", backEnd: "nova", bootVolume: true },
    { title: "by Nova", backEnd: "nova" },
    { title: "by Heat", backEnd: "heat" },
    { title: "by Heat, from boot volumes", backEnd: "heat", bootVolume: true },
];

const master = "core-control-plane-1";
const worker = (n: number) => `core-workers-${n}`;

for (const { title, backEnd, bootVolume } of rows) {
    describe(`a cluster ${title} on a cloud whose names move`, function () {
        this.timeout("30m");
        asStory(this);
        const name = `rotated-${backEnd}${bootVolume ? "-volume" : ""}`;
        const former = `${name}-former`;
        let fixture: CloudFixture;
        let rotation: Rotation;
        let untouched: Record<string, string[]>;
        let servers: Record<string, string>;
        let first: { image: string; flavor: string };

        const network = async (...words: string[]) => fixture.cloud.openstack(["network", ...words]);
        const addNetwork = async (range: string) => {
            await network("create", name);
            await fixture.cloud.openstack([
                "subnet",
                "create",
                "--network",
                name,
                "--subnet-range",
                range,
                `${name}-${range[3]}`,
            ]);
        };
        const configure = (workers: number, { project } = fixture) =>
            project.setConfig({
                cluster: JSON.stringify({
                    infrastructure: {
                        [backEnd]: {
                            ...{ image: name, flavor: name, externalNetwork: fixture.cloud.publicNetwork },
                            network: { network: name },
                            server: { securityGroups: [name], ...(bootVolume && { bootVolume: { sizeGiB: 10 } }) },
                        },
                    },
                    kubernetes: { version: versions.kubernetes },
                    controlPlane: { count: 1 },
                    pools: { workers: { count: workers } },
                    ...{ kubelet: labKubelet, kubeProxy: labKubeProxy },
                }),
            });

        before(async () => {
            fixture = await openCloudFixture("program", name, { programs: "test/openstack" });
            rotation = await openRotation(fixture, name);
            first = await rotation.ids();
            await addNetwork("10.81.0.0/24");
            await fixture.cloud.openstack([
                "router",
                "create",
                "--external-gateway",
                fixture.cloud.publicNetwork,
                name,
            ]);
            await fixture.cloud.openstack(["router", "add", "subnet", name, `${name}-8`]);
            await fixture.cloud.openstack(["security", "group", "create", name]);
            untouched = await footprint(fixture);
            await configure(1);
        });

        after(async () => {
            // What a failed row left would stop the next ones.
            await destroyOrSay(fixture);
            const attempt = (...words: string[]) => fixture?.cloud.openstack(words).catch(() => "");
            await attempt("router", "remove", "subnet", name, `${name}-8`);
            for (const what of [["router"], ["network"], ["security", "group"]]) {
                await attempt(...what, "delete", name);
                await attempt(...what, "delete", former);
            }
            await rotation?.clear();
            await fixture?.close();
        });

        it("stands after one `pulumi up`", async () => {
            await fixture.project.up();
            servers = await serverIds(fixture);
            assert.deepEqual(await readyNodes(fixture), [master, worker(1)]);
            assert.equal(await rotation.imageOf(servers[master]!), first.image);
        });

        it("is out of reach for another stack's cluster of the same name: refused by what it would take, and its `destroy` takes nothing", async () => {
            const all = await footprint(fixture);
            const second = await openCloudFixture("program", `${name}-second`, { programs: "test/openstack" });
            try {
                await configure(1, second);
                for (const command of [["preview"], ["up", "--yes", "--skip-preview"]]) {
                    const { code, output } = await second.project.start([...command, "--non-interactive"]).done;
                    assert.notEqual(code, 0, output);
                    const owner = `that of the cluster "core" of the Pulumi program cluster-on-cloud:${name}, not`;
                    for (const node of [master, worker(1)])
                        assert.ok(output.includes(`a server "${node}" exists already and is ${owner}`), output);
                    if (backEnd === "heat")
                        assert.match(output, /a stack "core" exists already and is not this cluster's/);
                }
                await second.project.destroy();
            } finally {
                await second.close();
            }
            assert.deepEqual(await footprint(fixture), all);
            assert.deepEqual(await serverIds(fixture), servers);
            assert.deepEqual(await readyNodes(fixture), [master, worker(1)]);
            await fixture.project.up({ refresh: true, expectNoChanges: true });
        });

        it("changes nothing when image, flavor, network and security group get other names, and others theirs; a server in ERROR that lives stays", async () => {
            await rotation.rotate();
            await network("set", "--name", former, name);
            await addNetwork("10.82.0.0/24");
            await fixture.cloud.openstack(["security", "group", "set", "--name", former, name]);
            await fixture.cloud.openstack(["security", "group", "create", name]);
            // Nova shows a network's new name only after it has refreshed the server's ports, one server a minute.
            for (const id of Object.values(servers))
                await eventually(300, async () => {
                    const { addresses } = await fixture.cloud.json<{ addresses: object }>(["server", "show", id]);
                    assert.deepEqual(Object.keys(addresses), [former]);
                });
            await fixture.cloud.openstack(["server", "set", "--state", "error", servers[worker(1)]!], { admin: true });
            try {
                await fixture.project.up({ expectNoChanges: true });
                const output = await fixture.project.up({ refresh: true });
                assert.doesNotMatch(output, /replac|deleted/);
                if (backEnd === "heat") assert.match(output, /core-workers-1: its server is ERROR in Nova and stays/);
                assert.deepEqual(await serverIds(fixture), servers);
            } finally {
                // If it is gone, the test has already failed.
                await fixture.cloud
                    .openstack(["server", "set", "--state", "active", servers[worker(1)]!], { admin: true })
                    .catch(() => {});
            }
        });

        it("makes a new worker from what bears the names now, beside the others in the cluster's network", async () => {
            await configure(2);
            await fixture.project.up();
            const { [worker(2)]: added, ...others } = await serverIds(fixture);
            assert.deepEqual(others, servers);
            assert.deepEqual(await readyNodes(fixture), [master, worker(1), worker(2)]);
            const now = await rotation.ids();
            assert.notEqual(now.image, first.image);
            assert.equal(await rotation.imageOf(added!), now.image);
            assert.equal(await rotation.flavorOf(added!), now.flavor);
            assert.equal(await rotation.imageOf(servers[master]!), first.image);
            await fixture.project.up({ expectNoChanges: true });
        });

        if (backEnd === "heat") {
            it("changes its stack also while two images have one name", async () => {
                const { [worker(2)]: _, ...others } = await serverIds(fixture);
                await fixture.cloud.openstack(["image", "set", "--name", name, first.image]);
                try {
                    await configure(1);
                    await fixture.project.up();
                } finally {
                    await fixture.cloud.openstack(["image", "set", "--name", former, first.image]);
                }
                assert.deepEqual(await serverIds(fixture), others);
                assert.deepEqual(await readyNodes(fixture), [master, worker(1)]);
            });
        }

        if (backEnd === "heat") {
            it("never exchanges the image of a server that lives, whatever an old state says, and learns it by a refresh", async () => {
                const before = await serverIds(fixture);
                const whole = await fixture.project.exportStack();
                const { image } = await rotation.ids();
                assert.ok(whole.includes(first.image));
                const old = JSON.parse(whole.replaceAll(first.image, image));
                await fixture.project.stack.importStack(old);
                await configure(2);
                await assert.rejects(fixture.project.up(), /Heat would replace [\s\S]*nothing was changed/);
                assert.deepEqual(await serverIds(fixture), before);
                await fixture.project.up({ refresh: true });
                const { [worker(2)]: added, ...others } = await serverIds(fixture);
                assert.ok(added);
                assert.deepEqual(others, before);
                assert.deepEqual(await readyNodes(fixture), [master, worker(1), worker(2)]);
                await fixture.project.up({ expectNoChanges: true });
            });

            it("does not replace the stack with its cluster, by whatever name it is asked for", async () => {
                const before = await serverIds(fixture);
                const state = JSON.parse(await fixture.project.exportStack()).deployment.resources as { urn: string }[];
                const { urn } = state.find(each => each.urn.endsWith("StackV1::core"))!;
                await assert.rejects(fixture.project.up({ replace: [urn] }), /leave it out of --replace/);
                assert.deepEqual(await serverIds(fixture), before);
                await fixture.project.up();
                assert.deepEqual(await serverIds(fixture), before);
                assert.deepEqual(await readyNodes(fixture), [master, worker(1), worker(2)]);
            });

            it("has Heat finish a scale out that failed for want of a host, also after a refresh", async () => {
                const before = await serverIds(fixture);
                const [host] = await fixture.cloud.json<{ Host: string }[]>(
                    ["compute", "service", "list", "--service", "nova-compute"],
                    { admin: true },
                );
                const enable = (how: string) =>
                    fixture.cloud.openstack(["compute", "service", "set", how, host!.Host, "nova-compute"], {
                        admin: true,
                    });
                await configure(3);
                await enable("--disable");
                try {
                    await assert.rejects(fixture.project.up(), /core-workers-3|workers-3_server/);
                } finally {
                    await enable("--enable");
                }
                await fixture.project.up({ refresh: true });
                const { [worker(3)]: added, ...others } = await serverIds(fixture);
                assert.ok(added);
                assert.deepEqual(others, before);
                assert.deepEqual(await readyNodes(fixture), [master, worker(1), worker(2), worker(3)]);
                await fixture.project.up({ refresh: true, expectNoChanges: true });
            });

            it("heals a server in ERROR whose machine is off, with the port of the former one", async () => {
                const { [worker(3)]: dead, ...others } = await serverIds(fixture);
                await fixture.cloud.openstack(["server", "stop", dead!]);
                await eventually(300, async () => {
                    assert.deepEqual(await readyNodes(fixture), [master, worker(1), worker(2)]);
                });
                await fixture.cloud.openstack(["server", "set", "--state", "error", dead!], { admin: true });
                await fixture.project.up({ refresh: true });
                const { [worker(3)]: healed, ...kept } = await serverIds(fixture);
                assert.ok(healed && healed !== dead);
                assert.deepEqual(kept, others);
                assert.deepEqual(await readyNodes(fixture), [master, worker(1), worker(2), worker(3)]);
                await fixture.project.up({ expectNoChanges: true });
            });
        }

        if (backEnd === "nova") {
            it("replaces a server that is asked for by name, and no other, by one of the present image", async () => {
                const state = JSON.parse(await fixture.project.exportStack()).deployment.resources as { urn: string }[];
                const { urn } = state.find(each => each.urn.endsWith(`:Instance::${worker(1)}`))!;
                await fixture.project.up({ replace: [urn] });
                const { [worker(1)]: replaced, [master]: kept } = await serverIds(fixture);
                assert.notEqual(replaced, servers[worker(1)]);
                assert.equal(kept, servers[master]);
                assert.equal(await rotation.imageOf(replaced!), (await rotation.ids()).image);
                assert.deepEqual(await readyNodes(fixture), [master, worker(1), worker(2)]);
            });
        }

        it("leaves the project as it was after `pulumi destroy`, volumes of another cluster of its name included", async () => {
            const volume = async (cluster: string) => {
                const mark = `cinder.csi.openstack.org/cluster=${cluster}`;
                const made = await fixture.cloud.json([
                    "volume",
                    "create",
                    "--size",
                    "1",
                    "--property",
                    mark,
                    `${name}-${cluster}`,
                ]);
                return String(made["id"]);
            };
            const foreign = await volume("core");
            try {
                await volume(await fixture.project.output("clusterId"));
                await fixture.project.destroy();
                await fixture.cloud.openstack(["volume", "show", foreign]);
            } finally {
                await fixture.cloud.openstack(["volume", "delete", foreign]);
            }
            // Deletes what the test itself has renamed.
            await fixture.cloud.openstack(["network", "delete", name]);
            await network("set", "--name", name, former);
            await fixture.cloud.openstack(["security", "group", "delete", name]);
            await fixture.cloud.openstack(["security", "group", "set", "--name", name, former]);
            await destroyWithoutTrace(fixture, untouched);
        });
    });
}

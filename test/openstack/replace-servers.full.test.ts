import { strict as assert } from "node:assert";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectRoot } from "../../dev/levels";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { versions } from "../../tools/versions";
import { startHttpClient } from "../e2e/http-client";
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
import { type Kind, listAll, lists } from "./cloud-rest";
import { killAfterReplacement } from "./kill-run";
import { openRotation, type Rotation } from "./rotation";

const controlPlane = ["core-control-plane-1"];
const workers = [1, 2].map(n => `core-workers-${n}`);
const name = "replaced";

describe("servers that a program replaces", function () {
    this.timeout("40m");
    asStory(this);
    let fixture: CloudFixture;
    let rotation: Rotation;
    let untouched: Record<string, string[]>;
    let first: Record<string, string>;

    const configure = (replaceServers?: object, flavor = "m1.medium") => {
        const cluster = {
            infrastructure: {
                nova: {
                    ...{ image: name, flavor: "m1.medium", externalNetwork: fixture.cloud.publicNetwork },
                    access: { nodePortCidrs: ["0.0.0.0/0"] },
                },
            },
            kubernetes: { version: versions.kubernetes },
            controlPlane: { count: 1 },
            pools: { workers: { count: 2, flavor } },
            ...(replaceServers && { replaceServers }),
            ...{ kubelet: labKubelet, kubeProxy: labKubeProxy },
        };
        const manifests = path.join(projectRoot, "examples/openstack-nova/manifests");
        return fixture.project.setConfig({ cluster: JSON.stringify(cluster), manifests });
    };
    /** Ids of everything in the project but servers: what a replacement must leave. */
    const beside = async () => {
        const kinds = (Object.keys(lists) as Kind[]).filter(kind => kind !== "servers");
        const found = Object.entries(await listAll(fixture.rest, kinds));
        return Object.fromEntries(found.map(([kind, rows]) => [kind, rows.map(({ id }) => id).sort()]));
    };
    const imagesOf = async (servers: Record<string, string>, names: readonly string[]) =>
        Promise.all(names.map(each => rotation.imageOf(servers[each]!)));

    /** Releases of Debian. */
    const systemsOf = async (nodes: readonly string[]) => {
        const { items } = JSON.parse(await fixture.kubectl("get", "nodes", "-o", "json"));
        const images = new Map(items.map(({ metadata, status }: any) => [metadata.name, status.nodeInfo.osImage]));
        return nodes.map(node => /^Debian GNU\/Linux (\d+)/.exec(String(images.get(node)))?.[1]);
    };

    before(async function () {
        this.timeout("30m");
        fixture = await openCloudFixture("program", name, { programs: "test/openstack" });
        rotation = await openRotation(fixture, name, "debian-13");
        untouched = await footprint(fixture);
        await configure();
    });

    after(async () => {
        await destroyOrSay(fixture);
        await rotation?.clear();
        await fixture?.close();
    });

    it("stay as they are when the image's name means another image; another flavor is refused, and the refusal names the way", async () => {
        await fixture.project.up();
        first = await serverIds(fixture);
        assert.deepEqual(await readyNodes(fixture), [...controlPlane, ...workers]);
        await rotation.rotate();
        await fixture.project.up({ expectNoChanges: true });
        await configure(undefined, "m1.large");
        const { code, output } = await fixture.project.start(["preview", "--non-interactive"]).done;
        assert.notEqual(code, 0, output);
        assert.match(
            output.replace(/\s+/g, " "),
            /core-workers-1: flavor cannot be changed .*replaceServers: \{ run: "new-flavor", nodes: \["core-workers-1"\]/,
        );
        assert.deepEqual(await serverIds(fixture), first);
    });

    it("are shown before, node by node; nothing else is replaced but the servers and the nodes on them", async () => {
        await configure({ run: "2026-11", nodes: ["workers"] }, "m1.large");
        const text = await fixture.project.preview();
        console.log(
            text
                .split("\n")
                .filter(line => /replace|operation/.test(line))
                .join("\n"),
        );
        const flat = text.replace(/\s+/g, " ");
        assert.match(flat, /operation: heal core-workers-1, core-workers-2 \(new servers: 2026-11\)/);
        for (const worker of workers) {
            assert.match(
                flat,
                new RegExp(
                    `Node \\(${worker}\\): server replaced: image replaced-former \\(.{8}\\) to replaced \\(.{8}\\), flavor m1.medium to m1.large; after the control plane`,
                ),
            );
        }
        const replaced = text.split("\n").filter(line => /^\s*(\+-|\+\+|--) /.test(line));
        // What concerns the whole cluster knows the ids of its servers.
        for (const line of replaced)
            assert.match(line, /(Instance|Host|Node) core-workers-[12]\b|OperationEnd core\b/, text);
        // The second server goes when the first node is back.
        assert.match(flat, /Node core-workers-1 create replacement.*Node core-workers-2 delete original/);
        assert.deepEqual(await serverIds(fixture), first);
    });

    it("are replaced one after another: a run that is killed while the first joins goes on, and clients are served", async () => {
        const others = await beside();
        const { addresses } = await fixture.cloud.json<{ addresses: object }>([
            "server",
            "show",
            first[controlPlane[0]!]!,
        ]);
        const [address] = /172\.24\.4\.\d+/.exec(JSON.stringify(addresses)) ?? [];
        const client = startHttpClient(fixture.cloud, [`http://${address}:30080/`]);
        try {
            await sleep(3000);
            client.since();
            await killAfterReplacement(fixture, workers[0]!, first);
            const halfway = await serverIds(fixture);
            assert.equal(halfway[workers[1]!], first[workers[1]!], "the second worker keeps its server meanwhile");
            await fixture.project.up();
            const now = await serverIds(fixture);
            assert.equal(now[workers[0]!], halfway[workers[0]!], "no server is replaced twice");
            assert.notEqual(now[workers[1]!], first[workers[1]!]);
            for (const each of controlPlane) assert.equal(now[each], first[each]);
            assert.deepEqual(await readyNodes(fixture), [...controlPlane, ...workers]);
            const { image } = await rotation.ids();
            assert.deepEqual(await imagesOf(now, workers), [image, image]);
            assert.deepEqual(await systemsOf([...controlPlane, ...workers]), ["12", "13", "13"]);
            for (const worker of workers) {
                const { flavor } = await fixture.cloud.json<{ flavor: string }>(["server", "show", now[worker]!]);
                assert.match(JSON.stringify(flavor), /m1\.large/);
            }
            assert.deepEqual(await beside(), others);
            const { requests, failures } = client.since();
            console.log(
                `      ${failures.length} of ${requests} requests failed: ${[...new Set(failures)].join("; ")}`,
            );
            await fixture.project.up({ refresh: true, expectNoChanges: true });
        } finally {
            client.stop();
        }
    });

    it("stay when the word is taken away, and leave nothing behind after `pulumi destroy`", async () => {
        await configure(undefined, "m1.large");
        await fixture.project.up({ expectNoChanges: true });
        await destroyWithoutTrace(fixture, untouched);
    });
});

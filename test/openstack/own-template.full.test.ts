import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { StorageArgs } from "../../components/args/storage-args";
import { projectRoot } from "../../dev/levels";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { eventually } from "../e2e/cluster-fixture";
import { asStory } from "../support/story";
import {
    type CloudFixture,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    reachedByFloatingIp,
    readyNodes,
    serverIds,
} from "./cloud-fixture";
import { podAnswersMaster } from "./pod-answers";

/** The template of examples/openstack-own-template, with metadata of its own on the worker. */
function templateWith(word: string): string {
    const file = path.join(projectRoot, "examples/openstack-own-template/contract/cluster.yaml");
    const text = fs.readFileSync(file, "utf8");
    const changed = text.replace(/(name: beta\n\s*)image/, `$1metadata: { word: ${word} }\n      image`);
    assert.notEqual(changed, text);
    return changed;
}

describe("a cluster on servers of a template of the user's whose outputs name its nodes", function () {
    this.timeout("15m");
    asStory(this);
    let fixture: CloudFixture;
    let folder: string;
    let file: string;
    let untouched: Record<string, string[]>;
    let ids: string[];

    const servers = async () => (await fixture.list("servers")).map(({ id }) => id).sort();
    const configure = (lateImage = "", storage?: StorageArgs) =>
        fixture.configure({
            lateImage,
            cluster: JSON.stringify({
                clusterName: "core-contract",
                infrastructure: {
                    heat: {
                        template: {
                            file,
                            parameters: {
                                image: fixture.cloud.images.kubernetes,
                                flavor: "m1.medium",
                                external_network: fixture.cloud.publicNetwork,
                            },
                        },
                    },
                },
                kubernetes: { version: "1.36.3" },
                controlPlane: { count: 1 },
                pools: { workers: { count: 1 } },
                kubelet: labKubelet,
                kubeProxy: labKubeProxy,
                ...(storage && { storage }),
            }),
        });

    before(async () => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-template-"));
        file = path.join(folder, "cluster.yaml");
        fs.writeFileSync(file, templateWith("one"));
        fixture = await openCloudFixture("program", "own-contract", { programs: "test/openstack" });
        untouched = await footprint(fixture);
        await configure();
    });

    after(async () => {
        await fixture?.close();
        if (folder) fs.rmSync(folder, { recursive: true, force: true });
    });

    it("stands after one `pulumi up`: both nodes Ready, asked by kubectl through a floating IP", async () => {
        await fixture.project.up();
        assert.deepEqual(await readyNodes(fixture), ["alpha", "beta"]);
        await reachedByFloatingIp(fixture);
        await podAnswersMaster(fixture, "beta");
        ids = await servers();
    });

    it("changes nothing when `up` runs again, after a refresh", async () => {
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("puts a storage server beside the stack, into the network of its nodes, and takes it away again without its volume", async () => {
        const name = "core-contract-storage";
        await configure("", {
            server: { flavor: "m1.small" },
            volumes: { data: { sizeGiB: 1 } },
            exports: { "/exports/data": { volume: "data" } },
        });
        await fixture.project.up();
        const { [name]: storage } = await serverIds(fixture);
        assert.deepEqual(
            (await servers()).filter(id => id !== storage),
            ids,
        );
        await fixture.project.up({ expectNoChanges: true });
        await configure();
        await fixture.project.up();
        assert.deepEqual(await servers(), ids);
        await fixture.cloud.openstack(["volume", "delete", `${name}-data`]);
        const volumes = async () => (await fixture.list("volumes")).map(each => each.name);
        await eventually(60, async () => assert.ok(!(await volumes()).includes(`${name}-data`)));
    });

    it("refuses at preview an image that another resource gives, and does not touch the servers", async () => {
        await configure(fixture.cloud.images.plain);
        await assert.rejects(
            fixture.project.preview(),
            /image of alpha has another value than in the stack[\s\S]*image of beta/,
        );
        await assert.rejects(fixture.project.up(), /image of alpha has another value than in the stack/);
        assert.deepEqual(await servers(), ids);
        await configure(fixture.cloud.images.kubernetes);
        await fixture.project.up();
        assert.deepEqual(await servers(), ids, "the same image, from another place");
        await configure();
        await fixture.project.up();
        assert.deepEqual(await servers(), ids);
    });

    it("refuses a change of the stack in a run that leaves out the operation's start", async () => {
        fs.writeFileSync(file, templateWith("two"));
        const only = ["--target", "**StackV1::core"];
        for (const run of [
            ["preview", ...only],
            ["up", "--yes", "--skip-preview", ...only],
        ])
            await assert.rejects(
                fixture.project.run(run),
                /--target or --exclude leaves out the resource that prepares/,
            );
        assert.deepEqual(await servers(), ids);
    });

    it("keeps the servers when the template changes what Heat can change on them", async () => {
        await fixture.project.up();
        assert.deepEqual(await servers(), ids);
        assert.deepEqual(await readyNodes(fixture), ["alpha", "beta"]);
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("leaves the project as it was after `pulumi destroy`", async () => {
        await destroyWithoutTrace(fixture, untouched);
    });
});

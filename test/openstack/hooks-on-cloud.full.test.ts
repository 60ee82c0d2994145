import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import type { BackEnd } from "../../provider/openstack/requirements";
import type { HookFacts } from "../../provider/operation/hooks/contract";
import { versions } from "../../tools/versions";
import { asStory } from "../support/story";
import { type CloudFixture, footprint, openCloudFixture, readyNodes } from "./cloud-fixture";

const rows: { backEnd: BackEnd; login: string }[] = [
    { backEnd: "nova", login: "lab-3" },
    { backEnd: "heat", login: "lab-4" },
];

for (const { backEnd, login } of rows) {
    describe(`hooks of a cluster on the cloud, by ${backEnd}`, function () {
        this.timeout("20m");
        asStory(this);
        let fixture: CloudFixture;
        let untouched: Record<string, string[]>;
        let log: string;

        const events = ["instantiate", "scale", "heal", "terminate"].flatMap(name => [`${name}Start`, `${name}End`]);
        const configure = (workers: number) => {
            const { kubernetes: image } = fixture.cloud.images;
            const cluster = {
                infrastructure: {
                    [backEnd]: { image, flavor: "m1.medium", externalNetwork: fixture.cloud.publicNetwork },
                },
                kubernetes: { version: versions.kubernetes },
                controlPlane: { count: 1 },
                pools: { workers: { count: workers } },
                kubelet: labKubelet,
                kubeProxy: labKubeProxy,
                hooks: [
                    { name: "here", script: path.join(log, "here.sh"), events },
                    {
                        name: "there",
                        script: path.join(log, "there.sh"),
                        events: ["scaleStart", "scaleEnd"],
                        nodes: { role: "worker" },
                    },
                ],
            };
            return fixture.project.setConfig({ cluster: JSON.stringify(cluster) });
        };
        const told = () => {
            const place = path.join(log, "told");
            const text = fs.existsSync(place) ? fs.readFileSync(place, "utf8") : "";
            return text
                .split("\n")
                .filter(line => line !== "")
                .map(line => JSON.parse(line) as HookFacts);
        };
        const runs = async (run: () => Promise<unknown>) => {
            const before = told().length;
            await run();
            return told().slice(before);
        };
        const names = (facts: readonly HookFacts[]) => facts.map(({ etsiEvent }) => etsiEvent);
        before(async () => {
            log = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-hooks-"));
            fixture = await openCloudFixture("program", `hooks-${backEnd}`, { programs: "test/openstack", login });
            untouched = await footprint(fixture);
            const here = `#!/bin/sh\ncat >>${log}/told; echo >>${log}/told\n`;
            fs.writeFileSync(path.join(log, "here.sh"), here, { mode: 0o755 });
            fs.writeFileSync(path.join(log, "there.sh"), '#!/bin/sh\necho "$PULUMI_NFV_EVENT" >>/root/hooks\n');
            await configure(1);
        });
        after(async () => {
            await fixture?.close();
            if (log) fs.rmSync(log, { recursive: true, force: true });
        });

        it("run around the instantiation, and know the servers at its end", async () => {
            const [start, end, ...others] = await runs(() => fixture.project.up());
            assert.deepEqual(names([start!, end!, ...others]), ["instantiate_start", "instantiate_end"]);
            const nodes = ["core-control-plane-1", "core-workers-1"];
            assert.deepEqual(start!.nodes.added, nodes);
            assert.deepEqual(
                start!.nodes.after.map(({ address }) => address),
                [undefined, undefined],
            );
            for (const { address, sshAddress, serverId } of end!.nodes.after) {
                assert.match(address!, /^10\./);
                assert.ok(sshAddress !== undefined && serverId !== undefined);
            }
            await fixture.project.up({ expectNoChanges: true });
        });

        it("run around a scale out, also on the nodes", async () => {
            await configure(2);
            const facts = await runs(() => fixture.project.up());
            assert.deepEqual(names(facts), ["scale_start", "scale_end"]);
            assert.deepEqual(
                facts.map(({ nodes }) => [nodes.before.length, nodes.after.filter(each => each.address).length]),
                [
                    [2, 2],
                    [2, 3],
                ],
            );
            await fixture.project.up({ expectNoChanges: true });
        });

        it("run around a scale in: at its end the server is gone", async () => {
            await configure(1);
            let output = "";
            const [start, end, ...others] = await runs(async () => {
                output = await fixture.project.up();
            });
            const gone = backEnd === "nova" ? /Instance core-workers-2 deleted/ : /StackV1 core updated/;
            assert.ok(output.search(gone) > 0 && output.search(gone) < output.indexOf("hook scale_end: here"), output);
            assert.deepEqual(names([start!, end!, ...others]), ["scale_start", "scale_end"]);
            assert.deepEqual(end!.nodes.removed, ["core-workers-2"]);
            assert.deepEqual(await readyNodes(fixture), ["core-control-plane-1", "core-workers-1"]);
            await fixture.project.up({ expectNoChanges: true });
        });

        it("run around a heal: before it the lost server is named, after it the new one", async () => {
            const { serverId: former } = told()
                .at(-1)!
                .nodes.before.find(({ name }) => name === "core-workers-1")!;
            await fixture.cloud.openstack(["server", "delete", "--wait", former!]);
            const facts = await runs(() => fixture.project.up({ refresh: true }));
            assert.deepEqual(names(facts), ["heal_start", "heal_end"]);
            const [start, end] = facts as [HookFacts, HookFacts];
            assert.deepEqual(start.nodes.replaced, ["core-workers-1"]);
            const idIn = (nodes: HookFacts["nodes"]["after"]) =>
                nodes.find(({ name }) => name === "core-workers-1")!.serverId;
            assert.equal(idIn(end.nodes.before), former);
            assert.notEqual(idIn(end.nodes.after), former);
        });

        it("run around the termination, and nothing is left", async () => {
            const facts = await runs(() => fixture.project.destroy());
            assert.deepEqual(names(facts), ["terminate_start", "terminate_end"]);
            assert.deepEqual(await footprint(fixture), untouched);
        });
    });
}

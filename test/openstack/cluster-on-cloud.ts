import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import type { BackEnd } from "../../provider/openstack/requirements";
import { eventually } from "../e2e/cluster-fixture";
import { firstPlanCanBeApproved } from "../support/plan-hash";
import { asStory } from "../support/story";
import {
    type CloudFixture,
    destroyWithoutTrace,
    type FixtureOptions,
    footprint,
    openCloudFixture,
    reachedByFloatingIp,
    readyNodes,
    serverIds,
} from "./cloud-fixture";
import { metadataIsForTheNodeOnly } from "./metadata-service";

const named = (prefix: string) => (count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`);
const workers = named("core-workers");

const sizes = {
    "three masters and two workers": [3, 2],
    "three masters and one worker": [3, 1],
    "one master and one worker": [1, 1],
} as const;

export interface Row {
    backEnd: BackEnd;
    /** @default "three masters and two workers" */
    size?: keyof typeof sizes;
    /** Log in with an application credential, to Keystone behind TLS; otherwise with a password. */
    siteLogin?: boolean;
    /** As in `FixtureOptions`. */
    login?: string;
    system?: FixtureOptions["system"];
    /** Runs between the first preview and the first complete `up`. */
    disturb?: (fixture: CloudFixture) => Promise<void>;
}

/** The story of a cluster on the cloud, for each back end with its unchanged example. */
export function clusterOnCloud({
    backEnd,
    size = "three masters and two workers",
    siteLogin,
    login,
    system,
    disturb,
}: Row): void {
    const masters = named("core-control-plane")(sizes[size][0]);
    const few = sizes[size][1];
    const added = `core-workers-${few + 1}`;
    describe(`a cluster of ${size} on servers by ${backEnd}${system ? ` in a cloud of ${system}` : ""}${disturb ? ", first killed" : ""}`, function () {
        this.timeout("25m");
        asStory(this);
        let fixture: CloudFixture;
        let untouched: Record<string, string[]>;

        before(async () => {
            fixture = await openCloudFixture(`openstack-${backEnd}`, `e2e-${backEnd}`, { siteLogin, login, system });
            untouched = await footprint(fixture);
            await fixture.configure({ masters: masters.length, workers: few });
        });

        after(async () => fixture?.close());

        it("shows before the first run which servers there will be, and which steps on which node", async () => {
            const text = await fixture.project.preview("--diff");
            for (const node of [...masters, ...workers(few)]) assert.ok(text.includes(node), node);
            assert.match(text, /initialise or join the cluster"?\s*: "to do"/);
            assert.deepEqual(await footprint(fixture), untouched);
            firstPlanCanBeApproved(fixture.firstPlan);
        });

        it("stands after one `pulumi up`: all nodes Ready, asked by kubectl through the floating IP", async () => {
            await disturb?.(fixture);
            await fixture.project.up();
            assert.deepEqual(await readyNodes(fixture), [...masters, ...workers(few)].sort());
            await reachedByFloatingIp(fixture);
        });

        it("answers as a network function on a worker's floating IP, from outside", async () => {
            const addresses = await floatingAddresses(fixture, workers(few));
            for (const address of addresses) {
                await eventually(60, async () => {
                    const said = await fixture.outside("curl", "-sS", "--max-time", "5", `http://${address}:30080/`);
                    assert.match(said, /a network function answers/);
                });
            }
        });

        it("closes the cloud's metadata service to pods, and leaves it to the nodes", () =>
            metadataIsForTheNodeOnly(fixture, workers(1)[0]!));

        it("changes nothing when `up` runs again, and after a refresh", async () => {
            await fixture.project.up({ expectNoChanges: true });
            await fixture.project.up({ refresh: true, expectNoChanges: true });
        });

        if (backEnd === "nova") {
            it("makes no second server where the state has lost one, as after a refresh in another project", async () => {
                const whole = await fixture.project.exportStack();
                const earlier = await serverIds(fixture);
                const resources = JSON.parse(whole).deployment.resources as { urn: string; id?: string }[];
                const { urn } = resources.find(each => each.id === earlier[workers(1)[0]!])!;
                await fixture.project.run(["state", "delete", "--yes", "--force", "--target-dependents", urn]);
                await assert.rejects(fixture.project.up(), /NOT_OURS[\s\S]*lives, and Pulumi's state does not know it/);
                assert.equal((await fixture.list("servers")).filter(({ name }) => name === workers(1)[0]).length, 1);
                assert.deepEqual(await serverIds(fixture), earlier);
                await fixture.project.stack.importStack(JSON.parse(whole));
                await fixture.project.up({ expectNoChanges: true });
            });
        }

        it("adds a worker and touches no other server", async () => {
            const earlier = await serverIds(fixture);
            await fixture.configure({ workers: few + 1 });
            await fixture.project.up();
            assert.deepEqual(await readyNodes(fixture), [...masters, ...workers(few + 1)].sort());
            const { [added]: server, ...others } = await serverIds(fixture);
            assert.ok(server);
            assert.deepEqual(others, earlier);
        });

        it("takes it away: its server goes, drained before, and no other", async () => {
            const { [added]: _, ...others } = await serverIds(fixture);
            await fixture.configure({ workers: few });
            const preview = await fixture.project.preview("--diff");
            assert.ok(preview.includes(added));
            if (backEnd === "heat") {
                const only = fixture.project.run(["preview", "--target", "**StackV1::core"]);
                await assert.rejects(only, /--target or --exclude leaves out the resource that prepares/);
            }
            await fixture.project.up();
            assert.deepEqual(await serverIds(fixture), others);
            assert.deepEqual(await readyNodes(fixture), [...masters, ...workers(few)].sort());
            const known = await fixture.kubectl("get", "nodes", "-o", "name");
            assert.equal(known.trim().split("\n").length, masters.length + few);
            await fixture.project.up({ expectNoChanges: true });
        });

        it(`brings a ${masters.length > 1 ? "master" : "worker"} back whose server was deleted behind our back`, async () => {
            const lost = masters[1] ?? workers(1)[0]!;
            const earlier = await serverIds(fixture);
            await fixture.cloud.openstack(["server", "delete", "--wait", earlier[lost]!]);
            await fixture.project.up({ refresh: true });
            const { [lost]: replaced, ...others } = await serverIds(fixture);
            assert.ok(replaced && replaced !== earlier[lost]);
            const { [lost]: _, ...untouchedOnes } = earlier;
            assert.deepEqual(others, untouchedOnes);
            assert.deepEqual(await readyNodes(fixture), [...masters, ...workers(few)].sort());
            const members = await fixture.kubectl(
                ...["-n", "kube-system", "exec", `etcd-${masters[0]}`, "--", "etcdctl"],
                ...["--cacert=/etc/kubernetes/pki/etcd/ca.crt", "--cert=/etc/kubernetes/pki/etcd/server.crt"],
                ...["--key=/etc/kubernetes/pki/etcd/server.key", "endpoint", "health", "--cluster"],
            );
            assert.equal(members.match(/is healthy/g)?.length ?? 0, masters.length, members);
            await fixture.project.up({ expectNoChanges: true });
        });

        it("keeps the cloud's password and the servers' keys out of the state", async () => {
            const secrets = fixture.cloudSecrets;
            assert.ok(
                secrets.length > 0 && secrets.every(secret => secret.length > 12),
                "words that stand nowhere by chance",
            );
            const files = (fs.readdirSync(fixture.project.stateFolder, { recursive: true }) as string[])
                .map(name => path.join(fixture.project.stateFolder, name))
                .filter(name => fs.statSync(name).isFile());
            const places = { "exported stack": await fixture.project.exportStack() } as Record<string, string>;
            for (const file of files) places[file] = fs.readFileSync(file, "utf8");
            for (const [place, text] of Object.entries(places)) {
                for (const secret of secrets)
                    assert.ok(!text.includes(secret), `the cloud's password is in the ${place}`);
                assert.ok(!text.includes("PRIVATE KEY"), `a private key is in the ${place}`);
            }
        });

        it("leaves the project as it was after `pulumi destroy`", async () => {
            await destroyWithoutTrace(fixture, untouched);
        });
    });
}

async function floatingAddresses(fixture: CloudFixture, names: string[]): Promise<string[]> {
    const found: string[] = [];
    for (const name of names) {
        const shown = await fixture.cloud.openstack(["server", "show", name, "-f", "json"]);
        const addresses = JSON.stringify(JSON.parse(shown).addresses).match(/172\.24\.4\.\d+/g) ?? [];
        assert.equal(addresses.length, 1, `${name} has one floating IP: ${shown}`);
        found.push(addresses[0]!);
    }
    return found;
}

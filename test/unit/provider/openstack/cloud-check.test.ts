import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messagesTo } from "../../../../provider/adapters/progress";
import * as resources from "../../../../provider/adapters/serve";
import type { RequirementsSeen } from "../../../../provider/cloud/cloud-check";
import { RunSession } from "../../../../provider/common/run-session";
import { unknownValue } from "../../../../provider/contract/values";
import { isGone } from "../../../../provider/machine/server";
import { fetchInventory } from "../../../../provider/openstack/inventory";
import { inputsOf, stateOf } from "../support/start-inputs";
import { FakeCloud } from "./fake-cloud";
import { owner, sampleInventory, sampleRequirements, serve, tags } from "./sample-cloud";

describe("CloudCheck", () => {
    let cloud: FakeCloud;
    let folder: string;
    const before = { ...process.env };
    beforeEach(async () => {
        cloud = await FakeCloud.start();
        serve(cloud);
        folder = mkdtempSync(join(tmpdir(), "check-"));
        const auth = { auth_url: `${cloud.url}/identity`, username: "u", password: "Xy-secret-99", project_name: "p" };
        writeFileSync(join(folder, "clouds.yaml"), JSON.stringify({ clouds: { lab: { auth } } }));
        for (const name of Object.keys(process.env)) if (name.startsWith("OS_")) delete process.env[name];
        process.env.OS_CLIENT_CONFIG_FILE = join(folder, "clouds.yaml");
    });
    afterEach(async () => {
        process.env = { ...before };
        rmSync(folder, { recursive: true });
        await cloud.stop();
    });

    let session: RunSession | undefined;
    let door: resources.Provider;
    /** Begins a run without clients of clouds. */
    const nextRun = () => {
        void session?.close();
        session = new RunSession();
        door = resources.serve(session, messagesTo(undefined));
    };
    nextRun();

    const inputs = (change: (needs: ReturnType<typeof sampleRequirements>) => void = () => {}) => {
        const needs = sampleRequirements();
        change(needs);
        return { needs: JSON.stringify(needs), cloud: { cloud: "lab" } };
    };
    const reasons = async (news: object, olds: object = {}) => {
        const { failures } = await door.check("CloudCheck", olds as never, news as never);
        return failures!.map(({ property, reason }) => [property, reason]);
    };

    it("is content with a cloud that has everything", async () => {
        assert.deepEqual(await reasons(inputs()), []);
    });

    it("fails with all problems in one text, which shows no value of the inputs and no secret", async () => {
        const wrong = inputs(needs => {
            needs.servers[0]!.flavor.name = "m9";
            needs.servers[1]!.image!.name = "debain-12";
            needs.keyPair!.name = "mine";
        });
        const [[property, reason] = [], ...others] = await reasons(wrong);
        assert.deepEqual([property, others], ["", []]);
        assert.equal(
            reason,
            [
                "CLOUD_CHECK_FAILED",
                '    controlPlane.flavor: there is no flavor "m9" in this project. There is "m1.medium", "m1.tiny".',
                '    infrastructure.nova.image: there is no image "debain-12" in this project. Did you mean "debian-12"?',
                '    keyPair: this user has no key pair "mine" (key pairs belong to users, not to projects). There is "ops".',
                "    Correct the inputs or the cloud; nothing has been made.",
            ].join("\n"),
        );
    });

    it("takes needs as they are, if something in them is not known yet, and checks the rest", async () => {
        const needs = sampleRequirements();
        needs.servers[0]!.networks[0]!.network!.name = unknownValue;
        needs.servers[1]!.flavor.name = "m9";
        const [[, reason] = []] = await reasons({ needs, cloud: { cloud: "lab" } });
        assert.match(reason!, /no flavor "m9"/);
        assert.equal(reason!.split("\n").length, 3);
        const calls = cloud.calls.length;
        assert.deepEqual(await reasons({ needs: unknownValue, cloud: {} }), []);
        assert.equal(cloud.calls.length, calls);
    });

    it("says what is wrong with the way to the cloud", async () => {
        const [[, noCloud] = []] = await reasons({ ...inputs(), cloud: { cloud: "lap" } });
        assert.match(noCloud!, /^CLOUD_CONFIG_INVALID\n.*no cloud "lap", only "lab"/);
        cloud.routes["POST /identity/v3/auth/tokens"] = () => ({ status: 401 });
        const [[, refused] = []] = await reasons(inputs());
        assert.match(refused!, /^CLOUD_AUTH_FAILED/);
        assert.ok(!refused!.includes("Xy-secret"));
    });

    it("asks only for what the needs are about", async () => {
        const lean = { ...sampleRequirements(), servers: [], floatingIps: [], keyPair: undefined, keyPairsMade: [] };
        await fetchInventory(cloud.client(), { ...lean, serverGroupsMade: [] });
        const asked = cloud.calls.map(({ path }) => path).join(" ");
        assert.doesNotMatch(asked, /block-storage|keypairs|images|zone|floatingips|availabilities|server-groups/);
    });

    it("leaves out what the user may not ask, and fails if the cloud breaks", async () => {
        cloud.routes["GET /compute/limits"] = () => ({ status: 403, body: { forbidden: { message: "no" } } });
        cloud.routes["GET /block-storage/os-quota-sets/p1"] = () => ({ status: 403 });
        cloud.routes["GET /block-storage/limits"] = {
            limits: { absolute: { maxTotalVolumes: 1, totalVolumesUsed: 0 } },
        };
        const facts = await fetchInventory(cloud.client(), sampleRequirements());
        assert.deepEqual(facts.unasked, ["quota of compute: GET /limits of compute: 403 no"]);
        assert.deepEqual(facts.quota!.volume!["volumes"], { limit: 1, used: 0 });
        cloud.routes["GET /compute/limits"] = () => ({ status: 500 });
        const [[, reason] = []] = await reasons(inputs());
        assert.match(reason!, /^CLOUD_UNREACHABLE/);
    });

    it("knows its own servers by the owner of before, too", async () => {
        const server = { id: "s", status: "ACTIVE", flavor: { id: "3" } };
        const former = { ...owner, "pulumi-nfv.stack": "project/old" };
        cloud.routes["GET /compute/servers/detail"] = {
            servers: [{ ...server, name: "core-workers-1", metadata: former }],
        };
        assert.match((await reasons(inputs()))[0]![1]!, /a server "core-workers-1" exists already/);
        const before = inputs(needs => {
            needs.owner = former;
        });
        const { inputs: seen } = await door.check("CloudCheck", {}, before as never);
        assert.deepEqual(await reasons(inputs(), seen), []);
    });

    it("takes what the stack of before has for what goes, and the rest for what the cluster has already", async () => {
        const { inputs: olds } = await door.check("CloudCheck", {}, {
            ...inputs(needs => {
                needs.backEnd = "heat";
                needs.stack = { name: "old", path: "stackName" };
            }),
        } as never);
        const stack = { id: "1", stack_name: "old", stack_status: "CREATE_COMPLETE", tags };
        cloud.routes["GET /orchestration/stacks/old"] = { stack };
        const inStack = (...ids: string[]) => ({ resources: ids.map(id => ({ physical_resource_id: id })) });
        const server = { id: "s1", status: "ACTIVE", flavor: { id: "3" }, name: "core-workers-1", metadata: owner };
        cloud.routes["GET /compute/servers/detail"] = { servers: [server] };
        const full = sampleInventory().quota!.compute!;
        const absolute = { ...full, maxTotalInstances: 6, totalInstancesUsed: 5 };
        cloud.routes["GET /compute/limits"] = { limits: { absolute } };
        cloud.routes["GET /orchestration/stacks/old/1/resources"] = inStack("s1");
        const [[, reason] = []] = await reasons(inputs(), olds);
        assert.match(reason!, /quota of servers: 2 more needed, 5 of 6 in use: 1 short/);
        assert.match(reason!, /What nova makes is there before what heat made is deleted: .* Or run pulumi destroy/);
        cloud.routes["GET /orchestration/stacks/old/1/resources"] = inStack("other");
        assert.deepEqual(await reasons(inputs(), olds), []);
    });

    it("shows and stores of the needs whose they are and a fingerprint, which is unknown with them", async () => {
        const seen = async (news: object) => (await door.check("CloudCheck", {}, news as never)).inputs;
        const shown = (await seen(inputs())) as { needs: RequirementsSeen };
        const { fingerprint } = shown.needs;
        assert.match(fingerprint, /^[0-9a-f]{12}$/);
        const needs = { backEnd: "nova", clusterName: "core", owner, servers: 2, fingerprint };
        const { names, ...rest } = shown as unknown as Record<string, unknown>;
        assert.deepEqual(rest, {
            cloud: { cloud: "lab" },
            needs,
            project: "p1",
            region: "RegionOne",
            user: { id: "u1", name: "" },
        });
        assert.deepEqual(Object.keys(names as object).length, 5);
        assert.deepEqual((await door.create("CloudCheck", shown as never)).outs, {
            ...shown,
            summary: "the cloud has what 2 servers need",
        });
        const replacing = JSON.parse(inputs().needs);
        replacing.servers[0].replaced = true;
        const same = (await seen({ needs: JSON.stringify(replacing) })) as { needs: RequirementsSeen };
        assert.equal(same.needs.fingerprint, fingerprint, "which servers a run replaces is over after it");
        const half = JSON.parse(inputs().needs);
        half.vip.address = unknownValue;
        const unknown = (await seen({ needs: half })) as { needs: RequirementsSeen };
        assert.deepEqual(unknown.needs, { ...needs, fingerprint: unknownValue });
    });

    it("finds the ids of what is given by name once: networks that change their names change nothing", async () => {
        const { inputs: first } = await door.check("CloudCheck", {}, inputs() as never);
        const facts = sampleInventory();
        facts.networks!.find(({ name }) => name === "lan")!.name = "lan-former";
        facts.networks!.find(({ name }) => name === "public")!.name = "public-former";
        facts.networks!.push({ ...facts.networks![0]!, id: "n9", name: "lan" });
        facts.securityGroups!.find(({ name }) => name === "default")!.name = "former";
        facts.routers!.find(({ name }) => name === "r1")!.name = "former";
        serve(cloud, facts);
        const { inputs: second, failures } = await door.check("CloudCheck", first as never, inputs() as never);
        assert.deepEqual(failures, []);
        assert.deepEqual(second, first);
        assert.equal(door.diff("CloudCheck", "core", first as never, second as never).changes, false);
        const { failures: atFirst } = await door.check("CloudCheck", {}, inputs() as never);
        assert.match(atFirst![0]!.reason, /no security group "default"/);
    });

    it("never takes another network of the same name where the one that the cluster uses is gone", async () => {
        const { inputs: first } = await door.check("CloudCheck", {}, inputs() as never);
        const facts = sampleInventory();
        facts.networks!.find(({ name }) => name === "lan")!.id = "n9";
        facts.subnets!.find(({ id }) => id === "s1")!.id = "s9";
        facts.securityGroups!.find(({ name }) => name === "default")!.id = "g9";
        serve(cloud, facts);
        const { inputs: second, failures } = await door.check("CloudCheck", first as never, inputs() as never);
        assert.deepEqual((second as { names: object }).names, (first as { names: object }).names);
        const said = failures![0]!.reason;
        assert.match(
            said,
            /network "lan": this cluster uses n1, which is not in this project any more\. .* today: n9\./,
        );
        assert.match(said, /security group "default": this cluster uses g1, .* today: g9\./);
        assert.match(said, /the only subnet of network "lan": this cluster uses s1, /);
        assert.doesNotMatch(said, /there is no network "n1"/);
    });

    describe("in another project", () => {
        const loginOf = (id: string) => {
            const login = (cloud as unknown as { login: () => { body: { token: object } } }).login;
            cloud.routes["POST /identity/v3/auth/tokens"] = () => {
                const answer = login.call(cloud);
                return { ...answer, body: { token: { ...answer.body.token, project: { id, name: "staging" } } } };
            };
        };
        afterEach(() => nextRun());

        it("fails the check with both ids, before anything else is looked at", async () => {
            const { inputs: first } = await door.check("CloudCheck", {}, inputs() as never);
            assert.equal((first as { project: string }).project, "p1");
            serve(cloud, { ...sampleInventory(), networks: [] });
            loginOf("p2");
            const [[, reason] = []] = await reasons(inputs(), first);
            assert.match(reason!, /^CLOUD_CONFIG_INVALID\n.*lives in the project p1, .* the project p2 \("staging"\)/);
            assert.match(
                reason!,
                /Nothing was changed in the cloud\. Give the credentials of the cluster's own project/,
            );
        });

        it("fails a refresh, which would drop all servers, and keeps the state where the cloud is silent", async () => {
            const { inputs: first } = await door.check("CloudCheck", {}, inputs() as never);
            const { id, outs } = await door.create("CloudCheck", first as never);
            assert.deepEqual((await door.read("CloudCheck", id, outs as never)).props, outs);
            nextRun();
            loginOf("p2");
            await assert.rejects(door.read("CloudCheck", id, outs as never), /lives in the project p1/);
            nextRun();
            cloud.routes["POST /identity/v3/auth/tokens"] = () => ({ status: 401 });
            assert.deepEqual((await door.read("CloudCheck", id, outs as never)).props, outs);
        });

        it("is no other project where only Keystone's address changed", async () => {
            const { inputs: first } = await door.check("CloudCheck", {}, inputs() as never);
            const auth = {
                auth_url: `${cloud.url}/identity/v3`,
                username: "u",
                password: "Xy-secret-99",
                project_name: "p",
            };
            writeFileSync(join(folder, "clouds.yaml"), JSON.stringify({ clouds: { lab: { auth } } }));
            assert.deepEqual(await reasons(inputs(), first), []);
        });

        it("ends a destroy before the servers go: the plug-in would forget them", async () => {
            const leftovers = {
                clusterName: "core",
                clusterId: "core-1a2b3c4d",
                cloud: { cloud: "lab" },
                policy: "delete",
            };
            loginOf("p2");
            const removed = door.delete("CloudLeftovers", "core/leftovers", { ...leftovers, project: "p1" });
            await assert.rejects(removed, /lives in the project p1/);
            assert.deepEqual(
                cloud.calls.filter(({ method, path }) => method === "DELETE" || path.includes("volumes")),
                [],
            );
        });
    });

    describe("in another region of the same project", () => {
        beforeEach(() => {
            cloud.regions = ["RegionOne", "RegionTwo"];
            process.env.OS_REGION_NAME = "RegionOne";
        });
        afterEach(() => nextRun());
        const firstUp = async () => {
            const { inputs: first } = await door.check("CloudCheck", {}, inputs() as never);
            const { id, outs } = await door.create("CloudCheck", first as never);
            return { id, first: first as Record<string, unknown>, outs };
        };
        const goTo = (region: string | undefined) => {
            nextRun();
            if (region === undefined) delete process.env.OS_REGION_NAME;
            else process.env.OS_REGION_NAME = region;
        };
        const lives = /lives in the region "RegionOne", .* used in the region "RegionTwo"/;

        it("fails preview, up and refresh, and says which region to set", async () => {
            const { id, first, outs } = await firstUp();
            assert.equal(first.region, "RegionOne");
            assert.deepEqual((await door.read("CloudCheck", id, outs as never)).props, outs);
            goTo("RegionTwo");
            const [[, reason] = []] = await reasons(inputs(), first);
            assert.match(reason!, /^CLOUD_CONFIG_INVALID\n/);
            assert.match(reason!, lives);
            assert.match(reason!, /Set the region "RegionOne" \(OS_REGION_NAME, .*renamed the region/s);
            await assert.rejects(door.read("CloudCheck", id, outs as never), lives);
        });

        it("fails where no region is said and the cloud has several: the plug-in would take any of them", async () => {
            const { id, outs } = await firstUp();
            goTo(undefined);
            await assert.rejects(door.read("CloudCheck", id, outs as never), /several regions/);
            goTo("RegionNine");
            await assert.rejects(door.read("CloudCheck", id, outs as never), /no region "RegionNine"/);
        });

        it("ends a refresh and a destroy before the servers go, and proves no server gone", async () => {
            const leftovers = { clusterName: "core", clusterId: "core-1a2b3c4d", cloud: { cloud: "lab" } };
            const place = { project: "p1", region: "RegionOne" };
            const machine = { serverId: "id-m1", server: { cloud: { cloud: "lab" }, ...place } };
            assert.equal(await isGone({ session: session! }, machine), true);
            goTo("RegionTwo");
            const state = { ...leftovers, policy: "delete", ...place };
            await assert.rejects(door.delete("CloudLeftovers", "core/leftovers", state), lives);
            const start = { spec: { ...leftovers, backEnd: "nova", nodes: {} }, ...place } as never;
            await assert.rejects(door.read("OperationStart", "id", start), lives);
            await assert.rejects(door.delete("OperationStart", "id", start), lives);
            assert.equal(await isGone({ session: session! }, machine), false);
        });

        it("is found out where the program names none: the catalogue's only one is kept", async () => {
            goTo(undefined);
            cloud.regions = ["RegionTwo"];
            assert.equal((await firstUp()).first.region, "RegionTwo");
        });

        it("a region that the cloud names only later is taken at the next up, once, and replaces nothing", async () => {
            const { id, first, outs } = await firstUp();
            const { region: _, ...olds } = { ...first };
            const { region: __, ...state } = outs as Record<string, unknown>;
            assert.deepEqual((await door.read("CloudCheck", id, state as never)).props, state);
            const { inputs: next } = await door.check("CloudCheck", olds as never, inputs() as never);
            assert.deepEqual(next, first);
            const diff = (type: string, before: object, after: object) =>
                door.diff(type as never, "id", before as never, after as never);
            const update = { changes: true, replaces: [] };
            assert.deepEqual(diff("CloudCheck", state, next as object), update);
            assert.deepEqual(diff("CloudCheck", outs as object, next as object), { ...update, changes: false });
            const place = { project: "p1", region: "RegionOne" };
            const leftovers = { clusterName: "core", clusterId: "core-1a2b3c4d", cloud: {}, policy: "delete" };
            const found = diff("CloudLeftovers", { ...leftovers, project: "p1" }, { ...leftovers, ...place });
            assert.deepEqual([found.changes, found.replaces], [true, []]);
            assert.equal(diff("CloudLeftovers", { ...leftovers, ...place }, { ...leftovers, ...place }).changes, false);
            const start = stateOf(inputsOf(["m1"]));
            const moved = diff("OperationStart", { ...start, project: "p1" }, { ...start, ...place });
            assert.deepEqual([moved.changes, moved.replaces ?? []], [true, []]);
            assert.equal(diff("OperationStart", { ...start, ...place }, { ...start, ...place }).changes, false);
        });
    });

    it("remembers who ran first, and says what of it another user of the project cannot use", async () => {
        const { inputs: first } = await door.check("CloudCheck", {}, inputs() as never);
        assert.deepEqual((first as { user: object }).user, { id: "u1", name: "" });
        const login = (cloud as unknown as { login: () => { body: { token: object } } }).login;
        cloud.routes["POST /identity/v3/auth/tokens"] = () => {
            const answer = login.call(cloud);
            return { ...answer, body: { token: { ...answer.body.token, user: { id: "u2", name: "bob" } } } };
        };
        const { failures } = await door.check("CloudCheck", first as never, inputs() as never);
        assert.match(
            failures![0]!.reason,
            /the key pair "core" belongs to the user {1,2}\(u1\), .* you are bob \(u2\)/,
        );
    });

    it("keeps the ids where the cloud cannot be asked", async () => {
        const { inputs: first } = await door.check("CloudCheck", {}, inputs() as never);
        for (const what of ["networks", "subnets", "routers"]) {
            cloud.routes[`GET /network/v2.0/${what}`] = () => ({ status: 403 });
        }
        const { inputs: second } = await door.check("CloudCheck", first as never, inputs() as never);
        assert.deepEqual((second as { names: object }).names, (first as { names: object }).names);
    });

    it("stores a summary and no credentials; other needs are an update", async () => {
        const seen = async (news: object) => (await door.check("CloudCheck", {}, news as never)).inputs as never;
        const { id, outs } = await door.create("CloudCheck", await seen(inputs()));
        assert.equal(id, "core");
        assert.equal((outs as { summary: string }).summary, "the cloud has what 2 servers need");
        assert.ok(!JSON.stringify(outs).includes("Xy-secret"));
        assert.deepEqual(door.diff("CloudCheck", id, outs as never, await seen(inputs())).changes, false);
        const other = inputs(needs => void needs.servers.pop());
        assert.deepEqual(door.diff("CloudCheck", id, outs as never, await seen(other)), {
            changes: true,
            replaces: [],
        });
    });
});

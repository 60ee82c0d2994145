import assert from "node:assert/strict";
import { skipIf } from "../../../support/skip";
import { notBuilt, projectRoot, type UserProject } from "../../../support/user-project";
import { FakeCloud } from "../../../unit/provider/openstack/fake-cloud";
import { cloudProject } from "./cloud-project";

interface Stored {
    type: string;
    urn: string;
    inputs: Record<string, unknown>;
    outputs: Record<string, unknown>;
}

/** The real engine with its checks, previews and refreshes; a simulated cloud. */
describe("OperationStart and ServerKeys in the real engine", () => {
    let cloud: FakeCloud;
    let project: UserProject;

    const server = (id: string) => ({ server: { id, name: id, status: "ACTIVE" } });

    before(async function () {
        skipIf(this, notBuilt());
        cloud = await FakeCloud.start();
        const names = ["w1", "w2", "w3"];
        // Nobody answers there: a machine that does is never lost.
        const outputs = names.map(name => ({ output_key: `${name}_address`, output_value: "127.0.0.1" }));
        cloud.routes["GET /orchestration/stacks/core"] = {
            stack: { id: "1", stack_name: "core", stack_status: "CREATE_COMPLETE", tags: [], outputs },
        };
        cloud.routes["GET /orchestration/stacks/core/1/resources"] = {
            resources: names.map(name => ({
                resource_name: `${name}_server`,
                resource_type: "OS::Nova::Server",
                physical_resource_id: `id-${name}`,
                resource_status: "CREATE_COMPLETE",
                resource_status_reason: "",
            })),
        };
        for (const name of names) {
            cloud.routes[`GET /compute/servers/id-${name}`] = server(`id-${name}`);
            cloud.routes[`PATCH /orchestration/stacks/core/1/resources/${name}_server`] = {};
        }
        project = await cloudProject("operation-start", "start-program.js", cloud);
    });
    after(async () => {
        await cloud?.stop();
        project?.remove();
    });

    const pulumi = async (command: string[], names: string[], flavor = "m1.small") => {
        project.give({ package: projectRoot, names, flavor });
        const { code, output } = await project.pulumi.start([...command, "--non-interactive"]).done;
        return { code, output };
    };
    const stored = async (type: string, name = "core"): Promise<Stored> => {
        const all: Stored[] = JSON.parse(await project.pulumi.exportStack()).deployment.resources ?? [];
        return all.find(each => each.type.endsWith(`:${type}`) && each.urn.endsWith(`::${name}`))!;
    };
    const up = ["up", "--yes", "--skip-preview"];

    it("is made, with its secrets encrypted, and a second preview changes nothing", async () => {
        const first = await pulumi(up, ["w1", "w2"]);
        assert.equal(first.code, 0, first.output);
        const start = await stored("OperationStart");
        assert.deepEqual(start.outputs.generations, { w1: 1, w2: 1 });
        assert.equal(typeof start.inputs.spec, "string");
        const keys = await stored("ServerKeys");
        for (const secret of [
            start.inputs.secrets,
            start.outputs.secrets,
            keys.outputs.seed,
            keys.outputs.privateKey,
        ]) {
            assert.ok((secret as { ciphertext?: string }).ciphertext, "not encrypted");
        }
        assert.match(String(keys.outputs.publicKey), /^ssh-ed25519 /);
        const again = await pulumi(["preview", "--expect-no-changes"], ["w1", "w2"]);
        assert.equal(again.code, 0, again.output);
    });

    it("says at preview who leaves, and what depends on it stays known", async () => {
        const { code, output } = await pulumi(["preview", "--diff"], ["w1"]);
        assert.equal(code, 0, output);
        assert.match(output, /~ operation *: "instantiate workers \+2 \(w1, w2\)" => "scale in workers -1 \(w2\)"/);
        assert.match(output, /operation: scale in workers -1 \(w2\)/, "as a message, too");
        assert.match(output, /=> "g-\{\\?"w1\\?":1\}"/, "the generations are known");
        assert.doesNotMatch(output, /publicKey\s*:[^\n]*output</, "no key changes when nodes come and go");
    });

    it("refuses other servers for existing nodes at preview", async () => {
        const { code, output } = await pulumi(["preview"], ["w1", "w2"], "m1.large");
        assert.notEqual(code, 0);
        assert.match(output, /w1: flavor cannot be changed on an existing server yet: it has m1\.small, m1\.large/);
    });

    it("finds a lost server by refresh: the next preview and `up` raise that one generation, and only once", async () => {
        delete cloud.routes["GET /compute/servers/id-w2"];
        const refreshed = await pulumi(["refresh", "--yes", "--skip-preview"], ["w1", "w2"]);
        assert.equal(refreshed.code, 0, refreshed.output);
        const found = await stored("OperationStart");
        assert.deepEqual(found.inputs.missing, { w2: "id-w2" });
        assert.ok(
            (found.inputs.secrets as { ciphertext?: string }).ciphertext,
            "a refresh put a secret into the state",
        );
        const preview = await pulumi(["preview", "--diff"], ["w1", "w2"]);
        assert.match(preview.output, /"g-\{\\?"w1\\?":1,\\?"w2\\?":2\}"/);
        const done = await pulumi(up, ["w1", "w2"]);
        assert.equal(done.code, 0, done.output);
        assert.equal(cloud.count("PATCH /orchestration/stacks/core/1/resources/w2_server"), 1);
        assert.equal(cloud.count("PATCH /orchestration/stacks/core/1/resources/w1_server"), 0);
        const { outputs } = await stored("OperationStart");
        assert.deepEqual(outputs.generations, { w1: 1, w2: 2 });
        assert.equal(outputs.operation, "heal w2 (its server is gone)");
        const again = await pulumi(["preview", "--expect-no-changes"], ["w1", "w2"]);
        assert.equal(again.code, 0, again.output);
    });

    it("heals by one command, too", async () => {
        delete cloud.routes["GET /compute/servers/id-w1"];
        cloud.routes["GET /compute/servers/id-w2"] = server("id-w2");
        const { code, output } = await pulumi([...up, "--refresh"], ["w1", "w2"]);
        assert.equal(code, 0, output);
        assert.deepEqual((await stored("OperationStart")).outputs.generations, { w1: 2, w2: 2 });
    });

    it("is destroyed without any program", async () => {
        delete cloud.routes["GET /orchestration/stacks/core"];
        const { code, output } = await pulumi(["destroy", "--yes", "--skip-preview"], ["w1"]);
        assert.equal(code, 0, output);
    });
});

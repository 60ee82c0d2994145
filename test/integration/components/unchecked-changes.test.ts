import { strict as assert } from "node:assert";
import { join } from "node:path";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt, projectRoot, UserProject } from "../../support/user-project";

/** Real engine; the cloud's resources are stand-ins. */
describe("Nova's resources in a run that leaves OperationStart out", function () {
    asStory(this);
    let project: UserProject;
    const module = join(projectRoot, "dist/components/infrastructure/openstack/resources/unchecked-changes.js");
    const args = { cidr: "10.100.0.0/24", flavor: "m1.small", module };

    before(async function () {
        skipIf(this, notBuilt());
        project = await UserProject.make("unchecked", "test/integration/components/unchecked-program.js");
        project.give(args);
        await project.pulumi.up();
    });

    after(() => project?.remove());

    async function up(changed: object, only: string[]): Promise<{ code: number | null; output: string }> {
        project.give({ ...args, ...changed });
        const { code, output } = await project.pulumi.start([
            ...["up", "--yes", "--skip-preview", "--non-interactive"],
            ...only,
        ]).done;
        return { code, output: output.replace(/\s+/g, " ") };
    }

    const stored = async () => {
        const state = JSON.parse(await project.pulumi.exportStack());
        const parts = state.deployment.resources as { urn: string; inputs: Record<string, unknown> }[];
        const find = (name: string) => parts.find(({ urn }) => urn.endsWith(`::${name}`))!;
        return { urn: (name: string) => find(name).urn, inputs: (name: string) => find(name).inputs };
    };

    it("are not touched with changed inputs, whether by --target or by --exclude; the error stands once, without a stack trace", async () => {
        const { urn } = await stored();
        const rows: [object, string, RegExp][] = [
            [{ cidr: "10.101.0.0/24" }, "subnet", /network\.cidr changed in the program, and --target or --exclude/g],
            [{ flavor: "m1.large" }, "w1", /the server inputs of w1 changed in the program, and --target/g],
        ];
        for (const [change, part, text] of rows) {
            for (const only of [
                ["--target", urn(part)],
                ["--exclude", urn("start")],
            ]) {
                const { code, output } = await up(change, only);
                assert.notEqual(code, 0, output);
                assert.equal(output.match(text)?.length, 1, output);
                assert.doesNotMatch(output, /\bat .*\.js:\d+/);
                const { inputs } = await stored();
                assert.deepEqual([inputs("subnet")["cidr"], inputs("w1")["flavor"]], [args.cidr, args.flavor]);
            }
        }
    });

    it("act if nothing changed, and if OperationStart takes part", async () => {
        const { urn } = await stored();
        assert.equal((await up({}, ["--target", urn("w1")])).code, 0);
        const flavor = "m1.large";
        const { code, output } = await up({ flavor }, ["--target", urn("start"), "--target", urn("w1")]);
        assert.equal(code, 0, output);
        assert.equal((await stored()).inputs("w1")["flavor"], flavor);
    });
});

import assert from "node:assert/strict";
import { LocalWorkspace } from "@pulumi/pulumi/automation";
import { openSite } from "../../../pipeline";
import { findCli } from "../../../pipeline/stack/cli";
import { skipIf } from "../../support/skip";
import { notBuilt, UserProject } from "../../support/user-project";

/** Real Pulumi; no program runs. */
describe("the stack that a pipeline opens", () => {
    let project: UserProject;

    before(async function () {
        skipIf(this, notBuilt());
        project = await UserProject.make("open-stack", "test/integration/pipeline/site-program.js");
    });
    after(() => project?.remove());

    const selected = async () => {
        const env = project.pulumi.env;
        const { command } = await findCli({ env });
        const options = { workDir: project.folder, envVars: env, pulumiCommand: command };
        return (await (await LocalWorkspace.create(options)).stack())?.name;
    };

    it("is made or found without becoming the selected one: the next pulumi up of a person goes where it went before", async () => {
        const open = { folder: project.folder, env: project.pulumi.env, stack: "other" };
        assert.equal(await selected(), "dev");
        const made = await openSite({ ...open, create: true });
        assert.equal(made.stack.name, "other");
        assert.equal(await selected(), "dev");
        const found = await openSite(open);
        assert.deepEqual(await found.stack.getAllConfig(), {});
        assert.equal(await selected(), "dev");
    });

    it("is refused once if there is none of its name", async () => {
        const open = { folder: project.folder, env: project.pulumi.env, stack: "nowhere" };
        await assert.rejects(openSite(open), (error: any) => {
            assert.equal(error.code, "INVALID_INPUT");
            assert.equal(error.message.match(/no stack named/g)?.length, 1, error.message);
            return true;
        });
    });
});

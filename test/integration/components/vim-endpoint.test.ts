import { strict as assert } from "node:assert";
import { asStory } from "../../support/story";
import { openVimProject, type VimProject } from "./vim-project";

/** Real engine, simulated API. The engine makes a replacement before it deletes the old resource, and both are the same objects. */
describe("a Vim and the namespaces of a network function on it", function () {
    this.timeout("10m");
    asStory(this);
    let vim: VimProject;

    before(async function () {
        vim = await openVimProject(this, "vim-endpoint");
    });
    after(() => vim?.close());

    const refused = async () => {
        const began = Date.now();
        const { code, output } = await vim.project.pulumi.start(["preview", "--non-interactive"]).done;
        assert.notEqual(code, 0);
        return { output, seconds: (Date.now() - began) / 1000 };
    };

    it("are refused by the first preview where the token is false, or nothing answers: with address and reason", async () => {
        vim.give("127.0.0.1", { auth: { bearerToken: "no-token" } });
        assert.match((await refused()).output, /API_REFUSED\n.*401 Unauthorized\n.*does not accept the token/);
        vim.give("127.0.0.1", { endpoint: "https://127.0.0.1:1" });
        const { output, seconds } = await refused();
        assert.match(
            output,
            /API_UNREACHABLE\n\s*https:\/\/127\.0\.0\.1:1: connection refused[\s\S]*Nothing has been touched/,
        );
        assert.ok(seconds < 60, `${seconds}`);
        assert.deepEqual([...vim.api.objects.keys()], []);
    });

    it("keep everything where the endpoint is the same cluster by another name", async () => {
        vim.give("127.0.0.1");
        await vim.project.pulumi.up();
        const before = vim.uids();
        assert.ok(before.some(([path]) => path === "/api/v1/namespaces/demo"));
        vim.give("localhost");
        assert.deepEqual(await vim.lost(() => vim.project.pulumi.up()), []);
        assert.deepEqual(vim.uids(), before);
        await vim.project.pulumi.up({ expectNoChanges: true });
    });

    it("are refused at preview where another cluster is at the new endpoint", async () => {
        vim.api.clusterUid = "cluster-2";
        vim.give("127.0.0.1");
        const { output } = await refused();
        assert.match(output, /127\.0\.0\.1:\d+ is another cluster than https:\/\/localhost/);
        vim.api.clusterUid = "cluster-1";
        vim.give("localhost");
    });

    it("go with it", async () => {
        await vim.project.pulumi.destroy();
        assert.deepEqual([...vim.api.objects.keys()], []);
    });
});

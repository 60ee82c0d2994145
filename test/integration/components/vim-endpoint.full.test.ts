import { strict as assert } from "node:assert";
import { asStory } from "../../support/story";
import { openVimProject, type VimProject } from "./vim-project";

/** Longer than vim-endpoint.test.ts. The engine makes a replacement before it deletes the old resource, and both are the same objects. */
describe("a Vim and the namespaces of a network function on it", function () {
    this.timeout("10m");
    asStory(this);
    let vim: VimProject;

    before(async function () {
        vim = await openVimProject(this, "vim-endpoint-full");
    });
    after(() => vim?.close());

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

    it("also where the program names the cluster later", async () => {
        const before = vim.uids();
        vim.give("localhost", { clusterIdentifier: "site" });
        assert.deepEqual(await vim.lost(() => vim.project.pulumi.up()), []);
        assert.deepEqual(vim.uids(), before);
        await vim.project.pulumi.up({ expectNoChanges: true });
        vim.give("localhost");
        assert.deepEqual(await vim.lost(() => vim.project.pulumi.up()), []);
    });

    it("keep everything where a person replaces them", async () => {
        const { resources } = JSON.parse(await vim.project.pulumi.exportStack()).deployment;
        const urns: string[] = resources.map(({ urn }: { urn: string }) => urn);
        const before = vim.uids();
        const replace = (type: string) => {
            const urn = urns.find(each => each.includes(`dynamic/nfv:${type}::`))!;
            return vim.project.pulumi.up({ replace: [urn] });
        };
        const begun = vim.api.seen.length;
        await replace("CnfNamespace");
        // The engine gives the replacement nothing from the state, so it does not know the cluster's first name: the run is refused.
        await assert.rejects(
            replace("VimRegistration"),
            /site-cnf: INVALID_INPUT[\s\S]*is, or may be, the cluster that is called/,
        );
        vim.give("localhost", { clusterIdentifier: vim.api.endpoint });
        await vim.project.pulumi.up();
        await replace("VimRegistration");
        await vim.project.pulumi.up({ expectNoChanges: true });
        assert.deepEqual(
            vim.api.seen.slice(begun).filter(({ method }) => method === "DELETE"),
            [],
        );
        assert.deepEqual(vim.uids(), before);
    });

    it("go with it", async () => {
        await vim.project.pulumi.destroy();
        assert.deepEqual([...vim.api.objects.keys()], []);
    });
});

import { strict as assert } from "node:assert";
import { asStory } from "../../support/story";
import { type CnfProject, openCnfProject } from "./cnf-project";

/** Real engine, simulated API. The engine makes a replacement before it deletes the old resource, and both are the same objects. */
describe("a Vim and the namespaces of a network function on it", function () {
    this.timeout("10m");
    asStory(this);
    let api: CnfProject["api"];
    let project: CnfProject["project"];
    let close: CnfProject["close"] | undefined;

    before(async function () {
        ({ api, project, close } = await openCnfProject(this, "vim-endpoint"));
    });
    after(() => close?.());

    const give = (host: string, more: object = {}) =>
        project.give({
            vim: {
                endpoint: api.endpoint.replace("127.0.0.1", host),
                ...{ sslCaCert: "none", auth: { bearerToken: "admin-token" }, serviceAccount: {}, ...more },
            },
            ...{ name: "upf", namespace: "demo", objects: [] },
        });
    const uids = () => [...api.objects].map(([path, { metadata }]) => [path, (metadata as { uid: string }).uid]).sort();
    /** What the run deletes, and what it replaces in the state. */
    const lost = async (run: () => Promise<string>) => {
        const begun = api.seen.length;
        const said = await run();
        const deleted = api.seen.slice(begun).filter(({ method }) => method === "DELETE");
        return [...deleted.map(({ path }) => path), ...(/replace.*/.exec(said) ?? [])];
    };

    it("keep everything where the endpoint is the same cluster by another name", async () => {
        give("127.0.0.1");
        await project.pulumi.up();
        const before = uids();
        assert.ok(before.some(([path]) => path === "/api/v1/namespaces/demo"));
        give("localhost");
        assert.deepEqual(await lost(() => project.pulumi.up()), []);
        assert.deepEqual(uids(), before);
        await project.pulumi.up({ expectNoChanges: true });
    });

    it("also where the program names the cluster later", async () => {
        const before = uids();
        give("localhost", { clusterIdentifier: "site" });
        assert.deepEqual(await lost(() => project.pulumi.up()), []);
        assert.deepEqual(uids(), before);
        await project.pulumi.up({ expectNoChanges: true });
        give("localhost");
        assert.deepEqual(await lost(() => project.pulumi.up()), []);
    });

    it("are refused at preview where another cluster is at the new endpoint", async () => {
        api.clusterUid = "cluster-2";
        give("127.0.0.1");
        const { code, output } = await project.pulumi.start(["preview", "--non-interactive"]).done;
        assert.notEqual(code, 0);
        assert.match(output, /127\.0\.0\.1:\d+ is another cluster than https:\/\/localhost/);
        api.clusterUid = "cluster-1";
        give("localhost");
    });

    it("keep everything where a person replaces them", async () => {
        const { resources } = JSON.parse(await project.pulumi.exportStack()).deployment;
        const urns: string[] = resources.map(({ urn }: { urn: string }) => urn);
        const before = uids();
        const replace = (type: string) => {
            const urn = urns.find(each => each.includes(`dynamic/nfv:${type}::`))!;
            return project.pulumi.up({ replace: [urn] });
        };
        const begun = api.seen.length;
        await replace("CnfNamespace");
        // The engine gives the replacement nothing from the state, so it does not know the cluster's first name: the run is refused.
        await assert.rejects(
            replace("VimRegistration"),
            /site-cnf: INVALID_INPUT[\s\S]*is, or may be, the cluster that is called/,
        );
        give("localhost", { clusterIdentifier: api.endpoint });
        await project.pulumi.up();
        await replace("VimRegistration");
        await project.pulumi.up({ expectNoChanges: true });
        assert.deepEqual(
            api.seen.slice(begun).filter(({ method }) => method === "DELETE"),
            [],
        );
        assert.deepEqual(uids(), before);
    });

    it("go with it", async () => {
        await project.pulumi.destroy();
        assert.deepEqual([...api.objects.keys()], []);
    });
});

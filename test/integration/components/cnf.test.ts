import { strict as assert } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import { killTree } from "../../support/kill-tree";
import { asStory } from "../../support/story";
import { type CnfProject, openCnfProject } from "./cnf-project";

const place = "/api/v1/namespaces/demo";
const other = "/api/v1/namespaces/other";

/** Real engine, simulated API. The API supports too little for the kubernetes plugin, so test/e2e/cluster.full.test.ts tests other objects. */
describe("the namespaces of a network function", function () {
    this.timeout("10m");
    asStory(this);
    let api: CnfProject["api"];
    let project: CnfProject["project"];
    let close: CnfProject["close"] | undefined;

    before(async function () {
        ({ api, project, close } = await openCnfProject(this, "cnf"));
    });
    after(() => close?.());

    const give = (name: string, aliases: object[] = []) =>
        project.give({
            vim: { endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } },
            ...{ name, aliases, namespace: "demo" },
            objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } }],
        });
    const seenOf = (path: string) => {
        const { uid, annotations } = api.objects.get(path)!["metadata"] as {
            uid: string;
            annotations: Record<string, string>;
        };
        return { uid, owner: annotations["pulumi-nfv.dev/owner"] };
    };
    /** Runs `up`, and kills it when the API has carried out the request but the engine has no answer yet. */
    async function killedAt(path: RegExp): Promise<void> {
        const reached = new Promise<void>(resolve => {
            api.silentAt = { path, reached: resolve };
        });
        const run = project.pulumi.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
        const outcome = await Promise.race([reached, run.done]);
        assert.equal(outcome, undefined, JSON.stringify(outcome));
        // the engine writes its state meanwhile, and a half written one cannot be read
        await sleep(500);
        killTree(run.pid);
        await run.done;
        api.speakAgain();
        await project.pulumi.stack.cancel();
    }

    it("are taken up by the next `up` where a run was killed between making and noting them", async () => {
        give("upf");
        // The first request creates the namespace, the second one applies its contents.
        await killedAt(/^\/api\/v1\/namespaces$/);
        const made = [...api.objects.keys()];
        assert.equal(made.length, 1);
        const first = seenOf(made[0]!);
        assert.match(first.owner!, /^upf-[0-9a-f]{12}$/);
        await killedAt(/^\/api\/v1\/namespaces\/(demo|other)$/);
        await project.pulumi.up();
        assert.deepEqual(seenOf(made[0]!), first);
        assert.deepEqual([seenOf(place).owner, seenOf(other).owner], [first.owner, first.owner]);
        await project.pulumi.up({ expectNoChanges: true });
    });

    it("are refused to the same network function under another name, unless the former one is given as an alias: then nothing is lost", async () => {
        const before = [seenOf(place), seenOf(other)];
        give("smf");
        const { code, output } = await project.pulumi.start(["preview", "--non-interactive"]).done;
        assert.notEqual(code, 0);
        assert.match(output, /NOT_OURS[\s\S]*Namespace other exists already: made by upf-/);
        give("smf", [{ name: "upf" }]);
        const begun = api.seen.length;
        const said = await project.pulumi.up();
        assert.doesNotMatch(said, /created|deleted|replaced/);
        assert.deepEqual([seenOf(place), seenOf(other)], before);
        const gone = api.seen.slice(begun).filter(({ method }) => method === "DELETE");
        assert.deepEqual(gone, []);
        // The alias can be removed after its use.
        give("smf");
        await project.pulumi.up({ expectNoChanges: true });
    });

    it("are not lost by --replace of its mark or of the provider of its objects", async () => {
        const begun = api.seen.length;
        const { resources } = JSON.parse(await project.pulumi.exportStack()).deployment as {
            resources: { urn: string }[];
        };
        for (const [end, command, why] of [
            [/providers:kubernetes::site\b.*/, ["up", "--yes", "--skip-preview"], "the provider site"],
            [/nfv:OwnerMark::smf/, ["preview"], "it holds the mark that the objects"],
        ] as const) {
            const { urn } = resources.find(each => end.test(each.urn))!;
            const run = [...command, "--non-interactive", "--replace", urn];
            const { code, output } = await project.pulumi.start(run).done;
            assert.notEqual(code, 0, output);
            assert.ok(output.replace(/\s+/g, " ").includes(why), output);
            assert.match(output, /INVALID_INPUT/);
        }
        const gone = api.seen.slice(begun).filter(({ method }) => method === "DELETE");
        assert.deepEqual(gone, []);
        await project.pulumi.up({ expectNoChanges: true });
    });

    it("go with it", async () => {
        await project.pulumi.destroy();
        assert.deepEqual([...api.objects.keys()], []);
    });
});

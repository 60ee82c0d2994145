import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type ScriptFixture, scriptFixture } from "./script-fixture";

/** Real `nfv`, engine, git and curl; only the steps' effects are simulated. */
describe("the script of the pipelines", function () {
    asStory(this);
    let fixture: ScriptFixture;
    let hash = "";

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await scriptFixture(1, 1, { masters: 1, workers: 1 });
    });
    after(() => fixture?.close());

    it("refuses words that are no operation, before it starts anything", async () => {
        const refused: [string[], RegExp, Record<string, string>?][] = [
            [[], /plan, run, deployed, heal or comment is expected/],
            [["plan", "destroy"], /"destroy" is no operation of a pipeline; there are up, .*terminate/],
            [["plan", "up", "--yes"], /"--yes" is no word/],
            [["plan"], /"w1;reboot" is no word/, { NFV_OPERATION: "heal w1;reboot" }],
            [["run", "up"], /needs the hash/],
            [["run"], /needs the hash/],
            [["heal", "w1"], /heal takes no words/],
        ];
        for (const [words, text, env] of refused) {
            const { code, output } = await fixture.script(words, env);
            assert.deepEqual([code, text.test(output)], [2, true], output);
        }
        assert.deepEqual(fixture.begun(), []);
    });

    it("shows a plan, with reports and its hash, and changes nothing", async () => {
        const { code, output } = await fixture.script(["plan"], { NFV_ALLOW: "instantiate" });
        assert.equal(code, 0, output);
        const [, found, changes] = /^NFV_PLAN=([0-9a-f]+)\nNFV_CHANGES=(\w+)\n$/.exec(fixture.report("plan.env")) ?? [];
        assert.ok(found, output);
        hash = found;
        assert.equal(changes, "true");
        assert.match(output, new RegExp(`core: instantiate[\\s\\S]*^plan ${hash}$`, "m"));
        assert.match(fixture.report("plan.md"), /\| core\/w1 \| workers \| joins/);
        assert.match(fixture.report("plan.xml"), /<testsuite/);
        assert.deepEqual(fixture.begun(), []);
    });

    it("posts the plan, with its token in no argument", async () => {
        const received: { token?: string | undefined; body: string }[] = [];
        let status = 201;
        const server = createServer((request, response) => {
            let body = "";
            request.on("data", data => (body += data));
            request.on("end", () => {
                received.push({ token: request.headers.authorization, body });
                response.writeHead(status).end();
            });
        });
        await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
        const { port } = server.address() as AddressInfo;
        const env = { NFV_COMMENT_URL: `http://127.0.0.1:${port}/notes`, NFV_COMMENT_TOKEN: "canary-4711" };
        const { code, output } = await fixture.script(["comment"], env);
        assert.equal(code, 0, output);
        assert.deepEqual(received, [
            { token: "Bearer canary-4711", body: `${JSON.stringify({ body: fixture.report("plan.md") })}\n` },
        ]);
        status = 403;
        const refused = await fixture.script(["comment"], env);
        assert.notEqual(refused.code, 0);
        assert.match(refused.output, /403/);
        server.close();
    });

    it("runs the approved plan", async () => {
        const { code, output } = await fixture.script(["run", hash]);
        assert.equal(code, 0, output);
        assert.ok(fixture.begun().includes("w1 cluster.join"));
        assert.match(fixture.report("run.md"), /✅ done/);
        assert.match(fixture.report("run.xml"), /<testsuite/);
    });
});

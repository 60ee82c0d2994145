import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { obtain } from "../../../../tools/cache";
import { fetchText } from "../../../../tools/http";
import { silent } from "../../../../tools/progress";
import { download, downloadEntry } from "../../../../tools/sources/download";
import type { Tool } from "../../../../tools/versions";
import { scratch } from "../scratch";

const release = { file: "thing", place: "site.x/", sums: "SUMS" };
const tool = (sha256?: string): Tool =>
    ({
        name: "etcd",
        version: "1",
        title: "thing",
        programs: ["thing"],
        neededFor: "tests",
        releases: [{ ...release, sha256 }],
    }) as Tool;

describe("a download in the cache", () => {
    const { set } = scratch();
    const fill = (wanted: Tool) =>
        obtain(downloadEntry(wanted), async folder => {
            writeFileSync(join(folder, "thing"), "x");
            return { detail: "a server's own word" };
        });
    const ready = (wanted: Tool) => download(silent).ready(wanted);

    it("that was taken on trust is used only as long as that is said", async () => {
        await fill(tool());
        set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", undefined);
        assert.equal(await ready(tool()), undefined);
        set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", "yes");
        assert.equal((await ready(tool()))?.source, "download");
    });

    it("that was taken on trust is not used for one whose sum is known by now", async () => {
        set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", "yes");
        await fill(tool());
        assert.equal(await ready(tool("a".repeat(64))), undefined);
    });
});

describe("a server of files that wants a login", () => {
    let server: Server;
    const seen: (string | undefined)[] = [];
    before(done => {
        server = createServer((request, response) => {
            seen.push(request.headers.authorization);
            response.writeHead(request.url === "/there" ? 200 : 500).end("text");
        }).listen(0, "127.0.0.1", () => done());
    });
    after(done => void server.close(() => done()));
    const at = (path: string) =>
        new URL(`http://nfv:can%40ary@127.0.0.1:${(server.address() as AddressInfo).port}/${path}`);

    it("gets it, and no message has it", async () => {
        assert.equal(await fetchText(at("there")), "text");
        assert.deepEqual(seen, [`Basic ${Buffer.from("nfv:can@ary").toString("base64")}`]);
        await assert.rejects(fetchText(at("broken")), (error: Error) => {
            assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+\/broken: the server answers 500/);
            return true;
        });
    });
});

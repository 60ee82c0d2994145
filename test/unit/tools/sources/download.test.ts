import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
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

describe("the sum that a server publishes", () => {
    const { set } = scratch();
    let server: Server;
    let redirect: string | undefined;
    const logins: (string | undefined)[] = [];
    const program = "#!/bin/sh\n";
    const sum = createHash("sha256").update(program).digest("hex");
    before(done => {
        server = createServer((request, response) => {
            logins.push(request.headers.authorization);
            const { pathname } = new URL(request.url!, "http://x");
            if (pathname.endsWith("/thing")) response.end(program);
            else if (pathname === "/sums") response.end(`${sum}  thing\n`);
            else if (pathname === "/back") response.writeHead(302, { location: `${at("127.0.0.1")}/sums` }).end();
            else if (redirect) response.writeHead(302, { location: redirect }).end();
            else response.writeHead(404).end();
        }).listen(0, "0.0.0.0", () => done());
    });
    after(done => void server.close(() => done()));
    const at = (host: string) => `http://${host}:${(server.address() as AddressInfo).port}`;
    const obtainThing = (to: string | undefined, base = at("127.0.0.1")) => {
        redirect = to;
        logins.splice(0);
        set("PULUMI_NFV_DOWNLOAD_BASE", base);
        set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", "yes");
        return download(silent).obtain(tool());
    };

    it("counts after a redirect to a place that nobody can change on the way", async () => {
        assert.match((await obtainThing(`${at("127.0.0.1")}/sums`)).detail, /vouched for by the release's SUMS/);
        assert.equal((await obtainThing("/sums")).source, "download");
    });

    // Any address but 127.0.0.1 counts as one of a network here, and reaches the same server.
    for (const [what, path] of [
        ["comes from a server without TLS", "/sums"],
        ["comes over a server without TLS", "/back"],
    ] as const)
        it(`is refused after a redirect where it ${what}`, async () => {
            const to = `${at("127.0.0.2")}${path}`;
            await assert.rejects(obtainThing(to), {
                message: `refused: ${to}, to which ${at("127.0.0.1")}/site.x/SUMS redirects, is not protected by TLS`,
            });
        });

    it("is not asked of a server without TLS", async () => {
        await assert.rejects(obtainThing(undefined, at("127.0.0.2")), /refused: \S+SUMS is not protected by TLS/);
        assert.deepEqual(logins, []);
    });

    it("ends where servers redirect in a circle", async () => {
        await assert.rejects(obtainThing("/again"), /more than 10 redirects/);
    });

    it("is missed with the words of the server, not as a line that lacks", async () => {
        await assert.rejects(obtainThing(undefined), /SUMS: the server answers 404 Not Found$/);
    });

    it("is asked without the login of the first server elsewhere", async () => {
        redirect = `${at("127.0.0.2")}/sums`;
        logins.splice(0);
        await fetchText(new URL(`${at("127.0.0.1").replace("//", "//nfv:canary@")}/site.x/SUMS`));
        assert.deepEqual(logins, [`Basic ${Buffer.from("nfv:canary").toString("base64")}`, undefined]);
    });
});

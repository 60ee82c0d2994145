import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { forgetServers } from "../../../tools/reachable";
import { resolveTool } from "../../../tools/resolver";
import { tool } from "../../../tools/versions";
import { scratch } from "../../unit/tools/scratch";

/** A server with the paths of upstream's release addresses, below a folder with the host's name. */
describe("official downloads", () => {
    const { folder, set } = scratch();
    let server: Server;
    let requests: string[];
    let cutShort: string | undefined;

    const sum = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
    const site = (path: string) => join(folder(), "site", path);
    const publish = (path: string, content: string | Buffer) => {
        mkdirSync(dirname(site(path)), { recursive: true });
        writeFileSync(site(path), content);
    };

    beforeEach(async () => {
        forgetServers();
        requests = [];
        cutShort = undefined;
        server = createServer((request, response) => {
            const path = decodeURIComponent(request.url ?? "").slice(1);
            requests.push(path);
            let content: Buffer;
            try {
                content = readFileSync(site(path));
            } catch {
                response.writeHead(404).end("not found");
                return;
            }
            response.writeHead(200, { "content-length": content.length });
            if (path === cutShort) {
                response.write(content.subarray(0, content.length / 2), () => response.destroy());
            } else {
                response.end(content);
            }
        });
        await new Promise<void>(done => server.listen(0, "127.0.0.1", done));
        set("PULUMI_NFV_DOWNLOAD_BASE", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
        set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", "yes");
    });

    afterEach(async () => {
        server.closeAllConnections();
        await new Promise(done => server.close(done));
    });

    const etcd = tool("etcd").releases[0];

    /** Publishes etcd's release: an archive that contains a folder, with a SHA256SUMS beside it. */
    function publishEtcd(dotted = false) {
        const parts = join(folder(), "parts");
        for (const [program, member] of Object.entries(etcd.contents ?? {})) {
            mkdirSync(dirname(join(parts, member)), { recursive: true });
            writeFileSync(join(parts, member), `#!/bin/sh\necho ${program}\n`);
        }
        publish(`${etcd.place}${etcd.file}`, "");
        spawnSync("tar", [
            "-czf",
            site(`${etcd.place}${etcd.file}`),
            "-C",
            parts,
            ...(dotted ? ["."] : readdirSync(parts)),
        ]);
        publish(`${etcd.place}SHA256SUMS`, `${sum(site(`${etcd.place}${etcd.file}`))}  ${etcd.file}\n`);
    }

    const download = (name: "etcd") => resolveTool(name, { sources: ["download"] });

    it("are taken if the release's own sums vouch for them, and then from the cache", async () => {
        publishEtcd();
        const found = await download("etcd");
        assert.match(found.detail, /127\.0\.0\.1.*the release's SHA256SUMS/);
        assert.equal(spawnSync(found.programs.etcdctl, { encoding: "utf8" }).stdout, "etcdctl\n");
        const asked = requests.length;
        assert.deepEqual(await download("etcd"), found);
        assert.equal(requests.length, asked);
    });

    it("are unpacked whether or not the members are named with a leading ./", async () => {
        publishEtcd(true);
        assert.equal(spawnSync((await download("etcd")).programs.etcd, { encoding: "utf8" }).stdout, "etcd\n");
    });

    it("are refused where our table has no sum: the server's own is no proof, unless the user says that it is", async () => {
        publishEtcd();
        for (const value of ["", "no"]) {
            set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", value);
            await assert.rejects(
                download("etcd"),
                /refused: we have no official sum of etcd-v[\s\S]*UNPINNED_DOWNLOADS=yes/,
            );
        }
        assert.deepEqual(requests, []);
        set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", "1");
        await assert.rejects(download("etcd"), /"1"; known are yes and no/);
    });

    it("are refused if they differ from our table, whatever the server says and the user trusts", async () => {
        const [release] = tool("coredns").releases;
        publish(`${release.place}${release.file}`, "another program");
        publish(`${release.place}${release.sums}`, sum(site(`${release.place}${release.file}`)));
        const sources = { sources: ["download" as const] };
        await assert.rejects(resolveTool("coredns", sources), new RegExp(`refused: .*expected is ${release.sha256}`));
    });

    it("work for single programs with a file of one sum each, as Kubernetes publishes them", async () => {
        const version = "1.34.99"; // not in our table
        for (const release of tool("kubernetes", version).releases) {
            publish(`${release.place}${release.file}`, `#!/bin/sh\necho ${release.file}\n`);
            publish(`${release.place}${release.sums}`, sum(site(`${release.place}${release.file}`)));
        }
        const found = await resolveTool("kubernetes", { sources: ["download"], version });
        assert.equal(spawnSync(found.programs.kubelet, { encoding: "utf8" }).stdout, "kubelet\n");
        assert.equal(Object.keys(found.programs).length, 7);
    });

    it("are refused before they are fetched if nothing vouches for them", async () => {
        publishEtcd();
        publish(`${etcd.place}SHA256SUMS`, "");
        await assert.rejects(download("etcd"), /refused: nothing vouches/);
        assert.ok(!requests.includes(`${etcd.place}${etcd.file}`));
    });

    it("are refused if their sum is another one, and nothing is kept", async () => {
        publishEtcd();
        publish(`${etcd.place}SHA256SUMS`, `${"0".repeat(64)}  ${etcd.file}\n`);
        await assert.rejects(download("etcd"), /refused: .*expected is 0{64}/);
        assert.deepEqual(readdirSync(join(folder(), "cache", "tools")), []);
    });

    it("that break off are not used, and succeed at the next attempt", async () => {
        publishEtcd();
        cutShort = `${etcd.place}${etcd.file}`;
        await assert.rejects(download("etcd"), /TOOL_MISSING/);
        cutShort = undefined;
        assert.equal((await download("etcd")).source, "download");
    });

    it("that the server does not have lead to the next source", async () => {
        await assert.rejects(download("etcd"), /TOOL_MISSING[\s\S]*the server answers 404/);
    });

    it("do not take sums over a connection that anybody could have changed", async () => {
        publishEtcd();
        const { port } = server.address() as AddressInfo;
        set("PULUMI_NFV_DOWNLOAD_BASE", `http://localhost:${port}`);
        await assert.rejects(download("etcd"), /not protected by TLS/);
        assert.deepEqual(requests, []);
    });

    it("fail at once where there is no network", async () => {
        set("PULUMI_NFV_DOWNLOAD_BASE", "http://127.0.0.1:1");
        const started = Date.now();
        await assert.rejects(download("etcd"), /cannot be reached: ECONNREFUSED/);
        assert.ok(Date.now() - started < 3000);
    });
});

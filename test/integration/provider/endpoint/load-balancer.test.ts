import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { EndpointSpec } from "../../../../provider/common/model";
import { haproxyConfig } from "../../../../provider/endpoint/haproxy-config";
import {
    checkScriptPath,
    interfacePlaceholder,
    keepalivedConfig,
} from "../../../../provider/endpoint/keepalived-config";
import { createAuthority } from "../../../../provider/identity/certificates";
import { hasDebianPackages, unpackedPackages } from "../../../../tools/debian-packages";
import { skipIf } from "../../../support/skip";
import { hostSpec, masters, vipEndpoint } from "../../../unit/provider/sample-specs";

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
    const server = createTcpServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    return port;
}

/** The former endpoint, with another address and port. */
const former: EndpointSpec = {
    host: "10.0.0.101",
    port: 8443,
    vip: { address: "10.0.0.101", prefixLength: 24, interface: "", virtualRouterId: 78 },
};
const situations: Record<string, EndpointSpec[]> = { "of one endpoint": [], "of two side by side": [former] };

describe("load balancer on the real programs", () => {
    let folder: string;
    let env: NodeJS.ProcessEnv;

    const run = (program: string, ...args: string[]) => spawnSync(program, args, { env, encoding: "utf8" });
    const missing = (program: string) =>
        run(program, "-v").status !== 0 && `no ${program} here, and it could not be had from the distribution`;

    before(async () => {
        folder = mkdtempSync(join(tmpdir(), "nfv-lb-"));
        env = { ...process.env, PATH: [process.env["PATH"], "/usr/sbin"].join(delimiter) };
        if (run("haproxy", "-v").status === 0 && run("keepalived", "-v").status === 0) return;
        if (!(await hasDebianPackages())) return;
        const wanted = { group: "test", name: "load-balancer", packages: ["haproxy", "keepalived"], why: "a test" };
        const root = await unpackedPackages(wanted, text => console.log(`      ${text}`));
        const libraries = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"].map(path => join(root, path));
        env = {
            ...env,
            PATH: [join(root, "usr/sbin"), env["PATH"]].join(delimiter),
            LD_LIBRARY_PATH: libraries.join(":"),
        };
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    for (const [how, formers] of Object.entries(situations)) {
        it(`HAProxy accepts its configuration ${how}, without a warning`, function () {
            skipIf(this, missing("haproxy"));
            // HAProxy's package creates its user, which this machine may lack
            const config = haproxyConfig(vipEndpoint, masters, formers)
                .replace("user haproxy", "user nobody")
                .replace("group haproxy", "group nogroup");
            writeFileSync(join(folder, "haproxy.cfg"), config);
            const { status, stdout, stderr } = run("haproxy", "-c", "-f", join(folder, "haproxy.cfg"));
            assert.equal(status, 0, stderr);
            assert.doesNotMatch(stdout + stderr, /warning|alert/i);
        });
    }

    it("HAProxy lets a request go on while the API server is slow to say that it is ready", async function () {
        skipIf(this, missing("haproxy"));
        const { certificate, key } = await createAuthority("kubernetes", 1);
        const test = this.test!;
        let asked = 0;
        let began: () => void;
        const begun = new Promise<void>(resolve => (began = resolve));
        let held: (() => void) | undefined;
        const api = createServer({ cert: certificate, key }, ({ url }, response) => {
            if (url !== "/readyz") {
                held = () => response.end("done");
                return;
            }
            asked++;
            began();
            // As long as HAProxy asks, things move, however slow this machine is.
            test.resetTimeout();
            // Later than HAProxy waits for an answer if nothing else is said, and with room to its three seconds.
            setTimeout(() => response.end("ok"), 1200);
            // Three checks have been answered late: if late checks failed, the server would be down by now.
            if (asked >= 4) held?.();
        }).listen(0, "127.0.0.1");
        await once(api, "listening");
        const port = await freePort();
        const file = join(folder, "slow.cfg");
        const config = haproxyConfig({ ...vipEndpoint, port }, [{ name: "m1", address: "127.0.0.1" }])
            .replace(":6443", `:${(api.address() as AddressInfo).port}`)
            .replace("bind *:", "bind 127.0.0.1:")
            .replace("/run/haproxy.sock", join(folder, "haproxy.sock"))
            .replace(/^ {4}(user|group) .*\n/gm, "");
        writeFileSync(file, config);
        const haproxy = spawn("haproxy", ["-f", file], { env });
        let said = "";
        for (const stream of [haproxy.stdout, haproxy.stderr]) stream.on("data", data => (said += data));
        const ended = once(haproxy, "exit").then(() => assert.fail(`HAProxy ended:\n${said}`));
        try {
            // It listens before its first check of the server.
            await Promise.race([begun, ended]);
            const answer = new Promise<string>((resolve, reject) => {
                const options = { host: "127.0.0.1", port, path: "/api", rejectUnauthorized: false };
                const asking = request(options, response => {
                    response
                        .setEncoding("utf8")
                        .on("data", resolve)
                        .on("end", () => reject(new Error("no answer")));
                });
                asking.on("error", reject).end();
            });
            assert.equal(await Promise.race([answer, ended]), "done", said);
        } finally {
            ended.catch(() => {});
            haproxy.kill("SIGKILL");
            api.closeAllConnections();
            api.close();
        }
    });

    for (const [how, formerEndpoints] of Object.entries(situations)) {
        it(`keepalived accepts its configuration ${how}, without a word`, function () {
            skipIf(this, missing("keepalived"));
            const script = join(folder, "check");
            writeFileSync(script, "#!/bin/sh\nexit 0\n");
            chmodSync(script, 0o755);
            const config = keepalivedConfig(hostSpec({ formerEndpoints }))
                .replaceAll(interfacePlaceholder, "eth0")
                .replace(checkScriptPath, "/bin/true");
            writeFileSync(join(folder, "keepalived.conf"), config);
            // in a network of its own, because keepalived needs an interface that is up. A signal to its process group ends it, see the step
            const inNamespace =
                'ip link add eth0 type veth peer name p0 && ip link set eth0 up && exec keepalived -t -f "$0"';
            const args = ["-w", "unshare", "-n", "sh", "-c", inNamespace, join(folder, "keepalived.conf")];
            const { status, signal, stdout, stderr } = run("setsid", ...args);
            assert.ok(status === 0 || status === 143 || signal === "SIGTERM", `${status}: ${stdout}${stderr}`);
            assert.equal((stdout + stderr).replace("Terminated", "").trim(), "");
        });
    }
});

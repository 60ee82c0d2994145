import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { haproxyConfig } from "../../../../provider/endpoint/haproxy-config";
import {
    checkScriptPath,
    interfacePlaceholder,
    keepalivedConfig,
} from "../../../../provider/endpoint/keepalived-config";
import { hasDebianPackages, unpackedPackages } from "../../../../tools/debian-packages";
import { skipIf } from "../../../support/skip";
import { hostSpec, masters, vipEndpoint } from "../../../unit/provider/sample-specs";

describe("load balancer on the real programs", function () {
    this.timeout(180_000);
    let folder: string;
    let env: NodeJS.ProcessEnv;

    const run = (program: string, ...args: string[]) => spawnSync(program, args, { env, encoding: "utf8" });

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

    it("HAProxy accepts its configuration, without a warning", function () {
        skipIf(
            this,
            run("haproxy", "-v").status !== 0 && "no haproxy here, and it could not be had from the distribution",
        );
        // its user exists where the package is installed; here nobody has to do
        const config = haproxyConfig(vipEndpoint, masters)
            .replace("user haproxy", "user nobody")
            .replace("group haproxy", "group nogroup");
        writeFileSync(join(folder, "haproxy.cfg"), config);
        const { status, stdout, stderr } = run("haproxy", "-c", "-f", join(folder, "haproxy.cfg"));
        assert.equal(status, 0, stderr);
        assert.doesNotMatch(stdout + stderr, /warning|alert/i);
    });

    it("keepalived accepts its configuration, without a word", function () {
        skipIf(
            this,
            run("keepalived", "-v").status !== 0 && "no keepalived here, and it could not be had from the distribution",
        );
        const script = join(folder, "check");
        writeFileSync(script, "#!/bin/sh\nexit 0\n");
        chmodSync(script, 0o755);
        const config = keepalivedConfig(hostSpec())
            .replace(interfacePlaceholder, "eth0")
            .replace(checkScriptPath, "/bin/true");
        writeFileSync(join(folder, "keepalived.conf"), config);
        // in a network of its own: it wants an interface that is up. It ends with a signal to its process group, see the step
        const inNamespace =
            'ip link add eth0 type veth peer name p0 && ip link set eth0 up && exec keepalived -t -f "$0"';
        const args = ["-w", "unshare", "-n", "sh", "-c", inNamespace, join(folder, "keepalived.conf")];
        const { status, signal, stdout, stderr } = run("setsid", ...args);
        assert.ok(status === 0 || status === 143 || signal === "SIGTERM", `${status}: ${stdout}${stderr}`);
        assert.equal((stdout + stderr).replace("Terminated", "").trim(), "");
    });
});

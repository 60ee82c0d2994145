import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownSigns } from "../../../../provider/shell/own-signs";
import { script } from "../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

describe("what was there before us", () => {
    let shell: ShellRun;
    beforeEach(() => {
        shell = shellIn("sh");
    });
    afterEach(() => shell.remove());

    it("is noted once: which services were enabled, and which ran", () => {
        const services = "haproxy.service\nkeepalived.service\nkubelet.service";
        const run = (enabled: string, active: string) => {
            shell.program(
                "systemctl",
                `case "$2 $3" in "is-enabled ${enabled}" | "is-active ${active}") ;; *) exit 1 ;; esac`,
            );
            const text = script("node/keep-originals.sh", ownSigns).replace(
                /\/(etc|opt|var)\//g,
                `${shell.folder}/$1/`,
            );
            const { status, stderr } = shell.run(`FILES='' FOLDERS='' SERVICES='${services}'\n${text}`);
            assert.deepEqual([stderr, status], ["", 0]);
        };
        const noted = (name: string) => readFileSync(join(shell.folder, "var/lib/pulumi-nfv/original", name), "utf8");
        mkdirSync(join(shell.folder, "var"));
        run("kubelet.service", "haproxy.service");
        run("haproxy.service", "keepalived.service");
        assert.deepEqual([noted(".services"), noted(".active")], ["kubelet.service\n", "haproxy.service\n"]);
    });

    it("is a load balancer of others, also with a line that ours has", () => {
        const theirs = "stats socket /run/haproxy.sock mode 600 level admin";
        for (const line of [theirs, ownSigns.HAPROXY_FRONTEND, ownSigns.HAPROXY_SIGN]) {
            const file = join(shell.folder, "etc/haproxy/haproxy.cfg");
            mkdirSync(join(file, ".."), { recursive: true });
            mkdirSync(join(shell.folder, "var"), { recursive: true });
            writeFileSync(file, `global\n    ${line}\nfrontend shop\n`);
            shell.program("systemctl", ":");
            const text = script("node/keep-originals.sh", ownSigns).replace(
                /\/(etc|opt|var)\//g,
                `${shell.folder}/$1/`,
            );
            const { status, stderr } = shell.run(`FILES='${file}' FOLDERS='' SERVICES=haproxy.service\n${text}`);
            assert.deepEqual([stderr, status], ["", 0]);
            const kept = join(shell.folder, "var/lib/pulumi-nfv/original");
            assert.equal(readFileSync(join(kept, ".active"), "utf8"), "haproxy.service\n");
            assert.equal(readFileSync(`${kept}${file}`, "utf8"), readFileSync(file, "utf8"));
            rmSync(join(shell.folder, "var"), { recursive: true });
        }
    });

    it("is nothing of ours, on a machine that has lost our notes", () => {
        const ours: Record<string, string> = {
            "keepalived/keepalived.conf": `vrrp_script alive { script "${ownSigns.KEEPALIVED_SIGN}" }`,
            "haproxy/haproxy.cfg": `${ownSigns.HAPROXY_FRONTEND}\n    ${ownSigns.HAPROXY_SIGN}\n`,
            "cni/net.d/10-podnet.conflist": '{ "name": "podnet" }',
            "cni/net.d/87-podman.conflist": '{ "name": "podman" }',
        };
        for (const [file, text] of Object.entries(ours)) {
            mkdirSync(join(shell.folder, "etc", file, ".."), { recursive: true });
            writeFileSync(join(shell.folder, "etc", file), text);
        }
        mkdirSync(join(shell.folder, "var"));
        shell.program("systemctl", ":");
        const files = ["keepalived/keepalived.conf", "haproxy/haproxy.cfg"].map(file => `${shell.folder}/etc/${file}`);
        const text = script("node/keep-originals.sh", ownSigns).replace(/\/(etc|opt|var)\//g, `${shell.folder}/$1/`);
        const given = `FILES='${files.join("\n")}' FOLDERS='' SERVICES='haproxy.service\nkeepalived.service'\n`;
        const { status, stderr } = shell.run(`${given}${text}`);
        assert.deepEqual([stderr, status], ["", 0]);
        const kept = join(shell.folder, "var/lib/pulumi-nfv/original");
        assert.deepEqual(
            [".active", ".cni"].map(name => readFileSync(join(kept, name), "utf8")),
            ["", "87-podman.conflist\n"],
        );
        for (const file of files) assert.ok(existsSync(`${kept}${file}.absent`), file);
    });
});

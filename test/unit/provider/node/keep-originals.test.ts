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

    const put = (file: string, text: string) => {
        mkdirSync(join(shell.folder, file, ".."), { recursive: true });
        writeFileSync(join(shell.folder, file), text);
    };
    const keep = (services: string, files: readonly string[] = []) => {
        mkdirSync(join(shell.folder, "var"), { recursive: true });
        const text = script("node/keep-originals.sh", ownSigns).replace(/\/(etc|opt|var)\//g, `${shell.folder}/$1/`);
        const { status, stderr } = shell.run(`FILES='${files.join("\n")}' FOLDERS='' SERVICES='${services}'\n${text}`);
        assert.deepEqual([stderr, status], ["", 0]);
    };
    const kept = (name: string) => join(shell.folder, "var/lib/pulumi-nfv/original", name);
    const noted = (name: string) => readFileSync(kept(name), "utf8");

    it("is noted once: which services were enabled, and which ran", () => {
        const services = "haproxy.service\nkeepalived.service\nkubelet.service";
        const run = (enabled: string, active: string) => {
            shell.program(
                "systemctl",
                `case "$2 $3" in "is-enabled ${enabled}" | "is-active ${active}") ;; *) exit 1 ;; esac`,
            );
            keep(services);
        };
        run("kubelet.service", "haproxy.service");
        run("haproxy.service", "keepalived.service");
        assert.deepEqual([noted(".services"), noted(".active")], ["kubelet.service\n", "haproxy.service\n"]);
    });

    it("is a container runtime that nobody used: not enabled, and not running", () => {
        for (const [enabled, active, off] of [
            ["disabled", 3, "containerd.service\n"],
            ["disabled", 0, ""],
            ["enabled", 0, ""],
            ["", 3, ""],
        ] as const) {
            shell.program(
                "systemctl",
                `case "$*" in "is-enabled containerd.service") echo ${enabled}; exit 1 ;; *is-active*) exit ${active} ;; *) exit 1 ;; esac`,
            );
            keep("");
            assert.equal(noted(".off"), off, `${enabled} ${active}`);
            rmSync(join(shell.folder, "var"), { recursive: true });
        }
    });

    it("is a load balancer of others, also with a line that ours has", () => {
        const theirs = "stats socket /run/haproxy.sock mode 600 level admin";
        for (const line of [theirs, ownSigns.HAPROXY_FRONTEND, ownSigns.HAPROXY_SIGN]) {
            const file = join(shell.folder, "etc/haproxy/haproxy.cfg");
            put("etc/haproxy/haproxy.cfg", `global\n    ${line}\nfrontend shop\n`);
            shell.program("systemctl", ":");
            keep("haproxy.service", [file]);
            assert.equal(noted(".active"), "haproxy.service\n");
            assert.equal(noted(file), readFileSync(file, "utf8"));
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
        for (const [file, text] of Object.entries(ours)) put(`etc/${file}`, text);
        shell.program("systemctl", ":");
        const files = ["keepalived/keepalived.conf", "haproxy/haproxy.cfg"].map(file => `${shell.folder}/etc/${file}`);
        keep("haproxy.service\nkeepalived.service", files);
        assert.deepEqual([".active", ".cni"].map(noted), ["", "87-podman.conflist\n"]);
        for (const file of files) assert.ok(existsSync(kept(`${file}.absent`)), file);
    });
});

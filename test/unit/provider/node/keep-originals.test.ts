import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
            const text = script("node/keep-originals.sh").replace(/\/(etc|opt|var)\//g, `${shell.folder}/$1/`);
            const { status, stderr } = shell.run(`FILES='' FOLDERS='' SERVICES='${services}'\n${text}`);
            assert.deepEqual([stderr, status], ["", 0]);
        };
        const noted = (name: string) => readFileSync(join(shell.folder, "var/lib/pulumi-nfv/original", name), "utf8");
        mkdirSync(join(shell.folder, "var"));
        run("kubelet.service", "haproxy.service");
        run("haproxy.service", "keepalived.service");
        assert.deepEqual([noted(".services"), noted(".active")], ["kubelet.service\n", "haproxy.service\n"]);
    });
});

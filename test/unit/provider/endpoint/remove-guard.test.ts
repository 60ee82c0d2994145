import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
    guardConstants,
    guardDropInPath,
    guardRulesPath,
    guardUnitPath,
} from "../../../../provider/endpoint/vrrp-guard";
import { script } from "../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

describe("endpoint/remove-guard.sh", () => {
    let shell: ShellRun;
    const path = (name: string) => join(shell.folder, name);
    const run = (line: string) => {
        const functions = script("endpoint/remove-guard.sh", guardConstants);
        const text = functions.replaceAll("/usr/sbin/nft", "nft").replace(/\/etc\//g, `${shell.folder}/etc/`);
        const { status, stderr } = shell.run(text + line);
        assert.deepEqual([status, stderr], [0, ""]);
        return existsSync(path("calls")) ? readFileSync(path("calls"), "utf8").trim().split("\n") : [];
    };

    beforeEach(() => {
        shell = shellIn("sh");
        const tables = ["pulumi-nfv-vrrp", "pulumi-nfv-vrrp-former-51", "pulumi-nfv-vrrp-former-52", "filter"];
        writeFileSync(path("tables"), tables.map(name => `table inet ${name}\n`).join(""));
        shell.program(
            "nft",
            `if [ "$1" = list ]; then cat '${path("tables")}'; else echo "nft $*" >> '${path("calls")}'; fi`,
        );
        shell.program("systemctl", `echo "systemctl $*" >> '${path("calls")}'; exit 1`);
    });
    afterEach(() => shell.remove());

    const formers = ["51", "52"].map(id => `nft delete table inet pulumi-nfv-vrrp-former-${id}`);

    it("remove_former_guards: deletes the tables of former endpoints, no other", () => {
        assert.deepEqual(run("remove_former_guards"), formers);
    });

    it("remove_guard: removes the service and all its files, also where there are none", () => {
        for (const name of [guardRulesPath, guardUnitPath, guardDropInPath]) {
            mkdirSync(dirname(path(name)), { recursive: true });
            writeFileSync(path(name), "");
        }
        const stop = "systemctl -q disable --now pulumi-nfv-virtual-address.service";
        assert.deepEqual(run("remove_guard; remove_guard"), [...formers, stop, ...formers, stop]);
        const left = [guardRulesPath, guardUnitPath, dirname(guardDropInPath), dirname(guardRulesPath)];
        assert.deepEqual(
            left.filter(name => existsSync(path(name))),
            [],
        );
    });
});

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { script } from "../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

describe("a reset and the network plugins", () => {
    let shell: ShellRun;
    const at = (file: string) => join(shell.folder, file);
    const moved = (text: string) => text.replace(/\/(opt|var)\//g, `${shell.folder}/$1/`);

    beforeEach(() => {
        shell = shellIn("sh");
        mkdirSync(at("opt/cni/bin"), { recursive: true });
        mkdirSync(at("var/lib/pulumi-nfv/original"), { recursive: true });
        shell.program("dpkg-query", `case $2 in */packaged) echo found ;; *) exit 1 ;; esac`);
        for (const name of ["before", "bridge", "flannel", "packaged", "theirs"])
            writeFileSync(at(`opt/cni/bin/${name}`), "");
        symlinkSync("/usr/lib/cni/tuning", at("opt/cni/bin/tuning"));
        writeFileSync(at("var/lib/pulumi-nfv/original/.plugins"), "before\n");
    });
    afterEach(() => shell.remove());

    const note = (file: string, ...names: string[]) =>
        writeFileSync(at(`var/lib/pulumi-nfv/${file}`), names.map(name => `${name}\n`).join(""));
    const remove = () => {
        const text = moved(script("host/lib/remove-plugins.sh"));
        const { stdout, stderr, status } = shell.run(`${text}remove_plugins`);
        assert.deepEqual([stderr, status], ["", 0]);
        return { said: stdout.replaceAll(shell.folder, ""), left: readdirSync(at("opt/cni/bin")).sort() };
    };

    it("removes those of the bundle, our links, and those that the cluster's network used; says what stays", () => {
        const sums = moved("1  /opt/cni/bin/bridge\n2  /opt/cni/bin/loopback");
        const text = moved(script("node/kubernetes/note-plugins.sh"));
        for (let i = 0; i < 2; i++) assert.equal(shell.run(`SUMS='${sums}'\n${text}`).status, 0);
        note("cluster-plugins", "flannel", "bridge");
        const { said, left } = remove();
        assert.deepEqual(left, ["before", "packaged", "theirs"]);
        assert.match(said, /^stays: \/opt\/cni\/bin\/theirs: .*\n$/);
    });

    it("does so without a bundle, which stages none", () => {
        note("cluster-plugins", "flannel", "bridge");
        assert.deepEqual(remove().left, ["before", "packaged", "theirs"]);
    });

    it("removes nothing where it is not known what was there before", () => {
        rmSync(at("var/lib/pulumi-nfv/original/.plugins"));
        assert.equal(remove().left.length, 6);
    });
});

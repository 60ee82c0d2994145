import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scripts } from "../../../lab/paths";

describe("the runc of nodes that mount NFS", () => {
    let bundle: string;
    const config = (program: string) =>
        JSON.stringify({ process: { args: [program, "--v=2"] }, mounts: [{ destination: "/proc", type: "proc" }] });
    /** The mounts of a container after its runc was called; the real runc is not there. */
    const mountsOf = (program: string, ...words: string[]) => {
        const file = join(bundle, "config.json");
        writeFileSync(file, config(program));
        for (let i = 0; i < 2; i++) spawnSync("sh", [join(scripts, "nfs", "runc"), ...words], { encoding: "utf8" });
        return JSON.parse(readFileSync(file, "utf8")).mounts.map(
            ({ destination }: { destination: string }) => destination,
        );
    };

    beforeEach(() => {
        bundle = mkdtempSync(join(tmpdir(), "nfv-runc-"));
    });
    afterEach(() => rmSync(bundle, { recursive: true }));

    it("gives the NFS CSI driver the node's mount.nfs, once", () => {
        const given = ["/usr/local/lib/nfv-lab", "/usr/sbin/mount.nfs", "/proc"];
        assert.deepEqual(mountsOf("/nfsplugin", "--root", "/run", "create", "--bundle", bundle, "id"), given);
        assert.deepEqual(mountsOf("/nfsplugin", "create", `--bundle=${bundle}`), given);
    });

    it("leaves other containers as they are", () => {
        assert.deepEqual(mountsOf("/coredns", "create", "--bundle", bundle, "id"), ["/proc"]);
        assert.deepEqual(mountsOf("/nfsplugin", "start", "id"), ["/proc"]);
    });
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardVirtualAddress } from "../../../../provider/endpoint/guard-virtual-address";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { hostSpecs } from "../sample-specs";

const step = guardVirtualAddress(hostSpecs["a master with everything"])!;

describe("the guard of the virtual address", () => {
    let root: string;
    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-guard-"));
        mkdirSync(join(root, "bin"));
        for (const tool of ["mkdir", "sed"]) symlinkSync(`/usr/bin/${tool}`, join(root, "bin", tool));
        mkdirSync(join(root, "var/lib/pulumi-nfv"), { recursive: true });
        writeFileSync(join(root, "var/lib/pulumi-nfv/virtual-address.nft"), "rules\n");
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const run = () => {
        const script = step.run!.replace(/\/(etc|usr\/sbin|var\/lib)\//g, `${root}/$1/`);
        const env = { ...step.env, PATH: join(root, "bin"), VIP_INTERFACE: "eth0" };
        const { status, stderr } = spawnSync("/bin/sh", ["-eu"], { input: script, encoding: "utf8", env });
        return { code: step.errors![status!], stderr, status };
    };

    it("says that each node needs nftables where it is missing and nothing can install it", () => {
        const { code, status, stderr } = run();
        assert.deepEqual([code, status], ["UNSUPPORTED_SYSTEM", exitCodes.UNSUPPORTED_SYSTEM]);
        assert.match(
            stderr,
            /no .*nft, and it has to be installed: each node of a cluster with .*vip needs the package nftables/,
        );
    });

    it("says the same where the kernel does not take its rules, which are not loaded then", () => {
        mkdirSync(join(root, "usr/sbin"), { recursive: true });
        writeFileSync(join(root, "usr/sbin/nft"), "#!/bin/sh\nexit 1\n");
        chmodSync(join(root, "usr/sbin/nft"), 0o755);
        const { code, stderr } = run();
        assert.equal(code, "UNSUPPORTED_SYSTEM");
        assert.match(stderr, /kernel has no nf_tables: each node/);
    });
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    readlinkSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runtimeVersion, switchRuntime } from "../../../../../provider/node/runtime/bundle-runtime";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { encodeStep } from "../../../../../provider/steps/batch";
import { bundleFiles, hostSpec, runtimeFiles } from "../../sample-specs";

describe("the container runtime of a bundle", () => {
    let root: string;
    const at = (path: string) => join(root, path);
    const staged = (versions: string) => at(`usr/local/lib/pulumi-nfv/containerd/${versions}`);
    const spec = hostSpec({ source: { bundle: { path: "/bundles/one", files: [...bundleFiles, ...runtimeFiles] } } });

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-runtime-"));
        mkdirSync(at("usr/local/bin"), { recursive: true });
        for (const versions of ["2.4.2-1.5.3", "2.4.1-1.5.3"]) mkdirSync(staged(versions), { recursive: true });
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const inRoot = (text: string) => text.replace(/(?<![\w.}])\/(usr\/local|etc\/systemd)\b/g, `${root}/$1`);

    /** The step on a machine where containerd runs from this file, and from another one after a restart. */
    function run(running = "", restarted = join(staged("2.4.2-1.5.3"), "containerd"), more = "") {
        const step = inRoot(encodeStep(switchRuntime(spec)!));
        const world = `
            systemctl() { echo "systemctl $*"; case $1 in restart) RUNNING=$RESTARTED ;; esac; }
            ctr() { :; }
            readlink() { case $1 in /proc/*) [ -n "$RUNNING" ] && echo "$RUNNING" ;; *) command readlink "$@" ;; esac; }
        `;
        const { stdout, stderr, status } = spawnSync("sh", ["-eu"], {
            input: world + `${more}\n` + step,
            encoding: "utf8",
            env: { PATH: process.env["PATH"], RUNNING: running, RESTARTED: restarted },
        });
        return { restarts: stdout.includes("systemctl restart containerd.service"), stderr, status };
    }

    it("is none unless the program wants it: the files of the bundle say so", () => {
        assert.equal(runtimeVersion(hostSpec()), undefined);
        assert.equal(switchRuntime(hostSpec()), undefined);
        assert.equal(runtimeVersion(spec), "2.4.2-1.5.3");
    });

    it("comes in the place of the one that runs, and takes its own former one away", () => {
        symlinkSync(join(staged("2.4.1-1.5.3"), "containerd"), at("usr/local/bin/containerd"));
        assert.deepEqual(run("/usr/bin/containerd"), { restarts: true, stderr: "", status: 0 });
        assert.match(readFileSync(at("etc/systemd/system/containerd.service"), "utf8"), /containerd of the bundle/);
        for (const name of ["containerd", "runc"])
            assert.equal(readlinkSync(at(`usr/local/bin/${name}`)), join(staged("2.4.2-1.5.3"), name));
        assert.deepEqual([existsSync(staged("2.4.2-1.5.3")), existsSync(staged("2.4.1-1.5.3"))], [true, false]);
    });

    it("is not restarted by a run that goes on behind a kill", () => {
        assert.deepEqual(run(join(staged("2.4.2-1.5.3"), "containerd")), { restarts: false, stderr: "", status: 0 });
    });

    it("says why it does not start: systemctl does not", () => {
        const failing =
            "systemctl() { case $1 in restart) return 1 ;; esac; }; ctr() { return 1; }; sleep() { :; }; journalctl() { echo no such plugin; }";
        const { stderr, status } = run("/usr/bin/containerd", undefined, failing);
        assert.equal(status, 1);
        assert.match(stderr, /containerd does not answer as the bundle's\nno such plugin/);
    });

    it("is not believed to run where a drop-in of others starts another program, and its former one stays", () => {
        const { stderr, status } = run("/usr/bin/containerd", "/opt/site/containerd");
        assert.equal(status, exitCodes.FOREIGN_SOFTWARE);
        assert.match(stderr, /containerd\.service runs \/opt\/site\/containerd, not the bundle's.*drop-in/);
        assert.ok(existsSync(staged("2.4.1-1.5.3")));
    });

    it("refuses programs of others in the same place before it writes anything, its unit included", () => {
        mkdirSync(at("usr/local/sbin"));
        const theirs = {
            "bin/runc": (file: string) => writeFileSync(file, "theirs"),
            "sbin/containerd": (file: string) => writeFileSync(file, "theirs"),
            "bin/containerd": (file: string) => symlinkSync("/mnt/not-mounted/containerd", file),
        };
        for (const [file, make] of Object.entries(theirs)) {
            make(at(`usr/local/${file}`));
            const { restarts, stderr, status } = run("/usr/bin/containerd");
            assert.deepEqual([restarts, status], [false, exitCodes.FOREIGN_SOFTWARE]);
            assert.match(stderr, new RegExp(`local/${file} is there and is not of this package`));
            rmSync(at(`usr/local/${file}`));
            assert.deepEqual(readdirSync(at("usr/local/bin")), []);
            assert.equal(existsSync(at("etc")), false);
        }
    });

    it("takes a program of the site's before runc if it calls ours, and refuses another version before anything restarts", () => {
        const program = (file: string, lines: string) =>
            writeFileSync(at(file), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
        mkdirSync(at("usr/local/sbin"));
        program("usr/local/lib/pulumi-nfv/containerd/2.4.2-1.5.3/runc", "echo runc version 1.5.3");
        program("usr/local/sbin/runc", `echo a site says >&2; exec ${at("usr/local/bin/runc")} "$@"`);
        assert.deepEqual(run("/usr/bin/containerd"), { restarts: true, stderr: "", status: 0 });
        program("usr/local/sbin/runc", "echo runc version 1.1.5");
        const { restarts, stderr, status } = run("/usr/bin/containerd");
        assert.deepEqual([restarts, status], [false, exitCodes.FOREIGN_SOFTWARE]);
        assert.match(
            stderr,
            /sbin\/runc stands before .* says "runc version 1\.1\.5", the bundle's "runc version 1\.5\.3"\. Take it away/,
        );
    });
});

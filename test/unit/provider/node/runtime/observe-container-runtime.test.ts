import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installContainerRuntime } from "../../../../../provider/node/runtime/install-container-runtime";
import { usualPath } from "../../../../../provider/shell/script";
import { observation, parseObservation } from "../../../../../provider/steps/observe";

describe("a look at the container runtime", () => {
    const programs = mkdtempSync(join(tmpdir(), "nfv-runtime-"));
    after(() => rmSync(programs, { recursive: true }));

    /** What is seen where `ctr` and `timeout` of the machine end so. */
    const seenWith = (ctr: string, timeout = 'shift; exec "$@"', more: Record<string, string> = {}, packages = "") => {
        const bodies = { ctr, systemctl: "exit 0", "dpkg-query": "exit 0", ...more };
        for (const [name, body] of Object.entries(bodies))
            writeFileSync(join(programs, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
        // the observation's own deadline stays a real one
        const fake = `#!/bin/sh\n[ "$1" != 10 ] || exec /usr/bin/timeout "$@"\n${timeout}\n`;
        writeFileSync(join(programs, "timeout"), fake, { mode: 0o755 });
        const { observe } = installContainerRuntime({ source: { kind: "apt" } } as never)!;
        const step = {
            id: "host.runtime",
            title: "runtime",
            observe,
            env: { APT_PACKAGES: packages, DNF_PACKAGES: "" },
        };
        const env = { ...process.env, PATH: `${programs}:${process.env["PATH"]}` };
        const input = observation([step]);
        assert.ok(input.includes(usualPath), "sudo's PATH may lack /usr/local/bin, where a bundle has ctr");
        const said = execFileSync("sh", ["-s"], { input: input.replace(usualPath, ""), env, encoding: "utf8" });
        return parseObservation([step], said)[step.id];
    };

    it("finds it as it was, or not answering", () => {
        assert.deepEqual(seenWith("exit 0"), { state: "same" });
        assert.deepEqual(seenWith("exit 1"), { state: "differs", lines: ["containerd does not answer"] });
    });

    it("finds each of the step's packages that is gone", () => {
        const dpkg = `case $4 in containerd) printf installed ;; socat) printf config-files ;; *) exit 1 ;; esac`;
        const seen = seenWith("exit 0", undefined, { "dpkg-query": dpkg }, "containerd socat conntrack");
        assert.deepEqual(seen, {
            state: "differs",
            lines: ["the package socat is gone", "the package conntrack is gone"],
        });
    });

    it("does not know where it takes long: nothing is restarted because a machine is busy", () => {
        const seen = seenWith("exit 0", "exit 124");
        assert.equal(seen?.state, "unknown");
    });
});

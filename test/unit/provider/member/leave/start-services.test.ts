import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runsKubelet, startServices } from "../../../../../provider/member/leave/leave-acts";

describe("starting the services of a node that leaves", () => {
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-services-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    /** A machine on which these services run, and these start. */
    const start = (running: string[], start: string[]) => {
        const cwd = mkdtempSync(join(folder, "machine-"));
        for (const service of running) writeFileSync(join(cwd, service), "");
        const world = `
            systemctl() {
                printf '%s\\n' "$*" >> calls
                case "$1 $2" in reset-failed*) ;; ${start.map(name => `*" ${name}.service") : > ${name} ;;`).join(" ")} *) return 1 ;; esac
            }
            timeout() { shift; "$@"; }
            ctr() { [ -e containerd ]; }
            curl() { [ -e kubelet ]; }
            sleep() { :; }
            date() { n=$(($(cat clock 2>/dev/null || echo 0) + 10)); echo $n | tee clock; }
        `;
        const options = { encoding: "utf8", cwd, env: { ...process.env, ...startServices.env } } as const;
        const { status, stdout } = spawnSync("sh", ["-euc", `${world}\n${startServices.run}`], options);
        assert.equal(status, 0);
        const { stdout: calls } = spawnSync("cat", ["calls"], options);
        return { runs: runsKubelet(stdout), calls: calls.trim().split("\n").slice(1) };
    };

    it("starts kubelet alone where the container runtime answers", () => {
        assert.deepEqual(start(["containerd"], ["kubelet"]), { runs: true, calls: ["start kubelet.service"] });
    });

    it("starts the container runtime first, also one that is silent", () => {
        const calls = ["restart containerd.service", "start kubelet.service"];
        assert.deepEqual(start([], ["containerd", "kubelet"]), { runs: true, calls });
    });

    it("says that nothing runs where one of them does not start, and is no failure", () => {
        for (const starts of [[], ["kubelet"], ["containerd"]]) assert.equal(start([], starts).runs, false);
    });
});

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processesOf } from "../../../lab/cgroups";
import { Lab } from "../../../lab/lab";
import { labFolder, stateFolder } from "../../../lab/paths";
import { until } from "../../../lab/process";
import { packageRoot } from "../../../tools/settings";
import { skipIf } from "../../support/skip";
import { cannotRun, inotifyLimit, remainsOf } from "./remains";

const name = "killtest";

/** Starts the operator's process. */
function up(...words: string[]): ChildProcess {
    const cli = join(packageRoot(), "lab", "cli.ts");
    const argv = ["-r", require.resolve("tsx/cjs"), cli, "up", "--name", name, ...words];
    return spawn(process.execPath, argv, { stdio: "ignore" });
}

const ended = (child: ChildProcess) =>
    child.exitCode !== null || child.signalCode !== null
        ? Promise.resolve()
        : new Promise(resolve => child.once("exit", resolve));

function killAll(...patterns: RegExp[]): number {
    const pids = processesOf(name).filter(pid => {
        try {
            const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
            return patterns.some(pattern => pattern.test(command));
        } catch {
            return false;
        }
    });
    for (const pid of pids) {
        process.kill(pid, "SIGKILL");
    }
    return pids.length;
}

describe("a lab after kill -9", function () {
    this.timeout(400_000);
    let before = "";
    let others = 0;

    beforeEach(function () {
        skipIf(this, cannotRun());
        others = Lab.list().filter(each => each !== name).length;
        before = inotifyLimit();
    });

    afterEach(() => (cannotRun() ? undefined : Lab.remove(name)));

    async function assertGone() {
        await until(5, async () => (await remainsOf(name)).length === 0);
        assert.deepEqual(await remainsOf(name), []);
        assert.ok(!Lab.list().includes(name));
        if (others === 0 && Lab.list().length === 0) {
            assert.equal(inotifyLimit(), before);
            // A cloud keeps its state in the same folder as the labs.
            const kept = existsSync(stateFolder()) ? readdirSync(stateFolder()) : undefined;
            const cloud = kept?.some(each => existsSync(join(stateFolder(), each, "state")));
            assert.ok(kept === undefined || cloud, "the last lab takes the state folder with it");
        }
    }

    it("goes without a trace when supervisors, nspawn and services were killed", async () => {
        const lab = await Lab.up({ name, nodes: ["m1", "w1"], volumes: { w1: [2 ** 26] }, registry: true });
        await lab.mustSsh("w1", "mkfs.ext4 -q /dev/vdb && mkdir /data && mount /dev/vdb /data && echo x > /data/x");
        assert.ok(
            (await remainsOf(name)).some(each => each.startsWith("loop")),
            "the check sees loop devices",
        );
        assert.ok(killAll(/node\.sh/, /systemd-nspawn/, /socat/, /docker-registry/) >= 6);
        await Lab.remove(name);
        await assertGone();
    });

    for (const [when, check] of [
        ["while it makes the first node", () => existsSync(join(labFolder(name), "nodes", "m1"))],
        ["while nodes boot", () => processesOf(name).length > 8],
    ] as const) {
        it(`goes without a trace when the operator was killed ${when}`, async () => {
            const operator = up("m1", "m2", "w1", "--volume", "w1:64MiB");
            assert.ok(await until(60, check), "the moment came");
            operator.kill("SIGKILL");
            await ended(operator);
            await Lab.remove(name);
            await assertGone();
        });
    }

    it("can be completed instead, when the operator was killed in the middle", async () => {
        const operator = up("m1", "w1");
        assert.ok(await until(60, () => existsSync(join(labFolder(name), "nodes", "m1"))));
        operator.kill("SIGKILL");
        await ended(operator);
        const lab = await Lab.up({ name, nodes: ["m1", "w1"] });
        assert.equal(await lab.mustSsh("w1", "hostname"), "w1\n");
        await lab.down();
        await assertGone();
    });

    it("starts a node again whose supervisor was killed", async () => {
        const lab = await Lab.up({ name, nodes: ["m1"] });
        killAll(/node\.sh/, /systemd-nspawn/);
        assert.ok(await until(5, () => lab.status()[0]!.state === "off"));
        await lab.powerOn("m1");
        assert.equal(await lab.mustSsh("m1", "hostname"), "m1\n");
    });
});

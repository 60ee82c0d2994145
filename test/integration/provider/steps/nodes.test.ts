import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Lab } from "../../../../lab";
import type { SshTarget } from "../../../../provider/ssh/types";
import type { Act, StepBody } from "../../../../provider/steps";
import { packageRoot } from "../../../../tools/settings";
import { until } from "../../../support/eventually";
import { skipIf } from "../../../support/skip";
import { startOperator } from "./operator";
import { eachOnce, readTrace, tracedSteps } from "./trace";

/** The most important promises of agent.test.ts, over SSH on a machine with systemd. */
describe("steps on a real node", () => {
    let lab: Lab;
    let target: SshTarget;
    let trace: string;
    let number = 0;

    before(async function () {
        skipIf(this, process.getuid?.() !== 0 && "lab nodes need root");
        lab = await Lab.up({ name: "steps", nodes: ["w1"] });
        const { address, user, privateKey, hostKey } = lab.node("w1");
        target = { host: address, user, privateKey, hostKey, keepAliveSeconds: 2, connectTimeoutSeconds: 5 };
    });
    after(() => lab?.down());
    beforeEach(() => {
        trace = `/root/trace-${++number}`;
    });

    const traced = async () => (await lab.ssh("w1", `cat ${trace} 2>/dev/null`)).stdout;
    const operator = (bodies: StepBody[], act?: Act) => startOperator({ target, bodies, act }, lab.enter([]));
    const finish = async (child: { finished: Promise<string> }) => {
        const output = await child.finished;
        assert.match(output, /exit 0\n$/, output);
        return output;
    };
    const traces = (text: string, { output }: { output: () => string }) =>
        until(60, async () => (await traced()).includes(text), output);

    it("finishes after kill -9 of the operator in the middle of each step; no step runs twice", async () => {
        const count = 8;
        for (let killedIn = 0; killedIn < count; killedIn++) {
            trace = `/root/killed-${killedIn}`;
            const bodies = tracedSteps(count, trace, { [killedIn]: 2 });
            const first = operator(bodies);
            await traces(`start s${killedIn} `, first);
            // nsenter executes the operator in its own process, so this child is the operator.
            first.kill("SIGKILL");
            await first.finished;
            assert.ok(!(await traced()).includes(`end s${killedIn} `), "killed too late to prove anything");
            await finish(operator(bodies));
            assert.deepEqual(readTrace(await traced()), eachOnce(count), `killed in step ${killedIn}`);
        }
    });

    it("goes on when the network is cut for 20 s in a long step", async () => {
        const running = operator(tracedSteps(3, trace, { 1: 35 }));
        await traces("start s1", running);
        await lab.cut("w1");
        await sleep(20_000);
        await lab.restore("w1");
        const output = await finish(running);
        assert.match(output, /connection to n1 lost/);
        assert.deepEqual(readTrace(await traced()), eachOnce(3));
    });

    it("lets one of two operators work and the other wait", async () => {
        const bodies = tracedSteps(4, trace, 1);
        await Promise.all([finish(operator(bodies)), finish(operator(bodies))]);
        assert.deepEqual(readTrace(await traced()), eachOnce(4));
    });

    it("runs a step again when the node was rebooted in its middle, and none that was finished", async () => {
        const running = operator(tracedSteps(3, trace, { 1: 6 }));
        await traces("start s1", running);
        await lab.powerOff("w1");
        await lab.powerOn("w1");
        await finish(running);
        const seen = readTrace(await traced(), true);
        assert.deepEqual(seen.started, { s0: 1, s1: 2, s2: 1 });
        assert.deepEqual(seen.ended, { s0: 1, s1: 1, s2: 1 });
    });

    it("ends a step at its deadline together with daemons that it left", async () => {
        const run = `setsid sh -c 'sleep 3; echo start s0 1 >>${trace}' & sleep 9`;
        const output = await operator([{ id: "late", title: "late", revision: 1, timeoutSeconds: 1, run }]).finished;
        assert.match(output, /STEP_TIMEOUT/);
        await sleep(3500);
        assert.equal(await traced(), "");
    });

    it("sets the HTTP proxy for services that a stock image does not have yet", async () => {
        const script = readFileSync(join(packageRoot(), "provider/node/configure-proxy.sh"), "utf8");
        const folders = ["containerd", "kubelet"].map(name => `/etc/systemd/system/${name}.service.d`).join(" ");
        const place = `for folder in ${folders}; do mkdir -p $folder; echo '[Service]' >$folder/proxy.conf; done`;
        await lab.mustSsh(
            "w1",
            `${place}; PROXY=yes PROXY_FILES= sh -eu -c '${script.replaceAll("'", `'\\''`)}' && rm -r ${folders}`,
        );
    });

    it("starts a batch from a step whose name looks like another type of unit", async () => {
        await finish(
            operator([
                { id: "host.swap", title: "swap", revision: 1, timeoutSeconds: 20, run: `echo "start s0 1" >${trace}` },
            ]),
        );
        assert.equal(await traced(), "start s0 1\n");
    });

    describe("an act for another node that may be stopped", () => {
        const units = () => lab.mustSsh("w1", "systemctl list-units --all --no-legend 'nfv-batch-*'");
        const drain = (seconds: number): Act => ({
            ...{ id: "t.drain", title: "drain", target: "controlPlane", timeoutSeconds: 120, stoppable: true },
            run: `echo "start s0 $$" >>${trace}\nsleep ${seconds}\necho "end s0 $$" >>${trace}`,
        });

        it("ends on the node when its run is cancelled", async () => {
            const running = operator([], drain(100));
            await traces("start s0", running);
            assert.match(await units(), /nfv-batch-t\.drain\.w1\.service/);
            running.kill("SIGINT");
            assert.match(await running.finished, /CANCELLED/);
            assert.equal(await units(), "");
            assert.deepEqual(readTrace(await traced(), true), { started: { s0: 1 }, ended: {} });
        });

        it("is stopped by the next run after kill -9 of the operator, and done again", async () => {
            const first = operator([], drain(100));
            await traces("start s0", first);
            first.kill("SIGKILL");
            await first.finished;
            const began = Date.now();
            await finish(operator([], drain(0)));
            assert.ok(Date.now() - began < 60_000, "it did not wait for the end of the first");
            assert.deepEqual(readTrace(await traced(), true), { started: { s0: 2 }, ended: { s0: 1 } });
            assert.equal(await units(), "");
        });
    });

    it("leaves no unit, secret or script behind", async () => {
        await finish(operator(tracedSteps(3, trace, 0)));
        assert.equal(await lab.mustSsh("w1", "systemctl list-units --all --no-legend 'nfv-batch-*'"), "");
        const found = await lab.ssh("w1", "grep -rl canary-4711 /run/pulumi-nfv /var/lib/pulumi-nfv /var/log");
        assert.equal(found.stdout, "");
    });
});

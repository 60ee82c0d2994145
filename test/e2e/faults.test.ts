import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import type { Outcome } from "../../dev/pulumi-project";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import { canaries, clusterArguments, type Desk, openDesk } from "./cluster-fixture";

/** "3/14 join the cluster" → "join the cluster" */
const stepTitle = /^\d+\/\d+ (.*?)(?: ?[:(…].*)?$/;

describe("a run that is interrupted", function () {
    this.timeout("20m");
    asStory(this);
    let desk: Desk;

    before(async () => {
        desk = await openDesk({ name: "faults", nodes: ["m1", "w1"], plugins: [] });
        const args = clusterArguments(desk.lab, { masters: ["m1"], workers: ["w1"] });
        const secrets = { privateKey: desk.lab.node("m1").privateKey, ...canaries };
        await desk.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
        // So that there is a middle in which to kill, in each step: quick ones would be over before their title is shown.
        const slow = "printf '%s\\n' '#!/bin/sh' 'sleep 1.2' 'exec /usr/bin/timeout \"$@\"' >/usr/local/bin/timeout";
        for (const node of ["m1", "w1"]) await desk.lab.mustSsh(node, `${slow} && chmod 755 /usr/local/bin/timeout`);
    });
    after(() => desk?.close());

    /** Runs `up`, kills everything as soon as a step begins that `known` does not have; undefined: it ended by itself. */
    async function upUntilNewStep(known: Set<string>): Promise<Outcome | undefined> {
        let buffer = "";
        let killed = false;
        const run = desk.project.start(["up", "--yes", "--skip-preview", "--json", "--parallel", "1"], text => {
            buffer += text;
            const lines = buffer.split("\n");
            buffer = lines.pop()!;
            for (const line of lines) {
                const title = progressOf(line);
                if (!title || killed || known.has(title)) continue;
                known.add(title);
                killed = true;
                killTree(run.pid);
            }
        });
        const outcome = await run.done;
        return killed ? undefined : outcome;
    }

    /** The worst case: kubeadm has done all of its work and yet says that the API did not answer in time. */
    function slowApiAtFirstJoin(node: string): Promise<string> {
        const kubeadm = `#!/bin/sh
            PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
            [ "$1" = join ] && [ ! -e /run/first-join ] || exec kubeadm "$@"
            touch /run/first-join
            kubeadm "$@" || exit
            echo 'error: error execution phase kubelet-start: client rate limiter Wait returned an error: context deadline exceeded' >&2
            exit 1`;
        const program = "/usr/local/sbin/kubeadm";
        return desk.lab.mustSsh(
            node,
            `printf '%s\\n' '${kubeadm.replaceAll("'", `'\\''`)}' >${program} && chmod 755 ${program}`,
        );
    }

    let begun: Record<string, number>;
    const joins = async (node: string) =>
        Number(
            await desk.lab.mustSsh(
                node,
                "journalctl --no-pager -o cat | grep -c '^nfv-step-cluster.join begins$' || true",
            ),
        );

    it("killed in the middle of each step, it is finished by the next `up`; nothing runs twice", async () => {
        const seen = new Set<string>();
        let outcome: Outcome | undefined;
        let runs = 0;
        for (; !outcome; runs++) {
            assert.ok(runs < 80, "it makes progress");
            outcome = await upUntilNewStep(seen);
            if (outcome) break;
            const locked = await desk.project.start(["up", "--yes", "--skip-preview", "--non-interactive"], () => {})
                .done;
            assert.notEqual(locked.code, 0);
            assert.match(locked.output, /locked/, "the lock that the killed run left is named");
            await desk.project.run(["cancel", "--yes"]);
        }
        assert.equal(outcome.code, 0, outcome.output);
        console.log(`      killed ${runs} times, in these steps: ${[...seen].join("; ")}`);
        assert.ok(seen.size >= 25, `only ${seen.size} steps were seen`);
        assert.match(await desk.kubectl("get", "nodes"), /w1 +Ready/);
        for (const node of ["m1", "w1"]) {
            const log = await desk.lab.mustSsh(
                node,
                "journalctl --no-pager -o cat | grep -oE '^nfv-step-[a-z0-9.-]+ begins$' | sort | uniq -c",
            );
            const starts = log
                .trim()
                .split("\n")
                .map(line => line.trim().split(/\s+/));
            assert.ok(starts.length >= 5, log);
            for (const [count, step] of starts) assert.equal(count, "1", `${step} on ${node} ran ${count} times`);
        }
    });

    it("changes nothing more afterwards", async () => {
        await desk.project.up("--expect-no-changes");
        await desk.project.destroy();
        // the next cluster has another one
        fs.rmSync(path.join(desk.folder, "kubeconfig"));
    });

    it("goes on when the network is silent for 20 s in a long step", async () => {
        await slowApiAtFirstJoin("w1");
        begun = { m1: await joins("m1"), w1: await joins("w1") };
        let cut: Promise<unknown> | undefined;
        const run = desk.project.start(["up", "--yes", "--skip-preview", "--json"], text => {
            if (cut || !/initialise or join the cluster/.test(text)) return;
            cut = (async () => {
                await new Promise(resolve => setTimeout(resolve, 3000));
                await desk.lab.cut("m1");
                await new Promise(resolve => setTimeout(resolve, 20_000));
                await desk.lab.restore("m1");
            })();
        });
        const outcome = await run.done;
        assert.ok(cut, "the step was seen");
        await cut;
        assert.equal(outcome.code, 0, outcome.output.slice(-3000));
        assert.equal(await joins("m1"), begun["m1"]! + 1);
    });

    it("joins a worker again whose first join the API was too slow for, and tidies up what that has left", async () => {
        assert.equal(await joins("w1"), begun["w1"]! + 2);
        assert.match(await desk.kubectl("get", "nodes"), /w1 +Ready/);
        await desk.project.up("--expect-no-changes");
        await desk.project.destroy();
    });
});

function progressOf(line: string): string | undefined {
    if (!line.startsWith("{")) return undefined;
    const message: string | undefined = JSON.parse(line).diagnosticEvent?.message;
    return message && stepTitle.exec(message.trim())?.[1];
}

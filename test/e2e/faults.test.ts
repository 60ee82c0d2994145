import { strict as assert } from "node:assert";
import { asStory } from "../support/story";
import { canaries, clusterArguments, type Fixture, openFixture } from "./cluster-fixture";
import { killedRuns } from "./killed-runs";

killedRuns({ every: 16, atLeast: 2 });

describe("a network that is silent, and an API that is slow", function () {
    this.timeout("10m");
    asStory(this);
    let fixture: Fixture;

    before(async () => {
        fixture = await openFixture({ name: "faults", nodes: ["m1", "w1"], plugins: [] });
        const args = clusterArguments(fixture.lab, { masters: ["m1"], workers: ["w1"] });
        const secrets = { privateKey: fixture.lab.node("m1").privateKey, ...canaries };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    });
    after(() => fixture?.close());

    /** The worst case: kubeadm has done all of its work and reports nevertheless that the API did not answer in time. */
    function slowApiAtFirstJoin(node: string): Promise<string> {
        const kubeadm = `#!/bin/sh
            PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
            [ "$1" = join ] && [ ! -e /run/first-join ] || exec kubeadm "$@"
            touch /run/first-join
            kubeadm "$@" || exit
            echo 'error: error execution phase kubelet-start: client rate limiter Wait returned an error: context deadline exceeded' >&2
            exit 1`;
        const program = "/usr/local/sbin/kubeadm";
        return fixture.lab.mustSsh(
            node,
            `printf '%s\\n' '${kubeadm.replaceAll("'", `'\\''`)}' >${program} && chmod 755 ${program}`,
        );
    }

    let begun: Record<string, number>;
    const joins = async (node: string) =>
        Number(
            await fixture.lab.mustSsh(
                node,
                "journalctl --no-pager -o cat | grep -c '^nfv-step-cluster.join begins$' || true",
            ),
        );

    it("goes on when the network is silent for 20 s in a long step", async () => {
        await slowApiAtFirstJoin("w1");
        begun = { m1: await joins("m1"), w1: await joins("w1") };
        let cut: Promise<unknown> | undefined;
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--json"], text => {
            if (cut || !/initialise or join the cluster/.test(text)) return;
            cut = (async () => {
                await new Promise(resolve => setTimeout(resolve, 3000));
                await fixture.lab.cut("m1");
                await new Promise(resolve => setTimeout(resolve, 20_000));
                await fixture.lab.restore("m1");
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
        assert.match(await fixture.kubectl("get", "nodes"), /w1 +Ready/);
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.destroy();
    });
});

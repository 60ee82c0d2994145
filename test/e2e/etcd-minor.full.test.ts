import { strict as assert } from "node:assert";
import { versions } from "../../tools/versions";
import { asStory } from "../support/story";
import { eventually } from "./cluster-fixture";
import { BackedUpCluster, tenMarkers } from "./etcd-backup-cluster";
import { minors, programsOf } from "./upgrade-fixture";

const [from, to] = [versions.kubernetes, minors.at(-1)!];

/** etcd 3.6 saved it, and etcd 3.7 gets it back. The other way round: restore-scripts.test.ts. */
describe("a snapshot of etcd from before an upgrade that moved etcd to another minor", function () {
    this.timeout("20m");
    asStory(this);
    let cluster: BackedUpCluster;
    const etcd = async () =>
        /etcd Version: (\d+\.\d+)/.exec(
            await eventually(180, () =>
                cluster.fixture.kubectl("-n", "kube-system", "exec", "etcd-m1", "--", "etcd", "--version"),
            ),
        )?.[1];
    const give = async (version: string) => {
        const bundle = await programsOf(version, cluster.fixture.folder);
        cluster.args.kubernetes = { version, source: { bundle: { path: bundle } } };
        await cluster.give();
    };
    const up = async (what: string) => {
        const began = Date.now();
        await cluster.fixture.project.up();
        console.log(`      ${what}: ${Math.round((Date.now() - began) / 1000)} s`);
    };

    before(async function () {
        this.timeout("90m");
        cluster = await BackedUpCluster.open("etcdminor", { masters: ["m1"], workers: [], kubernetes: [from, to] });
        await give(from);
        await up("made");
    });
    after(() => cluster?.fixture.close());

    it("is made by etcd of the minor before", async () => {
        await cluster.writeAroundSnapshot({});
        assert.equal(await etcd(), "3.6");
    });

    it("does not hinder the upgrade, which keeps what was written since", async () => {
        await give(to);
        await up("upgraded");
        assert.equal(await etcd(), "3.7");
        assert.deepEqual(await cluster.markers("lost"), tenMarkers("lost"));
    });

    it("brings the cluster back to that moment; etcd stays at the new minor, and a refresh finds nothing", async () => {
        cluster.args.etcdRestore = { run: "first" };
        await cluster.give();
        await up("restored");
        assert.deepEqual([await cluster.markers("kept"), await cluster.markers("lost")], [tenMarkers("kept"), []]);
        assert.equal(await etcd(), "3.7");
        await eventually(180, async () =>
            assert.match(
                await cluster.fixture.kubectl("get", "nodes", "--no-headers"),
                new RegExp(`^m1 +Ready .*v${to}`),
            ),
        );
        await cluster.fixture.project.up({ refresh: true });
        await cluster.fixture.project.up({ refresh: true, expectNoChanges: true });
    });
});

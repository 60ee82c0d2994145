import assert from "node:assert/strict";
import { type ClusterMoveInputs, clusterMove, moveApis } from "../../../../provider/cluster-api/cluster-move";
import { movePauses } from "../../../../provider/cluster-api/move/move-clusters";
import { ApiRefused } from "../../../../provider/vim";
import { endRun, listener, withGivenUp } from "../support/cluster";
import { MemoryCluster } from "./move/memory-cluster";

describe("clusters that a program moves to another management cluster", () => {
    const { of } = moveApis;
    /** Clusters that refuse every request. */
    let down: string[];
    let clusters: { from: MemoryCluster; to: MemoryCluster };

    const inputs = (changes: Partial<ClusterMoveInputs> = {}): ClusterMoveInputs => ({
        name: "pivot",
        from: { endpoint: "from", auth: {} },
        to: { endpoint: "to", auth: {} },
        fromId: "first-1",
        toId: "second-2",
        timeoutSeconds: 30,
        ...changes,
    });
    const add = (to: "from" | "to", name: string, namespace = "default", more: object = {}) => {
        clusters[to].store.set(`/api/v1/namespaces/${namespace}`, {
            apiVersion: "v1",
            kind: "Namespace",
            metadata: { name: namespace },
        });
        return clusters[to].add({ kind: "Cluster", metadata: { name, namespace, ...more }, spec: { of: name } });
    };
    const on = (side: "from" | "to") =>
        [...clusters[side].movable().values()]
            .filter(({ kind }) => kind === "Cluster")
            .map(({ metadata }) => metadata.name)
            .sort();
    const made = async (changes: Partial<ClusterMoveInputs> = {}) =>
        (await clusterMove.create(inputs(changes), listener())).outs;

    beforeEach(() => {
        movePauses.seconds = 0.01;
        clusters = { from: new MemoryCluster("from"), to: new MemoryCluster("to") };
        down = [];
        moveApis.of = ({ endpoint }) => {
            if (down.includes(endpoint)) throw new ApiRefused(401, `${endpoint} does not know the token`);
            return clusters[endpoint as "from" | "to"];
        };
    });
    afterEach(async () => {
        moveApis.of = of;
        await endRun();
    });

    it("have moved when it was made, and are back when it was deleted", async () => {
        add("from", "a");
        add("from", "b", "other");
        const state = await made();
        assert.deepEqual([state.clusters, state.pending], [["default/a", "other/b"], false]);
        assert.deepEqual([on("from"), on("to")], [[], ["a", "b"]]);
        assert.equal(clusterMove.diff("id", state, inputs()).changes, false);
        await clusterMove.delete("id", state, listener());
        assert.deepEqual([on("from"), on("to")], [["a", "b"], []]);
    });

    it("come back alone: what the other management cluster has of its own in other namespaces stays", async () => {
        add("from", "a");
        const state = await made();
        add("to", "theirs", "other");
        await clusterMove.delete("id", state, listener());
        assert.deepEqual([on("from"), on("to")], [["a"], ["theirs"]]);
    });

    it("never moved: a delete takes nothing from the other management cluster", async () => {
        const state = await made({ namespaces: ["default"] });
        add("to", "theirs");
        await clusterMove.delete("id", state, listener());
        assert.deepEqual([on("from"), on("to")], [[], ["theirs"]]);
    });

    it("are refused at preview, and again when they are moved, with nothing kept in the state", async () => {
        add("from", "a", "default", { annotations: { "pulumi-nfv.dev/owner": "site-0123456789ab" } });
        const { failures } = await clusterMove.checkInCloud!({}, inputs(), listener());
        assert.match(failures[0]!.reason, /NOT_OURS[\s\S]*Pulumi program[\s\S]*Cluster default\/a/);
        const failed = await clusterMove.create(inputs(), listener()).catch(error => error);
        assert.match(failed.message, /NOT_OURS/);
        assert.equal(failed.properties, undefined);
        assert.deepEqual([on("from"), on("to")], [["a"], []]);
    });

    it("are refused where both sides are the same cluster, before a request", () => {
        assert.match(clusterMove.check({}, inputs({ toId: "first-1" })).failures![0]!.reason, /same cluster/);
    });

    it("are kept as pending after an error midway: the next run goes on, a delete brings back", async () => {
        for (const end of ["update", "delete"] as const) {
            add("from", "a", "default", { annotations: { "clusterctl.cluster.x-k8s.io/block-move": "" } });
            const failed = await clusterMove.create(inputs({ timeoutSeconds: 0.1 }), listener()).catch(error => error);
            assert.match(failed.message, /lets them go[\s\S]*WORKLOAD_NOT_READY/);
            const state = failed.properties;
            assert.equal(clusterMove.diff(failed.id, state, inputs()).changes, true);
            const [[path, object]] = [...clusters.from.movable()] as [[string, any]];
            assert.equal(object.spec.paused, true);
            delete object.metadata.annotations["clusterctl.cluster.x-k8s.io/block-move"];
            if (end === "update") {
                assert.deepEqual((await clusterMove.update(failed.id, state, inputs(), listener())).outs.clusters, [
                    "default/a",
                ]);
                await clusterMove.delete(failed.id, state, listener());
            } else await clusterMove.delete(failed.id, state, listener());
            assert.deepEqual([on("from"), on("to")], [["a"], []]);
            assert.equal((clusters.from.store.get(path)!["spec"] as any).paused, undefined);
            clusters.from.store.delete(path);
        }
    });

    it("of a namespace that the program leaves out come back, those of another one move", async () => {
        add("from", "a");
        add("from", "b", "other");
        const state = await made({ namespaces: ["default"] });
        assert.deepEqual([on("from"), on("to")], [["b"], ["a"]]);
        const { outs } = await clusterMove.update("id", state, inputs({ namespaces: ["other"] }), listener());
        assert.deepEqual(outs.clusters, ["other/b"]);
        assert.deepEqual([on("from"), on("to")], [["a"], ["b"]]);
    });

    it("a refresh finds those that are still where they were, and keeps what it cannot ask", async () => {
        add("from", "a");
        const state = await made();
        const context = listener();
        add("from", "new", "other");
        const { props } = await clusterMove.read("id", state, context);
        assert.match(context.warned.join(), /where they were: other\/new/);
        assert.deepEqual([props!.clusters, clusterMove.diff("id", props!, inputs()).changes], [["default/a"], true]);
        down = ["to"];
        assert.deepEqual((await clusterMove.read("id", state, context)).props, state);
    });

    it("are not forgotten where a side does not answer, unless a person gives it up by name", async () => {
        add("from", "a");
        const state = { ...(await made()), timeoutSeconds: 0.1 };
        down = ["to"];
        await assert.rejects(clusterMove.delete("id", state, listener()), /NFV_GIVE_UP=second-2\/moved:pivot/);
        await withGivenUp("second-2/moved:pivot", async () => {
            const context = listener();
            await clusterMove.delete("id", state, context);
            assert.match(context.warned.join(), /not brought back/);
        });
    });
});

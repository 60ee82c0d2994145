import assert from "node:assert/strict";
import { clusterMove, moveApis } from "../../../../../provider/cluster-api/cluster-move";
import { movePauses } from "../../../../../provider/cluster-api/move/move-clusters";
import { workloadClaim } from "../../../../../provider/cluster-api/workload/workload-claim";
import { workloadApis } from "../../../../../provider/cluster-api/workload/workload-place";
import {
    type WorkloadRolloutInputs,
    workloadRollout,
} from "../../../../../provider/cluster-api/workload/workload-rollout";
import { workloadPauses } from "../../../../../provider/cluster-api/workload/workload-watch";
import type { KubeObject } from "../../../../../provider/vim";
import { checkAs, endRun, listener, withGivenUp } from "../../support/cluster";
import { MemoryApi } from "../move/memory-api";
import { apiVersionOf, Killed } from "../move/memory-cluster";

const owner = "site-0123456789ab";
/** With MOVE_RUNS, as for the moves' own test. Otherwise at each third, which is quick. */
const everyWrite = process.env["MOVE_RUNS"] !== undefined;
const object = (kind: string, name: string, more: object = {}): KubeObject => ({
    apiVersion: apiVersionOf(kind),
    kind,
    metadata: { name, namespace: "default" },
    ...more,
});
const objectsOf = (release = 1): KubeObject[] => [
    object("Cluster", "site", { spec: { infrastructureRef: reference("LabCluster", "site") } }),
    object("LabImage", `site-${release}`, { spec: { release } }),
    object("LabCluster", "site", { spec: { identityRef: { name: "site-cloud" }, release } }),
    object("Secret", "site-cloud", { data: { login: "c2VjcmV0" } }),
];
const reference = (kind: string, name: string) => ({ apiGroup: "infrastructure.cluster.x-k8s.io", kind, name });
const names = (objects: KubeObject[]) =>
    objects.map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, ...metadata }));

describe("a workload cluster that can move", () => {
    const { of: moveOf } = moveApis;
    const { of } = workloadApis;
    let sides: Record<"first" | "self", MemoryApi>;
    let timer: NodeJS.Timeout;

    const inputs = (release = 1): WorkloadRolloutInputs => ({
        access: { endpoint: "first", auth: {} },
        clusterId: "first-1",
        namespace: "default",
        clusterName: "site",
        roles: {},
        objectsHash: `${release}`,
        paused: false,
        kept: { network: { podCidr: [], serviceCidr: [], dnsDomain: "" }, logins: [] },
        held: { name: "site", owner, objects: objectsOf(release) },
        timeoutSeconds: 5,
    });
    const objectsHeld = (release: number) => {
        const { held, objectsHash } = inputs(release);
        return { held, objectsHash };
    };
    const claimInputs = (release = 1) => {
        const { access, clusterId, namespace, clusterName, timeoutSeconds } = inputs();
        const objects = names(objectsOf(release)) as never;
        return { name: "site", owner, access, clusterId, namespace, clusterName, timeoutSeconds, objects };
    };
    const moveInputs = {
        name: "pivot",
        from: { endpoint: "first", auth: {} },
        to: { endpoint: "https://self", auth: { bearerToken: "canary" } },
        fromId: "first-1",
        toId: "self-2",
        timeoutSeconds: 5,
    };
    const made = async () => {
        const claim = (await workloadClaim.create(claimInputs(), listener())).outs;
        return { claim, state: (await workloadRollout.create(inputs(), listener())).outs };
    };
    const moved = async () => ({ ...(await made()), move: (await clusterMove.create(moveInputs, listener())).outs });
    const read = async (state: any) => (await workloadRollout.read("default/site", state, listener())).props;
    const update = async (state: any, release: number) => {
        await workloadClaim.update("default/site", { ...claimInputs(), kinds: [] }, claimInputs(release), listener());
        return (await workloadRollout.update("default/site", state, inputs(release), listener())).outs;
    };
    const isThere = (side: MemoryApi, name: string) =>
        [...side.movable().values()].some(({ kind, metadata }) => kind === "LabImage" && metadata.name === name);

    beforeEach(() => {
        movePauses.seconds = 0;
        workloadPauses.seconds = 0.001;
        sides = { first: new MemoryApi("first"), self: new MemoryApi("self") };
        const sideOf = ({ endpoint }: { endpoint: string }) => (endpoint === "first" ? sides.first : sides.self);
        moveApis.of = sideOf;
        workloadApis.of = sideOf as never;
        timer = setInterval(() => {
            for (const side of Object.values(sides)) side.work("https://self");
        }, 1);
    });
    afterEach(async () => {
        clearInterval(timer);
        moveApis.of = moveOf;
        workloadApis.of = of;
        await endRun();
    });

    it("manages itself after a move, is changed there, comes back, and is removed with all its objects", async () => {
        const { claim, state, move } = await moved();
        assert.deepEqual(move.clusters, ["default/site"]);
        assert.deepEqual(sides.first.titles(), noted());
        assert.deepEqual(await read(state), state);
        const changed = await update(state, 2);
        assert.equal(changed.uid, state.uid);
        assert.deepEqual([isThere(sides.self, "site-1"), isThere(sides.self, "site-2")], [false, true]);
        assert.deepEqual(sides.first.titles(), noted());
        await clusterMove.delete("id", move, listener());
        assert.deepEqual(sides.self.titles(), []);
        assert.deepEqual(await read(changed), changed);
        const last = await update(changed, 3);
        assert.deepEqual([isThere(sides.first, "site-2"), isThere(sides.first, "site-3")], [false, true]);
        assert.deepEqual(sides.self.titles(), []);
        await workloadRollout.delete("default/site", last, listener());
        const { outs } = await workloadClaim.update("id", claim, claimInputs(3), listener());
        await workloadClaim.delete("default/site", outs, listener());
        // Cluster API makes it, and the garbage collector removes it.
        assert.deepEqual(sides.first.titles(), ["Secret site-kubeconfig"]);
    });

    /** The login of the other side is a Secret of kube-system. */
    const noted = () =>
        [...sides.first.store.values()]
            .filter(({ metadata }) => metadata.namespace === undefined && metadata.name.startsWith("pulumi-nfv-moved"))
            .map(({ metadata }) => `Secret ${metadata.name}`);

    for (const isBack of [false, true])
        it(`killed at writes of ${isBack ? "the way back" : "the move"} it is neither lost nor made again`, async () => {
            for (let left = 0; ; left += everyWrite ? 1 : 3) {
                sides = { first: new MemoryApi("first"), self: new MemoryApi("self") };
                const { state } = await made();
                const move = isBack ? (await clusterMove.create(moveInputs, listener())).outs : undefined;
                const go = async () =>
                    move
                        ? clusterMove.delete("id", move, listener())
                        : void (await clusterMove.create(moveInputs, listener()));
                const count = { left };
                const stop = () => {
                    if (count.left-- <= 0) throw new Killed();
                };
                sides.first.watch = sides.self.watch = stop;
                const isKilled = await go().then(
                    () => false,
                    error => error instanceof Killed || assert.fail(error),
                );
                sides.first.watch = sides.self.watch = () => {};
                const before = [sides.first.titles(), sides.self.titles()];
                assert.equal((await read(state))?.uid, state.uid, `killed after ${left}`);
                const refused = await update(state, 2).then(
                    () => "",
                    error => String(error),
                );
                if (refused !== "") {
                    assert.match(refused, /between two management clusters/);
                    assert.deepEqual([sides.first.titles(), sides.self.titles()], before);
                }
                await go();
                const [here, other] = isBack ? [sides.first, sides.self] : [sides.self, sides.first];
                const changed = await update(state, 2);
                assert.equal(changed.uid, state.uid);
                assert.equal(isThere(here, "site-2"), true);
                assert.deepEqual(
                    other.titles().filter(title => !title.includes("moved-to")),
                    [],
                );
                if (!isKilled) break;
            }
        });

    it("does not remove itself: it has to come back first", async () => {
        const { state, claim } = await moved();
        const before = sides.self.titles();
        await assert.rejects(
            workloadRollout.delete("default/site", state, listener()),
            /CLUSTER_IN_USE[\s\S]*manages itself[\s\S]*without its MovedClusters/,
        );
        await assert.rejects(workloadClaim.delete("default/site", claim, listener()), /CLUSTER_IN_USE/);
        assert.deepEqual(sides.self.titles(), before);
    });

    it("that manages itself is found where the first management cluster does not answer any more", async () => {
        const { state } = await moved();
        sides.first.isDown = true;
        assert.deepEqual(await read(state), state);
        const changed = await workloadRollout.update("default/site", state, inputs(2), listener());
        assert.equal(changed.outs.uid, state.uid);
        assert.equal(isThere(sides.self, "site-2"), true);
        sides.self.isDown = true;
        assert.deepEqual(await read(state), state);
        sides.first.isDown = false;
        const context = listener();
        assert.deepEqual((await workloadRollout.read("default/site", state, context)).props, state);
        assert.match(context.warned.join(), /login in Secret kube-system\/pulumi-nfv-moved-to-\S+ is refused/);
    });

    it("is found where another tool has moved it, without a note", async () => {
        const { state } = await moved();
        for (const path of [...sides.first.store.keys()])
            if (/validatingadmission|pulumi-nfv-moved/.test(path)) sides.first.store.delete(path);
        assert.deepEqual(await read(state), state);
    });

    it("is not made again where the login of the other side is lost, which a refresh of the move finds", async () => {
        const { move, claim } = await moved();
        const context = listener();
        for (const path of [...sides.first.store.keys()])
            if (path.includes("pulumi-nfv-moved")) sides.first.store.delete(path);
        await assert.rejects(
            workloadClaim.update("id", claim, claimInputs(2), context),
            /API_REFUSED[\s\S]*Secret kube-system\/pulumi-nfv-moved-to-/,
        );
        const { props } = await clusterMove.read("id", move, listener());
        assert.equal(clusterMove.diff("id", props!, moveInputs).changes, true);
        await clusterMove.update("id", props!, moveInputs, listener());
        await workloadClaim.update("id", claim, claimInputs(2), listener());
    });

    it("that was removed is gone, and one that another made in its place is not it", async () => {
        const { state } = await made();
        const path = "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/site";
        sides.first.store.delete(path);
        assert.deepEqual(await workloadRollout.read("default/site", state, listener()), {});
        sides.first.add({ kind: "Cluster", metadata: { name: "site", namespace: "default" } });
        assert.deepEqual(await workloadRollout.read("default/site", state, listener()), {});
    });

    it("whose first run was killed is removed whole by the names that were claimed before", async () => {
        const claim = (await workloadClaim.create(claimInputs(), listener())).outs;
        let left = 3;
        sides.first.watch = () => {
            if (left-- === 0) throw new Killed();
        };
        await assert.rejects(workloadRollout.create(inputs(), listener()), Killed);
        sides.first.watch = () => {};
        assert.ok(sides.first.titles().length > 1);
        await workloadClaim.delete("default/site", claim, listener());
        assert.deepEqual(
            sides.first.titles().filter(title => title !== "Secret site-kubeconfig"),
            [],
        );
    });

    it("keeps its objects when its names are claimed again, as by pulumi up --replace", async () => {
        const { claim } = await made();
        const context = listener();
        const before = sides.first.titles();
        checkAs("WorkloadClaim", {}, claimInputs(), context);
        await workloadClaim.delete("default/site", claim, context);
        assert.deepEqual(sides.first.titles(), before);
    });

    it("keeps its Cluster when it is made in its own place, as by pulumi up --replace", async () => {
        const { state } = await made();
        const context = listener();
        const before = sides.first.titles();
        checkAs("WorkloadRollout", {}, inputs(), context);
        const again = (await workloadRollout.create(inputs(), context)).outs;
        await workloadRollout.delete("default/site", state, context);
        assert.deepEqual([again.uid, sides.first.titles()], [state.uid, before]);
    });

    it("stays where it has moved when the move is made in its own place", async () => {
        const { move } = await moved();
        const context = listener();
        const before = sides.self.titles();
        checkAs("ClusterMove", {}, moveInputs, context);
        await clusterMove.create(moveInputs, context);
        await clusterMove.delete("id", move, context);
        assert.deepEqual(sides.self.titles(), before);
    });

    it("is not brought back while its program has it where it is: it would be made again there", async () => {
        const { state, move } = await moved();
        const known = { access: { endpoint: "https://self", auth: {} }, knownAs: "self-2" };
        const { outs } = await workloadRollout.update("id", state, { ...inputs(2), ...known }, listener());
        const before = sides.self.titles();
        await assert.rejects(
            clusterMove.delete("id", move, listener()),
            /CLUSTER_IN_USE[\s\S]*Cluster default\/site[\s\S]*retainOnDelete[\s\S]*NFV_GIVE_UP=self-2\/moved:pivot/,
        );
        assert.deepEqual(sides.self.titles(), before);
        // The program gives the first one again.
        const again = (await workloadRollout.update("id", outs, inputs(3), listener())).outs;
        await clusterMove.delete("id", move, listener());
        assert.deepEqual(sides.self.titles(), []);
        assert.deepEqual(await read(again), again);
    });

    it("keeps the login in data, so that a key that is left out goes", async () => {
        const objects = objectsOf().map(each => (each.kind === "Secret" ? { ...each, stringData: { b: "c" } } : each));
        await workloadClaim.create(claimInputs(), listener());
        await workloadRollout.create({ ...inputs(), held: { name: "site", owner, objects } }, listener());
        const secret = sides.first.store.get("/api/v1/namespaces/default/secrets/site-cloud")!;
        assert.deepEqual([secret["data"], secret["stringData"]], [{ login: "c2VjcmV0", b: "Yw==" }, undefined]);
    });

    it("takes no object of others, unless a person hands it over", async () => {
        const secret = sides.first.add({ kind: "Secret", metadata: { name: "site-cloud", namespace: "default" } });
        const { failures } = await workloadClaim.checkInCloud!({}, claimInputs(), listener());
        assert.match(failures[0]!.reason, /NOT_OURS[\s\S]*Secret default\/site-cloud[\s\S]*hand-over-to=site/);
        await assert.rejects(made(), /NOT_OURS/);
        secret.metadata.annotations = { "pulumi-nfv.dev/hand-over-to": "site" };
        await made();
        const { annotations } = sides.first.store.get("/api/v1/namespaces/default/secrets/site-cloud")!.metadata;
        assert.equal(annotations?.["pulumi-nfv.dev/owner"], owner);
        assert.equal(annotations?.["pulumi-nfv.dev/hand-over-to"], undefined);
    });

    it("is found by a program that gives the management cluster which has it by now, for ever under its first name", async () => {
        const { claim, state } = await moved();
        const elsewhere = { access: { endpoint: "https://self", auth: {} }, clusterId: "self-2" };
        const asked = { ...inputs(), ...elsewhere };
        assert.equal(workloadRollout.needsCheckInCloud!(inputs(), asked), true);
        const found = await workloadRollout.checkInCloud!(inputs(), asked, listener());
        assert.deepEqual(found, { failures: [], inputs: { clusterId: "first-1", knownAs: "self-2" } });
        const kept = { ...asked, ...found.inputs };
        assert.deepEqual(workloadRollout.diff("id", state, kept).replaces, []);
        const claimed = { ...claimInputs(), ...elsewhere };
        const { inputs: same } = await workloadClaim.checkInCloud!(claimInputs(), claimed, listener());
        assert.deepEqual(workloadClaim.diff("id", claim, { ...claimed, ...same }).replaces, []);
        // The next run asks no more, and needs the first management cluster no more.
        assert.deepEqual(checkAs("WorkloadRollout", kept, asked).inputs, kept);
        assert.equal(workloadRollout.needsCheckInCloud!(kept, kept), false);
        sides.first.isDown = true;
        const { outs } = await workloadRollout.update("id", state, { ...kept, ...objectsHeld(2) }, listener());
        assert.deepEqual([outs.uid, isThere(sides.self, "site-2")], [state.uid, true]);
        assert.deepEqual(await read(outs), outs);
    });

    it("is not made again on a management cluster that does not have it, or cannot be asked", async () => {
        const { claim, state } = await made();
        const elsewhere = { access: { endpoint: "https://self", auth: {} }, clusterId: "self-2" };
        const refusals = async () => {
            const rollout = await workloadRollout.checkInCloud!(state, { ...inputs(), ...elsewhere }, listener());
            const names = await workloadClaim.checkInCloud!(claim, { ...claimInputs(), ...elsewhere }, listener());
            return [...rollout.failures, ...names.failures].map(({ reason }) => reason);
        };
        for (const reason of await refusals()) assert.match(reason, /INVALID_INPUT[\s\S]*is not at https:\/\/self/);
        sides.self.isDown = true;
        const silent = await refusals();
        assert.equal(silent.length, 2);
        for (const reason of silent) assert.match(reason, /cannot be asked/);
    });

    it("says at preview where it is changed after a move", async () => {
        await moved();
        const context = listener();
        assert.equal(workloadRollout.needsCheckInCloud!(inputs(), inputs(2)), true);
        assert.deepEqual((await workloadRollout.checkInCloud!(inputs(), inputs(2), context)).failures, []);
        assert.match(context.noted.join(), /https:\/\/self manages it since its move/);
        assert.match(
            checkAs("ClusterMove", {}, moveInputs).notes!.join(),
            /all clusters will move from first-1 to self-2/,
        );
        assert.deepEqual(checkAs("ClusterMove", moveInputs, moveInputs).notes, []);
    });

    it("is one from its beginning: the input cannot change while it exists", () => {
        const { held: _, ...plain } = inputs();
        for (const [before, after] of [
            [plain, inputs()],
            [inputs(), plain],
        ] as const)
            assert.match(checkAs("WorkloadRollout", before, after).failures![0]!.reason, /movable: cannot change from/);
        assert.deepEqual(checkAs("WorkloadRollout", inputs(), inputs(2)).failures, []);
        assert.deepEqual(checkAs("WorkloadRollout", {}, inputs()).failures, []);
    });

    it("is not forgotten where no management cluster answers, unless a person gives it up by name", async () => {
        const { state } = await moved();
        sides.first.isDown = sides.self.isDown = true;
        await assert.rejects(
            workloadRollout.delete("default/site", state, listener()),
            /NFV_GIVE_UP=first-1\/workload:site/,
        );
        await withGivenUp("first-1/workload:site", () => workloadRollout.delete("default/site", state, listener()));
    });
});

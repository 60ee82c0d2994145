import assert from "node:assert/strict";
import fc from "fast-check";
import { moveClusters, movePauses } from "../../../../../provider/cluster-api/move/move-clusters";
import { movingAnnotation } from "../../../../../provider/cluster-api/move/transit";
import type { MoveObject } from "../../../../../provider/cluster-api/move/types";
import { apiVersionOf, Killed, MemoryCluster } from "./memory-cluster";

type Plain = Omit<MoveObject, "apiVersion">;

describe("moving clusters to another management cluster", () => {
    let here: MemoryCluster;
    let there: MemoryCluster;
    const said: string[] = [];

    beforeEach(() => {
        movePauses.seconds = 0;
        said.length = 0;
        here = new MemoryCluster("here");
        there = new MemoryCluster("there");
    });

    const move = (from = here, to = there, more: object = {}) =>
        moveClusters({ from, to, returning: false, timeoutSeconds: 5, report: text => said.push(text), ...more });
    const back = () => move(there, here, { returning: true });

    it("takes all that belongs to a cluster, with owners of the new place, without the status, and goes on there", async () => {
        aCluster(here, "site");
        const before = [...here.movable().keys()];
        await move();
        assert.deepEqual([...here.movable().keys()].filter(isNoBystander), []);
        assert.deepEqual([...there.movable().keys()].sort(), before.filter(isNoBystander).sort());
        const machine = get(there, "machines/site-m");
        assert.equal(machine.metadata.ownerReferences?.[0]?.uid, get(there, "machinesets/site-ms").metadata.uid);
        assert.equal(machine["status"], undefined);
        assert.deepEqual(machine.metadata.finalizers, ["machine.cluster.x-k8s.io"]);
        assert.deepEqual(machine.metadata.managedFields, [{ manager: "capi" }]);
        assert.deepEqual(get(there, "clusters/site")["spec"], { infrastructureRef: reference("LabCluster", "site") });
        assert.deepEqual(marks(there), []);
    });

    it("leaves what belongs to no cluster, and what is in other namespaces", async () => {
        here.add({ kind: "Secret", metadata: { name: "mine", namespace: "default" } });
        here.add(cluster("elsewhere", { namespace: "other" }));
        aCluster(here, "site");
        await move(here, there, { namespaces: ["default"] });
        assert.deepEqual([...here.movable().keys()].map(last).sort(), ["bystander", "elsewhere", "mine"]);
    });

    it("brings everything back, and the namespace is open again", async () => {
        aCluster(here, "site");
        const before = snapshot(here);
        await move();
        await assert.rejects(
            here.post("/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters", cluster("site")),
            /guarded/,
        );
        finish(there);
        await back();
        assert.deepEqual(snapshot(here), before);
        assert.equal(there.movable().size, 0);
        await here.post("/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters", cluster("new"));
        assert.equal(
            [...there.store.keys()].some(path => path.includes("validatingadmission")),
            false,
        );
    });

    it("copies what is cluster-wide with its Secrets, and keeps the original", async () => {
        aCluster(here, "site");
        identity(here);
        await move();
        for (const side of [here, there]) {
            get(side, "labidentities/cloud");
            get(side, "namespaces/infrastructure-lab-system/secrets/cloud");
        }
        finish(there);
        await back();
        assert.equal(get(here, "labidentities/cloud").metadata.uid?.startsWith("here"), true);
    });

    it("copies a Secret in a provider's namespace that a cluster's object names, and keeps the original", async () => {
        aCluster(here, "site");
        const place = { name: "login", namespace: "infrastructure-lab-system" };
        for (const side of [here, there]) addNamespace(side, place.namespace);
        here.add({ kind: "Secret", metadata: place });
        const machine = get(here, "machines/site-m");
        machine["spec"] = { ...(machine["spec"] as object), identityRef: { ...place, kind: "Secret" } };
        const { uid } = get(here, "secrets/login").metadata;
        await move();
        get(there, "secrets/login");
        assert.equal(get(here, "secrets/login").metadata.uid, uid);
        finish(there);
        await back();
        assert.equal(get(here, "secrets/login").metadata.uid, uid);
    });

    describe("refuses, and has touched nothing:", () => {
        const refusals: [what: string, prepare: () => void, words: RegExp][] = [
            [
                "a target without a provider",
                () => there.provider("infrastructure-lab", "InfrastructureProvider", "v0.0.9"),
                /VERSION_MISMATCH.*infrastructure-lab: v0\.1\.0 here, v0\.0\.9 there/s,
            ],
            [
                "a target without a kind",
                () =>
                    there.store.delete(
                        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/labmachines.infrastructure.cluster.x-k8s.io",
                    ),
                /NOT_SERVED.*LabMachine/s,
            ],
            [
                "an object of that name on the target",
                () => there.add({ kind: "LabMachine", metadata: { name: "site-m", namespace: "default" } }),
                /NOT_OURS.*LabMachine default\/site-m/s,
            ],
            [
                "another identity of that name on the target",
                () => {
                    identity(here);
                    identity(there, "another");
                },
                /NOT_OURS.*LabIdentity cloud/s,
            ],
            [
                "a target with clusters of its own in that namespace",
                () => there.add(cluster("theirs")),
                /NOT_OURS.*Cluster default\/theirs/s,
            ],
            [
                "objects of a Pulumi program",
                () =>
                    here.add({
                        kind: "Secret",
                        metadata: {
                            name: "site-cloud",
                            namespace: "default",
                            managedFields: [{ manager: "pulumi-kubernetes-1" }],
                            uid: "u",
                        },
                    }),
                /NOT_OURS.*Pulumi program.*site-cloud/s,
            ],
            [
                "a paused cluster",
                () => here.add({ ...cluster("site2"), spec: { paused: true } }),
                /WORKLOAD_NOT_READY.*paused Cluster default\/site2/s,
            ],
            [
                "an object that is being deleted",
                () =>
                    here.add(
                        owned("Machine", "late", get(here, "clusters/site"), {
                            deletionTimestamp: "now",
                            finalizers: ["x"],
                        }),
                    ),
                /being deleted: Machine default\/late/,
            ],
            [
                "an object whose owner does not move",
                () => {
                    const pod = { apiVersion: "v1", kind: "Pod", name: "p", uid: "none" };
                    const ownerReferences = [refer(get(here, "clusters/site")), pod];
                    here.add({ kind: "Secret", metadata: { name: "two", namespace: "default", ownerReferences } });
                },
                /cannot move.*Secret default\/two \(Pod p\)/s,
            ],
        ];
        for (const [what, prepare, words] of refusals) {
            it(what, async () => {
                aCluster(here, "site");
                prepare();
                const before = [JSON.stringify([...here.store]), JSON.stringify([...there.store])];
                await assert.rejects(move(), words);
                assert.deepEqual([JSON.stringify([...here.store]), JSON.stringify([...there.store])], before);
            });
        }

        it("one cluster as both sides", async () => {
            aCluster(here, "site");
            await assert.rejects(move(here, here), /INVALID_INPUT.*same cluster/s);
        });
    });

    it("removes nothing while a kind that is defined cannot be listed: its objects would be lost", async () => {
        aCluster(here, "site");
        const before = snapshot(here);
        const get = here.get.bind(here);
        here.get = async path => (path.includes("/labmachines?") ? undefined : get(path));
        await assert.rejects(move, /API_REFUSED[\s\S]*labmachines/);
        assert.deepEqual(snapshot(here), before);
    });

    it("moves a cluster of which nothing is in the cloud yet", async () => {
        here.add({ ...cluster("site"), status: {} });
        here.add({ ...owned("LabCluster", "site", get(here, "clusters/site")) });
        await move();
        get(there, "labclusters/site");
    });

    const beingMade = () => {
        const machine = here.add({
            ...owned("Machine", "new", get(here, "machinesets/site-ms")),
            spec: { infrastructureRef: reference("LabMachine", "new") },
        });
        here.add(owned("LabMachine", "new", machine, { finalizers: ["lab"] }));
    };

    it("waits for a machine that is being made, with all controllers at work", async () => {
        aCluster(here, "site");
        beingMade();
        setTimeout(() => {
            assert.equal(isPaused(get(here, "clusters/site")), false);
            finish(here);
        }, 50);
        await move();
        assert.match(said.join("\n"), /until these are made.*: Machine default\/new/);
        get(there, "machines/new");
    });

    it("lets a cluster go on in which a machine was begun while it was paused", async () => {
        aCluster(here, "site");
        here.watch = () => {
            here.watch = () => {};
            beingMade();
            setTimeout(() => {
                assert.equal(isPaused(get(here, "clusters/site")), false);
                finish(here);
            }, 50);
        };
        await move();
        assert.match(said.join("\n"), /let go on what is being made: Cluster default\/site/);
        get(there, "machines/new");
    });

    it("waits until controllers have paused, and providers let go", async () => {
        aCluster(here, "site");
        const machine = get(here, "machines/site-m");
        const say = (status: string, annotations: object) => {
            Object.assign(machine, { status: { nodeRef: { name: "n" }, conditions: [{ type: "Paused", status }] } });
            Object.assign(machine.metadata, { annotations, labels: { "cluster.x-k8s.io/cluster-name": "site" } });
        };
        say("False", {});
        const report = (text: string) => {
            said.push(text);
            if (/controllers have paused/.test(text)) say("True", { "clusterctl.cluster.x-k8s.io/block-move": "" });
            else if (/lets them go/.test(text)) {
                assert.equal(there.movable().size, 0);
                say("True", {});
            }
        };
        await move(here, there, { report });
        assert.match(said.join("\n"), /until their controllers have paused: Machine default\/site-m/);
        assert.match(said.join("\n"), /until their provider lets them go .*Machine default\/site-m/);
        get(there, "machines/site-m");
    });

    it("says that the clusters are paused when the time is up", async () => {
        aCluster(here, "site");
        get(here, "machines/site-m").metadata.annotations = { "clusterctl.cluster.x-k8s.io/block-move": "" };
        await assert.rejects(
            move(here, there, { timeoutSeconds: 0.1 }),
            /WORKLOAD_NOT_READY.*stay so until the move is done/s,
        );
        assert.equal(there.movable().size, 0);
    });

    it("brings a copy up to date whose original went on in between", async () => {
        aCluster(here, "site");
        there.kill = { left: 8, isDone: true };
        await assert.rejects(move(), Killed);
        delete there.kill;
        // Somebody gives up the move for a while: the cluster goes on where it was.
        const original = get(here, "clusters/site");
        Object.assign(original, { spec: { infrastructureRef: reference("LabCluster", "site"), more: 1 } });
        await move();
        assert.equal((get(there, "clusters/site")["spec"] as { more?: number }).more, 1);
    });

    it("makes an original again whose deletion had begun when the move was given up", async () => {
        aCluster(here, "site");
        const uid = get(here, "machines/site-m").metadata.uid;
        let isKilled = false;
        here.watch = () => {
            isKilled ||= get(here, "machines/site-m").metadata.deletionTimestamp !== undefined;
            if (isKilled) throw new Killed();
        };
        await assert.rejects(move(), Killed);
        here.watch = () => {};
        await back();
        const machine = get(here, "machines/site-m");
        assert.equal(machine.metadata.deletionTimestamp, undefined);
        assert.notEqual(machine.metadata.uid, uid);
        assert.equal(there.movable().size, 0);
        assert.deepEqual(marks(here), []);
    });

    it("any objects, killed at any writes and taken up forward or backward: all are on one side, whole, and no Cluster was ever worked on twice", async () => {
        await fc.assert(
            fc.asyncProperty(
                fc.array(shape, { minLength: 1, maxLength: 14 }),
                fc.array(run, { maxLength: 6 }),
                async (shapes, runs) => {
                    const [a, b] = [new MemoryCluster("a"), new MemoryCluster("b")];
                    build(a, shapes);
                    const before = snapshot(a);
                    const moving = [...a.movable().keys()].filter(isNoBystander);
                    const check = () => {
                        for (const path of moving) {
                            const [one, other] = [a.store.get(path), b.store.get(path)];
                            assert.ok(one ?? other, `${path} is lost`);
                            const works = [one, other].filter(each => each?.kind === "Cluster" && !isPaused(each));
                            assert.ok(works.length < 2, `${path} is worked on twice`);
                            if (works.length === 1 && isMoving(works[0])) assert.fail(`${path} works with a mark`);
                        }
                    };
                    a.watch = b.watch = check;
                    for (const { isForward, at, isLate, isDone } of runs) {
                        const killed = isLate ? b : a;
                        killed.kill = { left: at, isDone };
                        const sides = isForward ? ([a, b] as const) : ([b, a] as const);
                        await move(...sides, { returning: !isForward }).catch(error =>
                            assert.ok(error instanceof Killed, error),
                        );
                        delete killed.kill;
                    }
                    await move(a, b);
                    finish(b);
                    finish(b);
                    assert.deepEqual([...a.movable().keys()].filter(isNoBystander), []);
                    assert.deepEqual(snapshot(b), before);
                    await move(b, a, { returning: true });
                    assert.deepEqual(snapshot(a), before);
                    assert.deepEqual([...b.movable().keys()].filter(isNoBystander), []);
                    assert.deepEqual([...marks(a), ...marks(b)], []);
                },
            ),
            { numRuns: Number(process.env["MOVE_RUNS"] ?? 40) },
        );
    });
});

const shape = fc.record({
    kind: fc.constantFrom(
        "Cluster",
        "Machine",
        "MachineSet",
        "LabMachine",
        "Secret",
        "ConfigMap",
        "ClusterResourceSet",
        "ClusterClass",
        "LabImage",
    ),
    owner: fc.nat(20),
    second: fc.option(fc.nat(20)),
    hasFinalizer: fc.boolean(),
    place: fc.constantFrom("default", "other"),
});

const run = fc.record({ isForward: fc.boolean(), at: fc.nat(25), isLate: fc.boolean(), isDone: fc.boolean() });

/** Each object is owned by one or two before it in its namespace; those without are Clusters, and what clusterctl moves on its own. */
function build(
    on: MemoryCluster,
    shapes: { kind: string; owner: number; second: number | null; hasFinalizer: boolean; place: string }[],
): void {
    on.add({ kind: "Secret", metadata: { name: "bystander", namespace: "default" } });
    on.store.set("/api/v1/namespaces/other", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "other", uid: "o" },
    });
    const made: MoveObject[] = [];
    for (const [i, { kind, owner, second, hasFinalizer, place }] of shapes.entries()) {
        const before = made.filter(({ metadata }) => metadata.namespace === place);
        const name = `o${i}`;
        const metadata = {
            name,
            namespace: place,
            ...(hasFinalizer && { finalizers: ["x"] }),
            managedFields: [{ manager: "m" }],
        };
        if (["Cluster", "ClusterResourceSet", "ClusterClass", "LabImage"].includes(kind) || before.length === 0) {
            const free = before.length === 0 ? "Cluster" : kind;
            made.push(on.add({ kind: free, metadata, spec: { at: i } }));
            continue;
        }
        const owners = [before[owner % before.length]!, ...(second === null ? [] : [before[second % before.length]!])];
        const ownerReferences = [...new Set(owners)].map(refer);
        made.push(
            on.add({
                kind,
                metadata: { ...metadata, ownerReferences },
                spec: { at: i },
                status: { nodeRef: { name } },
            }),
        );
    }
}

function aCluster(on: MemoryCluster, name: string): void {
    const its = on.add({ ...cluster(name), status: ready });
    on.add(
        owned(
            "LabCluster",
            name,
            its,
            { finalizers: ["lab"] },
            { identityRef: { type: "Secret", name: `${name}-cloud` } },
        ),
    );
    const set = on.add(owned("MachineSet", `${name}-ms`, its));
    const machine = on.add({
        ...owned("Machine", `${name}-m`, set, {
            finalizers: ["machine.cluster.x-k8s.io"],
            managedFields: [{ manager: "capi" }],
        }),
        spec: { clusterName: name, infrastructureRef: reference("LabMachine", `${name}-m`) },
        status: { nodeRef: { name: "n1" } },
    });
    on.add(owned("LabMachine", `${name}-m`, machine, { finalizers: ["lab"] }));
    on.add({ kind: "Secret", metadata: { name: `${name}-ca`, namespace: "default" }, data: { a: "b" } });
    on.add({ kind: "Secret", metadata: { name: `${name}-cloud`, namespace: "default" }, data: { clouds: "c" } });
    on.add({ kind: "Secret", metadata: { name: "bystander", namespace: "default" } });
    const set2 = on.add({ kind: "ClusterResourceSet", metadata: { name: `${name}-crs`, namespace: "default" } });
    on.add({ ...owned("ClusterResourceSetBinding", name, set2), spec: { clusterName: name } });
    on.add(owned("ConfigMap", `${name}-cni`, set2));
}

/** What controllers do: they find the servers, and set the status. */
function finish(on: MemoryCluster): void {
    for (const object of on.movable().values()) {
        if (object.kind === "Cluster") Object.assign(object, { status: ready });
        if (object.kind === "Machine") Object.assign(object, { status: { nodeRef: { name: "n" } } });
    }
}

function addNamespace(on: MemoryCluster, name: string): void {
    on.store.set(`/api/v1/namespaces/${name}`, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

function identity(on: MemoryCluster, cloud = "same"): void {
    const namespace = "infrastructure-lab-system";
    addNamespace(on, namespace);
    on.add({
        kind: "LabIdentity",
        metadata: { name: "cloud" },
        spec: { cloud, secretRef: { name: "cloud", namespace } },
    });
    on.add({ kind: "Secret", metadata: { name: "cloud", namespace }, data: { cloud: "secret" } });
}

const ready = { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } };

function cluster(name: string, { namespace = "default" } = {}): MoveObject {
    const spec = { infrastructureRef: reference("LabCluster", name) };
    return { apiVersion: apiVersionOf("Cluster"), kind: "Cluster", metadata: { name, namespace }, spec };
}

const reference = (kind: string, name: string) => ({ apiGroup: "infrastructure.cluster.x-k8s.io", kind, name });
const refer = ({ apiVersion, kind, metadata: { name, uid = "" } }: MoveObject) => ({ apiVersion, kind, name, uid });

function owned(kind: string, name: string, owner: MoveObject, metadata: object = {}, spec: object = {}): Plain {
    return { kind, metadata: { name, namespace: "default", ownerReferences: [refer(owner)], ...metadata }, spec };
}

function get(on: MemoryCluster, end: string): MoveObject {
    const found = [...on.store].find(([path]) => path.endsWith(`/${end}`))?.[1];
    assert.ok(found, `${end} is not on ${on.name}`);
    return found;
}

const last = (path: string) => path.slice(path.lastIndexOf("/") + 1);
const isNoBystander = (path: string) => last(path) !== "bystander";
const isPaused = ({ spec }: MoveObject) => (spec as { paused?: boolean } | undefined)?.paused === true;
const isMoving = (object: MoveObject | undefined) => object?.metadata.annotations?.[movingAnnotation] !== undefined;
const marks = (on: MemoryCluster) => [...on.store.values()].filter(isMoving).map(({ metadata }) => metadata.name);

/** What was there, with owners by name: their uids must be those of this cluster. */
function snapshot(on: MemoryCluster): unknown[] {
    const objects = on.movable();
    const byUid = new Map([...on.store.values()].map(each => [each.metadata.uid, each.metadata.name]));
    return [...objects]
        .filter(([path]) => isNoBystander(path))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(
            ([
                path,
                {
                    spec,
                    data,
                    metadata: { finalizers, labels, annotations = {}, ownerReferences = [], managedFields },
                },
            ]) => ({
                ...{ path, spec, data, finalizers, labels, annotations, managedFields },
                owners: ownerReferences.map(({ kind, name, uid }) => `${kind} ${name} ${byUid.get(uid)}`).sort(),
            }),
        );
}

import assert from "node:assert/strict";
import { podsLine } from "../../../../provider/cnf/cnf-pods";
import { type CnfReadinessInputs, cnfReadiness } from "../../../../provider/cnf/cnf-readiness";
import { NfvError } from "../../../../provider/common/errors";
import { runClockFast } from "../../../support/fast-clock";
import { listener } from "../support/cluster";
import { FakeApi } from "../vim/fake-api";

const place = "/apis/monitoring.example/v1/namespaces/demo/monitors/m";
const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/monitors.monitoring.example";
const monitor = { apiVersion: "monitoring.example/v1", kind: "Monitor", namespace: "demo", name: "m" };

describe("the wait for custom resources of a network function", () => {
    runClockFast();
    let api: FakeApi;

    beforeEach(async () => {
        api = await FakeApi.start();
        put({ conditions: [{ type: "Ready", status: "False", reason: "Starting", message: "1 of 3" }] });
        define({ conditions: {} });
    });
    afterEach(() => api.stop());

    const inputs = (changes: Partial<CnfReadinessInputs> = {}): CnfReadinessInputs => ({
        ...{
            cnf: "upf",
            clusterId: "c",
            kinds: [],
            objects: [monitor],
            revisions: ["u/1"],
            rules: {},
            timeoutSeconds: 5,
        },
        access: { endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } },
        ...changes,
    });
    const put = (status?: object, path = place, metadata: object = {}) =>
        api.objects.set(path, {
            metadata: { name: path.split("/").at(-1), namespace: "demo", uid: `uid of ${path}`, ...metadata },
            ...(status && { status }),
        });
    const define = (properties: object) =>
        api.objects.set(definition, {
            spec: {
                versions: [{ name: "v1", schema: { openAPIV3Schema: { properties: { status: { properties } } } } }],
            },
        });
    const failure = async (changes: Partial<CnfReadinessInputs> = {}) =>
        cnfReadiness.create(inputs(changes), listener()).then(
            () => "",
            error => error.message as string,
        );

    it("ends when all are ready, and says meanwhile what they wait for", async () => {
        const context = listener();
        const done = cnfReadiness.create(inputs({ timeoutSeconds: 600 }), context);
        while (context.said.length === 0) await new Promise(resolve => setTimeout(resolve, 20));
        put({ conditions: [{ type: "Ready", status: "True" }] });
        await done;
        assert.deepEqual(context.said, ["Monitor demo/m: Ready is False (Starting): 1 of 3"]);
    });

    it("says which pods it has and where they run, also through what its operator made", async () => {
        const below = (path: string, owner: string, more: object = {}) => {
            put(undefined, path, { ownerReferences: [{ uid: `uid of ${owner}` }] });
            Object.assign(api.objects.get(path)!, more);
            return path;
        };
        const deployment = below("/apis/apps/v1/namespaces/demo/deployments/web", place);
        const set = below("/apis/apps/v1/namespaces/demo/replicasets/web-5d", deployment);
        below("/api/v1/namespaces/demo/pods/web-5d-x", set, { spec: { nodeName: "w1" } });
        below("/api/v1/namespaces/demo/pods/web-5d-y", set);
        below("/api/v1/namespaces/demo/pods/other", "/apis/apps/v1/namespaces/demo/replicasets/other");
        put({ conditions: [{ type: "Ready", status: "True" }] });
        const revisions = [`uid of ${place}/1`];
        const context = listener();
        await cnfReadiness.create(inputs({ revisions }), context);
        assert.deepEqual(context.noted, ["pods: web-5d-x on w1, web-5d-y"]);
        const refusing = {
            list: () => Promise.reject(new NfvError({ code: "CONNECT_FAILED", cause: "pods is forbidden" })),
        };
        assert.equal(await podsLine(refusing as never, [monitor], revisions), undefined, "nothing fails for it");
    });

    it("fails with condition, reason and message, and with what is not ready below, the lowest first, and its last warning", async () => {
        const below = (path: string, owner: string, status: object) => {
            put(status, path, { ownerReferences: [{ uid: `uid of ${owner}` }] });
            return path;
        };
        const set = below("/apis/apps/v1/namespaces/demo/deployments/web", place, { readyReplicas: 0 });
        below("/apis/monitoring.example/v1alpha1/namespaces/demo/alerts/night", set, {
            conditions: [{ type: "Ready", status: "False", reason: "NoFlavor" }],
        });
        below("/apis/apps/v1/namespaces/demo/deployments/fine", place, { readyReplicas: 1 });
        api.objects.set("/api/v1/namespaces/demo/events/e", {
            involvedObject: { uid: `uid of ${set}` },
            reason: "FailedCreate",
            message: "quota exceeded",
        });
        assert.deepEqual((await failure()).split("\n").slice(0, 4), [
            'Cnf "upf": wait until it is ready: NOT_READY',
            "    Monitor demo/m is not ready after 5 s: Ready is False (Starting): 1 of 3",
            "        Alert night: Ready is False (NoFlavor)",
            "        Deployment web: 0 of 1 ready; event FailedCreate: quota exceeded",
        ]);
    });

    it("fails at once where the object is stalled", async () => {
        put({ conditions: [{ type: "Stalled", status: "True", reason: "BadSpec", message: "no such image" }] });
        assert.match(
            await failure({ timeoutSeconds: 3600 }),
            /Monitor demo\/m will not become ready: Stalled is True \(BadSpec\): no such image/,
        );
    });

    it("goes by the rules of the program, with their time", async () => {
        const by = (rule: object) => failure({ rules: { "monitoring.example/*/Monitor": rule } });
        assert.equal(await by({ condition: "Ready", status: "False" }), "");
        assert.equal(await by({ exists: true }), "");
        assert.match(
            await by({ field: "status.phase", timeoutSeconds: 2 }),
            /is not ready after 2 s: it has no status\.phase yet/,
        );
    });

    it("takes a kind whose status has no conditions as it is, with a warning that says what to do", async () => {
        put({ phase: "Pending" });
        define({ phase: {} });
        const context = listener();
        await cnfReadiness.create(inputs(), context);
        assert.match(
            context.warned.join(),
            /Monitor demo\/m has a status without conditions \(phase\)[\s\S]*readiness:/,
        );
        api.objects.delete(definition);
        await cnfReadiness.create(inputs(), context);
        assert.match(context.warned.at(-1)!, /has no conditions: it counts as ready/);
    });

    it("waits until the cluster has the kinds, and names those near a missing one", async () => {
        const kinds = [{ apiVersion: "monitoring.example/v1", kind: "Monitr" }];
        assert.match(
            await failure({ kinds, objects: [], revisions: [] }),
            /wait for kinds: NOT_READY[\s\S]*does not have the kind Monitr of monitoring\.example\/v1 after 5 s: near it has Monitor of monitoring\.example\/v1 or v1alpha1/,
        );
        kinds[0]!.kind = "Monitor";
        assert.equal(await failure({ kinds, objects: [], revisions: [] }), "");
    });

    it("is done again when an object or a rule changed, and after a refresh that found one not ready", async () => {
        put({ conditions: [{ type: "Ready", status: "True" }] });
        const { id, outs } = await cnfReadiness.create(inputs(), listener());
        const changes = (news: Partial<CnfReadinessInputs>, state = outs) =>
            cnfReadiness.diff(id, state, inputs(news)).changes;
        assert.equal(changes({}), false);
        assert.equal(changes({ timeoutSeconds: 7 }), false);
        assert.equal(changes({ revisions: ["u/2"] }), true);
        assert.equal(changes({ rules: { "*": { exists: true } } }), true);
        const read = async () => (await cnfReadiness.read(id, outs, listener())).props!;
        assert.equal(changes({}, await read()), false);
        put({ conditions: [{ type: "Ready", status: "False" }] });
        assert.equal(changes({}, await read()), true);
        api.tokens.clear();
        assert.equal(changes({}, await read()), false);
    });
});

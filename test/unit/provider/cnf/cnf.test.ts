import assert from "node:assert/strict";
import { type CnfNamespaceInputs, cnfNamespace } from "../../../../provider/cnf/cnf-namespace";
import { type CnfObjectsInputs, cnfObjects } from "../../../../provider/cnf/cnf-objects";
import { ownerMark } from "../../../../provider/cnf/owner-mark";
import type { NfvError } from "../../../../provider/common/errors";
import { giveUpVariable } from "../../../../provider/contract/give-up";
import { unknownValue } from "../../../../provider/contract/values";
import { handOverAnnotation, ownerAnnotation } from "../../../../provider/vim/ownership";
import { runClockFast } from "../../../support/fast-clock";
import { listener } from "../support/cluster";
import { FakeApi } from "../vim/fake-api";

describe("what a network function finds in the cluster", () => {
    runClockFast();
    let api: FakeApi;
    const access = () => ({ endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } });
    const common = () => ({ cnf: "upf", access: access(), clusterId: "c", owner: "upf-1" });
    const put = (path: string, annotations?: object) =>
        api.objects.set(path, { metadata: { name: path.split("/").at(-1), annotations, uid: `uid of ${path}` } });
    const web = "/apis/apps/v1/namespaces/demo/deployments/web";

    beforeEach(async () => {
        api = await FakeApi.start();
    });
    afterEach(() => api.stop());

    describe("among its objects", () => {
        const inputs = (changes: Partial<CnfObjectsInputs> = {}): CnfObjectsInputs => ({
            ...common(),
            objects: [
                { apiVersion: "apps/v1", kind: "Deployment", namespace: "demo", name: "web" },
                { apiVersion: "v1", kind: "ConfigMap", namespace: "demo", name: "settings" },
            ],
            builtIn: ["apps/v1", "v1"],
            ...changes,
        });
        const said = async (changes: Partial<CnfObjectsInputs> = {}) =>
            (await cnfObjects.checkInCloud!({}, inputs(changes), listener())).failures
                .map(({ reason }) => reason)
                .join();

        it("is refused at preview and at the moment of action, by name and with who made it", async () => {
            put(web);
            put("/api/v1/namespaces/demo/configmaps/settings", { [ownerAnnotation]: "other-7" });
            const reason = await said();
            assert.match(reason, /NOT_OURS/);
            assert.match(reason, /Deployment demo\/web exists already: not made by pulumi-nfv/);
            assert.match(reason, /ConfigMap demo\/settings exists already: made by other-7/);
            await assert.rejects(cnfObjects.create(inputs(), listener()), /NOT_OURS/);
            await assert.rejects(cnfObjects.update("upf-1", inputs(), inputs(), listener()), /NOT_OURS/);
        });

        it("is taken up where a run of ours that was killed made it, or somebody hands it over to this name", async () => {
            assert.equal(await said(), "");
            put(web, { [ownerAnnotation]: "upf-1" });
            assert.equal(await said(), "");
            put(web, { [handOverAnnotation]: "upf" });
            assert.equal(await said(), "");
            put(web, { [handOverAnnotation]: "smf" });
            assert.match(await said(), /Deployment demo\/web/);
        });

        it("is refused with whole commands, and with a mark only where that is in the state", async () => {
            put(web);
            const handOver = `kubectl --namespace demo annotate deployment.apps web ${handOverAnnotation}=upf`;
            const mark = `kubectl --namespace demo annotate deployment.apps web ${ownerAnnotation}=upf-1`;
            const atPreview = await said();
            assert.ok(atPreview.includes(handOver), atPreview);
            assert.ok(!atPreview.includes("upf-1"), atPreview);
            const { failures } = await cnfObjects.checkInCloud!(inputs(), inputs(), listener());
            assert.ok(failures[0]!.reason.includes(mark), failures[0]!.reason);
        });

        it("is noted for good when it was handed over, for it has to be applied by force", async () => {
            put(web, { [handOverAnnotation]: "upf", [ownerAnnotation]: "smf-7" });
            const context = listener();
            const taken = ["apps/v1 Deployment demo web"];
            const checked = await cnfObjects.checkInCloud!({}, inputs(), context);
            assert.deepEqual(checked.inputs!.taken, taken);
            assert.match(context.warned.join(), /takes Deployment demo\/web \(of smf-7\).* retainOnDelete: true/);
            assert.deepEqual((await cnfObjects.create(inputs(), listener())).outs.taken, taken);
            put(web, { [handOverAnnotation]: "upf", [ownerAnnotation]: "upf-1" });
            const later = await cnfObjects.checkInCloud!({ ...inputs(), taken }, inputs(), listener());
            assert.deepEqual(later.inputs!.taken, taken);
            const without = inputs({ objects: inputs().objects.slice(1) });
            const gone = await cnfObjects.checkInCloud!({ ...inputs(), taken }, without, listener());
            assert.deepEqual(gone.inputs!.taken, []);
        });

        it("leaves no mark of a new name in the state where it is refused, so that an alias still finds the former one", async () => {
            const { cnf, access: place, objects, builtIn } = inputs();
            const asked = { name: "upf", claim: { cnf, access: place, objects, builtIn } };
            const { inputs: checked } = ownerMark.check({}, asked);
            put(web, { [ownerAnnotation]: "old-1" });
            await assert.rejects(ownerMark.create(checked, listener()), /NOT_OURS[\s\S]*give it that name as an alias/);
            api.objects.clear();
            const made = await ownerMark.create(checked, listener());
            assert.deepEqual([made.id, made.outs.claim], [checked.mark, undefined]);
            assert.deepEqual(ownerMark.check(made.outs, asked).inputs, { name: "upf", mark: checked.mark });
        });

        it("is not made again on the same cluster under another name", async () => {
            const first = await cnfObjects.checkInCloud!({}, inputs(), listener());
            const olds = { ...inputs(), ...first.inputs };
            const look = () => cnfObjects.checkInCloud!(olds, inputs({ clusterId: "d" }), listener());
            assert.match(
                (await look()).failures[0]!.reason,
                /INVALID_INPUT[\s\S]*is the same cluster as before under another name[\s\S]*clusterIdentifier: "c"/,
            );
            api.clusterUid = "cluster-2";
            assert.deepEqual((await look()).failures, []);
        });

        it("is not made again under another name where it cannot be told which cluster it is", async () => {
            const { clusterUid: _, ...olds } = { ...inputs(), clusterUid: undefined };
            const look = (former: Partial<CnfObjectsInputs>, news: Partial<CnfObjectsInputs> = {}) =>
                cnfObjects.checkInCloud!(former, inputs({ clusterId: "d", ...news }), listener());
            assert.match((await look(olds)).failures[0]!.reason, /is the same cluster as before under another name/);
            const other = await FakeApi.start();
            try {
                other.clusterUid = "cluster-2";
                const access = {
                    endpoint: other.endpoint,
                    caCertificate: other.ca,
                    auth: { bearerToken: "admin-token" },
                };
                assert.deepEqual((await look(olds, { access })).failures, []);
                other.clusterUid = undefined;
                assert.match((await look(olds, { access })).failures[0]!.reason, /cannot be told/);
            } finally {
                await other.stop();
            }
            api.clusterUid = undefined;
            assert.match(
                (await look(olds)).failures[0]!.reason,
                /INVALID_INPUT[\s\S]*cannot be told[\s\S]*clusterIdentifier: "c"[\s\S]*give the Cnf another name/,
            );
            assert.deepEqual((await look(olds, { clusterId: "c" })).failures, []);
            // The new cluster does not exist yet.
            assert.deepEqual((await look(olds, { access: unknownValue as never })).failures, []);
        });

        it("under another name is refused where the cluster is silent: the engine's second check for a replacement knows no state", async () => {
            const wanted = inputs({ clusterId: "d" });
            const look = async () => (await cnfObjects.checkInCloud!(inputs(), wanted, listener())).failures;
            api.notYet = 1000;
            assert.match((await look())[0]!.reason, /API_UNREACHABLE[\s\S]*run pulumi up again/);
            assert.deepEqual((await cnfObjects.checkInCloud!(inputs(), inputs(), listener())).failures, []);
            api.notYet = 0;
            const { failures, inputs: made } = await cnfObjects.checkInCloud!(
                { ...inputs(), clusterUid: "cluster-0" },
                wanted,
                listener(),
            );
            assert.deepEqual(failures, []);
            await cnfObjects.create({ ...wanted, ...made }, listener());
        });

        it("that defines a kind is taken where a Cnf of this name left it, with a warning; another name's is not", async () => {
            const definition = {
                ...{
                    apiVersion: "apiextensions.k8s.io/v1",
                    kind: "CustomResourceDefinition",
                    name: "foos.example.com",
                },
            };
            const place = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.example.com";
            put(place, { [ownerAnnotation]: "upf-0123456789ab" });
            const context = listener();
            const wanted = inputs({ objects: [definition] });
            const checked = await cnfObjects.checkInCloud!({}, wanted, context);
            assert.deepEqual(checked.failures, []);
            assert.deepEqual(checked.inputs!.taken, [
                "apiextensions.k8s.io/v1 CustomResourceDefinition  foos.example.com",
            ]);
            assert.match(
                context.warned.join(),
                /foos\.example\.com \(of upf-0123456789ab\), as a Cnf of the same name left it/,
            );
            for (const mark of ["smf-0123456789ab", "upf", "my-upf-0123456789ab"]) {
                put(place, { [ownerAnnotation]: mark });
                assert.match(await said({ objects: [definition] }), /NOT_OURS/, mark);
            }
            put(web, { [ownerAnnotation]: "upf-0123456789ab" });
            assert.match(await said(), /Deployment demo\/web exists already/);
        });

        it("is told of an apiVersion of Kubernetes that the cluster does not have", async () => {
            const strange = { apiVersion: "batch/v1beta1", kind: "CronJob", namespace: "demo", name: "c" };
            assert.match(
                await said({ objects: [strange], builtIn: ["batch/v1beta1"] }),
                /does not have batch\/v1beta1 \(CronJob\/c\)/,
            );
        });

        it("is told of a kind that the cluster does not have, with those near it, unless this run defines it", async () => {
            const mistyped = { apiVersion: "monitoring.example/v1", kind: "Alert", namespace: "demo", name: "night" };
            const wanted = { objects: [mistyped], builtIn: [] };
            assert.match(
                await said(wanted),
                /INVALID_INPUT[\s\S]*does not have the kind Alert of monitoring\.example\/v1 \(night\): near it has Alert of monitoring\.example\/v1alpha1, Monitor of[\s\S]*Nothing has been touched[\s\S]*customKinds: \["Alert\.monitoring\.example"\]/,
            );
            await assert.rejects(cnfObjects.create(inputs(wanted), listener()), /does not have the kind Alert/);
            assert.match(
                await said({ ...wanted, objects: [{ ...mistyped, apiVersion: "keda.sh/v1", kind: "ScaledObject" }] }),
                /does not have the kind ScaledObject of keda\.sh\/v1 \(night\): it has no similar one/,
            );
            assert.equal(await said({ ...wanted, defined: ["Alert.monitoring.example"] }), "");
            assert.equal(await said({ ...wanted, defined: ["*"] }), "");
        });

        const monitor = { apiVersion: "monitoring.example/v1", kind: "Monitor", namespace: "demo", name: "m" };
        const asData = ({ name, namespace, ...kind }: typeof monitor) => ({ ...kind, metadata: { name, namespace } });
        const notDeclared =
            "failed to create typed patch object (demo/m; monitoring.example/v1, Kind=Monitor): .spec.b: field not declared in schema";

        it("is refused where the API would refuse its fields, unless this run may bring another definition of its kind", async () => {
            api.dryRun = () => [500, notDeclared];
            const wanted = inputs({ objects: [monitor], builtIn: [], contents: [asData(monitor)] });
            const reason = await said(wanted);
            assert.match(
                reason,
                /would refuse these objects:\n.*Monitor demo\/m: \.spec\.b: field not declared in schema/,
            );
            for (const defined of [["Monitor.monitoring.example"], ["*"]]) {
                const context = listener();
                const checked = await cnfObjects.checkInCloud!({}, { ...wanted, defined }, context);
                assert.deepEqual(checked.failures, []);
                assert.match(context.warned.join(), /by the definition of their kind that it has now:\n.*spec\.b/);
            }
        });

        it("is refused without a word of what a Secret holds", async () => {
            const secret = { apiVersion: "v1", kind: "Secret", namespace: "demo", name: "pins" };
            for (const [status, message] of [
                [
                    500,
                    "failed to create typed patch object (demo/pins; /v1, Kind=Secret): .stringData.pin: expected string, got &value.valueUnstructured{Value:48151623}",
                ],
                [422, 'Secret "pins" is invalid: data[k]: Invalid value: "48151623": no'],
            ] as [number, string][]) {
                api.dryRun = () => [status, message];
                const reason = await said({ objects: [secret], builtIn: ["v1"], contents: [asData(secret)] });
                assert.match(reason, /Secret demo\/pins: .*(stringData\.pin|data\[k\]).* that is not shown/);
                assert.doesNotMatch(reason, /48151623/);
            }
        });

        it("of a kind that another part of the program should have defined by now is refused at the moment of action", async () => {
            const objects = [{ apiVersion: "monitoring.example/v1", kind: "Alert", name: "night" }];
            const floating = ["Alert.monitoring.example"];
            const wanted = inputs({ objects, builtIn: [], floating, namespace: "demo", defined: floating });
            assert.deepEqual((await cnfObjects.checkInCloud!({}, wanted, listener())).failures, []);
            await assert.rejects(
                cnfObjects.create(wanted, listener()),
                /NOT_READY[\s\S]*does not have Alert of monitoring\.example\/v1 yet[\s\S]*dependsOn/,
            );
        });

        it("of a custom kind is in the namespace of the function where the cluster says that the kind has namespaces", async () => {
            const floating = ["Monitor.monitoring.example", "Zone.example"];
            const objects = [{ apiVersion: "monitoring.example/v1", kind: "Monitor", name: "m" }];
            const wanted = inputs({ objects, builtIn: [], floating, namespace: "demo" });
            const { failures, inputs: found } = await cnfObjects.checkInCloud!({}, wanted, listener());
            assert.deepEqual([failures, found!.namespaced], [[], ["Monitor.monitoring.example"]]);
            put("/apis/monitoring.example/v1/namespaces/demo/monitors/m", { [handOverAnnotation]: "upf" });
            const taken = await cnfObjects.checkInCloud!({}, wanted, listener());
            assert.deepEqual(taken.inputs!.taken, ["monitoring.example/v1 Monitor  m"]);
        });

        it("is not asked before the access is known; a cluster that is silent is a warning at preview, an error at the act", async () => {
            assert.equal(await said({ access: unknownValue as never }), "");
            const wanted = inputs();
            await api.stop();
            const context = listener();
            assert.deepEqual((await cnfObjects.checkInCloud!({}, wanted, context)).failures, []);
            assert.match(context.warned.join(), /cannot be asked now/);
            api = await FakeApi.start();
        });
    });

    describe("as its namespace", () => {
        const place = "/api/v1/namespaces/demo";
        const inputs = (changes: Partial<CnfNamespaceInputs> = {}): CnfNamespaceInputs => ({
            ...common(),
            object: { apiVersion: "v1", kind: "Namespace", metadata: { name: "demo", labels: { a: "b" } } },
            shared: true,
            timeoutSeconds: 5,
            ...changes,
        });

        it("is made and removed where there is none", async () => {
            const { id, outs } = await cnfNamespace.create(inputs(), listener());
            assert.equal(outs.made, true);
            const { metadata } = api.objects.get(place) as { metadata: { labels: object; annotations: object } };
            assert.deepEqual([metadata.labels, metadata.annotations], [{ a: "b" }, { [ownerAnnotation]: "upf-1" }]);
            assert.equal(cnfNamespace.diff(id, outs, inputs()).changes, false);
            await cnfNamespace.delete(id, outs, listener());
            assert.equal(api.objects.size, 0);
        });

        it("stays, with the name of the APIService to look at, where what others have in it cannot be asked", async () => {
            const { id, outs } = await cnfNamespace.create(inputs(), listener());
            api.dead.add("shop.example/v1");
            await assert.rejects(
                cnfNamespace.delete(id, { ...outs, timeoutSeconds: 1 }, listener()),
                /APIService v1\.shop\.example does not answer: .*503[\s\S]*kubectl delete apiservice v1\.shop\.example/,
            );
            assert.ok(api.objects.has(place));
        });

        it("is used as it is and never deleted where others made it", async () => {
            put(place);
            const before = structuredClone(api.objects.get(place));
            const { id, outs } = await cnfNamespace.create(inputs(), listener());
            await cnfNamespace.delete(id, outs, listener());
            assert.deepEqual(api.objects.get(place), before);
        });

        it("is an error where the manifests make it and others did", async () => {
            put(place);
            const wanted = inputs({ shared: false });
            assert.match(
                (await cnfNamespace.checkInCloud!({}, wanted, listener())).failures[0]!.reason,
                /Namespace demo exists already/,
            );
            await assert.rejects(cnfNamespace.create(wanted, listener()), /NOT_OURS/);
        });

        it("stays while others have something in it, and says what", async () => {
            const { id, outs } = await cnfNamespace.create(inputs(), listener());
            put(`${place}/persistentvolumeclaims/data-0`);
            put(`${place}/configmaps/kube-root-ca.crt`);
            const context = listener();
            await cnfNamespace.delete(id, outs, context);
            assert.match(context.warned.join(), /namespace demo stays: PersistentVolumeClaim\/data-0 would go with it/);
            assert.ok(api.objects.has(place) && api.objects.has(`${place}/persistentvolumeclaims/data-0`));
        });

        it("stays for a kind that only an older version of its group has, and for data that something outside of it owns", async () => {
            const { id, outs } = await cnfNamespace.create(inputs(), listener());
            const asked = `/apis/monitoring.example/v1alpha1/namespaces/demo`;
            put(`${asked}/alerts/night`);
            put(`${place}/persistentvolumeclaims/db`);
            const { metadata } = api.objects.get(`${place}/persistentvolumeclaims/db`) as { metadata: object };
            Object.assign(metadata, { ownerReferences: [{ kind: "ClusterDatabase", name: "x" }] });
            put(`${place}/persistentvolumeclaims/scratch`);
            const scratch = api.objects.get(`${place}/persistentvolumeclaims/scratch`) as { metadata: object };
            Object.assign(scratch.metadata, { ownerReferences: [{ kind: "Pod", name: "upf-0" }] });
            const context = listener();
            await cnfNamespace.delete(id, outs, context);
            assert.match(context.warned.join(), /demo stays: Alert\/night, PersistentVolumeClaim\/db would go with it/);
            assert.ok(!api.seen.some(({ path }) => path === `${asked}/monitors`), "each kind is asked for once");
        });

        it("on a cluster that is gone for good stays in the state until its Cnf is given up by name, which the error says", async () => {
            const { outs } = await cnfNamespace.create(inputs(), listener());
            api.tokens.clear();
            const error = await cnfNamespace.delete("demo", outs, listener()).then(
                () => assert.fail("deleted"),
                reason => reason as NfvError,
            );
            assert.match(error.hint, /NFV_GIVE_UP=c\/cnf:upf pulumi destroy/);
            process.env[giveUpVariable] = "c/cnf:upf";
            try {
                const context = listener();
                await cnfNamespace.delete("demo", outs, context);
                assert.match(context.warned.join(), /Cnf upf was given up: its namespace demo was not removed/);
            } finally {
                delete process.env[giveUpVariable];
            }
        });

        it("that was handed over is taken once: another stack's of the same name does not get it", async () => {
            put(place, { [handOverAnnotation]: "upf" });
            assert.equal((await cnfNamespace.create(inputs(), listener())).outs.made, true);
            // Server-side apply keeps what others have set, unless it sets another value.
            const { annotations } = (api.objects.get(place) as { metadata: { annotations: object } }).metadata;
            assert.deepEqual(annotations, { [ownerAnnotation]: "upf-1", [handOverAnnotation]: "" });
            const other = inputs({ owner: "upf-2", shared: false });
            await assert.rejects(cnfNamespace.create(other, listener()), /NOT_OURS[\s\S]*made by upf-1/);
        });

        it("that another one replaced under the same name is not ours any more", async () => {
            const { id, outs } = await cnfNamespace.create(inputs(), listener());
            put(place, { [ownerAnnotation]: "upf-1" });
            assert.equal((await cnfNamespace.read(id, outs, listener())).props!.made, false);
            await cnfNamespace.delete(id, outs, listener());
            assert.ok(api.objects.has(place));
        });

        it("stays where the program still has it: its resource was replaced, by the same run or a former one that was killed", async () => {
            const wanted = inputs({ resourceUrn: "urn:replaced" });
            const { id, outs } = await cnfNamespace.create(wanted, listener());
            await cnfNamespace.create(wanted, listener());
            await cnfNamespace.delete(id, outs, listener());
            assert.ok(api.objects.has(place));
            const killed = { ...outs, resourceUrn: "urn:killed" };
            cnfNamespace.diff(id, killed, inputs({ resourceUrn: "urn:killed" }), listener());
            await cnfNamespace.delete(id, killed, listener());
            assert.ok(api.objects.has(place));
            // On another cluster the old one is deleted.
            const left = { ...outs, resourceUrn: "urn:left" };
            cnfNamespace.diff(id, left, inputs({ resourceUrn: "urn:left", clusterId: "d" }), listener());
            await cnfNamespace.delete(id, left, listener());
            assert.ok(!api.objects.has(place));
        });

        it("of a run that was killed is ours", async () => {
            put(place, { [ownerAnnotation]: "upf-1" });
            assert.equal((await cnfNamespace.create(inputs(), listener())).outs.made, true);
        });
    });

    it("is told by a mark that is random, and kept for ever", () => {
        const { inputs } = ownerMark.check({}, { name: "upf" });
        // The engine's wire format has no undefined value.
        assert.deepEqual(Object.keys(inputs), ["name", "mark"]);
        assert.match(inputs.mark!, /^upf-[0-9a-f]{12}$/);
        assert.notEqual(ownerMark.check({}, { name: "upf" }).inputs.mark, inputs.mark);
        assert.equal(ownerMark.check(inputs, { name: "renamed" }).inputs.mark, inputs.mark);
    });
});

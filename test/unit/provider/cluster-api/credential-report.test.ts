import assert from "node:assert/strict";
import { type CredentialReportInputs, credentialReport } from "../../../../provider/cluster-api/credential-report";
import { unknownValue } from "../../../../provider/contract/values";
import { deliveryPauses } from "../../../../provider/receiver/deliver";
import { Receiver } from "../../../support/receiver";
import { checkAs, endRun, listener, withGivenUp } from "../support/cluster";

const kubeconfig = (token: string) => JSON.stringify({ users: [{ user: { token } }] });

describe("the report of a workload cluster's credentials", () => {
    let receiver: Receiver;
    const usual = { ...deliveryPauses };

    const given = (changes: Partial<CredentialReportInputs> = {}): CredentialReportInputs => ({
        clusterId: "core-1",
        cluster: { name: "w1", namespace: "default", uid: "uid-1" },
        ...{ url: receiver.url, caCertificate: receiver.authority, removal: false, timeoutSeconds: 0.2 },
        credentials: { kubeconfig: kubeconfig("canary-token-1") },
        ...changes,
    });
    const check = (olds: Partial<CredentialReportInputs>, changes: Partial<CredentialReportInputs> = {}) =>
        checkAs("CredentialReport", olds, given(changes), listener());
    const create = async (changes: Partial<CredentialReportInputs> = {}) =>
        (await credentialReport.create(check({}, changes).inputs, listener())).outs;
    type State = Awaited<ReturnType<typeof create>>;
    /** As the engine does: check, diff, and update if there is a change. */
    const up = async (state: State, changes: Partial<CredentialReportInputs> = {}): Promise<State> => {
        const { inputs } = check(state, changes);
        const { changes: isChanged, replaces } = credentialReport.diff("id", state, inputs);
        assert.deepEqual(replaces, []);
        return isChanged ? (await credentialReport.update("id", state, inputs, listener())).outs : state;
    };
    const other = { credentials: { kubeconfig: kubeconfig("canary-token-2") } };
    const keys = () => receiver.received.map(({ headers }) => headers["idempotency-key"]);

    beforeEach(async () => {
        Object.assign(deliveryPauses, { firstSeconds: 0.05, longestSeconds: 0.1 });
        receiver = await Receiver.start();
    });
    afterEach(async () => {
        Object.assign(deliveryPauses, usual);
        await endRun();
        await receiver.close();
    });

    it("has the credentials and the cluster; the state has neither token nor key", async () => {
        const vimConnectionInfo = { vimId: "w1" } as never;
        const state = await create({ credentials: { kubeconfig: kubeconfig("canary-token-1"), vimConnectionInfo } });
        assert.deepEqual(receiver.received[0]!.body, {
            event: "credentials",
            cluster: { name: "w1", namespace: "default", uid: "uid-1" },
            kubeconfig: kubeconfig("canary-token-1"),
            vimConnectionInfo: { vimId: "w1" },
        });
        assert.match(receiver.received[0]!.headers["idempotency-key"] as string, /^[0-9a-f]{32}$/);
        assert.doesNotMatch(JSON.stringify([state, check({}).inputs]), /canary/);
    });

    it("is announced at preview, with the URL but not its query", () => {
        const url = "https://receiver.site/x?key=canary";
        assert.deepEqual(check({}, { url }).notes, [
            'the credentials of workload cluster "w1" will be sent to https://receiver.site/x',
        ]);
        const unknown = check({}, { credentials: unknownValue as never }).notes!;
        assert.match(unknown[0]!, /will be sent to https:\S+$/);
    });

    it("is sent once per change", async () => {
        const first = await create();
        const { inputs, notes } = check(first);
        assert.deepEqual([notes, credentialReport.diff("id", first, inputs).changes], [[], false]);
        const second = await up(await up(first), other);
        assert.equal(receiver.received.length, 2);
        const third = await up(await up(second, other), {});
        assert.equal(receiver.received.length, 3);
        // The content is that of the first message again: the receiver must not take it for a repetition.
        assert.equal(new Set(keys()).size, 3);
        assert.match(credentialReport.diff("id", third, check(third, other).inputs).note!, /will be sent/);
    });

    it("is not sent when only token, authority or time change", async () => {
        const state = await up(await create(), { token: "t", timeoutSeconds: 0.3 });
        assert.deepEqual([receiver.received.length, state.token, state.sent], [1, "t", 1]);
    });

    it("is not decided at preview by what is unknown there", async () => {
        const state = await create();
        const unknown = { cluster: { name: "w1", namespace: "default", uid: unknownValue }, url: unknownValue };
        const { inputs } = check(state, { ...unknown, credentials: unknownValue as never });
        const { changes, replaces, note } = credentialReport.diff("id", state, inputs);
        assert.deepEqual([changes, replaces], [true, []]);
        assert.match(note!, /will be sent to the given URL, if they are others than before/);
    });

    it("has the same key again where the run ended before it could be noted", async () => {
        const first = await create();
        await create();
        assert.equal(keys()[0], keys()[1]);
        await up(first, other);
        await up(first, other);
        assert.equal(keys()[2], keys()[3]);
        assert.notEqual(keys()[1], keys()[2]);
    });

    it("that failed is sent by the next run, even if the credentials are the former ones again", async () => {
        const state = await create();
        await receiver.close();
        const failed = (await up(state, other).catch(error => error)) as Error & { properties: State };
        assert.match(failed.message, /RECEIVER_UNREACHABLE/);
        await receiver.open();
        await up(failed.properties, {});
        assert.deepEqual(
            receiver.received.map(({ body }) => body.kubeconfig),
            [kubeconfig("canary-token-1"), kubeconfig("canary-token-1")],
        );
        assert.notEqual(keys()[0], keys()[1]);
    });

    for (const [input, change] of [
        ["url", { url: "https://other/x" }],
        ["cluster", { cluster: { name: "w1", namespace: "default", uid: "uid-2" } }],
    ] as const)
        it(`is another resource with another ${input}: the former receiver may get the end`, async () => {
            const state = await create();
            assert.deepEqual(credentialReport.diff("id", state, check(state, change).inputs).replaces, [input]);
        });

    it("says nothing at the end unless that is asked for; then without credentials", async () => {
        await credentialReport.delete("id", await create(), listener());
        assert.equal(receiver.received.length, 1);
        const told = await create({ removal: true, token: "t" });
        await endRun();
        await credentialReport.delete("id", told, listener());
        const { body, headers } = receiver.received[2]!;
        assert.deepEqual(body, { event: "removed", cluster: given().cluster });
        assert.equal(headers.authorization, "Bearer t");
        assert.notEqual(keys()[1], keys()[2]);
    });

    it("does not report the end of a cluster that the program has, as after pulumi up --replace", async () => {
        const state = await create({ removal: true });
        const context = listener();
        checkAs("CredentialReport", {}, given({ removal: true }), context);
        await credentialReport.delete("id", state, context);
        assert.equal(receiver.received.length, 1);
    });

    it("keeps the cluster while the receiver does not take its end, unless a person gives that up by name", async () => {
        const state = await create({ removal: true });
        await endRun();
        await receiver.close();
        const gone = () => credentialReport.delete("id", state, listener());
        await assert.rejects(gone, /RECEIVER_UNREACHABLE[\s\S]*NFV_GIVE_UP=core-1\/report:w1 pulumi destroy/);
        await withGivenUp("core-1/report:w1", gone);
    });

    it("is refused in a run that leaves the cluster out, and so has no credentials", async () => {
        const { inputs } = check({});
        await endRun();
        await assert.rejects(credentialReport.create(inputs, listener()), /INVALID_INPUT[\s\S]*--target/);
    });
});

import assert from "node:assert/strict";
import { serve } from "../../../../provider/adapters/serve";
import { operationEnd } from "../../../../provider/cluster/operation-end";
import { packSecrets } from "../../../../provider/contract/packed";
import { canonicalJson } from "../../../../provider/steps/fingerprint";
import type { ServedInputs } from "../../../../provider/storage/storage-leaves";
import { runClockFast } from "../../../support/fast-clock";
import { endRun, listener, withGivenUp } from "../support/cluster";
import { FakeApi } from "../vim/fake-api";

type Checked = Parameters<NonNullable<typeof operationEnd.checkInCloud>>[1];

describe("a storage server that leaves the program of a cluster", () => {
    runClockFast();
    let api: FakeApi;
    const served = { address: "10.0.0.31", exports: { "/exports/data": "data", "/exports/logs": "logs" }, force: [] };
    const access = () => ({ endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } });
    const preview = async (olds: ServedInputs, news: ServedInputs) => {
        if (!operationEnd.needsCheckInCloud!(olds, news as Checked)) return "";
        const former = { spec: { clusterId: "core-1", nodes: {}, nodeIds: {} }, ...olds };
        const { failures } = await operationEnd.checkInCloud!(former, news as Checked, listener());
        return failures.map(({ reason }) => reason).join("\n");
    };

    beforeEach(async () => {
        api = await FakeApi.start();
        const volume = {
            metadata: { name: "shared" },
            spec: {
                nfs: { server: "10.0.0.31", path: "/exports/data/team" },
                claimRef: { namespace: "web", name: "files" },
            },
            status: { phase: "Bound" },
        };
        api.objects.set("/api/v1/persistentvolumes", { items: [volume] });
        api.objects.set("/api/v1/pods", { items: [] });
    });
    afterEach(async () => {
        await endRun();
        await api.stop();
    });

    it("is refused at preview while claims use its exports, with their names and the way out", async () => {
        const said = await preview({ served, access: access() }, { access: access() });
        assert.match(
            said,
            /DATA_IN_USE[\s\S]*export \/exports\/data is used by claim web\/files[\s\S]*nothing was changed/,
        );
        assert.match(said, /bring it back with the names in storage\.force, run pulumi up, then remove it/);
        assert.doesNotMatch(said, /logs/);
    });

    it("may go if nothing uses it, or if the former program allowed that by name", async () => {
        const forced = { ...served, force: ["data"] };
        assert.equal(await preview({ served: forced, access: access() }, { access: access() }), "");
        api.objects.set("/api/v1/persistentvolumes", { items: [] });
        assert.equal(await preview({ served, access: access() }, { access: access() }), "");
    });

    it("counts as used where the cluster cannot be asked", async () => {
        const former = { served, access: access() };
        await api.stop();
        const said = await preview(former, { access: former.access });
        assert.match(said, /cannot be asked, so it counts as used/);
    });

    it("is refused, and changes the state, also where nothing else of the program has changed", async () => {
        const spec = canonicalJson({ clusterId: "core-1", nodes: {}, steps: {}, resourceUrn: "urn:core" });
        const others = { spec, secrets: packSecrets([[["access"], access()]]) };
        const provider = serve(listener().session, { report: () => {}, warn: () => {}, note: () => {} });
        const { failures } = await provider.check("OperationEnd" as string, { ...others, served }, others);
        assert.match(failures?.[0]?.reason ?? "", /export \/exports\/data is used by claim web\/files/);
        const state = { ...others, done: "{}", pending: [] };
        assert.equal(provider.diff("OperationEnd", "id", { ...state, served }, others).changes, true);
        assert.equal(provider.diff("OperationEnd", "id", state, others).changes, false);
    });

    it("may go when it is given up by name: a lost server's pods do not end, and no run can change its force", async () => {
        const former = { served, access: access() };
        assert.match(await preview(former, { access: access() }), /NFV_GIVE_UP=core-1\/storage pulumi up/);
        await withGivenUp("core-1/storage", async () => {
            assert.equal(await preview(former, { access: access() }), "");
        });
        assert.deepEqual(api.seen.length, 2, "the second time nobody is asked");
    });

    it("asks nobody while it is in the program, or was never", async () => {
        assert.equal(await preview({ served, access: access() }, { served, access: access() }), "");
        assert.equal(await preview({}, { access: access() }), "");
        assert.deepEqual(api.seen, []);
    });
});

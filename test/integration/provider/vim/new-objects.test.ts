import assert from "node:assert/strict";
import { type CnfObjectsInputs, cnfObjects } from "../../../../provider/cnf/cnf-objects";
import type { KubeObject } from "../../../../provider/vim";
import { ownerAnnotation } from "../../../../provider/vim/ownership";
import { until } from "../../../support/eventually";
import { listener } from "../../../unit/provider/support/cluster";
import { RealApi } from "../nfs-csi/real-api";

const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "upfs.example.com" },
    spec: {
        ...{ group: "example.com", scope: "Namespaced", names: { plural: "upfs", singular: "upf", kind: "Upf" } },
        versions: [
            {
                ...{ name: "v1", served: true, storage: true },
                schema: {
                    openAPIV3Schema: {
                        type: "object",
                        properties: {
                            spec: { type: "object", properties: { sessions: { type: "integer", maximum: 9 } } },
                        },
                    },
                },
            },
        ],
    },
};
const upf = (spec: object, namespace = "default"): KubeObject => ({
    ...{ apiVersion: "example.com/v1", kind: "Upf", metadata: { name: "core", namespace }, spec },
});
const claim = (name: string, storage: string): KubeObject => ({
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
});

describe("new objects of a network function, judged at preview by a real API server", () => {
    let api: RealApi;
    const path = "/apis/example.com/v1/namespaces/default/upfs";

    before(async () => {
        api = await RealApi.start();
        const { name } = definition.metadata;
        await api.client.apply(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`, definition);
        await until(30, async () => (await api.client.get(path)) !== undefined);
    });
    after(() => api?.stop());

    const said = async (...contents: KubeObject[]) => {
        const objects = contents.map(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, ...metadata }));
        const inputs: CnfObjectsInputs = {
            ...{ cnf: "upf", access: api.access, clusterId: "c", owner: "upf-1", builtIn: ["v1"] },
            ...{ objects: objects as CnfObjectsInputs["objects"], contents },
        };
        assert.ok(!("contents" in cnfObjects.check({}, inputs).inputs), "the state does not have them");
        const { failures } = await cnfObjects.checkInCloud!({}, inputs, listener());
        return failures.map(({ reason }) => reason).join();
    };

    it("are refused for fields, types and values that the cluster's own kinds do not take", async () => {
        const reason = await said(
            upf({ sesions: 1 }),
            { ...upf({ sessions: "1" }), metadata: { name: "typed" } },
            { ...upf({ sessions: 10 }), metadata: { name: "many" } },
            claim("data", "0"),
        );
        assert.match(reason, /INVALID_INPUT\n/);
        for (const line of [
            /Upf default\/core: \.spec\.sesions: field not declared in schema/,
            /Upf typed: \.spec\.sessions: expected numeric/,
            /Upf many: spec\.sessions: Invalid value: 10: /,
            /PersistentVolumeClaim data: spec\.resources.* must be greater than zero/,
        ]) {
            assert.match(reason, line);
        }
    });

    it("are refused, too, where their namespace does not exist yet", async () => {
        assert.match(await said(upf({ sesions: 1 }, "later")), /Upf later\/core: \.spec\.sesions: field not declared/);
        assert.equal(await said(upf({ sessions: 1 }, "later")), "");
    });

    it("are not made by that, and those that exist are left to Pulumi's own preview", async () => {
        assert.equal(await said(upf({ sessions: 1 })), "");
        assert.equal(await api.client.get(`${path}/core`), undefined);
        const mine = upf({ sessions: 1 });
        mine.metadata.annotations = { [ownerAnnotation]: "upf-1" };
        await api.client.apply(`${path}/core`, mine);
        assert.equal(await said(upf({ sesions: 1 })), "");
    });
});

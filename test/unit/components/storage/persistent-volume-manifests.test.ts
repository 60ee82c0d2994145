import assert from "node:assert/strict";
import { readPersistentVolumes } from "../../../../components/storage/persistent-volume-manifests";

describe("manifests of PersistentVolumes", () => {
    it("lose the namespace that Helm gives to every kind", () => {
        const object = {
            apiVersion: "v1",
            kind: "PersistentVolume",
            metadata: { name: "a", namespace: "default", labels: { tier: "db" } },
            spec: {},
        };
        const { a } = readPersistentVolumes("persistentVolumes", [JSON.stringify(object, null, 1)]);
        assert.deepEqual(a!.metadata, { name: "a", labels: { tier: "db" } });
    });
});

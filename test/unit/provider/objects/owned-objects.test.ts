import assert from "node:assert/strict";
import { pathOf } from "../../../../provider/objects/owned-objects";

describe("where an object of ours is in the API", () => {
    const rows = [
        ["Deployment", "/apis/apps/v1/namespaces/web/deployments/x"],
        ["ServiceAccount", "/api/v1/namespaces/web/serviceaccounts/x"],
        ["StorageClass", "/apis/storage.k8s.io/v1/storageclasses/x"],
        ["PersistentVolume", "/api/v1/persistentvolumes/x"],
        ["ClusterRole", "/apis/rbac.authorization.k8s.io/v1/clusterroles/x"],
    ] as const;
    for (const [kind, path] of rows) {
        it(`${kind}: ${path}`, () => {
            const object = { apiVersion: "", kind, metadata: { name: "x", namespace: "web" } };
            assert.equal(pathOf(object), path);
        });
    }
});

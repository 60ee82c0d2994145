import assert from "node:assert/strict";
import { cloudLeftovers } from "../../../../provider/resources/cloud-leftovers";
import { projectGuard } from "../../../../provider/resources/project-guard";
import { notFound } from "../openstack/fake-cloud";
import { listener } from "./cluster";
import { orphanCloud } from "./orphan-cloud";

const clusterId = "core-1a2b3c4d";
const context = listener();

describe("what Kubernetes made in the cloud", () => {
    const { cloud, changed } = orphanCloud();
    beforeEach(() => {
        Object.assign(cloud().routes, {
            "GET /block-storage/volumes/detail": {
                volumes: [
                    {
                        ...{ id: "v1", name: "pvc-v1", status: "available", attachments: [] },
                        metadata: { "cinder.csi.openstack.org/cluster": clusterId },
                    },
                ],
            },
            "DELETE /block-storage/volumes/v1": () => ({ status: 202 }),
            "GET /block-storage/volumes/v1": () => notFound("block-storage"),
            "GET /network/v2.0/floatingips": { floatingips: [] },
            "GET /network/v2.0/ports": { ports: [] },
            "GET /network/v2.0/security-groups": { security_groups: [] },
        });
    });
    const inputs = (resourceUrn: string) => ({
        ...{ clusterName: "core", clusterId, cloud: {}, policy: "delete", resourceUrn },
    });

    it("goes with its cluster", async () => {
        await cloudLeftovers.delete("core/leftovers", inputs("urn:gone"), context);
        assert.deepEqual(changed(), ["DELETE /block-storage/volumes/v1"]);
    });

    it("stays where the program still has the cluster: `up --replace` and `state taint` delete the resource, too", async () => {
        const { inputs: checked } = cloudLeftovers.check({}, inputs("urn:replaced"), context);
        await cloudLeftovers.delete("core/leftovers", checked, context);
        assert.deepEqual(changed(), []);
    });

    it("stays also in the runs after a renaming by alias", () => {
        const renamed = inputs("urn:new");
        assert.equal(cloudLeftovers.diff("core/leftovers", inputs("urn:old"), renamed).changes, true);
        assert.equal(cloudLeftovers.diff("core/leftovers", renamed, renamed).changes, false);
        assert.equal(projectGuard.diff("core/project", inputs("urn:old"), renamed).changes, true);
    });

    it("servers stay where the credentials are of another project", async () => {
        const state = { ...inputs("urn:guard"), project: "another" };
        await assert.rejects(projectGuard.delete("core/project", state, context), { code: "CLOUD_CONFIG_INVALID" });
        const { inputs: checked } = projectGuard.check({}, state, context);
        await projectGuard.delete("core/project", checked, context);
    });
});

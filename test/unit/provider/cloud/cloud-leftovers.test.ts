import assert from "node:assert/strict";
import { cloudLeftovers } from "../../../../provider/cloud/cloud-leftovers";
import { projectGuard } from "../../../../provider/cloud/project-guard";
import { notFound } from "../openstack/fake-cloud";
import { checkAs, listener } from "../support/cluster";
import { orphanCloud } from "../support/orphan-cloud";

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
        const { inputs: checked } = checkAs("CloudLeftovers", {}, inputs("urn:replaced"), context);
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
        const { inputs: checked } = checkAs("ProjectGuard", {}, state, context);
        await projectGuard.delete("core/project", checked, context);
    });
});

describe("a network that others may join", () => {
    const { cloud, changed } = orphanCloud();
    const network = { id: "n1", ports: ["files-storage", "files-jump"] };
    const state = { clusterName: "files", cloud: {}, resourceUrn: "urn:network", network };
    const port = (name: string, owner: string) => ({
        ...{ id: `id-of-${name}`, name, network_id: "n1", device_owner: owner },
        fixed_ips: [{ subnet_id: "s1", ip_address: "10.100.0.9" }],
    });
    const has = (...ports: object[]) => {
        cloud().routes["GET /network/v2.0/ports"] = { ports };
    };
    const own = [port("files-storage", "compute:nova"), port("", "network:dhcp"), port("", "network:router_interface")];

    it("goes when only its own ports are left in it", async () => {
        has(...own);
        await projectGuard.delete("files/project", state, context);
        assert.equal(cloud().calls.find(({ path }) => path.endsWith("/ports"))?.method, "GET");
    });

    it("stays while others are in it, also ports that no server has yet, and so does all that it serves", async () => {
        has(...own, port("core-workers-1", "compute:nova"), port("core-api", ""));
        await assert.rejects(projectGuard.delete("files/project", state, context), ({ code, message }: any) => {
            assert.equal(code, "NETWORK_IN_USE");
            assert.match(message, /port core-api 10\.100\.0\.9\n\s*port core-workers-1 10\.100\.0\.9/);
            assert.doesNotMatch(message, /files-storage/);
            return true;
        });
        assert.deepEqual(changed(), []);
    });

    it("stays where the cloud cannot be asked", async () => {
        cloud().routes["GET /network/v2.0/ports"] = () => ({ status: 503, body: {} });
        await assert.rejects(projectGuard.delete("files/project", state, context));
    });
});

import assert from "node:assert/strict";
import { findLeftovers, leftoverText, removeLeftovers } from "../../../../provider/openstack/leftovers";
import { type Call, FakeCloud, notFound } from "./fake-cloud";

const id = "core-1a2b3c4d";
const csi = "cinder.csi.openstack.org/cluster";

describe("what Kubernetes left in the cloud", () => {
    let cloud: FakeCloud;
    beforeEach(async () => {
        cloud = await FakeCloud.start();
        cloud.services.push("load-balancer");
        const volume = (key: string, cluster: string, more: object = {}) => ({
            id: key,
            name: `pvc-${key}`,
            status: "available",
            metadata: { [csi]: cluster },
            attachments: [],
            ...more,
        });
        cloud.routes = {
            "GET /block-storage/volumes/detail": {
                volumes: [
                    volume("v1", id),
                    volume("v2", "core"),
                    volume("v3", id, { status: "in-use", attachments: [{ server_id: "s1" }] }),
                    { ...volume("v4", id), metadata: {} },
                ],
            },
            "GET /load-balancer/v2/lbaas/loadbalancers": {
                loadbalancers: [
                    { id: "lb1", name: `kube_service_${id}_default_web`, provisioning_status: "ACTIVE" },
                    { id: "lb2", name: "kube_service_core_default_web", provisioning_status: "ACTIVE" },
                ],
            },
            "GET /network/v2.0/floatingips": {
                floatingips: [
                    {
                        id: "f1",
                        floating_ip_address: "1.1.1.1",
                        port_id: null,
                        description: `Floating IP for Kubernetes external service default/web from cluster ${id}`,
                    },
                    { id: "f2", floating_ip_address: "1.1.1.2", port_id: "p1", description: "www.example.org" },
                    {
                        id: "f3",
                        floating_ip_address: "1.1.1.3",
                        port_id: null,
                        description: "… from cluster core",
                    },
                    {
                        id: "f4",
                        floating_ip_address: "1.1.1.4",
                        port_id: null,
                        description: `reserved by Ann, in use from cluster ${id}`,
                    },
                ],
            },
            "GET /network/v2.0/ports": {
                ports: [
                    {
                        id: "p1",
                        name: `octavia-lb-kube_service_${id}_default_web`,
                        device_owner: "Octavia",
                        fixed_ips: [],
                    },
                ],
            },
            "GET /network/v2.0/security-groups": {
                security_groups: [
                    {
                        id: "g1",
                        name: "lb-sg-1-default-web",
                        description: `Security Group for default/web Service LoadBalancer in cluster ${id}`,
                    },
                    { id: "g2", name: "mine", description: "in cluster core" },
                ],
            },
        };
    });
    afterEach(() => cloud.stop());

    const ids = (found: { id: string }[]) => found.map(each => each.id);
    const deleted = () =>
        cloud.calls.filter(({ method }) => method === "DELETE").map(({ path }) => path.split("/").at(-1));

    it("is found by the whole id of the cluster, not by a name that others may have, in the order in which it can be deleted", async () => {
        const found = await findLeftovers(cloud.client(), id);
        assert.deepEqual(ids(found), ["lb1", "f1", "g1", "v1", "v3"]);
        assert.match(leftoverText(found), /volume pvc-v3 \(v3\): in-use, attached to s1/);
    });

    it("is only listed, if so asked", async () => {
        const { kept, removed } = await removeLeftovers(cloud.client(), id, { policy: "list" });
        assert.equal(kept.length, 5);
        assert.deepEqual([removed, deleted()], [[], []]);
    });

    it("is deleted, if so asked, but for what is in use or refused", async () => {
        const done = { status: 204 };
        for (const path of ["load-balancer/v2/lbaas/loadbalancers/lb1", "network/v2.0/floatingips/f1"]) {
            cloud.routes[`DELETE /${path}`] = () => done;
        }
        cloud.routes["DELETE /block-storage/volumes/v1"] = (call: Call) =>
            call.query.has("cascade")
                ? { status: 400, body: { message: "its snapshots would go, too" } }
                : { status: 202 };
        cloud.routes["GET /block-storage/volumes/v1"] = (_, times) =>
            times === 1 ? { body: { volume: { id: "v1" } } } : notFound("block-storage");
        cloud.routes["DELETE /network/v2.0/security-groups/g1"] = () => ({
            status: 409,
            body: { NeutronError: { message: "in use" } },
        });
        const { kept, removed, problems } = await removeLeftovers(cloud.client(), id, { policy: "delete" });
        assert.deepEqual(deleted(), ["lb1", "f1", "g1", "v1"]);
        assert.deepEqual(ids(removed), ["lb1", "f1", "v1"]);
        assert.deepEqual(ids(kept), ["g1", "v3"]);
        assert.deepEqual(problems.length, 1);
        assert.match(problems[0]!, /security group lb-sg-1-default-web: .*409 in use/);
        assert.equal(cloud.count("GET /block-storage/volumes/v1"), 2, "waited until it was gone");
    });

    it("is never looked for by less than the whole id", async () => {
        for (const half of [undefined, "", "core", "1a2b3c4d"]) {
            await assert.rejects(removeLeftovers(cloud.client(), half as string, { policy: "delete" }), {
                code: "INVALID_INPUT",
            });
        }
        assert.equal(cloud.calls.length, 0);
    });

    it("stays, with its address, where Services of other clusters use it, and they are named", async () => {
        const [balancer] = (cloud.routes["GET /load-balancer/v2/lbaas/loadbalancers"] as { loadbalancers: object[] })
            .loadbalancers;
        const tags = [`kube_service_${id}_default_web`, "kube_service_edge-99999999_default_api"];
        Object.assign(balancer!, { tags, vip_port_id: "p1" });
        const [address] = (cloud.routes["GET /network/v2.0/floatingips"] as { floatingips: object[] }).floatingips;
        Object.assign(address!, { port_id: "p1" });
        const { kept } = await removeLeftovers(cloud.client(), id, { policy: "delete", timeoutSeconds: 0 });
        assert.deepEqual(ids(kept).slice(0, 2), ["lb1", "f1"]);
        assert.match(leftoverText(kept), /lb1\): shared with Services of other clusters: kube_service_edge-99999999_/);
        assert.match(leftoverText(kept), /1\.1\.1\.1 \(f1\): on the shared load balancer/);
        assert.deepEqual(
            deleted().filter(each => each === "lb1" || each === "f1"),
            [],
        );
    });

    it("is looked for only where there are services", async () => {
        cloud.services = ["network"];
        assert.deepEqual(ids(await findLeftovers(cloud.client(), id)), ["f1", "g1"]);
    });
});

import assert from "node:assert/strict";
import {
    clearTheRange,
    clearTheRoute,
    clearTheRouter,
    refuseSecondGroup,
} from "../../../../../provider/cloud/orphans/orphan-network";
import { listener } from "../../support/cluster";
import { descriptionOf, mark, orphanCloud, others, owner, place, tags } from "../../support/orphan-cloud";

const description = descriptionOf(mark, "subnet");
const dhcp = { id: "d1", device_id: "dhcp-host", device_owner: "network:dhcp", fixed_ips: [{ subnet_id: "s1" }] };
const metadata = { ...dhcp, id: "d2", device_id: "ovnmeta", device_owner: "network:distributed" };
const nodePort = { ...dhcp, id: "p1", device_id: "", device_owner: "" };
const machine = { ...dhcp, id: "p2", device_id: "server-1", device_owner: "compute:nova" };

describe("the range of a network that a subnet is to have", () => {
    const { cloud, calls, changed, refusal } = orphanCloud();
    const orphan = { id: "s1", name: "core", cidr: "10.100.0.0/24", description, tags: [] as string[] };
    const there = (changes: object = {}, ports: object[] = []) => {
        const subnet = { ...orphan, ...changes };
        cloud().routes["GET /network/v2.0/subnets"] = { subnets: [subnet] };
        cloud().routes["GET /network/v2.0/subnets/s1"] = { subnet };
        cloud().routes["GET /network/v2.0/ports"] = { ports };
        cloud().routes["DELETE /network/v2.0/subnets/s1"] = () => ({ status: 204 });
    };
    const clear = (changes: object = {}, context = listener(), wanted = description) =>
        clearTheRange(
            { networkId: "n1", cidr: "10.100.0.0/24", description: wanted },
            { ...owner, ...changes },
            context,
        );

    it("is free where the network has no such subnet: this is one question", async () => {
        there({ cidr: "10.101.0.0/24" });
        await clear();
        assert.deepEqual(
            calls().map(({ path, query }) => [path, query.get("network_id")]),
            [["/network/v2.0/subnets", "n1"]],
        );
    });

    it("is free again of what a killed run left, with or without tags, and with the ports that Neutron made there", async () => {
        for (const [some, ports] of [
            [[], []],
            [tags, [dhcp, metadata]],
        ] as const) {
            there({ tags: some }, [...ports]);
            const context = listener();
            await clear({}, context);
            assert.match(
                context.warned[0],
                /"core" \(s1\) of this cluster has the range 10\.100\.0\.0\/24 .* it is deleted/,
            );
        }
        assert.deepEqual(changed(), Array(2).fill("DELETE /network/v2.0/subnets/s1"));
        assert.equal(
            calls()
                .find(({ path }) => path.endsWith("/ports"))
                ?.query.get("fixed_ips"),
            "subnet_id=s1",
        );
    });

    it("stays where any port uses the subnet", async () => {
        for (const port of [nodePort, machine, { ...machine, device_owner: "network:router_interface" }]) {
            there({}, [dhcp, port]);
            assert.match(await refusal(clear()), /openstack subnet delete s1/);
        }
    });

    it("stays with a subnet of a stranger's, of another state, or that somebody has in hand", async () => {
        const rows = [
            ...others.map(other => ({ description: descriptionOf(other, "subnet") })),
            { description: "" },
            { tags: ["keep"] },
        ];
        for (const row of rows) {
            there(row);
            await refusal(clear());
        }
        there({ description: "core: subnet" });
        await refusal(clear({}, listener(), "core: subnet"));
    });

    it("is looked at again at the moment of the deletion", async () => {
        there();
        cloud().routes["GET /network/v2.0/subnets/s1"] = { subnet: { ...orphan, description: "adopted" } };
        await refusal(clear());
        there();
        let looks = 0;
        cloud().routes["GET /network/v2.0/ports"] = () => ({ body: { ports: ++looks > 1 ? [machine] : [] } });
        await refusal(clear());
        assert.equal(looks, 2);
        there();
        delete cloud().routes["GET /network/v2.0/subnets/s1"];
        await clear();
        assert.deepEqual(changed(), []);
    });

    it("stays where the cloud does not say who uses the subnet", async () => {
        there();
        cloud().routes["GET /network/v2.0/ports"] = () => ({ status: 403 });
        await assert.rejects(clear(), { code: "CLOUD_REFUSED" });
        assert.deepEqual(changed(), []);
    });

    it("is not asked for in another project", async () => {
        there();
        await assert.rejects(clear({ project: "p2" }), /lives in the project p2/);
        assert.deepEqual(calls(), []);
    });
});

describe("the way from a router to a subnet that is to be made", () => {
    const { cloud, calls, changed, refusal } = orphanCloud();
    const leads = { ...dhcp, id: "i1", device_id: "r1", device_owner: "network:router_interface" };
    const there = (ports: object[], now: object | undefined = ports[0]) => {
        cloud().routes["GET /network/v2.0/ports"] = { ports };
        if (now !== undefined) cloud().routes["GET /network/v2.0/ports/i1"] = { port: now };
        cloud().routes["PUT /network/v2.0/routers/r1/remove_router_interface"] = {};
    };
    const clear = (context = listener(), changes: object = {}) =>
        clearTheRoute({ routerId: "r1", subnetId: "s1" }, { ...owner, ...changes }, context);

    it("is free where the router has no interface there: this is one question", async () => {
        there([dhcp, nodePort, { ...leads, device_id: "r2" }, { ...leads, fixed_ips: [{ subnet_id: "s2" }] }]);
        await clear();
        assert.deepEqual(
            calls().map(({ query }) => query.get("fixed_ips")),
            ["subnet_id=s1"],
        );
    });

    it("is free again of the interface that a killed run left, and of nothing else, while no machine uses the subnet", async () => {
        const kinds = [
            "network:router_interface",
            "network:router_interface_distributed",
            "network:ha_router_replicated_interface",
        ];
        for (const device_owner of kinds) {
            const snat = { ...leads, id: "i2", device_owner: "network:router_centralized_snat" };
            there([{ ...leads, device_owner }, dhcp, nodePort, snat]);
            const context = listener();
            await clear(context);
            assert.match(
                context.warned[0],
                /interface i1 of the router r1 of this cluster leads to the subnet s1 already/,
            );
        }
        assert.deepEqual(changed(), Array(3).fill("PUT /network/v2.0/routers/r1/remove_router_interface"));
        for (const { body, method } of calls()) if (method === "PUT") assert.deepEqual(body, { port_id: "i1" });
    });

    it("stays while machines or others use the subnet, or the interface is one of several subnets", async () => {
        const balancer = { ...machine, device_owner: "Octavia" };
        for (const port of [machine, balancer, { ...leads, id: "i3", device_id: "r2" }]) {
            there([leads, port]);
            assert.match(await refusal(clear()), /openstack router remove port r1 i1/);
        }
        there([{ ...leads, fixed_ips: [{ subnet_id: "s1" }, { subnet_id: "s2" }] }]);
        await refusal(clear());
    });

    it("is looked at again at the moment of the removal", async () => {
        there([leads]);
        cloud().routes["GET /network/v2.0/ports"] = (_call, times) => ({
            body: { ports: times > 2 ? [leads, machine] : [leads] },
        });
        await refusal(clear());
        there([leads], { ...leads, device_id: "r2" });
        await clear();
        delete cloud().routes["GET /network/v2.0/ports/i1"];
        await clear();
        assert.deepEqual(changed(), []);
    });

    it("is not asked for in another project", async () => {
        there([leads]);
        await assert.rejects(clear(listener(), { project: "p2" }), /lives in the project p2/);
        assert.deepEqual(calls(), []);
    });
});

describe("a router that is to be made", () => {
    const { cloud, calls, changed, refusal } = orphanCloud();
    const words = descriptionOf(mark, "router");
    const there = (changes: object = {}, ports: object[] = [], now: object = {}) => {
        const router = { id: "r1", name: "core", description: words, ...changes };
        cloud().routes["GET /network/v2.0/routers"] = { routers: [router] };
        cloud().routes["GET /network/v2.0/routers/r1"] = { router: { ...router, ...now } };
        cloud().routes["GET /network/v2.0/ports"] = { ports };
        cloud().routes["DELETE /network/v2.0/routers/r1"] = () => ({ status: 204 });
    };
    const clear = (context = listener(), project = "p1") =>
        clearTheRouter({ name: "core", description: words }, { ...owner, project }, context, place);

    it("takes away the one that a killed run left, with its gateway", async () => {
        there({}, [{ device_owner: "network:router_gateway" }]);
        const context = listener();
        await clear(context);
        assert.match(context.warned[0], /router "core" \(r1\) of this cluster exists already/);
        assert.deepEqual(changed(), ["DELETE /network/v2.0/routers/r1"]);
        const asked = calls().flatMap(({ query }) => query.get("name") ?? query.get("device_id") ?? []);
        assert.deepEqual([...new Set(asked)], ["core", "r1"]);
    });

    it("leaves others of its name alone", async () => {
        for (const other of [...others.map(each => descriptionOf(each, "router")), ""]) {
            there({ description: other });
            await clear();
        }
        there({ tags: ["keep"] });
        await clear();
        assert.deepEqual(changed(), []);
    });

    it("is noted again where the state has lost one with an interface: a second one could not have the gateway's address", async () => {
        there({}, [{ device_owner: "network:router_interface" }]);
        assert.match(await refusal(clear()), /pulumi import openstack:networking\/router:Router vnf-part r1/);
    });

    it("is looked at again at the moment of the deletion", async () => {
        there({}, [], { description: "adopted" });
        assert.match(await refusal(clear()), /openstack router delete r1/);
    });

    it("is not asked for in another project", async () => {
        there();
        await assert.rejects(clear(listener(), "p2"), /lives in the project p2/);
        assert.deepEqual(calls(), []);
    });
});

describe("a security group that is to be made", () => {
    const { cloud, refusal } = orphanCloud();
    const servers = ["core-control-plane-1"];
    const there = (found: string[], metadata: object, security_groups = ["g1"], more: object[] = []) => {
        cloud().routes["GET /network/v2.0/ports"] = { ports: [{ id: "p1", security_groups }] };
        const groups = [{ id: "g1", name: "core", tags: found, security_group_rules: [] }, ...more];
        cloud().routes["GET /network/v2.0/security-groups"] = { security_groups: groups };
        cloud().routes["GET /compute/servers/detail"] = {
            servers: [{ id: "s1", name: servers[0], status: "ACTIVE", metadata }],
        };
    };
    const look = (name = "core") => refuseSecondGroup({ name, tags }, owner, listener(), { servers, place });

    it("is noted again where servers live in it: its rules would leave first", async () => {
        there(tags, mark);
        for (const metadata of [mark, {}, ...others]) {
            there(tags, metadata);
            assert.match(await refusal(look()), /pulumi import openstack:networking\/secGroup:SecGroup vnf-part g1/);
        }
    });

    it("is noted again also where a killed run left another one of its name", async () => {
        const second = { id: "g2", name: "core", tags, security_group_rules: [] };
        there(tags, mark, ["g2"], [second]);
        assert.match(await refusal(look()), /pulumi import openstack:networking\/secGroup:SecGroup vnf-part g2/);
    });

    it("is made beside others', and where no server of ours lives", async () => {
        there([], mark);
        await look();
        there(tags, mark);
        await look("core-storage");
        there(tags, mark);
        cloud().routes["GET /compute/servers/detail"] = { servers: [] };
        await look();
    });

    it("is made beside one that a killed run left: no port has that", async () => {
        there(tags, mark, ["g2"]);
        await look();
    });
});

import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import type { TackerTemplateArgs } from "../../../../../../components/args/infrastructure-args";
import { withPlace } from "../../../../../../components/infrastructure/openstack/heat/own-place";
import {
    type ExpandedStack,
    expandTemplate,
    parseHot,
    readTemplate,
} from "../../../../../../components/infrastructure/openstack/hot";
import { projectRoot } from "../../../../../support/user-project";

const fixture = (path: string) =>
    readTemplate(join(projectRoot, "test/unit/components/infrastructure/openstack/hot/fixtures", path));

const request = (masters: number, pools: Record<string, number>, parameters: Record<string, string> = {}) => ({
    clusterName: "core",
    naming: (_role: string, pool: string | undefined, index: number) => `core-${pool ?? "control-plane"}-${index}`,
    counts: { controlPlane: masters, pools },
    parameters,
});

const outside = () =>
    expandTemplate(fixture("own-outside/cluster.yaml"), undefined, request(1, { edge: 1 }, { image: "d" }));

/** One control-plane node with these resources and outputs. */
function stackOf(resources: string[], outputs: string[]): ExpandedStack {
    const lines = ["heat_template_version: rocky", "resources:", ...resources, "outputs:", ...outputs, ""];
    const hot = parseHot(lines.join("\n"), "cluster.yaml");
    return expandTemplate({ hot, nested: {}, files: {} }, undefined, request(1, {}));
}

const server = (networks: string) =>
    `  one: { type: OS::Nova::Server, properties: { image: d, flavor: f, networks: ${networks} } }`;
const port = "  port: { type: OS::Neutron::Port, properties: { network: private } }";
const id = "  controlPlane.one.serverId: { value: { get_resource: one } }";
const address = (value: string, name = "address") => `  controlPlane.one.${name}: { value: ${value} }`;
const ofPort = "{ get_attr: [port, fixed_ips, 0, ip_address] }";

const valuesOf = ({ template, place }: ExpandedStack) => {
    const { outputs } = parse(template) as { outputs: Record<string, { value: unknown }> };
    return Object.fromEntries(Object.entries(place!).map(([key, name]) => [key, outputs[name]!.value]));
};

describe("the place of a server beside the user's stack", () => {
    it("is that of the first control-plane node's port, and floating IPs come from where that node's does", () => {
        deepStrictEqual(valuesOf(withPlace(outside(), false)), {
            network: { get_attr: ["port", "network_id"] },
            subnet: { get_attr: ["port", "fixed_ips", 0, "subnet_id"] },
            securityGroups: { list_join: [",", { get_attr: ["port", "security_groups"] }] },
            externalNetwork: { get_attr: ["outside", "floating_network_id"] },
        });
    });

    it("is known in the contract's example as it stands", () => {
        const files = readTemplate(join(projectRoot, "examples/openstack-own-template/contract/cluster.yaml"));
        const given = { image: "debian", flavor: "small", external_network: "public" };
        const values = valuesOf(withPlace(expandTemplate(files, undefined, request(1, { workers: 1 }, given)), false));
        deepStrictEqual(values["network"], { get_attr: ["alpha_port", "network_id"] });
        deepStrictEqual(values["externalNetwork"], { get_attr: ["alpha_outside", "floating_network_id"] });
    });

    it("needs no floating IP where a jump host leads to it, or where nodes have none", () => {
        strictEqual(withPlace(outside(), true).place!.externalNetwork, undefined);
        const direct = stackOf([server("[{ port: { get_resource: port } }]"), port], [address(ofPort), id]);
        strictEqual(withPlace(direct, false).place!.externalNetwork, undefined);
    });

    it("changes nothing else in the template", () => {
        const stack = outside();
        const [before, after] = [stack, withPlace(stack, false)].map(({ template }) => parse(template));
        deepStrictEqual({ ...after, outputs: {} }, { ...before, outputs: {} });
        for (const [name, output] of Object.entries(before.outputs)) deepStrictEqual(after.outputs[name], output);
    });

    it("is found by the server's first address, and by another address of the port", () => {
        const network = (given: string) =>
            valuesOf(
                withPlace(stackOf([server("[{ port: { get_resource: port } }]"), port], [address(given), id]), false),
            );
        deepStrictEqual(network("{ get_attr: [one, first_address] }")["network"], { get_attr: ["port", "network_id"] });
        deepStrictEqual(network("{ get_attr: [port, fixed_ips, 1, ip_address] }")["subnet"], {
            get_attr: ["port", "fixed_ips", 1, "subnet_id"],
        });
    });

    it("is found in Tacker's templates by the connection point of the masters", () => {
        const machine = { flavor: "m1.small", image: "debian" };
        const node = (name: string, aspect: string) => ({
            aspect,
            vdu: name,
            nicConnectionPoint: `${name}_CP1`,
            sshConnectionPoint: `${name}_CP1`,
        });
        const places = ["vip_port", "masterNode_CP1", "workerNode_CP1", "storage_server_CP1"];
        const tacker: TackerTemplateArgs = {
            userDataClass: "KubernetesClusterUserData",
            masterNode: node("masterNode", "master_instance"),
            workerNodes: { edge: node("workerNode", "worker_instance") },
            clusterConnectionPoint: "vip_port",
            vdus: { masterNode: machine, workerNode: machine, storage_server: machine },
            connectionPoints: Object.fromEntries(places.map(name => [name, { network: "net0" }])),
        };
        const stack = expandTemplate(fixture("v1-ha/top.yaml"), tacker, request(3, { edge: 1 }));
        const values = valuesOf(withPlace(stack, false));
        deepStrictEqual(values["network"], { get_attr: ["master_instance_1_masterNode_CP1", "network_id"] });
    });

    it("is refused where the template does not say it, with what would", () => {
        const unknown = stackOf(
            [server("[{ network: private }]")],
            [address("{ get_attr: [one, first_address] }"), id],
        );
        throws(
            () => withPlace(unknown, false),
            /storage\.server\.flavor: the network for the storage server is not known: the address of one is not that of a port[\s\S]*Give the server one such a port: networks: \[\{ port: \{ get_resource: PORT \} \}\][\s\S]*storage\.server\.address/,
        );
    });

    it("is refused where SSH has a way to the nodes that it cannot have, unless there is a jump host", () => {
        const resources = [server("[{ port: { get_resource: port } }]"), port, port.replace("port", "admin")];
        const ssh = address("{ get_attr: [admin, fixed_ips, 0, ip_address] }", "sshAddress");
        const stack = stackOf(resources, [address(ofPort), ssh, id]);
        throws(
            () => withPlace(stack, false),
            /how SSH reaches the storage server is not known: it reaches one at an address that is no floating IP[\s\S]*infrastructure\.heat\.ssh\.jump/,
        );
        strictEqual(withPlace(stack, true).place!.externalNetwork, undefined);
    });

    it("is refused under a name that the template has", () => {
        const resources = [server("[{ port: { get_resource: port } }]"), port];
        const stack = stackOf(resources, [address(ofPort), id, "  storage_subnet_id: { value: x }"]);
        throws(() => withPlace(stack, false), /the output storage_subnet_id is one of ours/);
    });
});

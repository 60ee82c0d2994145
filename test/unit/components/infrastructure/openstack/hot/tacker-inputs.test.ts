import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TackerTemplateArgs } from "../../../../../../components/args/infrastructure-args";
import { expandTemplate } from "../../../../../../components/infrastructure/openstack/hot";
import type { NfvError } from "../../../../../../provider/common/errors";
import { projectRoot } from "../../../../../support/user-project";
import { flat, naming, saying, templates } from "./samples";

const machine = { flavor: "m1.small", image: "debian" };
const request = { naming, clusterName: "core", counts: { controlPlane: 3, pools: { edge: 2 } } };

const node = `
heat_template_version: 2018-08-31
parameters:
  flavor: { type: string }
  image: { type: string }
  net: { type: string }
  fixed: { type: json, default: [] }
resources:
  server:
    type: OS::Nova::Server
    properties: { flavor: { get_param: flavor }, image: { get_param: image }, networks: [{ port: { get_resource: cp } }] }
  cp:
    type: OS::Neutron::Port
    properties: { network: { get_param: net }, fixed_ips: { get_param: fixed } }
`;

/** A VDU for each kind of node, as in templates for StandardUserData. */
const vdu = (name: string, point: string, more = "") => `
  ${name}:
    type: node.yaml
    properties:
      flavor: { get_param: [nfv, VDU, ${name}, computeFlavourId] }
      image: { get_param: [nfv, VDU, ${name}, vcImageId] }
      net: { get_param: [nfv, CP, ${point}, network] }
${more}`;

const head = "heat_template_version: 2018-08-31\nparameters: { nfv: { type: json } }\nresources:";
const top = (...resources: string[]) => templates({ "top.yaml": [head, ...resources].join("\n"), "node.yaml": node });

const standard: TackerTemplateArgs = {
    userDataClass: "StandardUserData",
    masterNode: { vdu: "masterNode", nicConnectionPoint: "cp", sshConnectionPoint: "cp" },
    workerNodes: { edge: { vdu: "workerNode", nicConnectionPoint: "cp", sshConnectionPoint: "cp" } },
    vdus: { masterNode: machine, workerNode: machine },
    connectionPoints: { masterNode_CP1: { network: "net0" }, workerNode_CP1: { network: "net0" } },
};
const nodes = [vdu("masterNode", "masterNode_CP1"), vdu("workerNode", "workerNode_CP1")];
const nfvOf = (parameters: Record<string, string>) => JSON.parse(parameters.nfv);

describe("StandardUserData", () => {
    const proxy = `
  proxy:
    type: OS::Nova::Server
    properties:
      flavor: { get_param: [nfv, VDU, proxy, computeFlavourId] }
      image: { get_param: [nfv, VDU, proxy, vcImageId] }
      block_device_mapping_v2: [{ volume_id: { get_resource: proxy-storage } }]
      networks: [{ port: { get_resource: proxy_CP } }]
  proxy_CP:
    type: OS::Neutron::Port
    properties: { network: { get_param: [nfv, CP, proxy_CP, network] } }
  proxy-storage:
    type: OS::Cinder::Volume
    properties: { size: 1, image: { get_param: [nfv, VDU, proxy-storage, vcImageId] } }
`;
    const settings: TackerTemplateArgs = {
        ...standard,
        vdus: { ...standard.vdus, proxy: { flavor: "m1.tiny", image: "debian" }, "proxy-storage": { image: "disk" } },
        connectionPoints: { ...standard.connectionPoints, proxy_CP: { network: "net1" } },
    };

    it("has values for a VDU that is no node, and for its volume", () => {
        const stack = expandTemplate(top(...nodes, proxy), settings, request);
        const { resources } = flat(stack);
        assert.deepEqual(resources.proxy.properties.flavor, {
            get_param: ["nfv", "VDU", "proxy-0", "computeFlavourId"],
        });
        assert.deepEqual(nfvOf(stack.parameters).VDU["proxy-0"], { computeFlavourId: "m1.tiny", vcImageId: "debian" });
        assert.deepEqual(resources["proxy-storage"].properties.image, {
            get_param: ["nfv", "VDU", "proxy-storage", "vcImageId"],
        });
        assert.equal(nfvOf(stack.parameters).VDU["proxy-storage"].vcImageId, "disk");
        assert.equal(nfvOf(stack.parameters).CP.proxy_CP.network, "net1");
        assert.equal(stack.nodes.length, 5);
    });

    it("makes as many copies of such a VDU as its count says", () => {
        const files = top(...nodes, vdu("cache", "cache_CP"));
        const connectionPoints = { ...standard.connectionPoints, cache_CP: { network: "net1" } };
        const vdus = { ...standard.vdus, cache: { ...machine, count: 2 } };
        const stack = expandTemplate(files, { ...standard, vdus, connectionPoints }, request);
        const { resources } = flat(stack);
        assert.deepEqual(
            Object.keys(resources).filter(name => /^cache.*server$/.test(name)),
            ["cache_1_server", "cache_2_server"],
        );
        assert.deepEqual(resources.cache_2_server.properties.flavor, {
            get_param: ["nfv", "VDU", "cache-1", "computeFlavourId"],
        });
        assert.equal(stack.nodes.length, 5);
    });

    it("takes the number of nodes from the program, and refuses another one", () => {
        const vdus = { ...standard.vdus, workerNode: { ...machine, count: 4 } };
        const attempt = () => expandTemplate(top(...nodes), { ...standard, vdus }, request);
        assert.throws(attempt, saying(/vdus\.workerNode\.count/, /pools\.edge\.count/));
    });
});

describe("the virtual address of a template of Tacker's", () => {
    const masters = `
  masterNode:
    type: OS::Nova::Server
    properties: { flavor: f, image: i, networks: [{ port: { get_resource: masterNode_CP1 } }] }
  masterNode_CP1:
    type: OS::Neutron::Port
    properties: { network: net0 }
  masterNode_FIP:
    type: OS::Neutron::FloatingIP
    properties: { floating_network: public, port_id: { get_resource: masterNode_CP1 } }
`;
    const one: TackerTemplateArgs = {
        userDataClass: "SampleUserData",
        masterNode: { vdu: "masterNode", nicConnectionPoint: "masterNode_CP1", sshConnectionPoint: "masterNode_FIP" },
        clusterConnectionPoint: "masterNode_CP1",
    };
    const counts = { controlPlane: 1, pools: {} };
    const read = (settings: TackerTemplateArgs, ...more: string[]) =>
        expandTemplate(top(masters, ...more), settings, { ...request, counts });

    it("is not the master's own port, also where the master stands in the top template", () => {
        assert.equal(read(one).vip, undefined);
    });

    it("is no port of a server: neither of an external load balancer nor of the master by another name", () => {
        const balancer = `
  balancer:
    type: OS::Nova::Server
    properties: { flavor: f, image: i, networks: [{ port: { get_resource: balancer_CP } }] }
  balancer_CP:
    type: OS::Neutron::Port
    properties: { network: net0 }
`;
        assert.throws(
            () => read({ ...one, clusterConnectionPoint: "balancer_CP" }, balancer),
            saying(/top\.yaml:\d+/, /balancer_CP is a port of the server balancer/, /endpoint\.external/),
        );
        const other = { ...one.masterNode, nicConnectionPoint: "masterNode_FIP" };
        assert.throws(() => read({ ...one, masterNode: other }), saying(/masterNode_CP1 is a port of the server/));
        assert.throws(() => read({ ...one, clusterConnectionPoint: "masterNode" }), saying(/masterNode is a server/));
        const floating = () => read({ ...one, clusterConnectionPoint: "masterNode_FIP" });
        assert.throws(floating, saying(/masterNode_FIP is of type OS::Neutron::FloatingIP/, /clusterFloatingIp/));
        const owned = `
  owned_CP:
    type: OS::Neutron::Port
    properties: { network: net0, device_id: { get_resource: masterNode } }
`;
        const attempt = () => read({ ...one, clusterConnectionPoint: "owned_CP" }, owned);
        assert.throws(attempt, saying(/owned_CP is a port of the server masterNode/));
    });

    it("is what its floating IP belongs to: without one the floating IP is refused", () => {
        const clusterFloatingIp = "masterNode_FIP";
        assert.throws(
            () => read({ ...one, clusterFloatingIp }),
            saying(/clusterFloatingIp.*masterNode_FIP.*no virtual address/, /sshConnectionPoint/),
        );
        const { clusterConnectionPoint: _, ...without } = one;
        assert.throws(() => read({ ...without, clusterFloatingIp }), saying(/clusterFloatingIp/, /no virtual address/));
    });
});

describe("an address of a connection point", () => {
    const fixed = vdu(
        "masterNode",
        "masterNode_CP1",
        "      fixed: { get_param: [nfv, CP, masterNode_CP1, fixed_ips] }",
    );
    const settings = (addresses: object): TackerTemplateArgs => ({
        ...standard,
        userDataClass: "DefaultUserData",
        connectionPoints: { ...standard.connectionPoints, masterNode_CP1: { network: "net0", ...addresses } },
    });
    const read = (controlPlane: number, given: TackerTemplateArgs, parameters?: Record<string, string>) =>
        expandTemplate(top(fixed, nodes[1]), given, {
            ...request,
            counts: { controlPlane, pools: { edge: 2 } },
            ...(parameters && { parameters }),
        });

    it("is for one port: a second copy is refused before the stack is made", () => {
        const given = settings({ fixedAddress: "10.0.0.9" });
        assert.equal(read(1, given).nodes.length, 3);
        assert.throws(
            () => read(3, given),
            saying(
                /node\.yaml:\d+/,
                /masterNode_1_cp and masterNode_2_cp.*10\.0\.0\.9/,
                /fixedAddress/,
                /"masterNode_CP1-0"/,
            ),
        );
    });

    it("can be given to each copy by StandardUserData's names", () => {
        const CP = Object.fromEntries(
            [0, 1, 2].map(index => [`masterNode_CP1-${index}`, { fixed_ips: [{ ip_address: `10.0.0.${index + 9}` }] }]),
        );
        const given = { ...settings({}), userDataClass: "StandardUserData" };
        const stack = read(3, given, { nfv: JSON.stringify({ CP }) });
        assert.equal(nfvOf(stack.parameters).CP["masterNode_CP1-2"].fixed_ips[0].ip_address, "10.0.0.11");
    });

    it("can be one of several, as fixedIps", () => {
        const given = settings({ fixedIps: [{ subnet: "v4", address: "10.0.0.9" }, { subnet: "v6" }] });
        assert.deepEqual(nfvOf(read(1, given).parameters).CP.masterNode_CP1.fixed_ips, [
            { subnet: "v4", ip_address: "10.0.0.9" },
            { subnet: "v6" },
        ]);
        assert.throws(
            () => read(1, settings({ fixedIps: [{ subnet: "v4" }], subnet: "v4" })),
            saying(/connectionPoints\.masterNode_CP1/, /only one of/),
        );
    });
});

describe("the hint for a value that a template of Tacker's asks for", () => {
    const inputs = readFileSync(join(projectRoot, "docs/inputs.md"), "utf8");
    const asking = (path: string) => `
  masterNode:
    type: node.yaml
    properties: { flavor: { get_param: [${path}] }, image: i, net: n }
`;
    const one: TackerTemplateArgs = {
        userDataClass: "DefaultUserData",
        masterNode: { vdu: "masterNode", nicConnectionPoint: "cp", sshConnectionPoint: "cp" },
        vdus: { masterNode: machine },
        connectionPoints: { masterNode_CP1: { network: "net0", subnet: "v4" } },
    };
    const hint = (path: string, userDataClass = "DefaultUserData", parameters?: Record<string, string>): string => {
        const counts = { controlPlane: 1, pools: {} };
        const given = { ...request, counts, ...(parameters && { parameters }) };
        try {
            expandTemplate(top(asking(path)), { ...one, userDataClass }, given);
            return "";
        } catch (error) {
            return (error as NfvError).hint;
        }
    };

    it("names only inputs that exist", () => {
        const asked = {
            "nfv, VDU, other, computeFlavourId": "vdus.other.flavor",
            "nfv, VDU, other, vcImageId": "vdus.other.image",
            "nfv, VDU, other, locationConstraints": "vdus.other.availabilityZone",
            "nfv, VDU, other, desired_capacity": "vdus.other.count",
            "nfv, CP, other, network": "connectionPoints.other.network",
            "nfv, CP, other, port": "connectionPoints.other.port",
            "nfv, CP, other, fixed_ips": "connectionPoints.other.fixedIps",
            "nfv, CP, other, fixed_ips, 0, subnet": "connectionPoints.other.subnet",
            "nfv, CP, masterNode_CP1, fixed_ips, 0, ip_address": "connectionPoints.masterNode_CP1.fixedAddress",
            "nfv, CP, masterNode_CP1, fixed_ips, 1, ip_address": "connectionPoints.masterNode_CP1.fixedIps[1].address",
        };
        for (const [path, input] of Object.entries(asked)) {
            assert.equal(hint(path), `Give infrastructure.heat.template.tacker.${input}.`);
            const row = input.replace(/\.(other|masterNode_CP1)\./, ".NAME.").replace("[1]", "[]");
            assert.ok(inputs.includes(`| \`infrastructure.heat.template.tacker.${row}\` |`), row);
        }
    });

    it("prints the parameter nfv where no input fills it, and that text is enough", () => {
        for (const [path, text] of [
            ["nfv, VDU, masterNode, zone", '{"VDU":{"masterNode":{"zone":"…"}}}'],
            ["nfv, CP, masterNode_CP1, addresses, 1, mac", '{"CP":{"masterNode_CP1":{"addresses":[{},{"mac":"…"}]}}}'],
            ["nfv, ANY, x, y", '{"ANY":{"x":{"y":"…"}}}'],
        ]) {
            assert.equal(hint(path), `Give parameters: { nfv: '${text}' }.`);
            assert.equal(hint(path, "DefaultUserData", { nfv: text }), "");
        }
        const indexed = '{"VDU":{"masterNode-0":{"zone":"…"}}}';
        assert.equal(hint("nfv, VDU, masterNode, zone", "StandardUserData"), `Give parameters: { nfv: '${indexed}' }.`);
        assert.equal(hint("nfv, VDU, masterNode, zone", "StandardUserData", { nfv: indexed }), "");
    });

    it("names the class that reads a value which is given", () => {
        const other = hint("nfv, VDU, masterNode, computeFlavourId", "SampleUserData");
        assert.match(
            other,
            /SampleUserData does not fill computeFlavourId; StandardUserData and DefaultUserData fill it/,
        );
        assert.match(other, /vdus\.masterNode\.flavor.* parameters: \{ nfv: '\{"VDU"/);
        assert.match(
            hint("nfv, VDU, masterNode, image", "StandardUserData"),
            /KubernetesClusterUserData and SampleUserData/,
        );
    });

    it("is an error where nfv itself is not known yet: our values would be lost", () => {
        const attempt = () =>
            expandTemplate(top(asking("nfv, VDU, masterNode, computeFlavourId")), one, {
                ...request,
                counts: { controlPlane: 1, pools: {} },
                deferredParameters: ["nfv"],
            });
        assert.throws(attempt, saying(/nfv is not known/));
    });

    it("is not needed for values that nothing asks for: they are named", () => {
        const vdus = { masterNode: { ...machine, availabilityZone: "az1" }, wrokerNode: machine };
        const settings = { ...one, vdus };
        const stack = expandTemplate(top(asking("nfv, VDU, masterNode, computeFlavourId")), settings, {
            ...request,
            counts: { controlPlane: 1, pools: {} },
        });
        assert.deepEqual(
            stack.unread?.map(place => place.replace("infrastructure.heat.template.tacker.", "")),
            [
                "vdus.masterNode.image",
                "vdus.masterNode.availabilityZone",
                "vdus.wrokerNode.flavor",
                "vdus.wrokerNode.image",
                "connectionPoints.masterNode_CP1.network",
                "connectionPoints.masterNode_CP1.subnet",
            ],
        );
    });
});

describe("the port with the node's address", () => {
    it("is the one that must let pods' addresses through, not the server's first", () => {
        const two = `
  masterNode:
    type: OS::Nova::Server
    properties:
      flavor: f
      image: i
      networks: [{ port: { get_resource: management } }, { port: { get_resource: cluster } }]
  management:
    type: OS::Neutron::Port
    properties: { network: net0, allowed_address_pairs: [{ ip_address: 10.244.0.0/16 }] }
  cluster:
    type: OS::Neutron::Port
    properties: { network: net1 }
`;
        const read = (nicConnectionPoint: string) =>
            expandTemplate(
                top(two),
                {
                    userDataClass: "SampleUserData",
                    masterNode: { vdu: "masterNode", nicConnectionPoint, sshConnectionPoint: "management" },
                },
                { ...request, counts: { controlPlane: 1, pools: {} } },
            ).nodes[0].letThrough;
        assert.deepEqual(read("cluster"), []);
        assert.deepEqual(read("management"), ["10.244.0.0/16"]);
    });
});

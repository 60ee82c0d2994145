import assert from "node:assert/strict";
import { type ExpandedStack, fixedParts } from "../../../../../../components/infrastructure/openstack/hot";

const template = `
heat_template_version: 2018-08-31
parameters:
  image: { type: string, default: debian }
  cidr: { type: string, default: 10.0.0.0/24 }
  zones: { type: json, default: { first: a } }
  size: { type: number, default: 5 }
  big: { type: string, default: "no" }
conditions:
  is_big: { equals: [{ get_param: big }, "yes"] }
  is_small: { not: is_big }
resources:
  net: { type: OS::Neutron::Net, properties: { name: n } }
  subnet: { type: OS::Neutron::Subnet, properties: { network: { get_resource: net }, cidr: { get_param: cidr }, dns_nameservers: [] } }
  port: { type: OS::Neutron::Port, properties: { network: { get_resource: net }, fixed_ips: [{ subnet: { get_resource: subnet } }], security_groups: [{ get_resource: rules }] } }
  rules: { type: OS::Neutron::SecurityGroup }
  boot: { type: OS::Cinder::Volume, properties: { size: { get_param: size }, image: { get_param: image } } }
  words: { type: OS::Heat::CloudConfig, properties: { cloud_config: {} } }
  chosen: { type: OS::Heat::Value, properties: { value: { if: [is_small, small, large] } } }
  node:
    type: OS::Nova::Server
    properties:
      name: n1
      flavor: { get_attr: [chosen, value] }
      availability_zone: { get_param: [zones, first] }
      block_device_mapping_v2: [{ volume_id: { get_resource: boot } }]
      networks: [{ port: { get_resource: port } }]
      user_data: { get_resource: words }
      user_data_update_policy: IGNORE
      metadata: { a: b }
  storage: { type: OS::Nova::Server, properties: { image: { get_param: image } } }
outputs: {}
`;

const parts = (parameters: Record<string, string> = {}, text = template, later: Record<string, unknown> = {}) =>
    fixedParts({ template: text, parameters, nodes: [{ resource: "node" }] } as unknown as ExpandedStack, later);

function differs(parameters: Record<string, string>, text?: string): string[] {
    const [before, after] = [parts(), parts(parameters, text)];
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

describe("what the nodes of a user's template are made of", () => {
    it("is what a server leads to by properties that Heat cannot change, and nothing of other servers", () => {
        assert.deepEqual(parts(), {
            "boot/type": "OS::Cinder::Volume",
            "boot/image": "debian",
            "chosen/type": "OS::Heat::Value",
            "chosen/value": { if: [{ not: { equals: ["no", "yes"] } }, "small", "large"] },
            "net/type": "OS::Neutron::Net",
            "net/used by subnet": true,
            "node/type": "OS::Nova::Server",
            "node/flavor": { get_attr: ["chosen", "value"] },
            "node/availability_zone": { get_param: [{ first: "a" }, "first"] },
            "node/block_device_mapping_v2": [{ volume_id: { get_resource: "boot" } }],
            "node/networks": [{ port: { get_resource: "port" } }],
            "port/type": "OS::Neutron::Port",
            "port/network": { get_resource: "net" },
            "port/fixed_ips": [{ subnet: { get_resource: "subnet" } }],
            "subnet/type": "OS::Neutron::Subnet",
            "subnet/network": { get_resource: "net" },
            "subnet/cidr": "10.0.0.0/24",
        });
    });

    it("differs with the values of parameters, wherever they are", () => {
        assert.deepEqual(differs({ image: "other" }), ["boot/image"]);
        assert.deepEqual(differs({ cidr: "10.1.0.0/24" }), ["subnet/cidr"]);
        assert.deepEqual(differs({ zones: '{"first":"b"}' }), ["node/availability_zone"]);
        assert.deepEqual(differs({ big: "yes" }), ["chosen/value"]);
        assert.deepEqual(differs({ image: "debian", zones: '{ "first": "a" }', size: "5", big: "no" }), []);
    });

    it("does not differ by what Heat changes without harm, nor by the user data of new servers", () => {
        const changed = template
            .replace("name: n1", "name: n2")
            .replace("metadata: { a: b }", "metadata: { a: c }")
            .replace("dns_nameservers: []", "dns_nameservers: [10.0.0.1]")
            .replace("cloud_config: {}", "cloud_config: { a: b }");
        assert.deepEqual(differs({ size: "9" }, changed), []);
    });

    it("includes the user data where the template wants it to replace the server", () => {
        const replaces = template.replace("user_data_update_policy: IGNORE", "user_data_update_policy: REPLACE");
        assert.deepEqual(differs({}, replaces), ["node/user_data", "words/type", "words/cloud_config"]);
    });

    it("includes what connects the servers: a router's interface that goes, another network of floating addresses", () => {
        const more = `
  router: { type: OS::Neutron::Router }
  way: { type: OS::Neutron::RouterInterface, properties: { router: { get_resource: router }, subnet: { get_resource: subnet } } }
  outside: { type: OS::Neutron::FloatingIP, properties: { floating_network: public, port_id: { get_resource: port } } }
  data: { type: OS::Cinder::Volume, properties: { size: 1, availability_zone: a } }
  attached: { type: OS::Cinder::VolumeAttachment, properties: { instance_uuid: { get_resource: node }, volume_id: { get_resource: data } } }
outputs: {}
`;
        const whole = template.replace("\noutputs: {}\n", more);
        const found = parts({}, whole);
        assert.equal(found["subnet/used by way"], true);
        assert.deepEqual(
            ["outside/floating_network", "data/availability_zone", "way/router"].filter(name => !(name in found)),
            [],
        );
        assert.ok(
            !Object.keys(found).some(name => name.includes("used by outside") || name.includes("used by attached")),
        );
        const renamed = parts({}, whole.replace("  way:", "  other:"));
        assert.equal(renamed["subnet/used by way"], undefined);
    });

    it("includes the address of the API, by the names of what it comes from", () => {
        const text = template.replace(
            "outputs: {}",
            "  api: { type: OS::Neutron::Port, properties: { network: { get_resource: net }, fixed_ips: [{ ip_address: 10.0.0.9 }] } }\n" +
                'outputs: { a: { value: { str_replace: { template: "V", params: { V: { get_attr: [api, fixed_ips, 0, ip_address] } } } } } }',
        );
        const stack = { template: text, parameters: {}, nodes: [{ resource: "node" }], vip: { address: "a" } };
        const found = fixedParts(stack as unknown as ExpandedStack);
        assert.deepEqual([found["vip/type"], found["vip/address"]], ["vip", ["api"]]);
        assert.deepEqual(found["api/fixed_ips"], [{ ip_address: "10.0.0.9" }]);
    });

    it("holds values that arrive later at their places", () => {
        const later = Promise.resolve("newest");
        assert.equal(parts({}, template, { image: later })["boot/image"], later);
    });
});

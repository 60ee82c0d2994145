import assert from "node:assert/strict";
import { type ExpandedStack, keptResources } from "../../../../../../components/infrastructure/openstack/hot";

const template = `
heat_template_version: 2018-08-31
parameters:
  image: { type: string, default: debian }
  zone: { type: string }
  later: { type: string }
  big: { type: string, default: "no" }
conditions:
  is_big: { equals: [{ get_param: big }, "yes"] }
resources:
  data: { type: OS::Cinder::Volume, properties: { size: 5, name: d, availability_zone: { get_param: zone } } }
  boot: { type: OS::Cinder::Volume, properties: { size: 5, image: { get_param: image } } }
  secret: { type: OS::Cinder::Volume, properties: { size: 1, snapshot_id: { get_param: later } } }
  more: { type: OS::Cinder::Volume, condition: is_big, properties: { size: 1 } }
  archive: { type: OS::Cinder::Volume, deletion_policy: Retain, properties: { size: 1 } }
  node: { type: OS::Nova::Server, properties: { image: { get_param: image } } }
  storage: { type: OS::Nova::Server, properties: { image: { get_param: image } } }
  net: { type: OS::Neutron::Net }
  port: { type: OS::Neutron::Port }
outputs: {}
`;

const stackWith = (parameters: Record<string, string>, text = template) =>
    ({ template: text, parameters, nodes: [{ resource: "node" }] }) as unknown as ExpandedStack;

describe("what deleteProtection is about in a template of the user's", () => {
    it("is volumes, networks and servers that are no nodes, with what they would be made again for", () => {
        assert.deepEqual(keptResources(stackWith({ zone: "a" })), {
            data: 'OS::Cinder::Volume availability_zone="a"',
            boot: 'OS::Cinder::Volume image="debian"',
            secret: 'OS::Cinder::Volume snapshot_id={"get_param":"later"}',
            more: 'OS::Cinder::Volume condition={"equals":["no","yes"]}',
            storage: "OS::Nova::Server",
            net: "OS::Neutron::Net",
        });
    });

    it("is another thing where a parameter makes it another volume, or none; not where it only grows", () => {
        const before = keptResources(stackWith({ zone: "a" }));
        const differs = (parameters: Record<string, string>, text?: string) => {
            const after = keptResources(stackWith(parameters, text));
            return Object.keys(before).filter(name => before[name] !== after[name]);
        };
        assert.deepEqual(differs({ zone: "b" }), ["data"]);
        assert.deepEqual(differs({ zone: "a", big: "yes" }), ["more"]);
        assert.deepEqual(differs({ zone: "a" }, template.replace("size: 5, name: d", "size: 9, name: e")), []);
    });
});

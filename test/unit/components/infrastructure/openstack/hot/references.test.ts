import assert from "node:assert/strict";
import {
    type ExpandedStack,
    expand,
    type HeatTemplateAnswers,
} from "../../../../../../components/infrastructure/openstack/hot";
import { flat, naming, saying, templates } from "./samples";

const node = [
    "heat_template_version: 2018-08-31",
    "parameters: { net: { type: json, default: { name: net0, subnets: [a, b] } }, peer: { type: string, default: none } }",
    "resources:",
    "  server: { type: OS::Nova::Server, properties: { networks: [{ port: { get_resource: port } }] } }",
    "  port: { type: OS::Neutron::Port, properties: { network: { get_param: [net, name] }, name: { get_param: peer } } }",
    "outputs:",
    "  address: { value: { get_attr: [port, fixed_ips, 0, ip_address] } }",
    "  both: { value: { a: { get_resource: server }, b: [x, y] } }",
].join("\n");

const top = (...lines: string[]) => ["heat_template_version: 2018-08-31", ...lines].join("\n");
const group = (style: "AutoScalingGroup" | "ResourceGroup", count: number, properties = "{}") =>
    style === "AutoScalingGroup"
        ? `  g: { type: OS::Heat::AutoScalingGroup, properties: { min_size: 0, max_size: 9, desired_capacity: ${count}, resource: { type: node.yaml, properties: ${properties} } } }`
        : `  g: { type: OS::Heat::ResourceGroup, properties: { count: ${count}, resource_def: { type: node.yaml, properties: ${properties} } } }`;

function expanded(text: string, answers: Partial<HeatTemplateAnswers> = {}): ExpandedStack {
    return expand(templates({ "top.yaml": text, "node.yaml": node }), { naming, groups: {}, ...answers });
}

/** What a value in the top template becomes. */
function becomes(style: "AutoScalingGroup" | "ResourceGroup", value: string): unknown {
    const text = top("resources:", group(style, 2), `  x: { type: OS::Heat::Value, properties: { value: ${value} } }`);
    return flat(expanded(text)).resources.x.properties.value;
}

const address = (n: number) => ({ get_attr: [`g_${n}_port`, "fixed_ips", 0, "ip_address"] });

describe("references, in the words of the flat template", () => {
    for (const [style, value, result] of [
        ["AutoScalingGroup", "{ get_attr: [g, outputs_list, address] }", [address(1), address(2)]],
        ["AutoScalingGroup", "{ get_attr: [g, outputs, address] }", { 0: address(1), 1: address(2) }],
        ["AutoScalingGroup", "{ get_attr: [g, current_size] }", 2],
        ["ResourceGroup", "{ get_attr: [g, address] }", [address(1), address(2)]],
        ["ResourceGroup", "{ get_attr: [g, attributes, address] }", { 0: address(1), 1: address(2) }],
        ["ResourceGroup", "{ get_attr: [g, resource.1.address] }", address(2)],
        ["ResourceGroup", "{ get_attr: [g, resource.1, address] }", address(2)],
        ["ResourceGroup", "{ get_attr: [g, resource.0, resource.port, name] }", { get_attr: ["g_1_port", "name"] }],
        ["ResourceGroup", "{ get_attr: [g, resource.0.resource.port.name] }", { get_attr: ["g_1_port", "name"] }],
        ["ResourceGroup", "{ get_attr: [g, both, b, 1] }", ["y", "y"]],
        ["ResourceGroup", "{ get_attr: [g, resource.0, both, a] }", { get_resource: "g_1_server" }],
    ] as ["AutoScalingGroup" | "ResourceGroup", string, unknown][]) {
        it(`${value} of an ${style}`, () => assert.deepEqual(becomes(style, value), result));
    }

    it("look into parameters of nested templates: values, and what is known only to the stack", () => {
        const text = top(
            "parameters: { n: { type: json } }",
            "resources:",
            group("ResourceGroup", 1, '{ net: { name: "net-%index%" } }'),
            "  h: { type: node.yaml, properties: { net: { get_param: [n, deep] }, peer: { get_attr: [g, resource.0.address] } } }",
        );
        const { resources } = flat(expanded(text, { parameters: { n: { deep: { name: "x" } } } }));
        assert.equal(resources.g_1_port.properties.network, "net-0");
        assert.deepEqual(resources.h_port.properties, {
            network: { get_param: ["n", "deep", "name"] },
            name: address(1),
        });
    });

    it("give nested conditions a name of their own, and follow choices", () => {
        const nested = top(
            "parameters: { wish: { type: string } }",
            "conditions: { yes_please: { equals: [{ get_param: wish }, a] }, not_at_all: { not: yes_please } }",
            "resources:",
            "  p: { type: OS::Neutron::Port, condition: not_at_all, properties: { name: { if: [yes_please, x, y] } } }",
        );
        const text = top(
            "parameters: { w: { type: string, default: a } }",
            "resources:",
            "  n: { type: n.yaml, properties: { wish: { get_param: w } } }",
        );
        const template = flat(expand(templates({ "top.yaml": text, "n.yaml": nested }), { naming, groups: {} }));
        assert.deepEqual(template.conditions, {
            n_yes_please: { equals: [{ get_param: "w" }, "a"] },
            n_not_at_all: { not: "n_yes_please" },
        });
        assert.equal(template.resources.n_p.condition, "n_not_at_all");
        assert.deepEqual(template.resources.n_p.properties.name, { if: ["n_yes_please", "x", "y"] });
    });

    it("leave out a group whose condition is false", () => {
        const text = top(
            "parameters: { more: { type: boolean, default: 'no' } }",
            "conditions: { more: { get_param: more } }",
            "resources:",
            group("ResourceGroup", 2).replace("type: OS", "condition: more, type: OS"),
        );
        assert.deepEqual(flat(expanded(text)).resources, {});
        const groups = { g: { role: "worker", pool: "p", count: 2 } } as const;
        assert.equal(expanded(text, { groups }).nodes.length, 0);
        assert.equal(expanded(text, { groups, parameters: { more: true } }).nodes.length, 2);
    });

    it("name a server's boot volume among what is healed, and keep its metadata", () => {
        const text = top(
            "resources:",
            "  s:",
            "    type: OS::Nova::Server",
            "    properties:",
            "      metadata: { a: b }",
            "      block_device_mapping_v2: [{ boot_index: 0, volume_id: { get_resource: disk } }]",
            "  disk: { type: OS::Cinder::Volume, properties: { size: 5, image: debian } }",
        );
        const stack = expanded(text, { groups: { s: { role: "controlPlane" } } });
        assert.deepEqual(stack.nodes[0].healed, ["s", "disk"]);
        assert.deepEqual(flat(stack).resources.s.properties.metadata, {
            a: "b",
            "pulumi-nfv.generation": { get_param: "generation_core-control-plane-1" },
        });
        assert.deepEqual(stack.nodes[0].outputs.volumes, { disk: "core-control-plane-1.volume.disk" });
    });

    for (const [title, device] of [
        ["boot_index is not said: Heat takes 0", "{ volume_id: { get_resource: disk } }"],
        [
            "another device comes first",
            "{ volume_id: { get_resource: data }, boot_index: 1 }, { volume_id: { get_resource: disk } }",
        ],
        ["boot_index is a text", "{ volume_id: { get_resource: disk }, boot_index: '0' }"],
    ]) {
        it(`find the boot volume where ${title}`, () => {
            const text = top(
                "resources:",
                `  s: { type: OS::Nova::Server, properties: { block_device_mapping_v2: [${device}] } }`,
                "  disk: { type: OS::Cinder::Volume, properties: { size: 5, image: debian } }",
                "  data: { type: OS::Cinder::Volume, properties: { size: 5 } }",
            );
            const [node] = expanded(text, { groups: { s: { role: "controlPlane" } } }).nodes;
            assert.deepEqual(node.healed, ["s", "disk"]);
        });
    }

    it("say what a boot volume is made of, whether the stack or Nova makes it: a changed image there is another server", () => {
        const nested = [
            "parameters: { image: { type: string } }",
            "resources:",
            "  s: { type: OS::Nova::Server, properties: { flavor: m1, key_name: ops, block_device_mapping_v2: [{ volume_id: { get_resource: disk } }] } }",
            "  disk: { type: OS::Cinder::Volume, properties: { size: 5, image: { get_param: image } } }",
        ];
        const text = top("resources:", group("AutoScalingGroup", 1, "{ image: golden }"));
        const files = templates({ "top.yaml": text, "node.yaml": top(...nested) });
        const [first] = expand(files, { naming, groups: { g: { role: "worker", pool: "p" } } }).nodes;
        assert.deepEqual(first.shape, { flavor: "m1", keyPair: "ops", "bootVolume.image": "golden" });
        const byNova = top(
            "resources:",
            "  s: { type: OS::Nova::Server, properties: { block_device_mapping_v2: [{ image: golden, volume_size: 5 }] } }",
        );
        const [second] = expanded(byNova, { groups: { s: { role: "controlPlane" } } }).nodes;
        assert.deepEqual([second.shape, second.healed], [{ "bootVolume.image": "golden" }, ["s"]]);
    });
});

describe("what cannot be made flat is refused, with its line", () => {
    const members = (line: string) => ["resources:", group("AutoScalingGroup", 1), line];
    for (const [title, lines, ...parts] of [
        ["a type that is a URL", ["resources:", "  a: { type: 'https://x.test/n.yaml' }"], /top\.yaml:3/, /is a URL/],
        ["a nested file that is missing", ["resources:", "  a: { type: other.yaml }"], /top\.yaml:3/, /was not found/],
        [
            "templates that contain themselves",
            ["resources:", "  a: { type: top.yaml }"],
            /top\.yaml:3/,
            /top\.yaml → top\.yaml/,
        ],
        [
            "an unknown property",
            ["resources:", "  a: { type: node.yaml, properties: { size: 1 } }"],
            /top\.yaml:3/,
            /no parameter size/,
            /net, peer/,
        ],
        [
            "an unknown output",
            members("  b: { type: X, properties: { p: { get_attr: [g, outputs_list, x] } } }"),
            /top\.yaml:4/,
            /no output x/,
            /address/,
        ],
        [
            "an attribute of the group that has no meaning now",
            members("  b: { type: X, properties: { p: { get_attr: [g, show] } } }"),
            /top\.yaml:4/,
            /cannot be expanded/,
        ],
        [
            "a reference to the nested stack",
            members("  b: { type: X, properties: { p: { get_resource: g } } }"),
            /top\.yaml:4/,
            /nested stack/,
        ],
        [
            "an alarm that scales",
            [
                ...members(
                    "  up: { type: OS::Heat::ScalingPolicy, properties: { auto_scaling_group_id: { get_resource: g } } }",
                ),
                "  b: { type: X, properties: { p: { get_attr: [up, signal_url] } } }",
            ],
            /top\.yaml:5/,
            /scaling policy/,
        ],
        [
            "resource_facade",
            ["resources:", "  a: { type: X, properties: { p: { resource_facade: metadata } } }"],
            /top\.yaml:3/,
            /resource_facade/,
        ],
        [
            "a file that was not read",
            ["resources:", "  a: { type: X, properties: { p: { get_file: x.sh } } }"],
            /top\.yaml:3/,
            /x\.sh/,
        ],
        ["an unknown condition", ["resources:", "  a: { type: X, condition: c }"], /no condition c/],
        [
            "two resources of one name",
            [...members("  g_1_port: { type: OS::Neutron::Port }")],
            /two resources .* g_1_port/,
        ],
        [
            "a count that nobody knows",
            [
                "resources:",
                "  v: { type: OS::Heat::Value, properties: { value: 2 } }",
                "  a: { type: OS::Heat::ResourceGroup, properties: { count: { get_attr: [v, value] }, resource_def: { type: X } } }",
            ],
            /top\.yaml:4/,
            /count is not known/,
        ],
        [
            "values in a circle",
            [
                "resources:",
                "  a: { type: node.yaml, properties: { peer: { get_attr: [a, address] } } }",
                "  b: { type: loop.yaml, properties: { p: { get_attr: [b, p] } } }",
            ],
            /circle/,
        ],
    ] as [string, string[], ...RegExp[]][]) {
        it(title, () => {
            const texts: Record<string, string> = { "top.yaml": top(...lines), "node.yaml": node };
            texts["loop.yaml"] = top(
                "parameters: { p: { type: string } }",
                "resources: { r: { type: X, properties: { p: { get_param: p } } } }",
                "outputs: { p: { value: { get_param: p } } }",
            );
            const files = templates(texts);
            const nested = { ...files.nested, "top.yaml": files.hot };
            if (title.includes("missing")) delete (nested as Record<string, unknown>)["other.yaml"];
            assert.throws(
                () => {
                    const stack = expand({ ...files, nested }, { naming, groups: {} });
                    throw new Error(stack.template);
                },
                saying(...parts),
            );
        });
    }

    it("groups that are not there, too many members, two groups of one pool", () => {
        const text = top(
            "resources:",
            group("AutoScalingGroup", 1),
            "  h: { type: node.yaml }",
            "  s: { type: OS::Nova::Server }",
        );
        const attempt = (groups: HeatTemplateAnswers["groups"]) => () => expanded(text, { groups });
        assert.throws(attempt({ x: { role: "worker", pool: "p" } }), saying(/no group or VDU x/, /g, h, s/));
        assert.throws(attempt({ g: { role: "worker", pool: "p", count: 10 } }), saying(/top\.yaml:3/, /max_size is 9/));
        assert.throws(
            attempt({ s: { role: "worker", pool: "p", count: 2 } }),
            saying(/top\.yaml:5/, /cannot stand for 2/),
        );
        const twice = { g: { role: "worker", pool: "p" }, h: { role: "worker", pool: "p" } } as const;
        assert.throws(attempt(twice), saying(/g and h both are pool p/));
        assert.throws(
            attempt({ g: { role: "worker", pool: "p", clusterCp: "q" } }),
            saying(/no connection point q/, /port/),
        );
        assert.throws(
            attempt({ g: { role: "worker", pool: "p", server: "q" } }),
            saying(/no server q/, /Say which: server/),
        );
    });

    it("a value that is missing, or given to no parameter, or of another type", () => {
        const text = top(
            "parameters:",
            "  a: { type: number }",
            "  b: { type: string, default: x, constraints: [{ allowed_values: [x, y] }] }",
        );
        assert.throws(() => expanded(text), saying(/top\.yaml:3/, /neither a default nor a value/));
        assert.throws(() => expanded(text, { parameters: { a: 1, c: 2 } }), saying(/no parameter c/, /a, b/));
        assert.throws(() => expanded(text, { parameters: { a: "many" } }), saying(/top\.yaml:3/, /no number/));
        assert.throws(() => expanded(text, { parameters: { a: 1, b: "z" } }), saying(/top\.yaml:4/, /Allowed: x, y/));
        assert.deepEqual(expanded(text, { parameters: { b: "y" }, deferredParameters: ["a"] }).parameters, { b: "y" });
    });
});

import assert from "node:assert/strict";
import type { OwnTemplateAnswers } from "../../../../../../components/infrastructure/openstack/hot";
import { expandOwn, readTemplate, type TemplateFiles } from "../../../../../../components/infrastructure/openstack/hot";
import { fixture, flat, naming, samples, saying, templates } from "./samples";

const own = (files: TemplateFiles, answers: Partial<OwnTemplateAnswers> = {}) =>
    expandOwn(files, { naming, clusterName: "core", counts: {}, ...answers });

const written = (...lines: string[]) =>
    templates({
        "own.yaml": [
            "heat_template_version: 2018-08-31",
            "resources:",
            "  a: { type: OS::Nova::Server }",
            "  b: { type: OS::Nova::Server }",
            "outputs:",
            ...lines.map(line => `  ${line}`),
        ].join("\n"),
    });

const node = (prefix: string, server: string) => [
    `${prefix}.address: { value: { get_attr: [${server}, first_address] } }`,
    `${prefix}.serverId: { value: { get_resource: ${server} } }`,
];

describe("a template of the user's own", () => {
    it("names its nodes one by one, with role, pool and volumes", () => {
        const stack = own(readTemplate(fixture("own-explicit/cluster.yaml")), {
            parameters: { image: "debian" },
            userData: true,
        });
        assert.deepEqual(
            stack.nodes.map(({ name, role, pool, resource, userDataParameter }) => [
                name,
                role,
                pool,
                resource,
                userDataParameter,
            ]),
            [
                ["alpha", "controlPlane", undefined, "alpha", "user_data_alpha"],
                ["beta", "worker", "edge", "beta", undefined],
            ],
        );
        assert.deepEqual(stack.nodes[1].outputs.volumes, { data: "beta.volume.data" });
        assert.deepEqual(stack.hiddenParameters, ["user_data_alpha"]);
    });

    it("lets nodes be chosen that leave only where a group has our number: others would be another server", () => {
        const without = { pools: { edge: [1] } };
        const explicit = { counts: { pools: { edge: 1 } }, without, parameters: { image: "debian" } };
        assert.throws(
            () => own(readTemplate(fixture("own-explicit/cluster.yaml")), explicit),
            saying(
                /pools\.edge\.remove cannot choose/,
                /the server of beta, beta, is no member/,
                /out of the template/,
            ),
        );
        const lists = written(
            ...node("controlPlane.m", "a"),
            "pools.edge.addresses: { value: [{ get_attr: [b, first_address] }] }",
            "pools.edge.serverIds: { value: [{ get_resource: b }] }",
        );
        assert.throws(
            () => own(lists, { counts: { pools: { edge: 1 } }, without }),
            saying(/the server of core-edge-2, b, is no member of a group whose number is edge_count/),
        );
        assert.equal(own(lists, { counts: { pools: { edge: 1 } } }).nodes[1].name, "core-edge-1");
    });

    it("keeps a server when its user data changes, and makes another one of another image: its id tells that it is empty", () => {
        const files = readTemplate(fixture("own-explicit/cluster.yaml"));
        const { alpha, beta } = flat(own(files, { parameters: { image: "debian" }, userData: true })).resources;
        assert.equal(alpha.properties.user_data_update_policy, "IGNORE");
        files.hot.resources["alpha"]!.properties["user_data_update_policy"] = "REPLACE";
        const ours = flat(own(files, { parameters: { image: "debian" }, userData: true })).resources["alpha"];
        assert.equal(ours.properties.user_data_update_policy, "IGNORE", "the user data is ours");
        // Its user data is the template's own.
        assert.equal(beta.properties.user_data_update_policy, "IGNORE");
        assert.equal(alpha.properties.image_update_policy, "REPLACE");
        assert.equal(alpha.properties.flavor_update_policy, "REPLACE");
        files.hot.resources["beta"]!.properties["user_data_update_policy"] = "REPLACE";
        files.hot.resources["beta"]!.properties["image_update_policy"] = "REBUILD_PRESERVE_EPHEMERAL";
        const wished = flat(own(files, { parameters: { image: "debian" }, userData: true })).resources["beta"];
        assert.equal(wished.properties.image_update_policy, "REPLACE", "a rebuild would empty its disk under the node");
        assert.equal(wished.properties.user_data_update_policy, "REPLACE");
    });

    it("names them by lists in the order of our numbers; the program's counts fill its parameters", () => {
        const stack = samples["own, lists"](3, 2);
        assert.equal(stack.parameters.control_plane_count, "3");
        assert.equal(stack.parameters.edge_workers_count, "2");
        assert.deepEqual(stack.nodes.map(node => [node.name, node.resource]).slice(2), [
            ["core-control-plane-3", "masters_3_server"],
            ["core-edge-workers-1", "workers_1_server"],
            ["core-edge-workers-2", "workers_2_server"],
        ]);
        assert.deepEqual(stack.vip, { address: "vip.address", cidr: "vip.cidr" });
        assert.deepEqual(flat(stack).outputs["vip.cidr"].value, { get_attr: ["vip", "subnets", 0, "cidr"] });
    });

    describe("whose virtual address is a server's own", () => {
        const vip = (value: string) => () =>
            own(
                templates({
                    "own.yaml": [
                        "heat_template_version: 2018-08-31",
                        "resources:",
                        "  a: { type: OS::Nova::Server, properties: { networks: [{ port: { get_resource: port } }] } }",
                        "  port: { type: OS::Neutron::Port, properties: { network: net0 } }",
                        "outputs:",
                        ...node("controlPlane.a", "a").map(line => `  ${line}`),
                        `  vip.address: { value: { get_attr: ${value} } }`,
                    ].join("\n"),
                }),
            );

        it("is refused: keepalived would move the server's address away from it", () => {
            assert.throws(
                vip("[port, fixed_ips, 0, ip_address]"),
                saying(/own\.yaml:4/, /port is a port of the server a/),
            );
            assert.throws(vip("[a, first_address]"), saying(/own\.yaml:3/, /a is a server/));
        });
    });

    it("refuses one address for two servers", () => {
        const server = (name: string) =>
            `  ${name}: { type: OS::Nova::Server, properties: { networks: [{ network: net0, fixed_ip: 10.0.0.9 }] } }`;
        const files = templates({
            "own.yaml": [
                "heat_template_version: 2018-08-31",
                "resources:",
                server("a"),
                server("b"),
                "outputs:",
                ...node("controlPlane.a", "a").map(line => `  ${line}`),
            ].join("\n"),
        });
        assert.throws(() => own(files), saying(/own\.yaml:4/, /a and b would both have the address 10\.0\.0\.9/));
    });

    it("keeps other outputs, as text", () => {
        const { outputs } = flat(
            own(
                written(
                    ...node("controlPlane.m", "a"),
                    "all: { value: { get_attr: [a, networks] } }",
                    "n: { value: 3 }".replace("n:", '"n":'),
                ),
            ),
        );
        assert.deepEqual(outputs.all.value, {
            str_replace: { template: "VALUE", params: { VALUE: { get_attr: ["a", "networks"] } } },
        });
        assert.equal(outputs.n.value, "3");
    });

    it("is refused with the lines to add when it does not say which nodes it makes", () => {
        assert.throws(
            () =>
                own(written(...node("controlPlane.m", "a").slice(0, 1)), {
                    counts: { controlPlane: 1, pools: { w: 2 } },
                }),
            saying(
                /own\.yaml/,
                /controlPlane\.m\.serverId: \{ value: \{ get_resource: SERVER \} \}/,
                /pools\.w\.addresses: .*list_join/,
                /pools\.w\.serverIds/,
            ),
        );
        assert.throws(() => own(written()), saying(/controlPlane\.addresses/));
    });

    it("is refused when its number of nodes is not the program's", () => {
        const attempt = () => own(written(...node("controlPlane.m", "a")), { counts: { controlPlane: 3 } });
        assert.throws(attempt, saying(/makes 1 masters, the program asks for 3/, /control_plane_count/));
    });

    it("is refused when it makes nodes of a pool that the program does not have", () => {
        const attempt = () =>
            own(written(...node("controlPlane.c", "a"), ...node("pools.x.m", "b")), { counts: { pools: {} } });
        assert.throws(attempt, saying(/pool x, which the program does not have/, /Add pools\.x/));
    });

    for (const [title, lines, ...parts] of [
        ["a name that means nothing", ["controlPlane.m.adress: { value: x }"], /own\.yaml:6/, /means nothing/],
        [
            "a server that is none",
            ["controlPlane.m.address: { value: x }", "controlPlane.m.serverId: { value: y }"],
            /server id of m/,
            /get_resource/,
        ],
        [
            "lists of different length",
            [
                "controlPlane.addresses: { value: [x] }",
                "controlPlane.serverIds: { value: [{ get_resource: a }, { get_resource: b }] }",
            ],
            /differ in length/,
        ],
        [
            "a list of unknown length",
            [
                "controlPlane.addresses: { value: { get_attr: [a, addresses] } }",
                "controlPlane.serverIds: { value: [{ get_resource: a }] }",
            ],
            /own\.yaml:6/,
            /how many nodes/,
        ],
    ] as [string, string[], ...RegExp[]][]) {
        it(`is refused for ${title}`, () => assert.throws(() => own(written(...lines)), saying(...parts)));
    }
});

describe("reading a template from disk", () => {
    it("finds nested templates beside it and in the folder nested, and the texts that they name", () => {
        const files = readTemplate(fixture("v1-ha/top.yaml"));
        assert.deepEqual(Object.keys(files.nested).sort(), ["ha_master.yaml", "ha_worker.yaml"]);
        assert.match(files.files["first-boot.sh"], /^#!\/bin\/sh/);
    });

    it("says what it looked for, and where it was wanted", () => {
        assert.throws(() => readTemplate(fixture("absent.yaml")), saying(/absent\.yaml/));
        assert.throws(
            () => readTemplate(fixture("broken/top.yaml")),
            saying(/broken\/top\.yaml:4/, /gone\.yaml was not found/, /nested/),
        );
    });
});

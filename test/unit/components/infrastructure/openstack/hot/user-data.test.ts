import assert from "node:assert/strict";
import { expand, parseHot, readTemplate, userData } from "../../../../../../components/infrastructure/openstack/hot";
import { fixture, flat, naming, nfvAnswers, saying } from "./samples";

const hot = (path: string) => readTemplate(fixture(path)).hot;

describe("Tacker's UserData classes, by what they do", () => {
    it("KubernetesClusterUserData fills the names of the v1 API, and takes further parameters of the template", () => {
        const answers = { ...nfvAnswers(3, 2), additionalParams: { disk_gib: 9, script_path: "x" } };
        const { parameters, indexedVdus } = userData("KubernetesClusterUserData", hot("v1-ha/top.yaml"), answers);
        assert.deepEqual(indexedVdus, []);
        assert.equal(parameters.disk_gib, 9);
        assert.ok(!("script_path" in parameters));
        assert.deepEqual((parameters.nfv as any).VDU.masterNode, { flavor: "m1.small", image: "debian" });
        assert.deepEqual((parameters.nfv as any).CP.vip_port, { network: "net0" });
    });

    it("SampleUserData does the same", () => {
        const top = hot("v1-simple/top.yaml");
        const answers = nfvAnswers(1, 2);
        const [sample, kubernetes] = ["SampleUserData", "KubernetesClusterUserData"].map(
            name => userData(name, top, answers).parameters,
        );
        assert.deepEqual(sample, kubernetes);
        assert.deepEqual((userData("SampleUserData", top, answers).parameters.nfv as any).CP.master_cp, {
            network: "net0",
            fixed_ips: [{ subnet: "subnet0" }],
        });
    });

    it("StandardUserData gives each copy of a VDU entries of its own, zones too", () => {
        const answers = nfvAnswers(2, 1);
        answers.vdus.masterNode.availabilityZone = "az1";
        const { parameters, indexedVdus } = userData("StandardUserData", hot("v2/top.yaml"), answers);
        assert.deepEqual(indexedVdus, ["masterNode", "workerNode"]);
        assert.deepEqual(Object.keys((parameters.nfv as any).VDU), ["masterNode-0", "masterNode-1", "workerNode-0"]);
        assert.deepEqual((parameters.nfv as any).VDU["masterNode-1"], {
            computeFlavourId: "m1.small",
            vcImageId: "debian",
            locationConstraints: "az1",
        });
        assert.equal((parameters.nfv as any).VDU["workerNode-0"].locationConstraints, null);
        assert.deepEqual(Object.keys((parameters.nfv as any).CP), [
            "masterNode_CP1-0",
            "masterNode_CP1-1",
            "workerNode_CP1-0",
            "vip_CP",
        ]);
    });

    it("StandardUserData gives no entries to copies that are left out", () => {
        const { parameters } = userData("StandardUserData", hot("v2/top.yaml"), nfvAnswers(1, 2, [2]));
        assert.deepEqual(Object.keys((parameters.nfv as any).VDU), ["masterNode-0", "workerNode-0", "workerNode-2"]);
    });

    it("classes of the v2 API merge additionalParams.nfv last: a copy's own value wins", () => {
        const answers = {
            ...nfvAnswers(2, 1),
            additionalParams: { nfv: { VDU: { "masterNode-1": { vcImageId: "other" } } } },
        };
        const files = readTemplate(fixture("v2/top.yaml"));
        const filled = userData("StandardUserData", files.hot, answers);
        const groups = {
            masterNode: { role: "controlPlane", count: 2 },
            workerNode: { role: "worker", pool: "workers", count: 1 },
        } as const;
        const { resources } = flat(expand(files, { naming, groups, ...filled }));
        const image = (n: number) =>
            (filled.parameters.nfv as any).VDU[resources[`masterNode_${n}_server`].properties.image.get_param[2]]
                .vcImageId;
        assert.deepEqual([image(1), image(2)], ["debian", "other"]);
    });

    it("DefaultUserData takes the number of copies for desired_capacity", () => {
        const top = parseHot(
            [
                "heat_template_version: 2018-08-31",
                "parameters: { nfv: { type: json } }",
                "resources:",
                "  g:",
                "    type: OS::Heat::AutoScalingGroup",
                "    properties:",
                "      min_size: 1",
                "      max_size: 5",
                "      desired_capacity: { get_param: [nfv, VDU, worker, desired_capacity] }",
                "      resource: { type: OS::Nova::Server, properties: { image: { get_param: [nfv, VDU, worker, vcImageId] } } }",
            ].join("\n"),
            "top.yaml",
        );
        const filled = userData("DefaultUserData", top, {
            vdus: { worker: { image: "i", count: 4 } },
            connectionPoints: {},
        });
        const stack = expand(
            { hot: top, nested: {}, files: {} },
            { naming, groups: { g: { role: "worker", pool: "p" } }, ...filled },
        );
        assert.deepEqual(
            stack.nodes.map(node => node.resource),
            ["g_1", "g_2", "g_3", "g_4"],
        );
    });

    it("a flavor that the template makes itself is given as the parameter nfv, because the input is its name", () => {
        const top = parseHot(
            [
                "heat_template_version: 2018-08-31",
                "parameters: { nfv: { type: json } }",
                "resources:",
                "  flavor:",
                "    type: OS::Nova::Flavor",
                "    properties: { ram: { get_param: [nfv, VDU, worker, flavor, ram] } }",
            ].join("\n"),
            "top.yaml",
        );
        const given = (more: object) =>
            userData("SampleUserData", top, {
                vdus: { worker: { flavor: "m1.small" } },
                connectionPoints: {},
                ...more,
            });
        const value = { VDU: { worker: { flavor: { ram: 512 } } } };
        assert.throws(() => given({}), saying(/Give parameters: \{ nfv: '\{"VDU":\{"worker":\{"flavor":\{"ram":/));
        assert.deepEqual(given({ additionalParams: { nfv: value } }).parameters.nfv, value);
    });

    it("names all answers that are missing, and the lines that want them", () => {
        const answers = nfvAnswers(1, 1);
        delete answers.vdus.worker;
        const attempt = () => userData("KubernetesClusterUserData", hot("v1-simple/top.yaml"), answers);
        const input = (name: string) =>
            new RegExp(`Give infrastructure\\.heat\\.template\\.tacker\\.vdus\\.worker\\.${name}\\.`);
        assert.throws(
            attempt,
            saying(
                /v1-simple\/top\.yaml:35/,
                /nfv, VDU, worker, flavor/,
                /top\.yaml:36: .*worker, image/,
                input("flavor"),
            ),
        );
        assert.throws(attempt, saying(input("image")));
    });

    it("prints the parameter nfv where no class fills it", () => {
        const bare = readTemplate(fixture("v1-simple/top.yaml"));
        const without = () => expand(bare, { naming, groups: {}, parameters: { nfv: { VDU: {} } } });
        const text = /Give parameters: \{ nfv: '\{"VDU":\{"master":\{"flavor":"…"\}\}\}' \}/;
        assert.throws(without, saying(/top\.yaml:21/, /VDU, master, flavor/, text));
    });

    it("refuses other classes by name", () => {
        const attempt = () => userData("MyUserData", hot("v2/top.yaml"), nfvAnswers(1, 1));
        assert.throws(attempt, saying(/MyUserData is not known/, /StandardUserData/, /merged last/));
    });
});

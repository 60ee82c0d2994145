import assert from "node:assert/strict";
import { join } from "node:path";
import type { TackerTemplateArgs } from "../../../../../../components/args/infrastructure-args";
import { expandTemplate, readTemplate } from "../../../../../../components/infrastructure/openstack/hot";
import { noTackerSamples, tackerSamples } from "../../../../../../dev/tacker-samples";
import { skipIf } from "../../../../../support/skip";
import { flat, naming } from "./samples";

const folder = join(tackerSamples, "samples");
const v1 = "mgmt_driver/kubernetes/kubernetes_vnf_package/BaseHOT";
const v2 = "mgmt_driver/kubernetes/sol_v2_kubernetes_vnf_package/contents/BaseHOT";
const largest = "tests/functional/sol_v2_common/basic_lcms_max/contents/BaseHOT/simple/sample1.yaml";

const machine = { flavor: "m1.large", image: "ubuntu" };
const settings = (master: string, worker: string, more: Partial<TackerTemplateArgs> = {}): TackerTemplateArgs => ({
    userDataClass: "KubernetesClusterUserData",
    masterNode: { vdu: "masterNode", nicConnectionPoint: master, sshConnectionPoint: master },
    workerNodes: { edge: { vdu: "workerNode", nicConnectionPoint: worker, sshConnectionPoint: worker } },
    clusterConnectionPoint: "vip_CP",
    vdus: { masterNode: machine, workerNode: machine },
    connectionPoints: { [master]: { network: "net0" }, [worker]: { network: "net0" } },
    ...more,
});
const aspects = (given: TackerTemplateArgs): TackerTemplateArgs => ({
    ...given,
    masterNode: { ...given.masterNode, aspect: "master_instance" },
    workerNodes: { edge: { ...given.workerNodes!.edge, aspect: "worker_instance" } },
});
const [master, worker, worker2] = ["masterNode_CP1", "workerNode_CP1", "workerNode_CP2"];
const standard = { userDataClass: "StandardUserData" };

/** Template → settings, number of control-plane nodes, and whether there is a virtual address. */
const packages: Record<string, [TackerTemplateArgs, number, boolean]> = {
    [`${v1}/complex/complex_hot_top.yaml`]: [aspects(settings(master, worker2)), 3, true],
    [`${v1}/podaffinity/podaffinity_hot_top.yaml`]: [aspects(settings(master, worker2)), 3, true],
    [`${v1}/simple/simple_hot_top.yaml`]: [
        aspects(settings(master, worker2, { clusterConnectionPoint: master })),
        1,
        false,
    ],
    [`${v2}/complex/complex_hot_top.yaml`]: [
        settings(master, worker, { ...standard, clusterFloatingIp: "vip_CP_floating_ip" }),
        3,
        true,
    ],
    [`${v2}/simple/simple_hot_top.yaml`]: [
        settings(master, worker, { ...standard, clusterConnectionPoint: master }),
        1,
        false,
    ],
};

describe("the incumbent's own packages", () => {
    before(function () {
        skipIf(this, noTackerSamples());
    });

    for (const [file, [tacker, masters, virtual]] of Object.entries(packages)) {
        it(`are read unmodified: ${file.replace(/^.*kubernetes\//, "")}`, () => {
            const request = { naming, clusterName: "core", counts: { controlPlane: masters, pools: { edge: 2 } } };
            const stack = expandTemplate(readTemplate(join(folder, file)), tacker, request);
            const { resources } = flat(stack);
            const servers = Object.values(resources).filter(({ type }) => type === "OS::Nova::Server");
            assert.deepEqual([stack.nodes.length, servers.length], [masters + 2, masters + 2]);
            assert.equal(stack.vip !== undefined, virtual);
            assert.deepEqual(stack.unread, []);
            for (const { shape } of stack.nodes) assert.deepEqual(shape, machine);
        });
    }

    it("are refused with the load balancer of the Kubespray package as virtual address: the error says where its address goes", () => {
        const file = "mgmt_driver/kubernetes/kubespray/kubespray_vnf_package/BaseHOT/simple/base_hot_top.yaml";
        const given = settings(master, worker2, { clusterConnectionPoint: "externalLB_CP3" });
        const network = { network: "net0" };
        const tacker = {
            ...aspects(given),
            vdus: { ...given.vdus, externalLB: machine },
            connectionPoints: { ...given.connectionPoints, externalLB_CP3: network },
        };
        const request = { naming, clusterName: "core", counts: { controlPlane: 1, pools: { edge: 2 } } };
        const message = /externalLB_CP3 is a port of the server externalLB[\s\S]*controlPlane\.endpoint\.external/;
        const expanded = (more: object) =>
            expandTemplate(readTemplate(join(folder, file)), { ...tacker, ...more }, request);
        assert.throws(() => expanded({}), { code: "INVALID_INPUT", message });
        assert.equal(expanded({ clusterConnectionPoint: undefined }).nodes.length, 3);
    });

    it("are read with all that a template of the v2 API can ask for, in VDUs that are no nodes too", () => {
        const node = { nicConnectionPoint: "VDU1_CP1", sshConnectionPoint: "VDU1_CP1" };
        const stack = expandTemplate(
            readTemplate(join(folder, largest)),
            {
                userDataClass: "DefaultUserData",
                masterNode: { ...node, aspect: "VDU1_scale_group", vdu: "VDU1" },
                vdus: {
                    VDU1: { flavor: "m1.large", availabilityZone: "az1" },
                    "VDU1-VirtualStorage": { image: "ubuntu" },
                    VDU2: { flavor: "m1.tiny" },
                    "VDU2-VirtualStorage": { image: "ubuntu" },
                },
                connectionPoints: {
                    VDU1_CP1: { network: "net0", subnet: "sub0" },
                    VDU1_CP2: { network: "net1", subnet: "sub1" },
                    "VDU2_CP1-1": { port: "port-1" },
                    "VDU2_CP1-2": { port: "port-2" },
                    VDU2_CP2: {
                        network: "net0",
                        fixedIps: [{ subnet: "sub0", address: "10.0.0.9" }, { subnet: "v6" }],
                    },
                },
            },
            { naming, clusterName: "core", counts: { controlPlane: 3, pools: {} } },
        );
        assert.deepEqual([stack.nodes.length, stack.unread], [3, []]);
        assert.deepEqual(JSON.parse(stack.parameters.nfv).CP.VDU2_CP2.fixed_ips, [
            { subnet: "sub0", ip_address: "10.0.0.9" },
            { subnet: "v6" },
        ]);
    });
});

import assert from "node:assert/strict";
import type { TackerTemplateArgs } from "../../../../../../components/args/infrastructure-args";
import { expandTemplate, readTemplate } from "../../../../../../components/infrastructure/openstack/hot";
import { fixture, flat, naming, saying } from "./samples";

const node = (name: string, group: Partial<TackerTemplateArgs["masterNode"]>) => ({
    nicConnectionPoint: `${name}_CP1`,
    sshConnectionPoint: `${name}_CP1`,
    ...group,
});
const machine = { flavor: "m1.small", image: "debian" };
const places = ["vip_port", "masterNode_CP1", "workerNode_CP1", "storage_server_CP1"];
const settings: TackerTemplateArgs = {
    userDataClass: "KubernetesClusterUserData",
    masterNode: node("masterNode", {
        aspect: "master_instance",
        vdu: "masterNode",
        sshConnectionPoint: "masterNode_FloatingIP",
    }),
    workerNodes: { edge: node("workerNode", { aspect: "worker_instance", vdu: "workerNode" }) },
    clusterConnectionPoint: "vip_port",
    clusterFloatingIp: "vip_outside",
    vdus: { masterNode: machine, workerNode: machine, storage_server: machine },
    connectionPoints: Object.fromEntries(places.map(name => [name, { network: "net0" }])),
};
const request = { naming, clusterName: "core", counts: { controlPlane: 3, pools: { edge: 2 } } };

describe("settings for a template of Tacker's", () => {
    it("name groups by aspect, VDUs by their own name, and connection points", () => {
        const stack = expandTemplate(readTemplate(fixture("v1-ha/top.yaml")), settings, request);
        assert.deepEqual(
            stack.nodes.map(({ name }) => name),
            ["core-control-plane-1", "core-control-plane-2", "core-control-plane-3", "core-edge-1", "core-edge-2"],
        );
        const { outputs } = flat(stack);
        assert.deepEqual(outputs["core-control-plane-2.sshAddress"].value, {
            get_attr: ["master_instance_2_masterNode_FloatingIP", "floating_ip_address"],
        });
        assert.equal(stack.nodes[3].outputs.sshAddress, undefined);
        assert.deepEqual(stack.vip, {
            address: "vip.address",
            cidr: "vip.cidr",
            floatingAddress: "vip.floatingAddress",
        });
    });

    it("count each VDU's copies, and merge the parameter nfv last", () => {
        const standard: TackerTemplateArgs = {
            userDataClass: "StandardUserData",
            masterNode: { vdu: "masterNode", nicConnectionPoint: "cp", sshConnectionPoint: "cp_floating_ip" },
            workerNodes: { edge: { vdu: "workerNode", nicConnectionPoint: "cp", sshConnectionPoint: "cp" } },
            vdus: { masterNode: machine, workerNode: machine },
            connectionPoints: Object.fromEntries(
                ["masterNode_CP1", "workerNode_CP1", "vip_CP"].map(name => [name, { network: "net0", subnet: "sub0" }]),
            ),
        };
        const parameters = { nfv: '{"VDU":{"workerNode-1":{"vcImageId":"newer"}}}' };
        const stack = expandTemplate(readTemplate(fixture("v2/top.yaml")), standard, { ...request, parameters });
        assert.equal(stack.nodes.length, 5);
        const { VDU } = JSON.parse(stack.parameters.nfv);
        assert.deepEqual([VDU["workerNode-0"].vcImageId, VDU["workerNode-1"].vcImageId], ["debian", "newer"]);
    });

    it("leave out the numbers that remove names", () => {
        const without = { controlPlane: [1], pools: { edge: [2] } };
        const { nodes } = expandTemplate(readTemplate(fixture("v1-ha/top.yaml")), settings, { ...request, without });
        assert.deepEqual(
            nodes.map(({ name }) => name),
            ["core-control-plane-2", "core-control-plane-3", "core-control-plane-4", "core-edge-1", "core-edge-3"],
        );
        assert.match(nodes[4].resource, /^worker_instance_3_/);
    });

    it("take one master's own port for no virtual address", () => {
        const simple: TackerTemplateArgs = {
            userDataClass: "SampleUserData",
            masterNode: {
                aspect: "masters",
                vdu: "master",
                nicConnectionPoint: "master_cp",
                sshConnectionPoint: "master_cp",
            },
            workerNodes: {
                edge: {
                    aspect: "workers",
                    vdu: "worker",
                    nicConnectionPoint: "worker_cp",
                    sshConnectionPoint: "worker_cp",
                },
            },
            clusterConnectionPoint: "master_cp",
            vdus: { master: machine, worker: machine },
            connectionPoints: { master_cp: { network: "n", fixedAddress: "10.0.0.9" }, worker_cp: { network: "n" } },
        };
        const counts = { controlPlane: 1, pools: { edge: 2 } };
        const stack = expandTemplate(readTemplate(fixture("v1-simple/top.yaml")), simple, { ...request, counts });
        assert.equal(stack.vip, undefined);
        assert.deepEqual(JSON.parse(stack.parameters.nfv).CP.master_cp.fixed_ips, [{ ip_address: "10.0.0.9" }]);
    });

    it("are refused for a pool without VDU, and for a node without name", () => {
        const files = readTemplate(fixture("v1-ha/top.yaml"));
        const counts = { controlPlane: 3, pools: { edge: 2, core: 1 } };
        assert.throws(
            () => expandTemplate(files, settings, { ...request, counts }),
            saying(/pool core/, /workerNodes/),
        );
        assert.throws(
            () => expandTemplate(files, settings, { ...request, counts: { pools: {} } }),
            saying(/the program has none/, /Add pools\.edge/),
        );
        const nameless = { ...settings, masterNode: node("masterNode", {}) };
        assert.throws(() => expandTemplate(files, nameless, request), saying(/masterNode: neither aspect nor vdu/));
    });

    it("give way to the contract where there are none", () => {
        const files = readTemplate(fixture("own-explicit/cluster.yaml"));
        const own = {
            naming,
            clusterName: "core",
            counts: { controlPlane: 1, pools: { edge: undefined } },
            parameters: { image: "debian" },
        };
        assert.deepEqual(
            expandTemplate(files, undefined, own).nodes.map(({ name }) => name),
            ["alpha", "beta"],
        );
    });
});

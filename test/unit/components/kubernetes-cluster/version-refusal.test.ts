import assert from "node:assert/strict";
import { KubernetesCluster } from "../../../../components";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { refusedIn } from "../../../../components/kubernetes-cluster/version-refusal";
import type { StateOutputs } from "../../../../provider/adapters/own-state";
import { joinStep } from "../../../../provider/member/join/join-cluster";
import { cloudArgs } from "../infrastructure/openstack/sample-cloud-args";
import { record, registered } from "../recorder";

const urn = (type: string, name: string) =>
    `urn:pulumi:dev::app::pulumi-nfv:index:KubernetesCluster$pulumi-nodejs:dynamic/nfv:${type}::${name}`;
const today = new Date("2026-11-30");

interface Recorded {
    name: string;
    version: string;
    role?: string;
    joined?: boolean;
}

/** The state of the cluster "core": the version of its last operation, and its Nodes. */
const stateOf = (version: string, nodes: Recorded[], clusterName = "core"): StateOutputs => ({
    [urn("OperationStart", clusterName)]: {
        outputs: { spec: JSON.stringify({ clusterName, clusterId: `${clusterName}-1`, kubernetesVersion: version }) },
    },
    ...Object.fromEntries(
        nodes.map(({ name, version: kubernetesVersion, role = "controlPlane", joined = true }) => [
            urn("Node", `${clusterName}-${name}`),
            {
                outputs: {
                    spec: JSON.stringify({ clusterId: `${clusterName}-1`, name, role, kubernetesVersion }),
                    done: JSON.stringify(joined ? { [joinStep.id]: "0123" } : {}),
                },
            },
        ]),
    ),
});
const refusal = (state: StateOutputs, version: string, more: object = {}, onto?: { run: string }) =>
    refusedIn(
        state,
        { kubernetes: { version, ...more }, ...(onto && { etcdRestore: onto }) } as KubernetesClusterArgs,
        "core",
        today,
    );
const at = (...versions: string[]) => versions.map((version, i) => ({ name: `m${i + 1}`, version }));

describe("a version that the cluster of the state cannot have", () => {
    it("is one that has ended or is unknown, for a new cluster and for one that exists", () => {
        assert.match(refusal({}, "1.34.4")!, /^kubernetes\.version: 1\.34\.4 has ended: .*the cluster is new/);
        assert.equal(refusal({}, "1.36.3"), undefined);
        assert.match(refusal(stateOf("1.37.2", at("1.37.2")), "1.38.0")!, /1\.38\.0 is newer than what this package/);
        assert.equal(refusal(stateOf("1.34.4", at("1.34.4")), "1.34.4"), undefined);
        assert.equal(refusal({}, "1.34.4", { allowUnsupportedVersion: true }), undefined);
    });

    it("is two minors ahead or one behind of all its control-plane nodes, as the Nodes say it", () => {
        assert.match(
            refusal(stateOf("1.34.4", at("1.34.4", "1.34.4")), "1.36.3")!,
            /^INVALID_INPUT\n.*from 1\.34\.4 to 1\.36\.3 skips a minor version.*nothing was touched\n.*first a version 1\.35\.x/,
        );
        assert.match(refusal(stateOf("1.36.3", at("1.36.3")), "1.35.4")!, /1\.35\.4 is an earlier minor version/);
        assert.equal(refusal(stateOf("1.35.4", at("1.35.4")), "1.36.3"), undefined);
    });

    it("is left to the Nodes where some may have it: an upgrade that moved none yet is taken back, workers wait, a restore brings data", () => {
        assert.equal(refusal(stateOf("1.36.3", at("1.35.4", "1.35.4")), "1.35.4"), undefined);
        assert.equal(refusal(stateOf("1.36.3", at("1.36.3", "1.35.4")), "1.35.4"), undefined);
        const waiting = { name: "w1", version: "1.34.4", role: "worker" };
        assert.equal(refusal(stateOf("1.35.4", [...at("1.35.4"), waiting]), "1.36.3"), undefined);
        const unjoined = { name: "m1", version: "1.34.4", joined: false };
        assert.equal(refusal(stateOf("1.34.4", [unjoined]), "1.36.3"), undefined);
        assert.equal(refusal(stateOf("1.36.3", at("1.36.3")), "1.35.4", {}, { run: "one" }), undefined);
    });

    it("is not judged by a state that says nothing certain", () => {
        for (const spec of ["{", "null", "7"])
            assert.equal(refusal({ [urn("OperationStart", "core")]: { outputs: { spec } } }, "1.34.4"), undefined);
        assert.equal(
            refusal(stateOf("1.34.4", at("1.34.4"), "edge"), "1.34.4"),
            undefined,
            "core may be edge, renamed",
        );
        const unknown = {
            [urn("OperationStart", "core")]: { outputs: { spec: JSON.stringify({ clusterName: "core" }) } },
        };
        const storage = { [urn("OperationStart", "core-data")]: unknown[urn("OperationStart", "core")] };
        assert.equal(refusal({ ...stateOf("1.34.4", at("1.34.4")), ...storage }, "1.34.5"), undefined);
        assert.match(refusal(storage, "1.34.4")!, /the cluster is new/);
    });

    it("is a problem of the cloud's check and of the identity, before any login", async () => {
        const args = cloudArgs({}, { kubernetes: { version: "1.36.3", source: { image: {} } } });
        const inputsOf = async (state: StateOutputs) => {
            const { resources } = await record("preview", () => new KubernetesCluster("core", args), {
                call: token => ({
                    ...{ id: "id", name: "public", cidr: "192.168.0.0/20" },
                    ...(token.endsWith(":readStackResourceOutputs") && { outputs: state }),
                }),
            });
            return ["CloudCheck core", "ClusterId core"].map(label => registered(resources, label).inputs["problems"]);
        };
        const [ofCloud, ofIdentity] = await inputsOf(stateOf("1.34.4", at("1.34.4")));
        assert.match(String(ofCloud), /skips a minor version/);
        assert.equal(ofIdentity, ofCloud);
        assert.deepEqual(await inputsOf(stateOf("1.36.3", at("1.36.3"))), [undefined, undefined]);
    });
});

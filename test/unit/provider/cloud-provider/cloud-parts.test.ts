import assert from "node:assert/strict";
import type { NamedParts } from "../../../../provider/cloud-provider/cloud-parts";
import {
    type CloudProviderInputs,
    type CloudProviderSpec,
    type CloudProviderState,
    cloudProvider,
} from "../../../../provider/cloud-provider/cloud-provider";
import { type KeptInputs, refusedInputs, sameKept } from "../../../../provider/cluster/kept-inputs";
import { runFacts } from "../../../../provider/contract/run-facts";
import { unknownValue } from "../../../../provider/contract/values";
import { host } from "../../../../provider/host/host";
import { node } from "../../../../provider/member/node";
import { FakeFleet } from "../../../../testing";
import type { Identity } from "../identity/made-identity";
import { checkAs, endRun, listener, machine, testIdentity } from "../support/cluster";

const off = { enabled: false, version: "" };
const both: CloudProviderSpec = {
    clusterId: "core-1",
    access: { authUrl: "https://cloud/v3", applicationCredentialId: "id", applicationCredentialSecret: "secret" },
    cloudControllerManager: { enabled: true, version: "v1.34.1" },
    cinderCsi: { enabled: true, version: "v1.34.1" },
};
const inputs = (spec: CloudProviderSpec): CloudProviderInputs => ({
    spec,
    controlPlane: [],
    fingerprintKey: "key",
    steps: {},
});
const stateOf = (spec: CloudProviderSpec): CloudProviderState => ({ ...inputs(spec), done: {} });

describe("a part of the cloud provider that the program leaves out", () => {
    const { cinderCsi: _, ...managerOnly } = both;
    const managerOff = { ...both, cloudControllerManager: off };
    const bothOff = { ...managerOff, cinderCsi: off };
    const refusal = { code: "INVALID_INPUT", message: /cloudProvider\.cinderCsi\.enabled to false first/ };
    const reasons = (before: CloudProviderSpec, after: CloudProviderSpec) =>
        (checkAs("CloudProvider", inputs(before), inputs(after)).failures ?? []).map(({ reason }) => reason);

    it("is refused at preview while it is on: it would run on without credentials", () => {
        const [reason, ...others] = reasons(both, { ...managerOnly, cloudControllerManager: off });
        assert.match(reason!, /^cloudProvider\.cinderCsi is left out .*\.enabled to false first/);
        assert.deepEqual(others, []);
    });

    it("is not refused when it is off or was never there, nor what is not known at preview", () => {
        assert.deepEqual(reasons({ ...both, cinderCsi: off }, managerOnly), []);
        assert.deepEqual(reasons(both, bothOff), []);
        assert.deepEqual(reasons(managerOnly, managerOnly), []);
        assert.deepEqual(reasons(managerOnly, both), []);
        assert.deepEqual(checkAs("CloudProvider", {}, inputs(both)).failures ?? [], []);
        const unknown = { ...inputs(both), spec: unknownValue as unknown as CloudProviderSpec };
        const found = (checkAs("CloudProvider", inputs(both), unknown).failures ?? []).map(({ reason }) => reason);
        assert.ok(!found.some(reason => reason.includes("left out")));
    });

    it("is refused by the run, too, where its removal is not done yet", async () => {
        const failed = { ...stateOf(bothOff), pending: ["remove Cinder CSI"] };
        const update = (state: CloudProviderState) =>
            cloudProvider.update("id", state, inputs({ ...managerOnly, cloudControllerManager: off }), listener());
        await assert.rejects(update(failed), refusal);
        await assert.rejects(update(stateOf(both)), refusal);
    });

    describe("with the whole of cloudProvider", () => {
        const remove = (state: CloudProviderState, context = listener()) => cloudProvider.delete("id", state, context);

        it("is refused by the deletion, before the application credential goes", async () => {
            await assert.rejects(remove(stateOf(both)), refusal);
            await assert.rejects(remove({ ...stateOf(bothOff), pending: ["remove Cinder CSI"] }), refusal);
        });

        it("goes when all parts are off, and with the cluster", async () => {
            await remove(stateOf(bothOff));
            const context = listener();
            runFacts(context).did.beganToEnd.add("core-1");
            await remove(stateOf(both), context);
        });

        it("is only replaced where the program still has it", async () => {
            const context = listener();
            const urn = "urn:pulumi:dev::p::t::core";
            checkAs("CloudProvider", {}, { ...inputs(both), resourceUrn: urn }, context);
            await remove({ ...stateOf(both), resourceUrn: urn }, context);
        });
    });

    describe("that a killed run has added, so that the state does not name it", () => {
        let identity: Identity;
        let fleet: FakeFleet;
        const { cinderCsi: _, ...managerOnly } = managerOff;
        const mounting = (stdout: string) =>
            fleet
                .node("m1")
                .on({ startsWith: ["sh", "-s", "pulumi-nfv"] }, ({ stdin }) =>
                    stdin.includes("get daemonsets,deployments") ? { stdout } : {},
                );
        const state = (): CloudProviderState => ({
            ...stateOf({ ...managerOnly, clusterId: identity.clusterId }),
            controlPlane: [{ name: "m1", connection: { ...fleet.target("m1"), connectTimeoutSeconds: 3 } }],
        });

        beforeEach(async () => {
            identity = await testIdentity();
            fleet = await FakeFleet.start({ nodes: ["m1"] });
            const inputs = machine(identity, "m1", "controlPlane", fleet.target("m1"), { m1: fleet.target("m1") });
            await host.create(inputs.host, listener());
            await node.create(inputs.node, listener());
        });
        afterEach(async () => {
            await endRun();
            await fleet.stop();
        });

        it("is refused by the deletion while its workloads mount the Secret", async () => {
            mounting("DaemonSet csi-cinder-nodeplugin\nDeployment csi-cinder-controllerplugin\n");
            await assert.rejects(cloudProvider.delete("id", state(), listener()), {
                code: "INVALID_INPUT",
                message:
                    /: DaemonSet csi-cinder-nodeplugin, Deployment csi-cinder-controllerplugin\. .* cloudProvider\.cinderCsi with enabled: false first/,
            });
        });

        it("does not hinder where nothing mounts it, and counts as running where that cannot be asked", async () => {
            mounting("");
            await cloudProvider.delete("id", state(), listener());
            await fleet.node("m1").powerOff();
            await assert.rejects(cloudProvider.delete("id", state(), listener()), { code: "NO_CONTROL_PLANE" });
        });
    });

    it("is refused by the cluster's identity, before a kubelet changes", () => {
        const kept = (cloudParts?: NamedParts): KeptInputs => ({
            ...{ fixed: {}, masters: ["m1"] },
            ...(cloudParts && { cloudParts }),
        });
        const said = (before?: NamedParts, after?: NamedParts) =>
            refusedInputs(kept(before), kept(after)).map(({ reason }) => reason);
        const [manager, cinder, ...others] = said({ cloudControllerManager: true, cinderCsi: true }, {});
        assert.match(manager!, /^cloudProvider\.cloudControllerManager is left out/);
        assert.match(cinder!, /^cloudProvider\.cinderCsi is left out/);
        assert.deepEqual(others, []);
        assert.deepEqual(said({ cinderCsi: false }, {}), []);
        assert.deepEqual(said({ cinderCsi: true }, { cinderCsi: false }), []);
        assert.deepEqual(said(undefined, {}), [], "the cluster is made");
        assert.deepEqual(said({ cinderCsi: true }, undefined), [], "not known yet");
        const text = (parts: NamedParts) => JSON.stringify(kept(parts));
        assert.equal(sameKept(text({ cinderCsi: true }), text({})), true, "no operation of its own");
    });
});

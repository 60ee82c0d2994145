import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import {
    type CloudProviderInputs,
    type CloudProviderSpec,
    type CloudProviderState,
    cloudProvider,
    cloudProviderSteps,
} from "../../../../provider/cloud-provider/cloud-provider";
import { plan, stepTitles } from "../../../../provider/steps";

const access = {
    authUrl: "https://cloud/v3",
    applicationCredentialId: "id",
    applicationCredentialSecret: "canary-secret",
};
const both: CloudProviderSpec = {
    clusterId: "core-1",
    access,
    cloudControllerManager: { enabled: true, version: "v1.34.1" },
    cinderCsi: { enabled: true, version: "v1.34.1" },
};
const off = { enabled: false, version: "" };
const steps = (spec: CloudProviderSpec) => plan(cloudProviderSteps, spec, "key");
const titles = (spec: CloudProviderSpec) => steps(spec).map(({ title }) => title);
const changed = (one: CloudProviderSpec, other: CloudProviderSpec) => {
    const [a, b] = [stepTitles(steps(one)), stepTitles(steps(other))];
    return Object.keys(a).filter(title => a[title] !== b[title]);
};
const kinds = (manifest: string) => parseAllDocuments(manifest).map(document => document.toJS().kind as string);

const inputs = (spec: CloudProviderSpec): CloudProviderInputs => ({
    spec,
    controlPlane: [],
    fingerprintKey: "key",
    steps: stepTitles(steps(spec)),
});
const stateOf = (spec: CloudProviderSpec): CloudProviderState => ({
    ...inputs(spec),
    done: Object.fromEntries(steps(spec).map(({ id, fingerprint }) => [id, fingerprint])),
});

describe("the steps of the cloud provider", () => {
    it("are those of the parts that are wanted, credentials first", () => {
        assert.deepEqual(titles(both), [
            "give the cloud provider its credentials",
            "apply the cloud controller manager",
            "apply Cinder CSI",
            "apply the storage classes",
        ]);
        const { cinderCsi: _, ...managerOnly } = both;
        assert.deepEqual(titles(managerOnly), titles(both).slice(0, 2));
    });

    it("have the credentials in a secret file of one step, and nowhere else", () => {
        const [first, ...others] = steps(both);
        assert.match(first!.secrets!["manifest"]!, /canary-secret/);
        const { secrets: _, declaredState: __, ...open } = first!;
        assert.ok(!JSON.stringify([open, others]).includes("canary"));
    });

    it("notice other credentials, other settings, another version, each where it belongs", () => {
        const otherSecret = { ...both, access: { ...access, applicationCredentialSecret: "other" } };
        assert.deepEqual(changed(both, otherSecret), ["give the cloud provider its credentials"]);
        const loadBalancer = { enabled: true, version: "v1.34.1", loadBalancer: { provider: "ovn" } };
        assert.deepEqual(changed(both, { ...both, cloudControllerManager: loadBalancer }), [
            "give the cloud provider its credentials",
        ]);
        const newer = { enabled: true, version: "v1.34.2" };
        assert.deepEqual(changed(both, { ...both, cinderCsi: newer }), ["apply Cinder CSI"]);
        const classes = { ...newer, version: "v1.34.1", storageClasses: { fast: { volumeType: "nvme" } } };
        assert.deepEqual(changed(both, { ...both, cinderCsi: classes }), ["apply the storage classes"]);
    });

    it("take away a part that is switched off, first what may be refused, and the Secret after the last", () => {
        const one = steps({ ...both, cinderCsi: off });
        assert.deepEqual(
            one.map(({ title }) => title),
            [
                // it may be refused, and then nothing else has changed
                "remove Cinder CSI",
                "give the cloud provider its credentials",
                "apply the cloud controller manager",
                "remove our storage classes",
            ],
        );
        assert.match(one[0]!.run!, /delete_ours/);
        const none = steps({ ...both, cinderCsi: off, cloudControllerManager: off });
        assert.deepEqual(
            none.map(({ title }) => title),
            [
                "remove Cinder CSI",
                "remove the cloud controller manager",
                "remove our storage classes",
                "remove the cloud provider's credentials",
            ],
        );
        for (const { title, env } of none.slice(0, 3)) {
            assert.ok(!/kind: Secret/.test(env!["MANIFEST"]!), `${title}: a part that is still there reads it`);
        }
        assert.deepEqual(kinds(none[3]!.env!["MANIFEST"]!), ["Secret"]);
        const given = steps(both).find(({ id }) => id === none[3]!.id)!;
        assert.notEqual(given.fingerprint, none[3]!.fingerprint, "parts that come back get it again");
    });

    it("give Cinder CSI its part in snapshots, and take it away, in the driver's own step", () => {
        const snapshots = { ...both, cinderCsi: { ...both.cinderCsi!, snapshots: true } };
        assert.deepEqual(changed(both, snapshots), ["apply Cinder CSI"]);
        const envOf = (spec: CloudProviderSpec, title: string) => steps(spec).find(each => each.title === title)!.env!;
        const leaving = envOf(both, "apply Cinder CSI")["LEAVING"]!;
        assert.deepEqual(kinds(leaving), ["ClusterRole", "ClusterRoleBinding"]);
        assert.match(leaving, /pulumi-nfv\.dev\/cloud-provider/);
        assert.equal(envOf(snapshots, "apply Cinder CSI")["LEAVING"], "");
        const removal = envOf({ ...both, cinderCsi: off }, "remove Cinder CSI");
        assert.match(removal["MANIFEST"]!, /csi-cinder-snapshotter/, "a run that failed may have left it");
    });

    it("leave the Secret while a part is not named: it may run", () => {
        const { cinderCsi: _, ...managerOnly } = both;
        assert.deepEqual(titles({ ...managerOnly, cloudControllerManager: off }), [
            "remove the cloud controller manager",
        ]);
        const { cloudControllerManager: __, ...cinderOnly } = both;
        assert.deepEqual(titles({ ...cinderOnly, cinderCsi: off }), [
            "remove Cinder CSI",
            "remove our storage classes",
        ]);
    });

    it("mark each object as ours, but no pod", () => {
        for (const [id, part] of [
            ["cluster.cloud-controller-manager", "cloud-controller-manager"],
            ["cluster.cinder-csi", "cinder-csi"],
        ]) {
            const step = steps(both).find(each => each.id === id)!;
            for (const document of parseAllDocuments(step.env!["MANIFEST"]!)) {
                const { kind, metadata, spec } = document.toJS();
                assert.equal(metadata.labels["pulumi-nfv.dev/cloud-provider"], part, `${kind} ${metadata.name}`);
                assert.ok(!JSON.stringify(spec ?? {}).includes("pulumi-nfv.dev/"), kind);
            }
        }
    });

    it("are an update in place, unless the cluster is another", () => {
        const olds = stateOf(both);
        assert.equal(cloudProvider.diff("id", olds, inputs(both)).changes, false);
        const mirrored = cloudProvider.diff("id", olds, inputs({ ...both, imageRepository: "mirror" }));
        assert.deepEqual([mirrored.changes, mirrored.replaces], [true, []]);
        const other = cloudProvider.diff("id", olds, inputs({ ...both, clusterId: "core-2" }));
        assert.deepEqual(other.replaces, ["spec"]);
    });
});

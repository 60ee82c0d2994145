import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import {
    type CloudProviderInputs,
    type CloudProviderSpec,
    cloudProvider,
    cloudProviderSteps,
} from "../../../../provider/resources/cloud-provider";
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
const steps = (spec: CloudProviderSpec) => plan(cloudProviderSteps, spec, "key");
const titles = (spec: CloudProviderSpec) => steps(spec).map(({ title }) => title);
const changed = (one: CloudProviderSpec, other: CloudProviderSpec) => {
    const [a, b] = [stepTitles(steps(one)), stepTitles(steps(other))];
    return Object.keys(a).filter(title => a[title] !== b[title]);
};
const kinds = (manifest: string) => parseAllDocuments(manifest).map(document => document.toJS().kind as string);

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

    it("take away a part that is switched off, and the Secret with the last", () => {
        const off = { enabled: false, version: "" };
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
        assert.ok(!kinds(one[0]!.env!["MANIFEST"]!).includes("Secret"), "the other part reads it still");
        const none = steps({ ...both, cinderCsi: off, cloudControllerManager: off });
        assert.deepEqual(
            none.map(({ title }) => title),
            ["remove Cinder CSI", "remove the cloud controller manager", "remove our storage classes"],
        );
        assert.ok(kinds(none[0]!.env!["MANIFEST"]!).includes("Secret"));
    });

    it("are an update in place, unless the cluster is another", () => {
        const inputs = (spec: CloudProviderSpec): CloudProviderInputs => ({
            spec,
            controlPlane: [],
            fingerprintKey: "key",
            steps: stepTitles(steps(spec)),
        });
        const done = Object.fromEntries(steps(both).map(({ id, fingerprint }) => [id, fingerprint]));
        const olds = { ...inputs(both), done };
        assert.equal(cloudProvider.diff("id", olds, inputs(both)).changes, false);
        const mirrored = cloudProvider.diff("id", olds, inputs({ ...both, imageRepository: "mirror" }));
        assert.deepEqual([mirrored.changes, mirrored.replaces], [true, []]);
        const other = cloudProvider.diff("id", olds, inputs({ ...both, clusterId: "core-2" }));
        assert.deepEqual(other.replaces, ["spec"]);
    });
});

import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { pathOf } from "../../../../provider/objects/owned-objects";
import { volumeSnapshotClass } from "../../../../provider/snapshots/classes";
import { leftBehind, snapshotController } from "../../../../provider/snapshots/controller";
import { snapshotDefinitions } from "../../../../provider/snapshots/definitions";

const definitions = snapshotDefinitions() as any[];
const controller = snapshotController({}) as any[];
const schemaOf = (kind: string) => {
    const { spec } = definitions.find(each => each.spec.names.kind === kind);
    return spec.versions[0].schema.openAPIV3Schema;
};
/** All schemas within one. */
const within = (schema: any): any[] => [
    schema,
    ...Object.values(schema.properties ?? {}).flatMap(within),
    ...(typeof schema.additionalProperties === "object" ? within(schema.additionalProperties) : []),
];

describe("the kinds of snapshots", () => {
    it("are upstream's three, served as v1 only", () => {
        deepStrictEqual(
            definitions.map(({ metadata, spec }) => [metadata.name, spec.scope, spec.versions.length]),
            [
                ["volumesnapshots.snapshot.storage.k8s.io", "Namespaced", 1],
                ["volumesnapshotcontents.snapshot.storage.k8s.io", "Cluster", 1],
                ["volumesnapshotclasses.snapshot.storage.k8s.io", "Cluster", 1],
            ],
        );
        for (const { metadata, spec } of definitions) {
            match(metadata.annotations["api-approved.kubernetes.io"], /^https:\/\/.*external-snapshotter\/pull\/\d+$/);
            const [{ name, served, storage }] = spec.versions;
            deepStrictEqual([name, served, storage], ["v1", true, true]);
        }
    });

    it("have a type for each field, and a status of their own where the controllers write one", () => {
        for (const { spec } of definitions) {
            const [{ schema, subresources }] = spec.versions;
            for (const each of within(schema.openAPIV3Schema)) ok(each.type, JSON.stringify(each));
            strictEqual("status" in subresources, "status" in schema.openAPIV3Schema.properties, spec.names.kind);
        }
    });

    it("keep the source of a snapshot as it was made: one of two, which never changes", () => {
        const { source } = schemaOf("VolumeSnapshot").properties.spec.properties;
        deepStrictEqual(
            source["x-kubernetes-validations"].map(({ message }: any) => message),
            [
                "persistentVolumeClaimName is required once set",
                "volumeSnapshotContentName is required once set",
                "exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set",
            ],
        );
        for (const { properties } of [source, schemaOf("VolumeSnapshotContent").properties.spec.properties.source]) {
            for (const field of Object.values<any>(properties)) {
                deepStrictEqual(field["x-kubernetes-validations"][0].rule, "self == oldSelf");
            }
        }
    });

    it("say what is deleted: nothing is taken for granted", () => {
        deepStrictEqual(schemaOf("VolumeSnapshotClass").required, ["deletionPolicy", "driver"]);
        deepStrictEqual(schemaOf("VolumeSnapshotClass").properties.deletionPolicy.enum, ["Delete", "Retain"]);
    });
});

describe("the controller of snapshots", () => {
    const deployment = controller.find(({ kind }) => kind === "Deployment");
    const [container] = deployment.spec.template.spec.containers;

    it("has a pinned image, whose registry a site replaces", () => {
        match(container.image, /^registry\.k8s\.io\/sig-storage\/snapshot-controller:v\d+\.\d+\.\d+$/);
        ok(JSON.stringify(snapshotController({ imageRepository: "site:5000" })).includes('"site:5000/sig-storage/'));
    });

    it("elects a leader, runs as nobody, and leaves group snapshots alone", () => {
        ok(container.args.includes("--leader-election=true"));
        ok(container.args.includes("--feature-gates=CSIVolumeGroupSnapshot=false"));
        const { runAsNonRoot, runAsUser } = deployment.spec.template.spec.securityContext;
        deepStrictEqual([runAsNonRoot, runAsUser], [true, 65534]);
        deepStrictEqual(container.securityContext.capabilities, { drop: ["ALL"] });
    });

    it("has rights with bounds: no stars, no Secrets; of Leases only its own", () => {
        const rules = controller.flatMap(each => each.rules ?? []);
        ok(!JSON.stringify(rules).includes('"*"') && !JSON.stringify(rules).includes("secrets"));
        const lease = rules.filter(({ resources, verbs }) => resources.includes("leases") && !verbs.includes("create"));
        deepStrictEqual(lease[0].resourceNames, [leftBehind.metadata.name]);
    });

    it("has a place in the API for each of its objects, as have kinds and classes", () => {
        const some = volumeSnapshotClass("a", { driver: "d", deletionPolicy: "Retain", isDefault: true });
        for (const object of [...definitions, ...controller, leftBehind, some]) match(pathOf(object), /^\/apis?\//);
        deepStrictEqual(some, {
            apiVersion: "snapshot.storage.k8s.io/v1",
            kind: "VolumeSnapshotClass",
            metadata: { name: "a", annotations: { "snapshot.storage.kubernetes.io/is-default-class": "true" } },
            driver: "d",
            deletionPolicy: "Retain",
        });
    });
});

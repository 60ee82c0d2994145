import { deepStrictEqual, doesNotThrow, ok, throws } from "node:assert/strict";
import {
    checkReleases,
    clusterApiReleases,
    contractsOf,
    endingContracts,
    infrastructureReleases,
    type ProviderName,
} from "../../../../provider/cluster-api";
import { versions } from "../../../../tools/versions";

const providers = (core = "v1.13.6", openstack = "v0.14.7", kubeadm = core): ProviderName[] => [
    { type: "core", name: "cluster-api", version: core },
    { type: "bootstrap", name: "kubeadm", version: kubeadm },
    { type: "infrastructure", name: "openstack", version: openstack },
];

describe("which releases work together", () => {
    it("has rows for what this package builds, on the Kubernetes that it makes", () => {
        const pinned = providers(`v${versions["cluster-api"]}`, `v${versions["cluster-api-openstack"]}`);
        doesNotThrow(() => checkReleases(pinned, { management: versions.kubernetes, workload: [versions.kubernetes] }));
        ok(infrastructureReleases["openstack"]![versions["cluster-api-openstack"].replace(/\.\d+$/, "")]);
    });

    it("accepts contracts that the core names", () => {
        for (const release of Object.values(clusterApiReleases)) ok(release.accepts.includes(release.contract));
    });

    it("lets older Kubernetes be a workload cluster only", () => {
        doesNotThrow(() => checkReleases(providers(), { management: "1.32.1", workload: ["1.30.2", "1.36.0"] }));
        throws(
            () => checkReleases(providers(), { management: "1.30.2" }),
            /does not run on Kubernetes 1\.30\.2, but on 1\.32, /,
        );
        throws(
            () => checkReleases(providers(), { management: "1.34.4", workload: ["1.29.0"] }),
            /does not make clusters of Kubernetes 1\.29\.0/,
        );
    });

    it("knows the first patch release for a new Kubernetes", () => {
        doesNotThrow(() => checkReleases(providers("v1.13.1"), { management: "1.36.0" }));
        throws(
            () => checkReleases(providers("v1.13.0"), { management: "1.36.0" }),
            /needs Cluster API v1\.13\.1, and this is v1\.13\.0/,
        );
        doesNotThrow(() => checkReleases(providers("v1.14.3"), { management: "1.37.2", workload: ["1.31.9"] }));
        throws(() => checkReleases(providers("v1.14.0"), { management: "1.37.2" }), /needs Cluster API v1\.14\.3/);
    });

    it("wants kubeadm's providers in the version of the core, and says all that is wrong at once", () => {
        throws(() => checkReleases(providers("v1.13.6", "v0.14.7", "v1.12.0"), { management: "1.20.0" }), {
            code: "INVALID_INPUT",
            message:
                /does not run on Kubernetes 1\.20\.0.*; bootstrap-kubeadm v1\.12\.0 must have the version of the core, v1\.13\.6/,
        });
    });

    it("reads the contracts of any provider from the labels of its definitions", () => {
        const label = (name: string) => ({
            [`cluster.x-k8s.io/${name}`]: "v1",
            "cluster.x-k8s.io/provider": "infrastructure-any",
        });
        const components = (labels: object) =>
            JSON.stringify({ apiVersion: "v1", kind: "CustomResourceDefinition", metadata: { name: "a", labels } });
        const any = { type: "infrastructure", name: "any", version: "v1.0.0" } as const;
        const check = (labels: object) =>
            checkReleases([providers()[0]!, { ...any, components: components(labels) }], { management: "1.34.4" });
        doesNotThrow(() => check(label("v1beta1")));
        doesNotThrow(() => check({ ...label("v1alpha4"), ...label("v1beta2") }));
        doesNotThrow(() => check({}));
        throws(
            () => check(label("v1beta9")),
            /infrastructure-any v1\.0\.0 has contract v1beta9; Cluster API v1\.13\.6 accepts v1beta2, v1beta1/,
        );
        deepStrictEqual(contractsOf({ ...any, components: components({ ...label("v1beta2"), ...label("v1beta1") }) }), [
            "v1beta1",
            "v1beta2",
        ]);
        deepStrictEqual(contractsOf({ ...any, name: "openstack", version: "v0.14.7" }), ["v1beta1"]);
    });

    it("says until when Cluster API takes a provider that offers an ending contract alone", () => {
        const [note, ...others] = endingContracts(providers());
        ok(/^infrastructure-openstack v0\.14\.7 offers contract v1beta1 alone, .* from 1\.16 on/.test(note!), note);
        deepStrictEqual(others, []);
        deepStrictEqual(endingContracts(providers("v1.13.6", "v0.99.0")), []);
    });

    it("refuses a core without a patch release", () => {
        for (const version of ["v1.14", "1.14"])
            throws(
                () => checkReleases(providers(version), { management: "1.36.0" }),
                /Cluster API v?1\.14 is no full version: write it like "v1\.14\.3"/,
            );
    });

    it("refuses a core that it has no row for, and leaves providers alone that it does not know", () => {
        throws(() => checkReleases(providers("v1.99.0"), { management: "1.34.4" }), /v1\.99\.0 is not known/);
        doesNotThrow(() => checkReleases(providers("v1.13.6", "v9.0.0"), { management: "1.34.4" }));
    });
});

import { doesNotThrow, throws } from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../components/args";
import { refuseOlderDrivers } from "../../../../components/kubernetes-cluster/bundle-drivers";
import type { StorageArgs } from "../../../../components/storage-args";
import type { BundleFile } from "../../../../provider/model";
import { nfsCsiImage } from "../../../../provider/nfs-csi/images";
import { clusterArgs } from "../sample-args";

const bundled = (storage: StorageArgs) =>
    clusterArgs(
        1,
        {},
        {
            kubernetes: { version: "1.34.4", source: { bundle: { path: "./bundle" } } },
            storage,
        },
    ) as KubernetesClusterArgs;
const withNfs: StorageArgs = { storageClasses: { fast: { export: "/exports/data" } } };
const files = (...images: string[]) => images.map(image => ({ kind: "image", image }) as BundleFile);
const former = files(nfsCsiImage("plugin"), nfsCsiImage("provisioner"), nfsCsiImage("nodeDriverRegistrar"));

describe("a bundle with a CSI driver", () => {
    it("of a former release is refused before anything changes, with the images that it lacks and the command", () => {
        throws(
            () => refuseOlderDrivers(bundled(withNfs), former),
            /VERSION_MISMATCH[\s\S]*\.\/bundle was made by another release: for the NFS CSI driver it has no registry\.k8s\.io\/sig-storage\/csi-resizer:v[\d.]+[\s\S]*nfv bundle --kubernetes 1\.34\.4 --add-ons nfs-csi/,
        );
        const other = files("registry.k8s.io/sig-storage/nfsplugin:v4.0.0");
        throws(() => refuseOlderDrivers(bundled(withNfs), other), /has no .*nfsplugin:v4\.13/, "another version of it");
    });

    it("of this release is taken, and so is one without the driver: nodes pull its images", () => {
        doesNotThrow(() => refuseOlderDrivers(bundled(withNfs), [...former, ...files(nfsCsiImage("resizer"))]));
        doesNotThrow(() => refuseOlderDrivers(bundled(withNfs), files(nfsCsiImage("provisioner"))));
    });

    it("does not matter to clusters that have the driver, or its images, from somewhere else", () => {
        for (const nfsCsi of [{ enabled: false }, { imageRepository: "site:5000/k8s" }])
            doesNotThrow(() => refuseOlderDrivers(bundled({ ...withNfs, nfsCsi }), former));
        doesNotThrow(() => refuseOlderDrivers(bundled({}), former), "no class, no driver");
    });
});

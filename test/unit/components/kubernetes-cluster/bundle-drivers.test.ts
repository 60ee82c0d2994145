import { doesNotThrow, throws } from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../components/args";
import type { CinderCsiArgs } from "../../../../components/cloud-provider-args";
import { refuseOlderDrivers } from "../../../../components/kubernetes-cluster/bundle-drivers";
import type { StorageArgs } from "../../../../components/storage-args";
import { defaultRepository } from "../../../../provider/add-on-objects";
import { cloudImage, sidecarImage } from "../../../../provider/cloud-provider/images";
import type { BundleFile } from "../../../../provider/model";
import { nfsCsiImage } from "../../../../provider/nfs-csi/images";
import { snapshotImage } from "../../../../provider/snapshots/images";
import { clusterArgs } from "../sample-args";

const bundled = (storage: StorageArgs) =>
    clusterArgs(
        1,
        {},
        {
            kubernetes: { version: "1.36.3", source: { bundle: { path: "./bundle" } } },
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
            /VERSION_MISMATCH[\s\S]*\.\/bundle was made by another release: for the NFS CSI driver it has no registry\.k8s\.io\/sig-storage\/csi-resizer:v[\d.]+[\s\S]*nfv bundle --kubernetes 1\.36\.3 --add-ons nfs-csi/,
        );
        const other = files("registry.k8s.io/sig-storage/nfsplugin:v4.0.0");
        throws(() => refuseOlderDrivers(bundled(withNfs), other), /has no .*nfsplugin:v4\.13/, "another version of it");
    });

    it("of this release is taken, and so is one without the driver: nodes pull its images", () => {
        doesNotThrow(() => refuseOlderDrivers(bundled(withNfs), [...former, ...files(nfsCsiImage("resizer"))]));
        doesNotThrow(() => refuseOlderDrivers(bundled(withNfs), files(nfsCsiImage("provisioner"))));
    });

    it("needs the images of snapshots where there are snapshot classes, for both drivers", () => {
        const now = [...former, ...files(nfsCsiImage("resizer"))];
        const withClasses = { ...withNfs, snapshotClasses: { snap: {} } };
        throws(
            () => refuseOlderDrivers(bundled(withClasses), now),
            /it has no \S+csi-snapshotter:v[\d.]+, \S+snapshot-controller:v[\d.]+$/m,
        );
        const theirs = { ...bundled(withClasses), snapshotController: { enabled: false } };
        throws(() => refuseOlderDrivers(theirs, now), /it has no \S+csi-snapshotter:v[\d.]+$/m);
        const cinder = ["attacher", "provisioner", "resizer", "nodeDriverRegistrar"] as const;
        const images = [
            ...files(cloudImage(defaultRepository, "cinderCsi", "v1.36.0")),
            ...files(...cinder.map(name => sidecarImage(defaultRepository, name))),
        ];
        const inCloud = (cinderCsi: CinderCsiArgs) => ({ ...bundled({}), cloudProvider: { cinderCsi } });
        doesNotThrow(() => refuseOlderDrivers(inCloud({}), images), "a bundle of a former release serves it without");
        const snapshotClasses = { snap: {} };
        throws(
            () => refuseOlderDrivers(inCloud({ snapshotClasses }), images),
            /for Cinder CSI it has no \S+csi-snapshotter:\S+ \S+snapshot-controller[\s\S]*--add-ons cinder-csi/,
        );
        const snapshots = files(snapshotImage("sidecar"), snapshotImage("controller"));
        doesNotThrow(() => refuseOlderDrivers(inCloud({ snapshotClasses }), [...images, ...snapshots]));
        doesNotThrow(() => refuseOlderDrivers(inCloud({ snapshotClasses, enabled: false }), images));
    });

    it("does not matter to clusters that have the driver, or its images, from somewhere else", () => {
        for (const nfsCsi of [{ enabled: false }, { imageRepository: "site:5000/k8s" }])
            doesNotThrow(() => refuseOlderDrivers(bundled({ ...withNfs, nfsCsi }), former));
        doesNotThrow(() => refuseOlderDrivers(bundled({}), former), "no class, no driver");
    });
});

import { strict as assert } from "node:assert";
import { cinderCsi } from "../../../provider/cloud-provider/cinder-csi";
import { cloudControllerManager } from "../../../provider/cloud-provider/cloud-controller-manager";
import { nfsCsiDriver } from "../../../provider/nfs-csi/driver";
import { snapshotController } from "../../../provider/snapshots/controller";
import { hasDebianPackages } from "../../../tools/debian-packages";
import { addOns } from "../../../tools/oci/add-on-images";
import { skipIf } from "../../support/skip";

describe("the images of the NFS CSI driver", () => {
    it("have the names that its manifests ask for, and their programs at the entry points", async function () {
        skipIf(this, !(await hasDebianPackages()) && "without apt there are no files for them");
        const names = [
            ...["nfsplugin", "csi-provisioner", "csi-resizer", "csi-node-driver-registrar"],
            ...["csi-snapshotter", "snapshot-controller"],
        ];
        const programs = Object.fromEntries(names.map(name => [name, `/p/${name}`]));
        const images = await addOns["nfs-csi"].images(programs, () => {});
        const all = [...nfsCsiDriver({ snapshots: true }), ...snapshotController({})];
        const asked = all.flatMap(each => (each as any).spec?.template?.spec.containers ?? []);
        assert.deepEqual(
            images.map(({ name }) => name).sort(),
            [...new Set(asked.map(({ image }: { image: string }) => image))].sort(),
        );
        for (const { entrypoint, content, roles } of images) {
            assert.match(content.programs![entrypoint![0]!]!, /^\/p\//);
            assert.deepEqual(roles, ["controlPlane", "worker"]);
        }
        const { programs: mounting, links, files } = images[0]!.content;
        const called = ["/usr/bin/mount", "/usr/bin/umount", "/usr/sbin/mount.nfs"];
        for (const program of [...called, "/usr/bin/cp", "/usr/bin/tar", "/usr/bin/gzip"])
            assert.ok(mounting![program], program);
        assert.equal(links!["/usr/sbin/mount.nfs4"], "mount.nfs");
        assert.equal(links!["/usr/bin/sh"], "dash", "tar runs gzip by it");
        assert.ok(files!["/etc/netconfig"] && files!["/usr/lib/x86_64-linux-gnu/libtirpc.so.3"]);
    });
});

describe("the images of OpenStack's own parts", () => {
    const imagesOf = (objects: any[]) =>
        [
            ...new Set(objects.flatMap(each => each.spec?.template?.spec.containers ?? []).map(({ image }) => image)),
        ].sort();
    const common = { clusterId: "core-1a2b3c4d", version: "v1.36.0" };
    const names = [
        ...["openstack-cloud-controller-manager", "cinder-csi-plugin", "csi-provisioner"],
        ...["csi-attacher", "csi-resizer", "csi-node-driver-registrar", "csi-snapshotter", "snapshot-controller"],
    ];
    const programs = Object.fromEntries(names.map(name => [name, `/p/${name}`]));

    before(async function () {
        skipIf(this, !(await hasDebianPackages()) && "without apt there are no files for them");
    });

    it("have the names that the manifests ask for, and no entry point where those name the program", async () => {
        const [manager] = await addOns["cloud-controller-manager"].images(programs, () => {});
        assert.deepEqual([manager!.name], imagesOf(cloudControllerManager(common)));
        assert.equal(manager!.content.programs!["/bin/openstack-cloud-controller-manager"], `/p/${names[0]}`);
        const disks = await addOns["cinder-csi"].images(programs, () => {});
        assert.deepEqual(
            disks.map(({ name }) => name).sort(),
            imagesOf([...cinderCsi({ ...common, snapshots: true }), ...snapshotController({})]),
        );
        for (const { name, entrypoint } of [manager!, ...disks])
            assert.equal(entrypoint === undefined, /controller-manager|cinder-csi-plugin/.test(name), name);
    });

    it("have the public authorities, and what formats, mounts and grows volumes", async () => {
        const [{ content } = assert.fail()] = await addOns["cinder-csi"].images(programs, () => {});
        const tools = [
            "bin/mount",
            "bin/findmnt",
            "sbin/blkid",
            "sbin/mke2fs",
            "sbin/mkfs.xfs",
            "sbin/resize2fs",
            "sbin/xfs_growfs",
        ];
        for (const tool of [...tools, "bin/cinder-csi-plugin"]) assert.ok(content.programs![`/usr/${tool}`], tool);
        assert.equal(content.links!["/usr/sbin/mkfs.ext4"], "mke2fs");
        const authorities = Object.keys(content.files!).filter(file => file.startsWith("/etc/ssl/certs/"));
        assert.ok(authorities.length > 100, `${authorities.length} authorities`);
    });
});

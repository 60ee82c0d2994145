import { strict as assert } from "node:assert";
import { nfsCsiDriver } from "../../../provider/nfs-csi/driver";
import { hasDebianPackages } from "../../../tools/debian-packages";
import { addOns } from "../../../tools/oci/add-on-images";
import { skipIf } from "../../support/skip";

describe("the images of the NFS CSI driver", function () {
    this.timeout(120_000);

    it("have the names that its manifests ask for, and their programs at the entry points", async function () {
        skipIf(this, !(await hasDebianPackages()) && "without apt there are no files for them");
        const programs = { nfsplugin: "/p/nfs", "csi-provisioner": "/p/prov", "csi-node-driver-registrar": "/p/reg" };
        const images = await addOns["nfs-csi"].images(programs, () => {});
        const asked = nfsCsiDriver({}).flatMap(each => (each as any).spec?.template?.spec.containers ?? []);
        assert.deepEqual(
            images.map(({ name }) => name).sort(),
            [...new Set(asked.map(({ image }: { image: string }) => image))].sort(),
        );
        for (const { entrypoint, content, roles } of images) {
            assert.match(content.programs![entrypoint![0]!]!, /^\/p\//);
            assert.deepEqual(roles, ["controlPlane", "worker"]);
        }
        const { programs: mounting, links, files } = images[0]!.content;
        for (const program of ["/usr/bin/mount", "/usr/bin/umount", "/usr/sbin/mount.nfs"])
            assert.ok(mounting![program]);
        assert.equal(links!["/usr/sbin/mount.nfs4"], "mount.nfs");
        assert.ok(files!["/etc/netconfig"] && files!["/usr/lib/x86_64-linux-gnu/libtirpc.so.3"]);
    });
});

import { defaultRepository } from "../../provider/add-on-objects";
import { cloudImage, sidecarImage } from "../../provider/cloud-provider/images";
import type { Role } from "../../provider/model";
import { nfsCsiImage } from "../../provider/nfs-csi/images";
import { snapshotImage } from "../../provider/snapshots/images";
import type { Progress } from "../progress";
import { type ToolName, versions } from "../versions";
import { authorityContent, authorityFiles, diskContent, diskFiles, nfsContent, nfsFiles } from "./debian-files";
import type { BundleImage } from "./images";

/** What a bundle can have besides Kubernetes. */
interface AddOn {
    /** Where its programs come from; the first has its version. */
    tools: [ToolName, ...ToolName[]];
    /** Each release belongs to a minor version of Kubernetes. */
    followsKubernetes?: boolean;
    images(programs: Record<string, string>, progress: Progress): Promise<BundleImage[]>;
}

const everywhere: Role[] = ["controlPlane", "worker"];

/** An image with nothing but one program, as upstream's sidecars are. */
const sidecar = (name: string, program: string, programs: Record<string, string>): BundleImage => ({
    name,
    content: { programs: { [`/${program}`]: programs[program] } },
    entrypoint: [`/${program}`],
    roles: everywhere,
});

/** The controller belongs to no driver: clusters that have one for snapshots need it. */
const snapshotImages = (programs: Record<string, string>): BundleImage[] => [
    sidecar(snapshotImage("sidecar"), "csi-snapshotter", programs),
    sidecar(snapshotImage("controller"), "snapshot-controller", programs),
];

const cloudImageOf = (image: "cloudControllerManager" | "cinderCsi") =>
    cloudImage(defaultRepository, image, `v${versions["add-ons"]}`);

const table = {
    "nfs-csi": {
        tools: ["add-ons", "csi-resizer", "external-snapshotter"],
        images: async (programs, progress) => {
            const nfs = await nfsContent(await nfsFiles(progress));
            return [
                {
                    name: nfsCsiImage("plugin"),
                    content: { ...nfs, programs: { ...nfs.programs, "/nfsplugin": programs.nfsplugin } },
                    entrypoint: ["/nfsplugin"],
                    roles: everywhere,
                },
                sidecar(nfsCsiImage("provisioner"), "csi-provisioner", programs),
                sidecar(nfsCsiImage("resizer"), "csi-resizer", programs),
                sidecar(nfsCsiImage("nodeDriverRegistrar"), "csi-node-driver-registrar", programs),
                ...snapshotImages(programs),
            ];
        },
    },
    "cloud-controller-manager": {
        tools: ["add-ons"],
        followsKubernetes: true,
        images: async (programs, progress) => {
            const { files } = await authorityContent(await authorityFiles(progress));
            const program = "openstack-cloud-controller-manager";
            // no entry point, as upstream's: the manifests name the program
            const content = { programs: { [`/bin/${program}`]: programs[program] }, files };
            return [{ name: cloudImageOf("cloudControllerManager"), content, roles: ["controlPlane"] }];
        },
    },
    "cinder-csi": {
        tools: ["add-ons", "csi-attacher", "csi-resizer", "external-snapshotter"],
        followsKubernetes: true,
        images: async (programs, progress) => {
            const disks = await diskContent(await diskFiles(progress));
            const authorities = await authorityContent(await authorityFiles(progress));
            const content = {
                ...disks,
                // "/bin" is a link in this image
                programs: { ...disks.programs, "/usr/bin/cinder-csi-plugin": programs["cinder-csi-plugin"] },
                files: { ...disks.files, ...authorities.files },
            };
            return [
                { name: cloudImageOf("cinderCsi"), content, roles: everywhere },
                sidecar(sidecarImage(defaultRepository, "attacher"), "csi-attacher", programs),
                sidecar(sidecarImage(defaultRepository, "provisioner"), "csi-provisioner", programs),
                sidecar(sidecarImage(defaultRepository, "resizer"), "csi-resizer", programs),
                sidecar(sidecarImage(defaultRepository, "nodeDriverRegistrar"), "csi-node-driver-registrar", programs),
                ...snapshotImages(programs),
            ];
        },
    },
} satisfies Record<string, AddOn>;

export type AddOnName = keyof typeof table;
export const addOns: Record<AddOnName, AddOn> = table;
export const addOnNames = Object.keys(addOns) as AddOnName[];

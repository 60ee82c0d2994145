import { cloudImage, sidecarImage } from "../../provider/cloud-provider/images";
import { componentsPath } from "../../provider/cluster-api/bundle-components";
import { managerImage, type managerImages } from "../../provider/cluster-api/images";
import { defaultRepository } from "../../provider/common/add-on-objects";
import type { Role } from "../../provider/common/model";
import { nfsCsiImage } from "../../provider/nfs-csi/images";
import { snapshotImage } from "../../provider/snapshots/images";
import { componentsOf, ownProviders } from "../cluster-api/components";
import { openstackComponents } from "../cluster-api/openstack";
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
    /** Programs that the nodes themselves run, with their versions. */
    runtime?: Record<string, string>;
    /** Manifests that upstream publishes with its images. Raise `recipe` when they are made differently: cached bundles are then made again. */
    manifests?: { recipe: number; make(parts: ManifestParts): Promise<AddOnManifest[]> };
}

export interface ManifestParts {
    /** Files and folders of the add-on's tools. */
    files: Record<string, string>;
    /** Path of kubectl. */
    kubectl: string;
}

export interface AddOnManifest {
    /** Path in the bundle. */
    path: string;
    /** With "v". */
    version: string;
    text: string;
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

/** An image of one of Cluster API's managers. */
const managerOf = (image: keyof typeof managerImages, version: string, program: string): BundleImage => ({
    name: managerImage(image, `v${version}`),
    content: { programs: { "/manager": program }, folders: ["/tmp"] },
    entrypoint: ["/manager"],
    roles: everywhere,
});

const cloudImageOf = (image: "cloudControllerManager" | "cinderCsi") =>
    cloudImage(defaultRepository, image, `v${versions["add-ons"]}`);

const table = {
    "container-runtime": {
        tools: ["containerd", "runc"],
        images: async () => [],
        runtime: {
            containerd: versions.containerd,
            "containerd-shim-runc-v2": versions.containerd,
            ctr: versions.containerd,
            runc: versions.runc,
        },
    },
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
    "cluster-api": {
        tools: ["cluster-api"],
        images: async programs => [
            managerOf("core", versions["cluster-api"], programs["cluster-api-controller"]),
            managerOf("bootstrap", versions["cluster-api"], programs["kubeadm-bootstrap-controller"]),
            managerOf("controlPlane", versions["cluster-api"], programs["kubeadm-control-plane-controller"]),
        ],
        manifests: {
            recipe: 1,
            make: ({ files, kubectl }) =>
                Promise.all(
                    (["core", "bootstrap", "controlPlane"] as const).map(async type => {
                        const { name, folder } = ownProviders[type];
                        const version = `v${versions["cluster-api"]}`;
                        const text = await componentsOf(type, version, files[folder], kubectl);
                        return { path: componentsPath({ type, name }), version, text };
                    }),
                ),
        },
    },
    "cluster-api-openstack": {
        tools: ["cluster-api-openstack"],
        images: async (programs, progress) => {
            const image = managerOf(
                "openstack",
                versions["cluster-api-openstack"],
                programs["cluster-api-provider-openstack"],
            );
            const { files } = await authorityContent(await authorityFiles(progress));
            return [{ ...image, content: { ...image.content, files } }];
        },
        manifests: {
            recipe: 1,
            make: async ({ files, kubectl }) => {
                const version = `v${versions["cluster-api-openstack"]}`;
                const folders = {
                    config: files["openstack-config"],
                    resourceConfig: files["openstack-resource-config"],
                };
                const text = await openstackComponents(version, folders, kubectl);
                return [{ path: componentsPath({ type: "infrastructure", name: "openstack" }), version, text }];
            },
        },
    },
} satisfies Record<string, AddOn>;

export type AddOnName = keyof typeof table;
export const addOns: Record<AddOnName, AddOn> = table;
export const addOnNames = Object.keys(addOns) as AddOnName[];

import type { Role } from "../../provider/model";
import { nfsCsiImage } from "../../provider/nfs-csi/images";
import type { Progress } from "../progress";
import type { ToolName } from "../versions";
import { nfsContent, nfsFiles } from "./debian-files";
import type { BundleImage } from "./images";

/** What a bundle can have besides Kubernetes. */
interface AddOn {
    /** Where its programs come from. */
    tool: ToolName;
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

export const addOns = {
    "nfs-csi": {
        tool: "add-ons",
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
                sidecar(nfsCsiImage("nodeDriverRegistrar"), "csi-node-driver-registrar", programs),
            ];
        },
    },
} satisfies Record<string, AddOn>;

export type AddOnName = keyof typeof addOns;
export const addOnNames = Object.keys(addOns) as AddOnName[];

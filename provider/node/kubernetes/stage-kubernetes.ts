import { join } from "node:path";
import type { BundleFile, HostSpec } from "../../common/model";
import { errorsFor } from "../../shell/exit-codes";
import { stateFolder, versionFolder } from "../../shell/folders";
import { sh, usualPath } from "../../shell/script";
import { script } from "../../shell/script-file";
import type { Query } from "../../steps/query";
import { step } from "../../steps/step";
import type { StepBody, StepUpload } from "../../steps/types";
import { systemArgv } from "../system-facts";
import { observeVersions } from "./kubernetes-packages";

const imageFolder = `${stateFolder}/images`;

/** The bundle's files of these kinds for this role. */
export function bundleFiles(spec: HostSpec, ...kinds: BundleFile["kind"][]): BundleFile[] {
    const files = spec.source.bundle?.files ?? [];
    return files.filter(file => kinds.includes(file.kind) && file.roles.includes(spec.role));
}

function upload(spec: HostSpec, file: BundleFile, path: string, mode: number): StepUpload {
    const { sha256, sizeBytes } = file;
    return { localPath: join(spec.source.bundle!.path, file.path), path, sha256, sizeBytes, mode };
}

/** Name of a bundle's file on the node: "kubelet". */
export const nameIn = ({ path }: Pick<BundleFile, "path">) => path.slice(path.lastIndexOf("/") + 1);

/** Uploads of the bundle's programs of a kind into a folder, with a probe that compares their sums. */
export function stagedIn(folder: string, spec: HostSpec, kind: BundleFile["kind"]) {
    return verified(bundleFiles(spec, kind).map(file => upload(spec, file, `${folder}/${nameIn(file)}`, 0o755)));
}

/** The folder distinguishes archives with the same name; the name is for people. */
function archivePath(file: BundleFile): string {
    return `${imageFolder}/${file.sha256}/${nameIn(file)}`;
}

/** Uploads, with a probe that compares their checksums by `sha256sum -c`: matching files are not uploaded again. */
function verified(uploads: StepUpload[]): Pick<StepBody, "uploads" | "env" | "probe"> {
    return {
        uploads,
        env: { SUMS: uploads.map(({ sha256, path }) => `${sha256}  ${path}`).join("\n") },
        probe: sh`
            printf '%s\\n' "$SUMS" | sha256sum -c --status 2>/dev/null
        `,
    };
}

/** Copies the bundle's binaries into a folder for their version. No effect until the node switches to that version. */
export const stageBinaries = step<HostSpec>({ id: "host.kubernetes-binaries", title: "stage Kubernetes binaries" })(
    spec => {
        if (bundleFiles(spec, "binary").length === 0) return undefined;
        return {
            revision: 1,
            ...stagedIn(versionFolder(spec.kubernetesVersion), spec, "binary"),
            timeoutSeconds: 1800,
        };
    },
);

/** Copies the bundle's network plugins; replaces nothing that is in use. */
export const stageCniPlugins = step<HostSpec>({
    id: "host.cni-plugins",
    title: "stage network plugins",
    otherTitles: ["link network plugins"],
})(spec => {
    if (bundleFiles(spec, "cni").length === 0) {
        return {
            title: "link network plugins",
            revision: 1,
            run: script("node/kubernetes/link-cni-plugins.sh"),
            observe: { script: script("node/kubernetes/observe-cni-plugins.sh") },
            timeoutSeconds: 20,
        };
    }
    return {
        revision: 1,
        ...stagedIn("/opt/cni/bin", spec, "cni"),
        run: script("node/kubernetes/note-plugins.sh"),
        timeoutSeconds: 300,
    };
});

/**
 * Imports the bundle's images into containerd. An archive is deleted after its import; a mark records which one it was.
 */
export const stageImages = step<HostSpec>({
    id: "host.images",
    title: "stage container images",
    notCompared: "kubelet itself removes images that nothing uses",
})(spec => {
    if (spec.source.bundle?.registry) return undefined;
    const files = bundleFiles(spec, "image");
    if (files.length === 0) return undefined;
    return {
        revision: 1,
        uploads: files.map(file => upload(spec, file, archivePath(file), 0o600)),
        env: { IMAGES: files.map(file => `${file.sha256} ${archivePath(file)} ${file.image ?? ""}`).join("\n") },
        probe: script("node/kubernetes/images-staged.sh", { IMAGE_FOLDER: imageFolder }),
        run: script("node/kubernetes/stage-images.sh", { IMAGE_FOLDER: imageFolder }),
        timeoutSeconds: 1800,
    };
});

/** Asks a new machine for the version of its image's programs. Undefined: they come from elsewhere. */
export function imageLook({
    kubernetesVersion,
    source,
}: Pick<HostSpec, "kubernetesVersion" | "source">): Query | undefined {
    if (!source.image) return undefined;
    return {
        step: "look at the image's Kubernetes version",
        script: `${usualPath}\n${script("node/kubernetes/verify-image-versions.sh")}`,
        argv: systemArgv,
        env: { VERSION: kubernetesVersion },
        errors: errorsFor("VERSION_MISMATCH"),
        timeoutSeconds: 10,
    };
}

/** For a server image with Kubernetes: installs nothing, but fails if the version is not the wanted one. */
export const verifyImageVersions = step<HostSpec>({
    id: "host.kubernetes-versions",
    title: "check the image's Kubernetes version",
})(spec => {
    if (!spec.source.image) return undefined;
    return {
        revision: 1,
        env: { VERSION: spec.kubernetesVersion },
        run: script("node/kubernetes/verify-image-versions.sh"),
        observe: { script: observeVersions },
        errors: errorsFor("VERSION_MISMATCH"),
        timeoutSeconds: 60,
    };
});

import { createHash } from "node:crypto";
import type { HostSpec } from "../common/model";
import { configureKeepalived } from "../endpoint/configure-load-balancer";
import { replacedFiles } from "../node/keep-originals";
import { installKubeletService, kubeletFiles } from "../node/kubernetes/install-kubelet-service";
import { configureContainerRuntime, containerdConfigFile } from "../node/runtime/configure-container-runtime";
import { hostSteps } from "./host-steps";

/** A file of others that one of our steps replaces as a whole. */
interface WrittenFile {
    path: string;
    /** Id of the step. */
    step: string;
    /** Checksum of the content; "template" if the machine makes the content from a template there. */
    sum: string;
}

/** Files that the machine itself makes of a template; it keeps a copy, or the template, under the same name in its state folder. */
const madeThere: Record<string, string> = {
    [configureKeepalived.row.id]: "/etc/keepalived/keepalived.conf",
    [configureContainerRuntime.row.id]: containerdConfigFile,
};

/** The files that the steps of this host replace, with their new content. Pure. */
export function writtenFiles(spec: HostSpec): WrittenFile[] {
    return hostSteps.flatMap(factory => {
        const body = factory(spec);
        if (body === undefined) return [];
        const { id: step, files = [] } = body;
        const made = step === installKubeletService.row.id ? kubeletFiles(spec) : files;
        return [
            ...made
                .filter(({ path }) => replacedFiles.includes(path))
                .map(({ path, content }) => ({ path, step, sum: createHash("sha256").update(content).digest("hex") })),
            ...(madeThere[step] === undefined ? [] : [{ path: madeThere[step], step, sum: "template" }]),
        ];
    });
}

/** One file per line: "STEP SUM PATH". */
export function writtenText(files: readonly WrittenFile[]): string {
    return files.map(({ step, sum, path }) => `${step} ${sum} ${path}`).join("\n");
}

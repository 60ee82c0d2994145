import { existsSync, type Stats, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { NfvError } from "../provider/common/errors";

export const sourceNames = ["installed", "mirror", "download", "modules"] as const;
export type SourceName = (typeof sourceNames)[number];

/** Sources of tools, in this order. PULUMI_NFV_SOURCES=mirror,modules leaves the others out. */
export function enabledSources(text: string | undefined = process.env.PULUMI_NFV_SOURCES): SourceName[] {
    if (!text) {
        return [...sourceNames];
    }
    const asked = text.split(",").map(name => name.trim());
    if (asked.includes("")) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `PULUMI_NFV_SOURCES is "${text}": a name is empty; known are ${sourceNames.join(", ")}`,
        });
    }
    const unknown = asked.filter(name => !sourceNames.includes(name as SourceName));
    if (unknown.length > 0) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `PULUMI_NFV_SOURCES names ${unknown.join(", ")}; known are ${sourceNames.join(", ")}`,
        });
    }
    return sourceNames.filter(name => asked.includes(name));
}

const trustVariable = "PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS";

/** Hint in the error for a refused file. */
export const trustHint = `${trustVariable}=yes takes the sum that the same server publishes, over TLS`;

/** Whether to trust the server's own checksums for files that our table does not contain. */
export function trustsUnpinnedDownloads(text: string | undefined = process.env[trustVariable]): boolean {
    if (!text || text === "no") {
        return false;
    }
    if (text !== "yes") {
        throw new NfvError({ code: "INVALID_INPUT", cause: `${trustVariable} is "${text}"; known are yes and no` });
    }
    return true;
}

/** The folder with our package.json, found from the sources as well as from dist/. */
export function packageRoot(from: string = __dirname): string {
    for (let folder = from; ; folder = dirname(folder)) {
        if (existsSync(join(folder, "package.json"))) {
            return folder;
        }
        if (folder === dirname(folder)) {
            throw new Error(`no package.json above ${from}`);
        }
    }
}

/** The mirror folder: PULUMI_NFV_MIRROR, else `mirror` in the checkout, else `shared/mirror` beside it. */
export function mirrorFolder(root: string = packageRoot()): string | undefined {
    const given = process.env.PULUMI_NFV_MIRROR;
    if (given) {
        const what = statSync(given, { throwIfNoEntry: false });
        if (!what?.isDirectory()) {
            const wrong = what === undefined ? `there is no folder ${given}` : `${given} is not a folder`;
            throw new NfvError({ code: "INVALID_INPUT", cause: `PULUMI_NFV_MIRROR: ${wrong}` });
        }
        return resolve(given);
    }
    return unnamedMirrors(root).find(({ refusal }) => refusal === undefined)?.folder;
}

/** In words, which folder is not taken for the mirror although it lies in the place of one; undefined: none. */
export function ignoredMirror(root: string = packageRoot()): string | undefined {
    if (process.env.PULUMI_NFV_MIRROR) return undefined;
    const [first] = unnamedMirrors(root);
    return first?.refusal && `${first.folder} is not taken: ${first.refusal}`;
}

/** Nobody has named these folders, and programs from them are run: whoever can write there would decide what runs. */
function unnamedMirrors(root: string): { folder: string; refusal: string | undefined }[] {
    const isCheckout = [".git", "dev"].some(name => existsSync(join(root, name)));
    return [join(root, "mirror"), join(dirname(root), "shared", "mirror")].flatMap(folder => {
        const found = existsSync(folder) ? statSync(folder) : undefined;
        if (!found?.isDirectory()) return [];
        const refusal = isCheckout ? whyNotOurs(found) : "this package is installed, no checkout";
        return { folder, refusal };
    });
}

function whyNotOurs({ uid, mode }: Stats): string | undefined {
    const user = process.geteuid?.() ?? 0;
    if (uid !== user && uid !== 0) return `it belongs to user ${uid}, not to user ${user} or root`;
    return (mode & 0o022) === 0 ? undefined : "others than its owner may write there";
}

/**
 * Replacement for the upstream hosts: PULUMI_NFV_DOWNLOAD_BASE, a server that has https://HOST/PATH as BASE/HOST/PATH, as proxies for
 * release files do.
 */
export function downloadUrl(place: string): URL {
    const base = process.env.PULUMI_NFV_DOWNLOAD_BASE;
    if (!base) return new URL(`https://${place}`);
    if (!/^https?:/i.test(base) || !URL.canParse(base)) {
        const withoutLogin = base.replace(/^.*@/, "");
        const cause = `PULUMI_NFV_DOWNLOAD_BASE: "${withoutLogin}" is not an address that begins with https: or http:`;
        throw new NfvError({ code: "INVALID_INPUT", cause });
    }
    return new URL(`${base.replace(/\/+$/, "")}/${place}`);
}

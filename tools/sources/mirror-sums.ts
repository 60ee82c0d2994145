import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { whyUnreadable } from "../../provider/common/given-file";
import { NotHere } from "../found";
import { rebuiltSums } from "../known-sums";
import { namedSum } from "../sums";
import type { Release, Tool } from "../versions";

/** The sum that a file of a mirror folder must have. */
export interface Vouched {
    release: Release;
    sum: string;
    /** Who says so, for people. */
    by: string;
    /** It is an archive of our table of rebuilt ones. */
    isRebuilt: boolean;
}

export interface Vouchers {
    vouched: Vouched[];
    /** Files that no sum vouches for. */
    without: string[];
}

/** What vouches for a tool's files. SHA256SUMS is read once, so that the name of the entry and the comparison are by the same sums. */
export async function vouchers(folder: string | undefined, { releases }: Tool): Promise<Vouchers> {
    const text = folder === undefined ? "" : await ownSums(folder);
    const all = releases.map(release => ({ file: release.file, voucher: vouchedBy(text, release) }));
    return {
        vouched: all.flatMap(({ voucher }) => voucher ?? []),
        without: all.flatMap(({ file, voucher }) => (voucher === undefined ? file : [])),
    };
}

/** Whoever lists a file in SHA256SUMS wants that file and no other, even if our tables know another one. Pure. */
function vouchedBy(text: string, release: Release): Vouched | undefined {
    const rebuilt = rebuiltSums[release.file];
    const own = namedSum(text, release.file);
    const sum = own ?? release.sha256 ?? rebuilt;
    if (sum === undefined) return undefined;
    const isRebuilt = sum === rebuilt;
    const table = isRebuilt ? "rebuilt archives" : "official sums";
    const by = isRebuilt || sum === release.sha256 ? `our table of ${table}` : "its SHA256SUMS";
    return { release, sum, by, isRebuilt };
}

async function ownSums(folder: string): Promise<string> {
    const path = join(folder, "SHA256SUMS");
    return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return "";
        throw unreadable(path, error);
    });
}

/** A file of the folder that is there and cannot be read: this source is of no use, another may be. */
export function unreadable(path: string, error: unknown): NotHere {
    return new NotHere(`refused: ${whyUnreadable(path, error)}`);
}

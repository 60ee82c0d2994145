import { posix } from "node:path";

/** Whether a path is this folder, or lies in it. Both are absolute; doubled and trailing slashes do not count. */
export function isWithin(path: string, folder: string): boolean {
    const below = posix.relative(posix.normalize(folder), posix.normalize(path));
    return below !== ".." && !below.startsWith("../");
}

/** Whether somebody who mounts the one folder sees the other: NFS 4 lets a client mount a folder above an export, and walk down into it. */
export function overlap(one: string, other: string): boolean {
    return isWithin(one, other) || isWithin(other, one);
}

/** A folder within its volume, as scripts read it: "/team/data/" is "team/data". */
export function withinVolume(folder: string): string {
    return folder.replace(/^\/+|\/+$/g, "");
}

/** Whether a path is an export, or lies in one. */
export function isServed(path: string, exports: readonly string[]): boolean {
    return exports.some(each => isWithin(path, each));
}

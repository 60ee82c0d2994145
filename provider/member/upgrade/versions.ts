import { minorOf } from "../../kubernetes/releases";

/** What a change of the version of a cluster is. */
export type Move =
    /** The same version. */
    | "none"
    /** A later patch of the same minor. */
    | "patch"
    /** The next minor. */
    | "minor"
    /** An earlier patch of the same minor: only the way back from an upgrade that is not finished. */
    | "back"
    /** More than one minor forward. */
    | "jump"
    /** To an earlier minor. */
    | "downgrade";

/** "1.36.3" → [1, 36, 3, 0]. What is behind a hyphen counts as before the version without it. */
function numbersOf(version: string): [number, number, number, number] {
    const [numbers = "", ...rest] = version.replace(/^v/, "").split("-");
    const [major = 0, minor = 0, patch = 0] = numbers.split(".").map(Number);
    return [major, minor, patch, rest.length > 0 ? 0 : 1];
}

/** Pure. */
export function moveBetween(from: string, to: string): Move {
    if (from === to) return "none";
    const [before, after] = [numbersOf(from), numbersOf(to)];
    if (before[0] !== after[0]) return before[0] < after[0] ? "jump" : "downgrade";
    if (before[1] === after[1]) {
        return before[2] < after[2] || (before[2] === after[2] && before[3] <= after[3]) ? "patch" : "back";
    }
    if (after[1] < before[1]) return "downgrade";
    return after[1] === before[1] + 1 ? "minor" : "jump";
}

/** kubelet may be so many minors older than the API server. */
const kubeletSkew = 3;

export const isTooOldFor = (kubelet: string, server: string): boolean =>
    minorOf(kubelet) < minorOf(server) - kubeletSkew;

/** Why the move is not made, whatever the cluster says; undefined: it may be. Pure. */
export function refusalOf(from: string, to: string): { cause: string; hint: string } | undefined {
    const back = `Set kubernetes.version back to ${from}.`;
    const [major, minor] = numbersOf(from);
    switch (moveBetween(from, to)) {
        case "jump":
            return {
                cause: `kubernetes.version: from ${from} to ${to} skips a minor version, which kubeadm cannot do; nothing was touched`,
                hint: `Go minor by minor: first a version ${major}.${minor + 1}.x with pulumi up, then the next one; or all in one command: npx nfv upgrade ${to} --through ${major}.${minor + 1}.PATCH (docs/upgrade.md#over-several-minor-versions). ${back}`,
            };
        case "downgrade":
            return {
                cause: `kubernetes.version: from ${from} back to ${to} is an earlier minor version, which etcd and kubeadm do not support; nothing was touched`,
                hint: `${back} The data from before an upgrade is on the control-plane nodes: docs/upgrade.md#the-way-back`,
            };
        default:
            return undefined;
    }
}

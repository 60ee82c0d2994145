import { NfvError } from "../../common/errors";

/**
 * Why machines of the control plane with these versions cannot be replaced by ones of another version; undefined: they can. kubeadm goes to the next
 * minor version at most, and never back. Pools may be older than the control plane. `version`: the wanted one; "" if the program does not say. Pure.
 */
export function versionProblem(cluster: string, existing: readonly string[], version: string): NfvError | undefined {
    const wanted = parse(version);
    const there = existing.flatMap(version => parse(version) ?? []).sort(compare);
    const [lowest, highest] = [there[0], there.at(-1)];
    if (wanted === undefined || lowest === undefined || highest === undefined) return undefined;
    const isBack = compare(wanted, lowest) < 0 || wanted.minor < highest.minor;
    if (!isBack && wanted.minor <= lowest.minor + 1) return undefined;
    const from = textOf(isBack ? highest : lowest);
    return new NfvError({
        code: "INVALID_INPUT",
        node: `workload cluster "${cluster}"`,
        cause: isBack
            ? `version: its control plane has ${from}, and cannot go back to ${textOf(wanted)}`
            : `version: its control plane has ${from}, and cannot go to ${textOf(wanted)} at once`,
        hint: isBack
            ? "Give the version that it has, or a newer one."
            : `One minor version after the other: first to 1.${lowest.minor + 1}.`,
    });
}

interface Version {
    minor: number;
    patch: number;
}

function parse(version: string): Version | undefined {
    const [, minor, patch] = /^v?1\.(\d+)\.(\d+)/.exec(version) ?? [];
    return minor === undefined ? undefined : { minor: Number(minor), patch: Number(patch) };
}

const compare = (a: Version, b: Version) => a.minor - b.minor || a.patch - b.patch;
const textOf = ({ minor, patch }: Version) => `1.${minor}.${patch}`;

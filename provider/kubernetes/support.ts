import { type KubernetesRelease, kubernetesReleases, minorOf, releaseOf } from "./releases";

/** Whether upstream supports a version on a day, by our table: no network is asked. */
export type Support =
    | { state: "supported"; end: string }
    /** In so many days; 0: today. */
    | { state: "ending"; end: string; days: number }
    /** The last one that has ended: clusters that exist may have it, and get it on their way to a newer one. */
    | { state: "ended"; end: string }
    | { state: "too old"; end?: string }
    /** Newer than the table. */
    | { state: "unknown" };

/** From so many days before its end on, a version counts as ending. */
const noticeDays = 60;

const dayOf = (time: number) => Math.floor(time / 86_400_000);

/** Days that are left; negative: it has ended. */
const daysLeft = ({ end }: KubernetesRelease, today: Date) => dayOf(Date.parse(end)) - dayOf(today.getTime());

const supportedOn = (today: Date) => kubernetesReleases.filter(row => daysLeft(row, today) >= 0);

/** The minors that upstream supports on a day: "1.36". */
export const supportedMinors = (today: Date): string[] => supportedOn(today).map(({ minor }) => minor);

export function supportOf(version: string, today: Date): Support {
    const row = releaseOf(version);
    if (row === undefined)
        return { state: minorOf(version) < minorOf(kubernetesReleases[0]!.minor) ? "too old" : "unknown" };
    const { end } = row;
    const days = daysLeft(row, today);
    if (days >= 0) return days > noticeDays ? { state: "supported", end } : { state: "ending", end, days };
    const lastEnded = kubernetesReleases.filter(each => daysLeft(each, today) < 0).at(-1);
    return row === lastEnded ? { state: "ended", end } : { state: "too old", end };
}

/** "ends in 41 days". */
export function stateText(support: Support): string {
    switch (support.state) {
        case "ending":
            return support.days === 0 ? "ends today" : `ends in ${support.days} days`;
        case "too old":
            return "ended, too old";
        default:
            return support.state;
    }
}

export interface VersionQuestion {
    /** Of the cluster by its state. Undefined: it does not exist yet. */
    from?: string | undefined;
    to: string;
    /** The program says `allowUnsupportedVersion: true`. */
    allowed?: boolean | undefined;
    /** Place of the version's input and of its neighbours: "kubernetes." @default "" */
    place?: string;
}

/**
 * Why a cluster must not get this version; undefined: it may. A cluster that exists is never refused for the minor that it has: it must be healed, scaled and
 * patched whatever the day. Nor is the pinned minor. A way back is judged by others. Pure.
 */
export function versionRefusal({ from, to, allowed, place = "" }: VersionQuestion, today: Date): string | undefined {
    if (allowed || releaseOf(to)?.pinned || (from !== undefined && minorOf(to) <= minorOf(from))) return undefined;
    const support = supportOf(to, today);
    const why = whyRefused(support, from === undefined);
    if (why === undefined) return undefined;
    const isReached = (minor: string) => from === undefined || [0, 1].includes(minorOf(minor) - minorOf(from));
    const minors = supportedMinors(today).filter(isReached);
    const release = "a later release of this package";
    const ways = [
        ...(support.state === "unknown" ? [`${release} that knows it`] : []),
        ...(minors.length > 0 ? [`one of ${minors.join(", ")} (nfv versions)`] : []),
    ];
    if (ways.length === 0 && from === undefined) ways.push(release);
    const take = ways.length === 0 ? "If" : `Take ${ways.join(", or ")}; if`;
    return `${place}version: ${to} ${why}. ${take} it must be this one, set ${place}allowUnsupportedVersion: true. Nothing was touched`;
}

/** Why a version is refused for its support; undefined: it is not. */
export function whyRefused(support: Support, isNew: boolean): string | undefined {
    switch (support.state) {
        case "unknown":
            return `is newer than what this package knows, which ends with ${kubernetesReleases.at(-1)!.minor}`;
        case "too old":
            return `is too old: ${support.end === undefined ? "this package does not know it" : `upstream's support ended on ${support.end}`}`;
        case "ended":
            return isNew ? `has ended: upstream's support ended on ${support.end}, and the cluster is new` : undefined;
        default:
            return undefined;
    }
}

/** What preview says of the version that a program has; undefined: nothing. Pure. */
export function supportWarning(version: string, today: Date): string | undefined {
    const support = supportOf(version, today);
    const next = supportedOn(today).find(({ minor }) => minorOf(minor) > minorOf(version));
    const advice = next === undefined ? "" : `. Upgrade towards ${next.minor}: docs/upgrade.md`;
    switch (support.state) {
        case "supported":
            return undefined;
        case "ending":
            return `upstream's support of Kubernetes ${version} ends on ${support.end}, ${support.days === 0 ? "today" : `in ${support.days} days`}${advice}`;
        case "unknown":
            return `Kubernetes ${version} is newer than what this package knows, which ends with ${kubernetesReleases.at(-1)!.minor}`;
        default: {
            const since = support.end === undefined ? "" : ` on ${support.end}`;
            return `upstream's support of Kubernetes ${version} ended${since}: nobody mends it any more, also where it is unsafe${advice}`;
        }
    }
}

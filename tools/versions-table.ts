import { clusterApiReleases } from "../provider/cluster-api/releases";
import { cloudProviderFor, type KubernetesRelease, kubernetesReleases, minorOf } from "../provider/kubernetes/releases";
import { stateText, supportOf } from "../provider/kubernetes/support";
import { versions } from "./versions";

const heads = ["Kubernetes", "upstream until", "etcd", "containerd", "cloud provider", "Cluster API from"];

const newestFirst = [...kubernetesReleases].reverse();
const changes = newestFirst.flatMap(({ minor, trouble }) => trouble.map(text => [minor, text]));

/** The newest cloud provider that a cluster takes by itself. */
function cloudOf(minor: string): { version: string; behind: number } | undefined {
    const cloud = cloudProviderFor(minor);
    return cloud === undefined || cloud.behind > 1 ? undefined : cloud;
}

const isPinned = (minor: string) => minor === minorText(versions.kubernetes);

/** What goes with a minor. */
function cellsOf({ minor, end, etcd, containerd }: KubernetesRelease): string[] {
    const cloud = cloudOf(minor);
    return [
        isPinned(minor) ? `${minor} (pinned: ${versions.kubernetes})` : minor,
        end,
        etcd,
        `${containerd} or later`,
        cloud === undefined ? "none" : `${cloud.version}${cloud.behind > 0 ? " (one behind)" : ""}`,
        clusterApiFor(minor).join(", ") || "none",
    ];
}

const minorText = (version: string) => `1.${minorOf(version)}`;

/** Releases of Cluster API that run on it, with the first patch that does. */
const clusterApiFor = (minor: string) =>
    Object.entries(clusterApiReleases).flatMap(([release, { management }]) => {
        const since = management[minor];
        if (since === undefined) return [];
        return since === 0 ? release : `${release}.${since}`;
    });

/** `nfv versions`. Pure. */
export function versionsText(today: Date): string {
    const lines = [
        [...heads.slice(0, 2), "today", ...heads.slice(2)],
        ...newestFirst.map(release => {
            const [minor = "", end = "", ...rest] = cellsOf(release);
            return [minor, end, stateText(supportOf(release.minor, today)), ...rest];
        }),
    ];
    const widths = lines[0]!.map((_, i) => Math.max(...lines.map(line => line[i]!.length)));
    const table = lines.map(line =>
        line
            .map((cell, i) => cell.padEnd(widths[i]!))
            .join("  ")
            .trimEnd(),
    );
    return [...table, "", ...changes.map(([minor, text]) => `${minor}: ${text}`)].join("\n");
}

/** `nfv versions --json`. Pure. */
export function versionsJson(today: Date): string {
    const releases = newestFirst.map(({ minor, end, etcd, containerd, kubeadm }) => {
        const support = supportOf(minor, today);
        const cloud = cloudOf(minor);
        return {
            ...{ minor, end, state: support.state, pinned: isPinned(minor), etcd, containerd, kubeadm },
            ...(support.state === "ending" && { daysLeft: support.days }),
            ...(cloud && { cloudProvider: { version: cloud.version, minorsBehind: cloud.behind } }),
            clusterApi: clusterApiFor(minor),
            changes: changes.flatMap(([of, text]) => (of === minor ? [text] : [])),
        };
    });
    return JSON.stringify({ today: today.toISOString().slice(0, 10), pinned: versions.kubernetes, releases });
}

/** The page with the tables, which begin behind this heading. */
export const versionsPage = { file: "docs/versions.md", heading: "## The tables\n\n" };

/** The tables of the page: without what follows from the day. `npx tsx dev/write-versions-page.ts` renews them. */
export function versionsMarkdown(): string {
    const images = newestFirst.flatMap(({ minor, kubeadm }) =>
        kubeadm === undefined ? [] : [[minor, kubeadm.etcd, kubeadm.coredns, kubeadm.pause]],
    );
    return [
        markdown(heads, newestFirst.map(cellsOf)),
        markdown(["Kubernetes", "what changes"], changes),
        markdown(["Kubernetes", "kubeadm's tag for etcd", "for CoreDNS", "for pause"], images),
    ].join("\n");
}

function markdown(head: readonly string[], lines: readonly (readonly string[])[]): string {
    const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
    return row(head) + `|${"---|".repeat(head.length)}\n` + lines.map(row).join("");
}

import { isOfCloud, type VolumeSpec } from "../spec";
import type { DiskReport } from "./disk-report";
import { volumeIdentity } from "./volume-identity";

/** `empty`: it will be formatted. `unfinished`: our mkfs was interrupted. `ours`: it is this volume, and keeps its data. `isForeign`: somebody else's data is on the disk. */
export type Verdict = "empty" | "unfinished" | "ours" | { refused: string; isForeign?: true };

interface Situation {
    name: string;
    wanted: VolumeSpec;
    report: DiskReport;
    isOurs: boolean;
}

const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GiB`;
const refused = (why: string): Verdict => ({ refused: why });
const foreign = (why: string): Verdict => ({ refused: why, isForeign: true });

/** The first row that applies. Where nothing shows that a disk is empty or ours, it is somebody else's. */
const rows: { when: (s: Situation) => boolean; verdict: (s: Situation) => Verdict }[] = [
    { when: ({ report }) => report.device === undefined, verdict: s => refused(`there is no ${s.wanted.disk}`) },
    { when: ({ report }) => report.noDisk, verdict: s => refused(`${s.wanted.disk} is not a disk`) },
    {
        when: ({ report }) => report.unreadable.length > 0,
        verdict: ({ report }) => refused(`it cannot be read whole: ${report.unreadable.join("; ")}`),
    },
    {
        // A volume of the cloud grows only in `up`, right before the step that waits for its size.
        when: ({ report, wanted: { disk, sizeGiB } }) =>
            sizeGiB !== undefined && !isOfCloud(disk) && (report.bytes ?? 0) < sizeGiB * 2 ** 30,
        verdict: ({ report, wanted }) =>
            refused(`the disk has ${gib(report.bytes ?? 0)}, less than sizeGiB: ${wanted.sizeGiB}`),
    },
    {
        when: ({ isOurs, report }) => isOurs && report.twins.length > 0,
        verdict: ({ report }) =>
            refused(
                `${report.twins.join(", ")} carries the same UUID: detach the copy, or it could be mounted instead`,
            ),
    },
    {
        when: ({ isOurs, report, wanted }) => isOurs && typesOf(report).some(type => type !== wanted.fileSystem),
        verdict: ({ report, wanted }) =>
            refused(
                `the volume has ${typesOf(report).join(", ")}, and fileSystem: ${wanted.fileSystem} cannot change it`,
            ),
    },
    {
        when: ({ isOurs, report }) => isOurs && (report.fileSystemBytes ?? 0) > (report.bytes ?? 0),
        verdict: ({ report }) =>
            refused(
                `the file system has ${gib(report.fileSystemBytes!)}, the disk only ${gib(report.bytes ?? 0)}: was it shrunk, or copied to a smaller one?`,
            ),
    },
    { when: ({ isOurs }) => isOurs, verdict: () => "ours" },
    { when: ({ report }) => findingsOf(report).length === 0, verdict: () => "empty" },
    {
        when: ({ report }) => report.formatting && findingsOf({ ...report, data: [] }).length === 0,
        verdict: () => "unfinished",
    },
    {
        when: ({ report }) => report.mark.owner !== undefined,
        verdict: ({ report: { mark } }) =>
            foreign(
                `it carries the mark of somebody else: volume ${mark.volume} of ${mark.owner}. To take that volume over with its data, name it ${mark.volume} and give owner: "${mark.owner}"`,
            ),
    },
    { when: () => true, verdict: ({ report }) => foreign(`it is not empty: ${findingsOf(report).join("; ")}`) },
];

/** What is to be done with a volume's disk. Pure. */
export function verdictOf(name: string, wanted: VolumeSpec, report: DiskReport): Verdict {
    const { uuid } = volumeIdentity(wanted.owner, name);
    const isOurs = report.signatures.some(each => each.uuid === uuid);
    return rows.find(row => row.when({ name, wanted, report, isOurs }))!.verdict({ name, wanted, report, isOurs });
}

function typesOf({ signatures }: DiskReport): string[] {
    return [...new Set(signatures.map(({ type }) => type))];
}

/** What may be somebody's, in words. */
function findingsOf({ mounted, holders, partitions, signatures, types, tables, data }: DiskReport): string[] {
    const known = new Set(signatures.map(({ type }) => type));
    const others = [...types, ...tables].filter(type => !known.has(type));
    return [
        ...mounted.map(place => `mounted at ${place}`),
        ...holders.map(each => `used by ${each}`),
        ...partitions.map(each => `partition ${each}`),
        ...signatures.map(({ type, uuid, label }) =>
            [type, ...(label ? [`label ${label}`] : []), ...(uuid ? [`UUID ${uuid}`] : [])].join(" "),
        ),
        ...[...new Set(others)],
        ...data.map(place => `data in its ${place}`),
    ];
}

/** What `look-at-disks.sh` found on the disk of one volume. */
export interface DiskReport {
    volume: string;
    /** "/dev/vdb"; undefined: the path leads nowhere. */
    device?: string;
    /** The path leads to something else than a disk. */
    noDisk: boolean;
    bytes?: number;
    /** Places at which it is mounted. */
    mounted: string[];
    /** Devices that use it: LVM, RAID, multipath. */
    holders: string[];
    partitions: string[];
    signatures: { type: string; uuid: string; label: string }[];
    /** Types of which only blkid knows. */
    types: string[];
    /** Kinds of partition tables. */
    tables: string[];
    /** "first MiB", "last MiB": parts that are not all zero. */
    data: string[];
    unreadable: string[];
    /** Our mkfs began on it, in this boot, and the volume carries no mark yet. */
    formatting: boolean;
    /** This volume was made here before. */
    made: boolean;
    /** Other devices with the same UUID. */
    twins: string[];
    /** Bytes that the file system uses; only if it is this volume. */
    fileSystemBytes?: number;
    /** What the mark of a volume of ours says. */
    mark: Partial<Record<"owner" | "volume" | "uuid", string>>;
}

const empty = (volume: string): DiskReport => ({
    volume,
    noDisk: false,
    mounted: [],
    holders: [],
    partitions: [],
    signatures: [],
    types: [],
    tables: [],
    data: [],
    unreadable: [],
    formatting: false,
    made: false,
    twins: [],
    mark: {},
});

/** Word at the beginning of a line → what the rest of it says. */
const readers: Record<string, (report: DiskReport, rest: string) => void> = {
    absent: () => {},
    device: (report, rest) => {
        report.device = rest;
    },
    no: report => {
        report.noDisk = true;
    },
    bytes: (report, rest) => {
        report.bytes = Number(rest);
    },
    mounted: (report, rest) => report.mounted.push(rest),
    holder: (report, rest) => report.holders.push(rest),
    partition: (report, rest) => report.partitions.push(rest),
    signature: (report, rest) => {
        const [type = "", uuid = "", label = ""] = rest.split(",");
        report.signatures.push({ type, uuid, label });
    },
    type: (report, rest) => report.types.push(rest),
    table: (report, rest) => report.tables.push(rest),
    data: (report, rest) => report.data.push(rest),
    unreadable: (report, rest) => report.unreadable.push(rest),
    formatting: report => {
        report.formatting = true;
    },
    made: report => {
        report.made = true;
    },
    twin: (report, rest) => report.twins.push(rest),
    filesystem: (report, rest) => {
        if (rest !== "") report.fileSystemBytes = Number(rest);
    },
    mark: (report, rest) => {
        const [key, value = ""] = rest.split(" ");
        report.mark[key as "owner"] = value;
    },
};

/** @throws for a line that no version of the script prints: an unknown finding must not count as none */
export function parseDiskReports(text: string): DiskReport[] {
    const reports: DiskReport[] = [];
    for (const line of text.split("\n").filter(each => each !== "")) {
        const [word, ...words] = line.split(" ");
        const rest = words.join(" ");
        if (word === "volume") {
            reports.push(empty(rest));
            continue;
        }
        const [report, read] = [reports.at(-1), readers[word!]];
        if (report === undefined || read === undefined) throw new Error(`not understood: ${line}`);
        read(report, rest);
    }
    return reports;
}

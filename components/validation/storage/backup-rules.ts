import type * as pulumi from "@pulumi/pulumi";
import { didYouMean } from "../../../provider/common/did-you-mean";
import { isWithin, overlap, withinVolume } from "../../../provider/storage/export-paths";
import { keepPeriods, volumesFolder } from "../../../provider/storage/spec";
import type { StorageArgs } from "../../args/storage-args";
import { textProblems } from "../credential-rules";
import { dnsLabel, dnsLabelRule, type Problem, within } from "../rule";
import { noOwner, plainPath } from "./storage-names";

type Storage = pulumi.Unwrap<StorageArgs>;
type Backup = NonNullable<Storage["backups"]>[string];
type Restore = NonNullable<Storage["restores"]>[string];
/** What is wrong, by the input within its backup or restore. */
export type Found = [input: string, problem: string][];

const kinds = ["folder", "sftp", "s3"] as const;
export const word = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** What is wrong with a place of each kind. */
const repositories: { [Kind in (typeof kinds)[number]]: (given: NonNullable<Backup["repository"][Kind]>) => Found } = {
    folder: folder =>
        plainPath.test(folder) ? [] : [["", `"${folder}" is no folder of the machine: write it like /mnt/backup`]],
    sftp: ({ host, port, user, folder, privateKey, hostKey }) => [
        ...unless(
            host === undefined || /^[A-Za-z0-9][A-Za-z0-9.:-]*$/.test(host),
            ".host",
            `"${host}" is no name and no address`,
        ),
        ...unless(within(port, 1, 65535), ".port", `${port} is not allowed: 1 to 65535`),
        ...unless(word.test(user), ".user", `"${user}" is no name of a user`),
        ...unless(plainPath.test(folder), ".folder", `"${folder}" is no folder: write it like /backup/site`),
        ...(textProblems(".privateKey", privateKey, "key") as Found),
        ...unless(
            hostKey === undefined || /^(ssh|ecdsa|sk)-\S+ [A-Za-z0-9+/]+=*$/.test(hostKey),
            ".hostKey",
            'is no host key: write it like "ssh-ed25519 AAAA…", as ssh-keyscan prints it after the name',
        ),
    ],
    s3: ({ url, accessKey, secretKey, region, caCertificate }) => [
        ...keyProblems(".accessKey", accessKey),
        ...keyProblems(".secretKey", secretKey),
        ...unless(
            /^https?:\/\/[A-Za-z0-9.:[\]-]+\/[A-Za-z0-9._/-]+$/.test(url),
            ".url",
            `"${url}" is no URL of a bucket: write it like https://s3.example.org/bucket/folder`,
        ),
        ...unless(region === undefined || word.test(region), ".region", `"${region}" is no region`),
        ...(textProblems(".caCertificate", caCertificate, "certificate") as Found),
    ],
};

export function unless(isRight: boolean, input: string, problem: string): Found {
    return isRight ? [] : [[input, problem]];
}

/** A word that is passed on as it is. The value itself is never printed. */
function keyProblems(input: string, value: unknown): Found {
    const isRight = typeof value !== "string" || /^[\x21-\x7e]+$/.test(value);
    return unless(isRight, input, "is empty, or has a blank, a line end or another character that no key has");
}

/** Of a repository in a folder: it would be saved with what it saves, and lost with it. */
function placeProblems(folder: string | undefined, served: string[]): Found {
    const around = [...served, volumesFolder].find(each => folder !== undefined && isWithin(folder, each));
    return unless(
        around === undefined,
        ".repository.folder",
        `"${folder}" lies in ${around}, which the backup is to save: name a folder on another disk`,
    );
}

/** `served`: paths of the exports. */
function backupProblems({ exports, ...given }: Backup, served: string[]): Found {
    return [
        ...(exports ?? [])
            .filter(path => !served.includes(path))
            .map((path): [string, string] => [".exports", `there is no export "${path}"${didYouMean(path, served)}`]),
        ...unless((exports ?? served).length > 0, ".exports", "name at least one"),
        ...[...new Set(exports?.filter((path, index) => exports.indexOf(path) !== index))].map(
            (path): [string, string] => [".exports", `has "${path}" twice`],
        ),
        ...placeProblems(given.repository.folder, served),
        ...resticProblems(given),
    ];
}

/** What is wrong with where, when and how long something is kept. */
export function resticProblems({ repository, password, schedule, keep, run }: Omit<Backup, "exports">): Found {
    const places = kinds.filter(kind => repository[kind] !== undefined);
    const kept = Object.entries(keep ?? {});
    return [
        ...unless(places.length > 0, ".repository", "needs exactly one of folder, sftp, s3"),
        ...unless(
            places.length < 2,
            ".repository",
            `has ${places.join(" and ")}: give exactly one of ${kinds.join(", ")}`,
        ),
        ...places.flatMap(kind =>
            repositories[kind](repository[kind] as never).map(([input, problem]): [string, string] => [
                `.repository.${kind}${input}`,
                problem,
            ]),
        ),
        ...unless(password !== "", ".password", "is empty"),
        ...unless(
            password === undefined || (!/[\r\n]/.test(password) && password.trim() === password),
            ".password",
            "has several lines, or a blank at its beginning or end: restic would not read it as it is",
        ),
        ...unless(
            schedule === undefined ||
                (/^[A-Za-z0-9*][A-Za-z0-9*:,/.~+_ -]*$/.test(schedule) && schedule.trim() === schedule),
            ".schedule",
            `"${schedule}" is no time that systemd knows: write it like "daily" or "*-*-* 02:30"`,
        ),
        ...unless(
            keep === undefined || kept.some(([, count]) => count > 0),
            ".keep",
            "keeps nothing: give at least one period",
        ),
        ...keepPeriods
            .filter(each => !within(keep?.[each], 0, 100_000))
            .map((each): [string, string] => [
                `.keep.${each}`,
                `${keep?.[each]} is not allowed: a whole number from 0`,
            ]),
        ...unless(
            run === undefined || word.test(run),
            ".run",
            `"${run}" is not allowed: a word of letters, digits, dots, - and _`,
        ),
    ];
}

function restoreProblems(given: Restore, { backups = {}, volumes = {}, exports = {} }: Storage): Found {
    const { backup, snapshot, path, volume, folder, owner } = given;
    const own = withinVolume(folder);
    const around = Object.entries(exports).find(([place, each]) => {
        const served = withinVolume(each.folder ?? place);
        return each.volume === volume && served !== own && overlap(own, served);
    });
    return [
        ...unless(
            backup in backups,
            ".backup",
            `there is no backup "${backup}"${didYouMean(backup, Object.keys(backups))}`,
        ),
        ...unless(
            snapshot === undefined || snapshot === "latest" || /^[0-9a-f]{8,64}$/.test(snapshot),
            ".snapshot",
            `"${snapshot}" is no id of a snapshot: restic snapshots lists them`,
        ),
        ...unless(plainPath.test(path), ".path", `"${path}" is no path of an export`),
        ...unless(
            volume in volumes,
            ".volume",
            `there is no volume "${volume}"${didYouMean(volume, Object.keys(volumes))}`,
        ),
        ...unless(
            plainPath.test(`/${own}`),
            ".folder",
            `"${folder}" is no folder within a volume: write it like "team/data"`,
        ),
        ...unless(
            around === undefined,
            ".folder",
            `"${own}" and the folder of the export ${around?.[0]} lie one within the other: clients could change it meanwhile`,
        ),
        ...unless(owner === undefined || dnsLabel.test(owner), ".owner", noOwner(owner)),
    ];
}

/** Where a repository is, for comparison. `undefined`: not known yet. */
function placeOf({ folder, sftp, s3 }: Backup["repository"]): string | undefined {
    if (sftp !== undefined && typeof (sftp.host as unknown) !== "string") return undefined;
    if (sftp !== undefined) return ["sftp", sftp.host, sftp.port ?? 22, sftp.user, sftp.folder].join(" ");
    return s3 === undefined ? folder : s3.url.replace(/\/+$/, "");
}

/** A repository has one password for all its backups. Passwords are compared, and never printed. */
function passwordProblems(name: string, backups: Record<string, Backup>): Found {
    const own = backups[name]!;
    const place = placeOf(own.repository);
    const other = Object.entries(backups).find(
        ([each, { repository, password }]) =>
            each < name &&
            place !== undefined &&
            placeOf(repository) === place &&
            [password, own.password].every(value => typeof value === "string") &&
            password !== own.password,
    );
    return unless(
        other === undefined,
        ".password",
        `is another one than that of ${other?.[0]}, which has the same repository`,
    );
}

/** Two restores that would write into one another. */
function targetProblems(name: string, restores: Record<string, Restore>): Found {
    const own = restores[name]!;
    const other = Object.entries(restores).find(
        ([each, { volume, folder }]) => each < name && volume === own.volume && overlap(`/${folder}`, `/${own.folder}`),
    );
    return unless(
        other === undefined,
        ".folder",
        `"${own.folder}" and the folder of the restore ${other?.[0]} are the same, or lie one within the other`,
    );
}

/** What is wrong with backups and restores. `at`: where they stand, with a dot at its end. */
export function backupsProblems(at: string, storage: Storage): Problem[] {
    const { backups = {}, restores = {}, exports = {} } = storage;
    const found = [
        ...Object.entries(backups).map(
            ([name, given]) =>
                [
                    "backups",
                    name,
                    [...backupProblems(given, Object.keys(exports)), ...passwordProblems(name, backups)],
                ] as const,
        ),
        ...Object.entries(restores).map(
            ([name, given]) =>
                ["restores", name, [...restoreProblems(given, storage), ...targetProblems(name, restores)]] as const,
        ),
    ];
    return found.flatMap(([kind, name, problems]) =>
        [...unless(dnsLabel.test(name), "", dnsLabelRule), ...problems].map(
            ([input, problem]): Problem => [`${at}${kind}.${name}${input}`, problem],
        ),
    );
}

import type * as pulumi from "@pulumi/pulumi";
import { didYouMean } from "../../../provider/common/did-you-mean";
import type { StorageArgs } from "../../args/storage-args";
import { dnsLabel, dnsLabelRule, type Problem, within } from "../rule";

type Storage = pulumi.Unwrap<StorageArgs>;
type Snapshots = NonNullable<Storage["snapshots"]>;

/** It becomes part of a name and of metadata in the cloud, which have 255 characters. */
const word = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** How much of a wrong word a message shows. */
const longestShown = 60;

/** Why a word of `run` is not allowed. */
export function runProblem(run: string): string | undefined {
    if (word.test(run)) return undefined;
    const shown =
        run.length > longestShown ? `"${run.slice(0, longestShown)}…" (${run.length} characters)` : `"${run}"`;
    return `${shown} is not allowed: a word of 1 to 100 letters, digits, dots, - and _, which begins with a letter or digit`;
}

/** What is wrong with snapshots of the cloud's volumes. */
export function snapshotProblems(
    place: string,
    { server, volumes = {}, snapshots = {} }: Pick<Storage, "server" | "volumes" | "snapshots">,
): Problem[] {
    if (server !== undefined && server.flavor === undefined && Object.keys(snapshots).length > 0) {
        const flavor = place.replace(/snapshots$/, "server.flavor");
        return [[place, `are of volumes of a cloud (${flavor}); backups save the exports of a machine`]];
    }
    return Object.entries(snapshots).flatMap(([name, given]) =>
        entryProblems(`${place}.${name}`, name, given, Object.keys(volumes)),
    );
}

function entryProblems(
    at: string,
    name: string,
    { volume, run, keep }: Snapshots[string],
    volumes: string[],
): Problem[] {
    const rows: [isRight: boolean, place: string, problem: string][] = [
        [dnsLabel.test(name), at, dnsLabelRule],
        [volumes.includes(volume), `${at}.volume`, `there is no volume "${volume}"${didYouMean(volume, volumes)}`],
        [runProblem(run) === undefined, `${at}.run`, runProblem(run) ?? ""],
        [within(keep, 1, 1000), `${at}.keep`, `${keep} is not allowed: a whole number from 1 to 1000`],
    ];
    return rows.flatMap(([isRight, where, problem]): Problem[] => (isRight ? [] : [[where, problem]]));
}

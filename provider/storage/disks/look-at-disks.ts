import { NfvError } from "../../common/errors";
import { script } from "../../shell/script-file";
import type { Connection } from "../../ssh/types";
import { query } from "../../steps/query";
import { storageConstants } from "../paths";
import { inOrder, ownerOf, type StorageSpec } from "../spec";
import { type DiskReport, parseDiskReports } from "./disk-report";
import { type Verdict, verdictOf } from "./disk-verdict";
import { labelPrefix } from "./volume-identity";
import { volumeLines } from "./volume-lines";

const { FORMATTING_FOLDER, MADE_FOLDER } = storageConstants;
const lookScript = script("storage/disks/look-at-disks.sh", {
    FORMATTING_FOLDER,
    MADE_FOLDER,
    LABEL_PREFIX: labelPrefix,
});

/** What is on the disks of a storage server. Changes nothing there. */
export async function lookAtDisks(connection: Connection, spec: StorageSpec): Promise<DiskReport[]> {
    const text = await query(connection, {
        step: "look at the disks",
        node: spec.name,
        script: lookScript,
        env: { VOLUMES: volumeLines(spec) },
        timeoutSeconds: 120,
    });
    return parseDiskReports(text);
}

/**
 * Volume → what is to be done with its disk. `known`: names of volumes that were made before. @throws FOREIGN_VOLUME with everything that was
 * found, VOLUME_LOST; nothing was changed
 */
export function verdictsOf(
    spec: StorageSpec,
    reports: readonly DiskReport[],
    known: readonly string[] = [],
): Record<string, Verdict> {
    const verdicts = inOrder(spec.volumes).map(([name, wanted]): [string, Verdict] => {
        const report = reports.find(each => each.volume === name);
        return [
            name,
            report === undefined
                ? { refused: "nothing was found out" }
                : verdictOf(name, { ...wanted, owner: ownerOf(spec, wanted) }, report),
        ];
    });
    const problems = verdicts.flatMap(([name, verdict]) =>
        typeof verdict === "object" ? [`volume ${name} (${spec.volumes[name]!.disk}): ${verdict.refused}`] : [],
    );
    const isLost = (name: string) =>
        (known.includes(name) || reports.some(each => each.volume === name && each.made)) &&
        !spec.recreate.includes(name);
    const lost = verdicts.filter(([name, verdict]) => verdict === "empty" && isLost(name)).map(([name]) => name);
    if (problems.length === 0 && lost.length > 0) throw volumesLost(spec, lost);
    if (problems.length === 0) return Object.fromEntries(verdicts);
    const isForeign = verdicts.some(([, verdict]) => typeof verdict === "object" && verdict.isForeign);
    // The code's own hint tells how to empty a disk. Never say that of one that may be ours.
    const hint =
        "Nothing was changed on any disk. Correct the input, or the disk: do not empty it, this volume's data may be on it.";
    const cause = problems.join("\n");
    throw new NfvError({ code: "FOREIGN_VOLUME", node: spec.name, cause, ...(!isForeign && { hint }) });
}

function volumesLost({ name: node, volumes }: StorageSpec, lost: readonly string[]): NfvError {
    const cause = lost.map(
        name =>
            `volume ${name}: its disk ${volumes[name]!.disk} is empty, and the volume was made before: it is lost, or on another disk`,
    );
    const names = lost.map(name => `"${name}"`).join(", ");
    const hint = `Attach the right disk. If the data is gone for good, recreate: [${names}] makes empty volumes, and restores brings folders back from backups.`;
    return new NfvError({ code: "VOLUME_LOST", node, cause: cause.join("\n"), hint });
}

import { errorsFor, installErrors } from "../shell/exit-codes";
import { script } from "../shell/script-file";
import type { Act, StepFactory } from "../steps/types";
import { backupName, etcdScript } from "./paths";
import { settingsFiles, snapshotFiles } from "./snapshot-files";
import type { EtcdBackupSpec, LastSnapshot } from "./spec";

export const installRestic: StepFactory<EtcdBackupSpec> = ({ backup: { repository } }) => ({
    id: "node.backup-programs",
    title: "install restic",
    revision: 1,
    env: {
        APT_PACKAGES: ["restic", ...(repository.sftp ? ["openssh-client"] : [])].join(" "),
        DNF_PACKAGES: ["restic", ...(repository.sftp ? ["openssh-clients"] : [])].join(" "),
    },
    run: script("shell/install-packages.sh"),
    probe: `command -v restic >/dev/null${repository.sftp ? " && command -v ssh >/dev/null" : ""}`,
    timeoutSeconds: 900,
    retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
    errors: installErrors,
});

/** A step of its own: files are written before their step's script runs, so that one would come too late for a timer that works. */
const checkSchedule: StepFactory<EtcdBackupSpec> = ({ backup: { schedule } }) =>
    schedule === undefined
        ? undefined
        : {
              id: "node.snapshot-schedule",
              title: "check the schedule of etcd's snapshots",
              revision: 1,
              env: { BACKUPS: `${backupName} ${schedule}` },
              run: script("storage/backup/check-schedules.sh"),
              observe: { unseen: "it leaves nothing" },
              timeoutSeconds: 60,
              errors: errorsFor("BACKUP_FAILED"),
          };

const configureSnapshots: StepFactory<EtcdBackupSpec> = spec => ({
    id: "node.snapshot-settings",
    title: "configure the snapshots of etcd",
    revision: 1,
    files: snapshotFiles(spec),
    env: { SCHEDULE: spec.backup.schedule ?? "-" },
    run: etcdScript("etcd/configure-snapshots.sh"),
    observe: { unseen: "its files are compared anyway" },
    timeoutSeconds: 60,
});

/** A repository is opened here, so that a wrong password is an error of this run, and not of the first night. */
const startSnapshots: StepFactory<EtcdBackupSpec> = spec => {
    const { schedule = "-", run = "-" } = spec.backup;
    const env = { SCHEDULE: schedule, RUN: run, TURN: String(spec.turn) };
    return {
        id: "node.etcd-snapshots",
        title: "start the snapshots of etcd",
        revision: 1,
        env,
        run: etcdScript("etcd/start-snapshots.sh"),
        observe: { script: etcdScript("etcd/observe-snapshots.sh") },
        timeoutSeconds: 7200,
        errors: errorsFor("BACKUP_FAILED"),
        // another password or another place is opened, too
        declaredState: { env, settings: settingsFiles(spec).map(({ path, content }) => [path, content]) },
    };
};

/** What a control-plane node does for snapshots of etcd, in order. */
export const etcdBackupSteps: StepFactory<EtcdBackupSpec>[] = [
    installRestic,
    checkSchedule, // before a timer is written
    configureSnapshots,
    startSnapshots,
];

/** Takes all of it away, but for restic itself and the snapshots. */
export const removeSnapshots: Act = {
    id: "etcd.remove-snapshots",
    title: "take the snapshots of etcd away from the node; those that were made stay",
    target: "self",
    run: etcdScript("etcd/remove-snapshots.sh"),
    timeoutSeconds: 120,
};

export const lastSnapshotScript = etcdScript("etcd/print-last-snapshot.sh");

/** The answer to `lastSnapshotScript`. */
export function parseLastSnapshot(said: string): LastSnapshot | undefined {
    const [time, id, revision] = said.trim().split(/\s+/);
    return time && id && revision ? { time, id, revision } : undefined;
}

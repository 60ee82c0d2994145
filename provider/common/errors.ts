import { plainText } from "./plain-text";

/**
 * The error codes of the package: one row per code. `npx nfv` ends with `exitCode`; Pulumi's command line ends with its
 * own codes. `hint` is shown unless the error has its own.
 */
export const errorCodes = {
    INVALID_INPUT: { exitCode: 2, hint: "Correct the value; nothing has been touched." },
    CONNECT_FAILED: { exitCode: 3, hint: "Check address, port, routes, security groups and that sshd runs." },
    AUTHENTICATION_FAILED: { exitCode: 3, hint: "Check user, key or agent; the server refused every method offered." },
    HOST_KEY_CHANGED: {
        exitCode: 3,
        hint: "If you know that it has a new key, give that as ssh.hostKey of the machine (infrastructure.hosts.pools.POOL.NAME.ssh.hostKey) and run pulumi up; where the machine was reinstalled, run pulumi up --refresh after that. If you do not know why it has another key, somebody may be in between.",
    },
    CONNECTION_LOST: {
        exitCode: 3,
        hint: "Run pulumi up again: finished steps are kept and a running one is re-attached.",
    },
    SUDO_REFUSED: { exitCode: 3, hint: "The user must be root or be allowed to run sudo without a password." },
    TRANSFER_FAILED: { exitCode: 3, hint: "Check free space and permissions on the node." },
    STEP_FAILED: { exitCode: 1, hint: "Correct the cause and run pulumi up again: it goes on from this step." },
    HOOK_FAILED: {
        exitCode: 1,
        hint: "See what the hook said. Correct it, then run pulumi up again: this hook runs again. To go on without it: PULUMI_NFV_SKIP_HOOKS=NAME pulumi up.",
    },
    STEP_TIMEOUT: {
        exitCode: 1,
        hint: "See the end of the output; run pulumi up again, which goes on from this step.",
    },
    CANCELLED: { exitCode: 130, hint: "Run pulumi up again: it goes on from where it was." },
    NODE_BUSY: { exitCode: 4, hint: "Another run works on this node; wait for its end or for its lease to expire." },
    FOREIGN_NODE: {
        exitCode: 2,
        hint: "Check the address first. If you gave the resource another name, give the former one as clusterName (of a StorageServer: serverName) and as an alias: docs/how-it-works.md. To take this machine on purpose, let it leave its cluster (pulumi destroy there). One that was left as it was: kubectl delete node in its cluster, kubeadm reset -f on it, and move /var/lib/pulumi-nfv away, which says whose it is.",
    },
    FOREIGN_SOFTWARE: {
        exitCode: 2,
        hint: "Our steps would remove it, or replace its settings. Give another machine, or remove that software if it is not needed any more. What a cluster has left, kubeadm reset does not take away either: delete the files that the message names; links and rules go with a reboot. On a machine whose image brings containerd and Kubernetes for the cluster: source: { image: {} }.",
    },
    UNSUPPORTED_SYSTEM: {
        exitCode: 2,
        hint: "The message says what the machine lacks. What a node needs: docs/offline.md#supported-systems.",
    },
    VERSION_MISMATCH: {
        exitCode: 2,
        hint: "Give a version that the image or the repository has, or another source. If somebody has deleted what was staged on the machine, pulumi up --refresh stages it again.",
    },
    NO_CONTROL_PLANE: {
        exitCode: 4,
        hint: "No living control-plane node could be reached. Start one of the masters, then run pulumi up again. Only if most of them are lost for ever: docs/lost-majority.md.",
    },
    QUORUM_AT_RISK: { exitCode: 4, hint: "Repair the other masters first: etcd would lose its quorum." },
    DRAIN_FAILED: {
        exitCode: 4,
        hint: "The message names the pods that did not leave, and what protects them if something does. Let these pods leave, then run pulumi up again. Or give the node another drain policy first (drain.policy); one that was taken out is brought back for that.",
    },
    VRID_IN_USE: {
        exitCode: 2,
        hint: "Set controlPlane.endpoint.vip.virtualRouterId to a number that is free on this network.",
    },
    ADDRESS_IN_USE: {
        exitCode: 2,
        hint: "Another machine has the virtual address: give controlPlane.endpoint.vip.address one that is free, or take it from that machine (ip neighbour shows whose hardware address it is). A master that you took out before its cluster ever worked: put it back, run pulumi destroy, then leave it out. In a cluster in use, set the former address back.",
    },
    ROLLING_STOPPED: {
        exitCode: 4,
        hint: "Correct the cause on the machine that failed, then run pulumi up again: it goes on from there.",
    },
    UPGRADE_REFUSED: {
        exitCode: 4,
        hint: "Put right what the message names, then run pulumi up again; or set kubernetes.version back, as long as no control-plane node has moved to another minor. Nothing was changed on this node.",
    },
    UPGRADE_FAILED: {
        exitCode: 1,
        hint: "Correct the cause, then run pulumi up again: it goes on from there. Or set kubernetes.version back and run pulumi up.",
    },
    ENDPOINT_UNFINISHED: {
        exitCode: 4,
        hint: "Both endpoints are served until all nodes have moved. Start the nodes that the message names, or take them out of the program, then run pulumi up again: it goes on from there.",
    },
    FOREIGN_VOLUME: {
        exitCode: 2,
        hint: "Only a disk that is proven empty is formatted, and nothing was changed on this one. Check its path. If what is on it is not needed any more: wipefs --all DISK, and zeros over its first and last MiB.",
    },
    VOLUME_LOST: {
        exitCode: 4,
        hint: "Attach the right disk. If the data is gone for good, recreate, with the name of the volume, makes an empty one, and `restores` brings a folder back from `backups`.",
    },
    DATA_IN_USE: {
        exitCode: 4,
        hint: "Delete the claims, pods and snapshots that the message names first, or bring back into the program what they use. To go on without the claims and pods: force, with the name of what goes.",
    },
    NETWORK_IN_USE: {
        exitCode: 4,
        hint: "Destroy first what the message names, such as a cluster of another stack, then run pulumi destroy again. Nothing of the network was touched.",
    },
    CLUSTER_IN_USE: {
        exitCode: 4,
        hint: "Destroy the stacks of the network functions first, or delete what the message names.",
    },
    NOT_SERVED: {
        exitCode: 1,
        hint: "See systemctl status nfs-server and its journal on the storage server; then run pulumi up again.",
    },
    BACKUP_FAILED: {
        exitCode: 1,
        hint: "Exports are served and the cluster works, only the backup is missing. Correct the cause, then run pulumi up again. On the machine: systemctl status 'pulumi-nfv-backup@*' pulumi-nfv-etcd-snapshot.",
    },
    RESTORE_FAILED: {
        exitCode: 1,
        hint: "Nothing that existed was changed. Correct the cause, then run pulumi up again; or take the restore out of the program.",
    },
    ROTATION_FAILED: {
        exitCode: 1,
        hint: "No key is removed while something needs it. Correct the cause, then run pulumi up again: it goes on. docs/rotation.md",
    },
    REQUEST_FAILED: {
        exitCode: 1,
        hint: "Nodes behind this one were not touched. Correct the cause, then run pulumi up again: it goes on from here, and nodes that are done stay as they are. docs/os-upgrade.md, docs/restart.md",
    },
    REBOOT_FAILED: {
        exitCode: 1,
        hint: "It stays cordoned, and nodes behind it were not touched. Look at its console. When it is back, run pulumi up again: it goes on from here. os.rebootTimeoutSeconds gives it more time.",
    },
    SNAPSHOT_FAILED: {
        exitCode: 1,
        hint: "The exports are served, only the snapshot is missing; former ones stay. Correct the cause (quota of snapshots, space of the cloud's volumes), then run pulumi up again.",
    },
    API_UNREACHABLE: { exitCode: 3, hint: "Check that this machine reaches the endpoint, and its certificate." },
    API_REFUSED: { exitCode: 3, hint: "Check the credentials and their rights." },
    NOT_READY: {
        exitCode: 1,
        hint: "The objects are there, and their controllers go on. Correct what the message names, then run pulumi up again: it waits again. What needs no wait: the Cnf's readiness, with exists: true for the kind.",
    },
    NOT_OURS: {
        exitCode: 2,
        hint: "It exists already and was made by others. Give yours another name, or remove it there first; nothing has been touched.",
    },
    TOOL_FAILED: {
        exitCode: 5,
        hint: "The message holds the end of the program's output. npx nfv doctor shows where tools come from.",
    },
    BUNDLE_INVALID: { exitCode: 2, hint: "Make it again: npx nfv bundle --kubernetes VERSION --out FOLDER." },
    CLOUD_CONFIG_INVALID: {
        exitCode: 2,
        hint: "Give the cloud by OS_CLOUD and a clouds.yaml, or by OS_AUTH_URL, OS_USERNAME and the like.",
    },
    CLOUD_UNREACHABLE: {
        exitCode: 3,
        hint: "Check that this machine reaches the cloud's API, and its certificate (`cacert` in clouds.yaml, OS_CACERT).",
    },
    CLOUD_AUTH_FAILED: {
        exitCode: 3,
        hint: "Check user, password or application credential, project and domains: openstack token issue tries the same.",
    },
    CLOUD_REFUSED: { exitCode: 3, hint: "Check the rights of the user in this project, and the cloud's own logs." },
    MACHINE_CHECK_FAILED: {
        exitCode: 2,
        hint: "Correct the machines or the program; nothing has been touched. A preview where no network leads to them: PULUMI_NFV_NO_LOOK=yes.",
    },
    CLOUD_CHECK_FAILED: { exitCode: 2, hint: "Correct the inputs or the cloud; nothing has been made." },
    STACK_FAILED: { exitCode: 1, hint: "Correct the cause and run pulumi up again: it repairs the stack." },
    STACK_BUSY: { exitCode: 4, hint: "Wait until the stack is no longer in progress, then run pulumi up again." },
    SERVER_FAILED: {
        exitCode: 1,
        hint: "Correct the cause, then make a new server: with nova pulumi up --replace <urn of the server>, with heat pulumi up --refresh.",
    },
    PROVIDER_NOT_READY: {
        exitCode: 1,
        hint: "Correct the cause and run pulumi up again. Where images cannot be had: a bundle with the add-on cluster-api, or imageRepository.",
    },
    WORKLOAD_NOT_READY: {
        exitCode: 1,
        hint: "Cluster API goes on by itself. Correct what it names, then run pulumi up again: it waits on. kubectl describe on the management cluster shows more.",
    },
    RECEIVER_UNREACHABLE: {
        exitCode: 3,
        hint: "Make the server at that URL answer, then run pulumi up again: it sends what was not received.",
    },
    RECEIVER_REFUSED: {
        exitCode: 1,
        hint: "See what the server said. Correct it, or the URL or the token, then run pulumi up again.",
    },
    GUARD_REFUSED: {
        exitCode: 4,
        hint: "Nothing was changed, neither machines nor configuration. Look at the plan; allow what is meant, or correct the program.",
    },
    PLAN_CHANGED: {
        exitCode: 4,
        hint: "Nothing was changed. Look at the plan of today and approve its hash.",
    },
    STACK_LOCKED: {
        exitCode: 4,
        hint: "Wait until that run has ended, then run again: nfv waits with --wait. Only if you know that it is dead: pulumi cancel.",
    },
    RUN_ABANDONED: {
        exitCode: 4,
        hint: "Run again with --take-over (takeOver): it releases the dead run's lock and goes on from where that was.",
    },
    RUN_FAILED: { exitCode: 1, hint: "Correct the cause, then run again: it goes on from where it was." },
    TOOL_MISSING: { exitCode: 5, hint: "Run npx nfv doctor: it says what is missing and where it is looked for." },
} as const;

export type ErrorCode = keyof typeof errorCodes;

export interface NfvErrorDetails {
    code: ErrorCode;
    /** Name of the node if the error belongs to one. */
    node?: string;
    /** Id or title of the step. */
    step?: string;
    /** What was observed. Never contains a secret. */
    cause: string;
    /** What to do about it. @default the hint of the code */
    hint?: string;
    /** Full output of the failed command, for reports; the message has only its end. */
    output?: string;
}

const untouched =
    /(?<=^|[.:]\s)nothing (?:was|has been) (?:touched|changed)(?:, neither machines nor configuration)?(?:[.;]\s*|$)|; nothing (?:was|has been) (?:touched|changed)(?=\.|$)/gim;

/** That nothing was touched is said once: at the end of the cause, or in the hint. Pure. */
export function saidOnce(cause: string, hint: string): { cause: string; hint: string } {
    const times = cause.match(untouched)?.length ?? 0;
    if (times === 0) return { cause, hint };
    let time = 0;
    const once = cause.replace(untouched, words => (++time < times ? "" : words));
    const rest = hint.replace(untouched, "").trim();
    // The last line of an error is its hint.
    return { cause: once, hint: rest === "" ? hint : rest };
}

/** An error for the person who has to act: code, node, step, cause, hint. */
export class NfvError extends Error {
    readonly code: ErrorCode;
    readonly node?: string;
    readonly step?: string;
    readonly reason: string;
    readonly hint: string;
    readonly output?: string;

    constructor(details: NfvErrorDetails) {
        // Machines, clusters and their users have a word in a cause.
        const { cause, hint } = saidOnce(
            plainText(details.cause),
            plainText(details.hint ?? errorCodes[details.code].hint),
        );
        const place = [details.node, details.step, details.code].filter(Boolean).join(": ");
        super(`${place}\n    ${indent(cause)}\n    ${indent(hint)}`);
        this.name = "NfvError";
        this.code = details.code;
        this.node = details.node;
        this.step = details.step;
        this.reason = cause;
        this.hint = hint;
        this.output = details.output;
    }

    get exitCode(): number {
        return errorCodes[this.code].exitCode;
    }
}

const begun = new RegExp(`^(.*: )?(${Object.keys(errorCodes).join("|")})(:|$)`);

/** The text of a refusal, with a code in its first line: INVALID_INPUT unless it has one. `input`: what is refused; "": the text names it. */
export function withCode(text: string, input = ""): string {
    if (begun.test(text.split("\n")[0]!)) return text;
    return `INVALID_INPUT: ${input === "" ? "" : `${input}: `}${text}`;
}

function indent(text: string): string {
    return text.trimEnd().replace(/\n/g, "\n    ");
}

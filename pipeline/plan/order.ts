import { didYouMean } from "../../provider/common/did-you-mean";
import { NfvError } from "../../provider/common/errors";
import type { Setting } from "../stack/configuration";
import { type AskedWords, isAsked } from "./asked-words";
import type { AllowWord } from "./operation-names";
import type { Plan } from "./plan";
import { type RotatedKey, rotatedKeys, rotations } from "./rotated-keys";

/** What is asked of a stack: a change of its configuration, and what that must show in the plan. */
export interface Order {
    name:
        | "preview"
        | "up"
        | "instantiate"
        | "scale"
        | "heal"
        | "repair"
        | "upgrade"
        | "rotate"
        | "backup"
        | "restore"
        | "terminate";
    settings: readonly Setting[];
    /** Operations that it may do unless the caller allows others. */
    allow?: readonly AllowWord[];
    destroys?: boolean;
    /** Of an upgrade: the version of Kubernetes. */
    version?: string;
    /** Versions that follow in the same run: who approves the plan by its hash approves these, too. */
    followedBy?: readonly string[];
    /** The word of what happens once, if the caller gave none: who runs it again after a failure must give it. */
    madeWord?: string;
    /** Nodes that a repair brings back: other machines stay as they are. */
    repairs?: readonly string[];
    /** What the plan has that this order must not do, whatever the caller allows. */
    beyond?: (plan: Plan) => string[];
    /** What the plan lacks if the program does not read the configuration. */
    missing?: (plan: Plan, asked: AskedWords) => string | undefined;
}

export const up: Order = { name: "up", settings: [] };
export const instantiate: Order = { name: "instantiate", settings: [], allow: ["instantiate"] };
export const terminate: Order = { name: "terminate", settings: [], allow: ["terminate", "removal"], destroys: true };

/** Numbers of nodes by group: `controlPlane`, or the name of a pool. @throws INVALID_INPUT */
export function scale(counts: Readonly<Record<string, number>>): Order {
    const wanted = Object.entries(counts);
    if (wanted.length === 0) throw wrong("scale: name a pool and its number of nodes, such as workers=3");
    for (const [group, count] of wanted)
        if (!Number.isInteger(count) || count < 0) throw wrong(`scale: ${group}=${count}: a whole number is expected`);
    return {
        name: "scale",
        settings: wanted.map(([group, value]) => ({
            path: group === "controlPlane" ? ["controlPlane", "count"] : ["pools", group, "count"],
            value,
        })),
        allow: ["scale"],
        missing: plan =>
            wanted
                .filter(
                    ([group, count]) => !clusters(plan).some(({ groups }) => (groups[group]?.length ?? 0) === count),
                )
                .map(([group, count]) => `${group} would not have ${count} nodes`)[0],
    };
}

export interface HealOrder {
    /** Names of nodes, or all of them. */
    nodes: readonly string[] | "all";
    /** The same word heals no node twice: a run that is repeated. */
    run: string;
    /** See `heal.cure` of a cluster. */
    cure?: string | undefined;
}

/** @throws INVALID_INPUT */
export function heal({ nodes, run, cure }: HealOrder): Order {
    refuseOtherThanWord("heal", run);
    if (nodes.length === 0) throw wrong("heal: name the nodes");
    const value = { run, ...(nodes === "all" ? { all: true } : { nodes: [...nodes] }), ...(cure && { cure }) };
    return {
        name: "heal",
        settings: [{ path: ["heal"], value }],
        allow: ["heal"],
        missing: (_, asked) =>
            isAsked(asked, "OperationStart", run) ? undefined : `no node would be healed under the word ${run}`,
    };
}

export interface UpgradeOrder {
    /** Folder of the bundle. @default what the program says */
    bundle?: string;
    followedBy?: readonly string[];
}

/** @throws INVALID_INPUT */
export function upgrade(version: string, { bundle, followedBy = [] }: UpgradeOrder = {}): Order {
    const wanted = version.replace(/^v/, "");
    if (!/^\d+\.\d+\.\d+$/.test(wanted)) throw wrong(`upgrade: ${version}: a version such as 1.36.4 is expected`);
    return {
        name: "upgrade",
        settings: [
            { path: ["kubernetes", "version"], value: wanted },
            ...(bundle === undefined ? [] : [{ path: ["kubernetes", "source", "bundle", "path"], value: bundle }]),
        ],
        version: wanted,
        ...(followedBy.length > 0 && { followedBy }),
        allow: ["change_current_package"],
        missing: plan =>
            clusters(plan).some(({ kubernetesVersion }) => kubernetesVersion === wanted)
                ? undefined
                : `no cluster would have Kubernetes ${wanted}`,
    };
}

export interface RotateOrder {
    /** Another word than the last one exchanges the keys once more; the same word goes on with what has begun. */
    run: string;
    /** For how many hours the former ones stay valid. Not for `encryptionKey` and `loginKey`. @default what the program says */
    graceHours?: number | undefined;
}

/** @throws INVALID_INPUT */
export function rotate(keys: readonly RotatedKey[], { run, graceHours }: RotateOrder): Order {
    refuseOtherThanWord("rotate", run);
    const strange = keys.find(key => !Object.hasOwn(rotations, key));
    if (strange !== undefined || keys.length === 0)
        throw wrong(
            `rotate: ${strange ?? "nothing is named"}: there are ${rotatedKeys.join(", ")}${didYouMean(strange ?? "", rotatedKeys)}`,
        );
    if (graceHours !== undefined && !(Number.isInteger(graceHours) && graceHours >= 0))
        throw wrong(`rotate: ${graceHours} hours: a whole number is expected`);
    const graces = { serviceAccountKey: "serviceAccountGraceHours", authorities: "authoritiesGraceHours" };
    const ofGrace = keys.flatMap(key => (key in graces ? [graces[key as keyof typeof graces]] : []));
    if (graceHours !== undefined && ofGrace.length === 0) throw wrong(`rotate: ${keys.join(", ")}: has no grace`);
    return {
        name: "rotate",
        settings: [
            ...keys.map(key => ({ path: ["rotate", key], value: run })),
            ...(graceHours === undefined ? [] : ofGrace.map(name => ({ path: ["rotate", name], value: graceHours }))),
        ],
        allow: ["modify_information"],
        missing: (_, asked) =>
            keys
                .filter(key => !isAsked(asked, rotations[key], run))
                .map(key => `${key} would not be exchanged under the word ${run}`)[0],
    };
}

/** A snapshot of etcd now. @throws INVALID_INPUT */
export function backup(run: string): Order {
    refuseOtherThanWord("backup", run);
    return {
        name: "backup",
        settings: [{ path: ["etcdBackup", "run"], value: run }],
        allow: ["modify_information"],
        missing: (_, asked) =>
            isAsked(asked, "EtcdBackup", run) ? undefined : `no snapshot would be made under the word ${run}`,
    };
}

export interface RestoreOrder {
    /** Another word than all before restores once; the same word restores nothing again. */
    run: string;
    /** Id of a snapshot. @default the latest */
    snapshot?: string | undefined;
    /** `newMachines`: see `etcdRestore.onto` of a cluster. @default "sameMachines" */
    onto?: string | undefined;
}

/** @throws INVALID_INPUT */
export function restore({ run, snapshot, onto }: RestoreOrder): Order {
    refuseOtherThanWord("restore", run);
    const value = { run, ...(snapshot !== undefined && { snapshot }), ...(onto !== undefined && { onto }) };
    return {
        name: "restore",
        settings: [{ path: ["etcdRestore"], value }],
        // New machines are in the program by then.
        allow: ["restore", "modify_information", ...(onto === "newMachines" ? (["heal"] as const) : [])],
        missing: (_, asked) =>
            isAsked(asked, "EtcdRestore", run) ? undefined : `nothing would be restored under the word ${run}`,
    };
}

function refuseOtherThanWord(operation: string, run: string): void {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(run)) return;
    throw wrong(
        `${operation}: ${run}: a word of letters, digits, dots, - and _ is expected, which begins with a letter or digit`,
    );
}

/** The word of a heal or a backup that the caller gives none: letters, digits and `-`. Pure. */
export function wordOf(now: Date): string {
    return `nfv-${now.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-")}`;
}

/** Refuses a change that the program does not read, before anything of it is kept. @throws INVALID_INPUT */
export function refuseUnread(order: Order, plan: Plan, key: string, asked: AskedWords): void {
    const lacks = order.missing?.(plan, asked);
    if (lacks === undefined) return;
    const known = Object.entries(plan.wanted).map(
        ([name, { groups }]) =>
            `${name} (${Object.entries(groups)
                .map(([group, nodes]) => `${group} ${nodes.length}`)
                .join(", ")})`,
    );
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: `${lacks}, although pulumi-nfv:${key} asks for it; the program's clusters: ${known.join("; ") || "none"}${nearPool(order, plan)}`,
        hint: isNew(plan)
            ? makeFirst
            : `Write new KubernetesCluster(NAME, fromConfig(args, ${JSON.stringify(key)})) in the program, so that it reads what operations set; or correct the name. Nothing was changed.`,
    });
}

/** A pool that no cluster has may be misspelt. */
function nearPool({ settings }: Order, plan: Plan): string {
    const pools = clusters(plan).flatMap(({ groups }) => Object.keys(groups));
    const strange = settings.flatMap(({ path: [input, name] }) => (input === "pools" && name ? [name] : []));
    return strange.filter(name => !pools.includes(name)).map(name => didYouMean(name, pools))[0] ?? "";
}

const clusters = ({ wanted }: Plan) => Object.values(wanted);

/** No cluster of the program exists yet. */
const isNew = ({ operations }: Plan) =>
    operations.length > 0 && operations.every(({ names }) => names.includes("instantiate"));

const makeFirst = "The cluster does not exist yet: make it first (nfv instantiate). Nothing was changed.";

/**
 * What to do where a plan has more than the name of its operation says. `isOwn`: the guard is the one that the operation has by itself. Pure. Undefined: the usual hint.
 */
export function hintOfGuard(plan: Plan, { name, allow }: Order, isOwn: boolean): string | undefined {
    if (!isOwn || allow === undefined) return undefined;
    if (name !== "instantiate" && isNew(plan)) return makeFirst;
    const all = [...new Set([...allow, ...plan.operations.flatMap(each => each.names)])];
    return `Nothing was changed, neither machines nor configuration. nfv ${name} runs only what its name says, and the program has other changes that are not made yet: make them first (nfv up), or allow them, too (--allow ${all.join(",")}).`;
}

function wrong(cause: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", cause });
}

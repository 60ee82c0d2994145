import * as pulumi from "@pulumi/pulumi";
import { NfvError } from "../../provider/common/errors";
import type { KubernetesClusterArgs } from "../args/args";
import type { EtcdBackupArgs, EtcdRestoreArgs } from "../args/etcd-args";
import type { HealArgs } from "../args/heal-args";
import type { RotateArgs } from "../args/rotate-args";
import type { SourceArgs } from "../args/source-args";

/** Namespace of the stack's configuration that operations of people and pipelines write. */
const namespace = "pulumi-nfv";

/** What operations set: `Pulumi.STACK.yaml` has it as `pulumi-nfv:cluster`. */
interface Operated {
    controlPlane?: { count?: unknown };
    pools?: Record<string, { count?: unknown }>;
    kubernetes?: { version?: unknown; source?: { bundle?: { path?: unknown } } };
    /** An object, or its JSON text. */
    heal?: unknown;
    rotate?: Record<string, unknown>;
    etcdBackup?: { run?: unknown };
    /** An object, or its JSON text. */
    etcdRestore?: unknown;
}

/**
 * The arguments of a cluster, with what operations have set in the stack's configuration in place of the program's own:
 * `controlPlane.count`, `pools.NAME.count`, `kubernetes.version`, `kubernetes.source.bundle.path`, `heal`, `rotate`, `etcdBackup.run` and `etcdRestore`. So `pulumi config set --path pulumi-nfv:cluster.pools.workers.count 3` scales by a change of
 * configuration, and the program stays the only description of the cluster. Without configuration the arguments are returned as they are.
 *
 * @param key Where the configuration is: `pulumi-nfv:KEY`. A program with several clusters needs one for each. @default "cluster"
 * @throws INVALID_INPUT for anything else in it, also for the count of a pool that the program does not have
 */
export function fromConfig(args: KubernetesClusterArgs, key = "cluster"): KubernetesClusterArgs {
    const operated = new pulumi.Config(namespace).getObject<Operated>(key);
    return operated === undefined ? args : withOperated(args, operated, `${namespace}:${key}`);
}

/** Pure. `place`: name of the configuration, for messages. */
export function withOperated(args: KubernetesClusterArgs, operated: Operated, place: string): KubernetesClusterArgs {
    const {
        controlPlane = {},
        pools = {},
        kubernetes = {},
        heal,
        rotate,
        etcdBackup,
        etcdRestore,
        ...others
    } = objectIn(operated, place);
    refuseOthers(others, place);
    const { count: masters, ...ofControlPlane } = objectIn(controlPlane, `${place}.controlPlane`);
    const { version, source, ...ofKubernetes } = objectIn(kubernetes, `${place}.kubernetes`);
    refuseOthers(ofControlPlane, `${place}.controlPlane`);
    refuseOthers(ofKubernetes, `${place}.kubernetes`);
    const known = { ...args.pools };
    for (const [name, pool] of Object.entries(objectIn(pools, `${place}.pools`))) {
        const at = `${place}.pools.${name}`;
        const { count, ...rest } = objectIn(pool, at);
        refuseOthers(rest, at);
        if (!Object.hasOwn(known, name))
            throw wrong(at, `the program has no such pool; it has ${Object.keys(known).join(", ") || "none"}`);
        known[name] = { ...known[name], ...(count !== undefined && { count: wholeNumber(count, `${at}.count`) }) };
    }
    return {
        ...args,
        ...(masters !== undefined && {
            controlPlane: { ...args.controlPlane, count: wholeNumber(masters, `${place}.controlPlane.count`) },
        }),
        ...(args.pools !== undefined && { pools: known }),
        kubernetes: {
            ...args.kubernetes,
            ...(version !== undefined && { version: String(version) }),
            ...(source !== undefined && { source: sourceIn(args, source, `${place}.kubernetes.source`) }),
        },
        ...(heal !== undefined && { heal: healIn(heal, `${place}.heal`) }),
        ...(rotate !== undefined && { rotate: { ...args.rotate, ...rotateIn(rotate, `${place}.rotate`) } }),
        ...(etcdBackup !== undefined && { etcdBackup: backupIn(args, etcdBackup, `${place}.etcdBackup`) }),
        ...(etcdRestore !== undefined && { etcdRestore: restoreIn(etcdRestore, `${place}.etcdRestore`) }),
    };
}

/** Only where the bundle is: another kind of source stays a decision of the program. */
function sourceIn({ kubernetes }: KubernetesClusterArgs, value: unknown, place: string): SourceArgs {
    const { bundle, ...others } = objectIn(value, place);
    refuseOthers(others, place);
    const { path, ...rest } = objectIn(bundle ?? {}, `${place}.bundle`);
    refuseOthers(rest, `${place}.bundle`);
    const { source = {} } = kubernetes;
    if (source.bundle === undefined)
        throw wrong(
            place,
            `the program has ${Object.keys(source).join(", ") || "no source"}, and no bundle whose folder could be another one`,
        );
    return { ...source, bundle: { ...source.bundle, ...(path !== undefined && { path: String(path) }) } };
}

/** Where the snapshots are stays in the program. */
function backupIn({ etcdBackup }: KubernetesClusterArgs, value: unknown, place: string): EtcdBackupArgs {
    const { run, ...others } = objectIn(value, place);
    refuseOthers(others, place);
    if (etcdBackup === undefined)
        throw wrong(place, "the program has no etcdBackup, which says where snapshots are kept");
    return { ...etcdBackup, ...(run !== undefined && { run: String(run) }) };
}

function restoreIn(value: unknown, place: string): EtcdRestoreArgs {
    const { run, snapshot, onto, ...others } = objectIn(parsed(value, place), place);
    refuseOthers(others, place);
    if (run === undefined) throw wrong(place, "run is missing");
    return {
        run: String(run),
        ...(snapshot !== undefined && { snapshot: String(snapshot) }),
        ...(onto !== undefined && { onto: String(onto) }),
    };
}

function healIn(value: unknown, place: string): HealArgs {
    const { run, nodes, all, cure, ...others } = objectIn(parsed(value, place), place);
    refuseOthers(others, place);
    if (run === undefined) throw wrong(place, "run is missing");
    if (nodes !== undefined && !Array.isArray(nodes)) throw wrong(`${place}.nodes`, "a list of names is expected");
    return {
        run: String(run),
        ...(nodes !== undefined && { nodes: (nodes as unknown[]).map(String) }),
        ...(all !== undefined && { all: all === true || all === "true" }),
        ...(cure !== undefined && { cure: String(cure) }),
    };
}

/** Words of keys that the configuration does not name stay those of the program: without its word a rotation would be taken back. */
function rotateIn(value: unknown, place: string): RotateArgs {
    return Object.fromEntries(
        Object.entries(objectIn(value, place)).map(([name, each]) => {
            if (!Object.hasOwn(rotations, name)) refuseOthers({ [name]: each }, place);
            return [name, rotations[name as keyof RotateArgs](each, `${place}.${name}`)];
        }),
    );
}

/** How each input of a rotation is read. */
const rotations: Record<keyof RotateArgs, (value: unknown, place: string) => string | number> = {
    encryptionKey: String,
    serviceAccountKey: String,
    serviceAccountGraceHours: wholeNumber,
    authorities: String,
    authoritiesGraceHours: wholeNumber,
    loginKey: String,
};

function parsed(value: unknown, place: string): unknown {
    if (typeof value !== "string") return value;
    try {
        return JSON.parse(value);
    } catch {
        throw wrong(place, "an object, or its JSON text, is expected");
    }
}

function objectIn(value: unknown, place: string): Record<string, unknown> {
    if (typeof value !== "object" || value === null || Array.isArray(value))
        throw wrong(place, "an object is expected");
    return value as Record<string, unknown>;
}

/** The command line stores numbers also as texts. */
function wholeNumber(value: unknown, place: string): number {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof number !== "number" || !Number.isInteger(number) || number < 0)
        throw wrong(place, "a whole number is expected");
    return number;
}

function refuseOthers(others: object, place: string): void {
    const [name] = Object.keys(others);
    if (name !== undefined) throw wrong(`${place}.${name}`, "operations do not set this; write it in the program");
}

function wrong(place: string, what: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", cause: `configuration ${place}: ${what}` });
}

import * as pulumi from "@pulumi/pulumi";
import { NfvError, type NfvErrorDetails } from "../provider/common/errors";
import type { PlainArgs } from "./plain-args";
import { cloudProviderRules } from "./validation/cloud-provider-rules";
import { clusterRules, type Problem, type Rule } from "./validation/cluster-rules";
import { cnfRules } from "./validation/cnf-rules";
import { componentFields } from "./validation/component-fields";
import { credentialRules } from "./validation/credential-rules";
import { driftRules } from "./validation/drift-rules";
import { etcdBackupProblems, etcdRestoreProblems } from "./validation/etcd-rules";
import { healRules } from "./validation/heal-rules";
import { hookRules } from "./validation/hook-rules";
import { infrastructureRules } from "./validation/infrastructure-rules";
import { managementClusterRules } from "./validation/management-rules";
import { movedClustersRules } from "./validation/moved-clusters-rules";
import { nodePortProblems } from "./validation/node-port-rules";
import { nodeRules } from "./validation/node-rules";
import { osProblems } from "./validation/os-rules";
import { removeRules } from "./validation/remove-rules";
import { replaceServersRules } from "./validation/replace-servers-rules";
import { rotateProblems } from "./validation/rotate-rules";
import { clusterSnapshotRules, clusterStorageClassRules, storageClassesRules } from "./validation/storage-class-rules";
import { clusterStorageRules, persistentVolumesRules, storageServerRules } from "./validation/storage-rules";
import { GivenResource, structureProblems, Unknown } from "./validation/structure";
import { tenantsProblems } from "./validation/tenants-rules";
import { upgradeRules } from "./validation/upgrade-rules";
import { serviceAccountProblems, vimRules } from "./validation/vim-rules";
import { workloadClusterRules } from "./validation/workload-rules";

type ResourceName =
    | "KubernetesCluster"
    | "Vim"
    | "Cnf"
    | "PersistentVolumes"
    | "StorageClasses"
    | "StorageServer"
    | "ManagementCluster"
    | "WorkloadCluster"
    | "MovedClusters";

const clusterVim: Rule<PlainArgs> = ({ vim }) => serviceAccountProblems("vim.serviceAccount", vim?.serviceAccount);

/** Rules that a schema cannot express, by resource. */
const rules: Record<ResourceName, Rule<never>[]> = {
    KubernetesCluster: [
        ...clusterRules,
        ...nodeRules,
        componentFields,
        ...removeRules,
        ...upgradeRules,
        ...infrastructureRules,
        ...credentialRules,
        cloudProviderRules,
        clusterStorageRules,
        clusterStorageClassRules,
        clusterSnapshotRules,
        clusterVim,
        etcdBackupProblems,
        etcdRestoreProblems,
        driftRules,
        rotateProblems,
        osProblems,
        tenantsProblems,
        nodePortProblems,
        healRules,
        replaceServersRules,
        hookRules,
    ] as Rule<never>[],
    Vim: vimRules as Rule<never>[],
    Cnf: cnfRules as Rule<never>[],
    PersistentVolumes: persistentVolumesRules as Rule<never>[],
    StorageClasses: storageClassesRules as Rule<never>[],
    StorageServer: storageServerRules as Rule<never>[],
    ManagementCluster: managementClusterRules as Rule<never>[],
    WorkloadCluster: workloadClusterRules as Rule<never>[],
    MovedClusters: movedClustersRules as Rule<never>[],
};

/**
 * All that is wrong with a resource's arguments, as "place: what". Values that are not known yet are ignored, so call it before
 * anything is registered, and again when all is known.
 */
export function problems(resource: ResourceName, args: unknown): string[] {
    const marked = markUnknown(args);
    const structure = structureProblems(resource, marked);
    const known = withoutUnknown(marked);
    const unreadable = structure.filter(({ isReadable }) => !isReadable);
    const apply = unreadable.length === 0 ? byAll : byThoseThatDoNotRead(unreadable.map(({ path }) => path));
    const wrong = rules[resource].flatMap(rule => apply(rule, known));
    const places = new Set(wrong.map(([place]) => place));
    return [
        ...wrong.map(([place, what]) => `${place}: ${what}`),
        // A rule says more about a text than its format does.
        ...structure
            .filter(({ isReadable, path }) => !isReadable || !places.has(path.join(".")))
            .map(({ text }) => text),
    ];
}

type Apply = (rule: Rule<never>, args: unknown) => Problem[];

const byAll: Apply = (rule, args) => rule(args as never);

/**
 * Applies the rules that have nothing to do with inputs of a wrong name or type. Reading such an input throws, so the rule says
 * nothing: what it would say only follows from the wrong input.
 */
function byThoseThatDoNotRead(paths: string[][]): Apply {
    const wrong = new Set(paths.map(path => JSON.stringify(path)));
    const guard = (value: unknown, path: string[]): unknown => {
        if (wrong.has(JSON.stringify(path))) throw new Error(`${path.join(".")} has no usable value`);
        if (value === null || typeof value !== "object") return value;
        return new Proxy(value, {
            get: (of, key) =>
                typeof key === "symbol" ? Reflect.get(of, key) : guard(Reflect.get(of, key), [...path, key]),
            has: (of, key) => {
                if (typeof key === "string") guard(undefined, [...path, key]);
                return Reflect.has(of, key);
            },
        });
    };
    return (rule, args) => {
        try {
            return rule(guard(args, []) as never);
        } catch {
            return [];
        }
    };
}

/** Throws INVALID_INPUT if anything is wrong. `more`: what the caller itself found. */
export function validate(resource: ResourceName, name: string, args: unknown, more: string[] = []): void {
    const found = [...problemsOf(resource, name, args), ...more];
    if (found.length > 0) throw invalidInput(resource, name, found);
}

/** Inputs whose default is the resource's name. It follows the same rules: names in the cloud and on the machines are made of it. */
const nameInputs: Partial<Record<ResourceName, string>> = {
    KubernetesCluster: "clusterName",
    StorageServer: "serverName",
    WorkloadCluster: "clusterName",
};

function problemsOf(resource: ResourceName, name: string, args: unknown): string[] {
    const input = nameInputs[resource];
    if (input === undefined) return problems(resource, args);
    const given = args as Record<string, unknown>;
    return problems(resource, { ...given, [input]: given?.[input] ?? name });
}

/**
 * What is wrong with arguments that are known only later, as a text for the `problems` input of the first resource that uses them;
 * undefined: nothing. That resource's check refuses it. An error thrown here would be an unhandled rejection: the SDK prints it twice
 * with a stack trace, or loops forever (seen with 3.248).
 */
export function problemsWhenKnown(
    resource: ResourceName,
    name: string,
    args: object,
): pulumi.Input<string | undefined> | undefined {
    if (!hasUnknown(markUnknown(args))) return undefined;
    const said = pulumi.output(args).apply(known => {
        const found = problemsOf(resource, name, known);
        return found.length === 0 ? undefined : invalidInput(resource, name, found).message;
    });
    // The text contains no secret, so it is not secret when the arguments are.
    return pulumi.unsecret(said);
}

/** An error of the program's author. */
export function invalidInput(resource: ResourceName, name: string, found: string[]): NfvError {
    return ofProgram({ code: "INVALID_INPUT", node: `${resource} "${name}"`, cause: found.join("\n") });
}

/** What `read` returns. Its errors name the resource, like those of `validate`: they say what is wrong with files that the arguments name. */
export function reading<T>(resource: ResourceName, name: string, read: () => T): T {
    try {
        return read();
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        const { code, node = `${resource} "${name}"`, step, reason: cause, hint, output } = error;
        throw ofProgram({ code, node, step, cause, hint, output });
    }
}

/** The same for functions that throw a plain Error about an input: it becomes INVALID_INPUT. */
export function readingInputs<T>(resource: ResourceName, name: string, read: () => T): T {
    return reading(resource, name, () => {
        try {
            return read();
        } catch (error) {
            throw error instanceof NfvError ? error : invalidInput(resource, name, [(error as Error).message]);
        }
    });
}

/** With this mark Pulumi prints the message without a stack trace. */
function ofProgram(details: NfvErrorDetails): NfvError {
    return Object.assign(new NfvError(details), { __pulumiRunError: true });
}

function markUnknown(value: unknown): unknown {
    if (pulumi.Output.isInstance(value) || value instanceof Promise) return new Unknown();
    if (pulumi.Resource.isInstance(value))
        return new GivenResource((value as { __pulumiType?: string }).__pulumiType ?? "");
    if (Array.isArray(value)) return value.map(markUnknown);
    if (value === null || typeof value !== "object") return value;
    // A property whose value is undefined counts as missing.
    const set = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return Object.fromEntries(set.map(([key, inner]) => [key, markUnknown(inner)]));
}

function hasUnknown(value: unknown): boolean {
    if (value instanceof Unknown) return true;
    return value !== null && typeof value === "object" && Object.values(value).some(hasUnknown);
}

function withoutUnknown(value: unknown): unknown {
    if (value instanceof Unknown) return undefined;
    if (Array.isArray(value)) return value.map(withoutUnknown);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutUnknown(inner)]));
}

import * as pulumi from "@pulumi/pulumi";
import { invalidInput, type ResourceName } from "../common/invalid-input";
import type { PlainArgs } from "../common/plain-args";
import { cloudProviderRules } from "./cloud-provider-rules";
import { clusterRules } from "./cluster-rules";
import { cnfRules } from "./cnf-rules";
import { componentFields } from "./component-fields";
import { credentialRules } from "./credential-rules";
import { driftRules } from "./drift-rules";
import { etcdBackupProblems, etcdRestoreProblems } from "./etcd-rules";
import { healRules } from "./heal-rules";
import { hookRules } from "./hook-rules";
import { infrastructureRules } from "./infrastructure-rules";
import { managementClusterRules } from "./management-rules";
import { movedClustersRules } from "./moved-clusters-rules";
import { osProblems, restartProblems } from "./node-by-node-rules";
import { nodePortProblems } from "./node-port-rules";
import { nodeRules } from "./node-rules";
import { removeRules } from "./remove-rules";
import { replaceServersRules } from "./replace-servers-rules";
import { rotateProblems } from "./rotate-rules";
import type { Problem, Rule } from "./rule";
import { clusterSnapshotRules, clusterStorageClassRules, storageClassesRules } from "./storage/storage-class-rules";
import { clusterStorageRules, persistentVolumesRules, storageServerRules } from "./storage/storage-rules";
import { GivenResource, structureProblems, Unknown } from "./structure";
import { tenantsProblems } from "./tenants-rules";
import { upgradeRules } from "./upgrade-rules";
import { serviceAccountProblems, vimRules } from "./vim-rules";
import { workloadClusterRules } from "./workload-rules";

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
        restartProblems,
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

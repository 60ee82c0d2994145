import * as pulumi from "@pulumi/pulumi";
import { isLater } from "../../provider/adapters/later";
import { newMachines } from "../../provider/etcd/new-machines";
import type { KubernetesClusterArgs } from "../args/args";
import type { ComparedInputs } from "../infrastructure/infrastructure";
import { withoutVduCounts } from "../infrastructure/openstack/plan/vdu-counts";
import { firstContent } from "../preview/first-content";
import { keyedHashes } from "../preview/keyed-hashes";
import { endpointShape } from "./fixed-values";

/** How deep inputs are compared one by one; deeper ones are compared as part of their parent. @default 0 */
const depths: Partial<Record<keyof KubernetesClusterArgs, number>> = {
    infrastructure: 2,
    kubernetes: 1,
    controlPlane: 1,
    pools: 2,
    network: 1,
    tenants: 1,
    cloudProvider: 1,
    vim: 1,
    os: 1,
    restart: 1,
    rotate: 1,
    etcdRestore: 1,
};

/** Nodes and the version are compared separately; another name is another cluster. */
const comparedElsewhere = [
    /^clusterName$/,
    /^heal$/,
    /^replaceServers$/,
    // no machine is changed
    /^acceptDrift$/,
    /^kubernetes\.(version|allowUnsupportedVersion)$/,
    /^controlPlane\.(count|remove)$/,
    /^pools\.[^.]+\.(count|remove)$/,
    /^infrastructure\.hosts\.(controlPlane|pools)$/,
];

export function comparedInputs(
    args: KubernetesClusterArgs,
    name: string,
    contents: FileContents,
    key: pulumi.Output<string>,
): ComparedInputs {
    const settings = settingsOf(args, contents);
    return {
        kubernetesVersion: args.kubernetes.version,
        ...(args.kubernetes.allowUnsupportedVersion && { allowUnsupportedVersion: true }),
        ...(args.etcdRestore?.onto === newMachines && { ontoNew: true }),
        endpoint: pulumi.output(endpointShape(args, name)).apply(endpointText),
        settings: keyedHashes(settings, key),
        firstContent: firstContent(settings, key),
    };
}

/** Input name → contents of the files that it names. */
export type FileContents = Record<string, unknown>;

/** Name → value of each input that is given: "registries", "pools.workers.labels". */
export function settingsOf(args: KubernetesClusterArgs, contents: FileContents): Record<string, unknown> {
    const given = Object.entries(args).flatMap(([name, value]) =>
        parts(name, value, depths[name as keyof KubernetesClusterArgs] ?? 0),
    );
    const compared = given.filter(([name]) => !comparedElsewhere.some(each => each.test(name)));
    return Object.fromEntries(
        compared.map(([name, value]) => [name, { value: withoutVduCounts(value), contents: contents[name] }]),
    );
}

function parts(name: string, value: unknown, depth: number): [string, unknown][] {
    if (value === undefined) return [];
    if (depth === 0 || !isMap(value)) return [[name, value]];
    return Object.entries(value).flatMap(([key, each]) => parts(`${name}.${key}`, each, depth - 1));
}

function isMap(value: unknown): value is object {
    return value !== null && typeof value === "object" && !Array.isArray(value) && !isLater(value);
}

function endpointText({ kind, host, port }: ReturnType<typeof endpointShape>): string {
    return kind === "name" ? "of the only master" : `${kind} ${host === "" ? "port " : `${host}:`}${port}`;
}

import { existsSync, readdirSync, statSync } from "node:fs";
import * as path from "node:path";
import * as pulumi from "@pulumi/pulumi";
import {
    type DeferredValue,
    factsOf,
    isKnown,
    promiseOf,
    resolved,
    templateOf,
    valuesOf,
} from "../../provider/adapters/later";
import { NfvError } from "../../provider/common/errors";
import { readGivenFile } from "../../provider/common/given-file";
import { KubeApi, settle } from "../../provider/vim";
import type { ClusterAccess } from "../../provider/vim/check-cluster";
import { allKinds } from "../../provider/vim/discovery";
import { kubectlDocuments } from "../../provider/vim/kubectl-yaml";
import type { ChartArgs } from "../args/cnf-args";
import { chartRenderer, cnfAccess, type Vim } from "../vim/vim";
import { secretTexts, withSecrets } from "./chart-secrets";
import { hooksOf } from "./kinds";
import type { Found, KubernetesObject } from "./manifests";
import { chartRemarks } from "./plan";
import { randomFields } from "./random-fields";

/** The version that templates see of a cluster that does not exist yet. */
const versionAtPreview = "1.34.0";
/** How long a cluster that does not answer is asked for its kinds, in seconds. */
const patienceSeconds = 10;

export interface RenderedChart {
    found: Found[];
    /** What the user should know. */
    warnings: string[];
}

interface Rendering {
    /** Name of the network function. */
    name: string;
    chart: ChartArgs;
    namespace: string;
    vim: Vim;
}

/** What is wrong with a chart before it is rendered, as "place: what". */
export function chartProblems({ source, valuesFiles = [] }: ChartArgs): string[] {
    const files = valuesFiles.flatMap((file, i) => {
        const problem = existsSync(file) ? unreadable(file) : missing(file);
        return problem === undefined ? [] : [`chart.valuesFiles.${i}: ${problem}`];
    });
    if (isInRegistry(source)) return files;
    if (!existsSync(source)) return [`chart.source: ${missing(source)}`, ...files];
    if (!statSync(source).isDirectory()) return files;
    const description = path.join(source, "Chart.yaml");
    if (!existsSync(description)) return [`chart.source: ${source} has no Chart.yaml, so it is no chart`, ...files];
    const { dependencies = [] } = yamlOf(description) as {
        dependencies?: { name: string }[];
    };
    const there = existsSync(path.join(source, "charts")) ? readdirSync(path.join(source, "charts")) : [];
    const lacks = dependencies
        .map(({ name }) => name)
        .filter(name => !there.some(each => each === name || (each.startsWith(`${name}-`) && each.endsWith(".tgz"))));
    if (lacks.length === 0) return files;
    return [
        `chart.source: ${lacks.join(", ")}: named in ${description}, not in its folder charts; helm dependency build ${source}`,
        ...files,
    ];
}

/** As Helm reads its files. @throws NfvError INVALID_INPUT */
function yamlOf(file: string): Record<string, unknown> {
    const wrong = (cause: string) => new NfvError({ code: "INVALID_INPUT", cause });
    let text: string;
    try {
        text = readGivenFile(file);
    } catch (error) {
        throw wrong((error as Error).message);
    }
    try {
        const value = kubectlDocuments(text)[0] ?? {};
        if (typeof value !== "object" || Array.isArray(value))
            throw new Error("must be a map, such as replicaCount: 2");
        return value as Record<string, unknown>;
    } catch (error) {
        throw wrong(`${file}: ${(error as Error).message}`);
    }
}

function unreadable(file: string): string | undefined {
    try {
        yamlOf(file);
        return undefined;
    } catch (error) {
        return (error as NfvError).reason;
    }
}

function isInRegistry(source: string): boolean {
    return source.startsWith("oci://");
}

function missing(file: string): string {
    return `there is no file or folder ${file}; relative paths start from ${process.cwd()}`;
}

/**
 * The objects of a chart, rendered by Pulumi's kubernetes plugin, which contains Helm. At preview, undefined while a value is not known.
 * @throws NfvError INVALID_INPUT
 */
export async function renderChart(rendering: Rendering): Promise<RenderedChart | undefined> {
    const { name, chart, namespace, vim } = rendering;
    const deferred: DeferredValue[] = [];
    const template = templateOf(chart.values ?? {}, deferred);
    const facts = await Promise.all(deferred.map(factsOf));
    if (facts.some(({ known }) => !known)) return undefined;
    const found = await valuesOf(deferred);
    const own = resolved(template, each => found(each)) as Record<string, unknown>;
    const secrets = secretTexts(deferred.filter((_, i) => facts[i]!.secret).map(each => found(each)));
    const files = (chart.valuesFiles ?? []).map(yamlOf);
    const { kubeVersion, apiVersions, warning } = await capabilities(vim);
    const options = {
        ...(isInRegistry(chart.source)
            ? { chart: chart.source, version: chart.version }
            : { path: path.resolve(chart.source) }),
        release_name: chart.releaseName ?? name,
        namespace,
        values: [...files, own].reduce((before, after) => merged(before, after), {}),
        kube_version: kubeVersion,
        api_versions: apiVersions,
        skip_crd_rendering: chart.skipDefinitions ?? false,
    };
    const objects = await runHelm(options, rendering);
    // A run renders the chart again: what the user approves at preview must be what it gets.
    const again = pulumi.runtime.isDryRun() ? await runHelm(options, rendering) : objects;
    const random = randomFields(objects, again);
    const left = objects.filter(isLeftOut);
    const applied = objects
        .filter(object => !isLeftOut(object))
        .map(object => ({ place: `chart: ${object.kind}/${object.metadata?.name}`, object }));
    return {
        found: applied.map(({ place, object }) => ({ place, object: withSecrets(object, secrets) })),
        warnings: [
            ...chartRemarks(applied),
            ...(warning === undefined ? [] : [warning]),
            ...(random.length === 0 ? [] : [randomWarning(chart, random)]),
            ...(left.length > 0
                ? [
                      `hooks of the chart that are no part of its installation are not applied: ${left.map(titleOf).join(", ")}`,
                  ]
                : []),
        ],
    };
}

function randomWarning({ source }: ChartArgs, fields: readonly string[]): string {
    return (
        `chart ${source}: its templates draw values at random or read the clock, so each pulumi up changes them, and no hash of a plan can be approved: ` +
        `${fields.join(", ")}. Give these values in chart.values, or name a Secret of your own there`
    );
}

async function runHelm(options: object, { name, chart, vim }: Rendering): Promise<KubernetesObject[]> {
    try {
        const jsonOpts = JSON.stringify(options);
        const renderer = { provider: chartRenderer(vim) };
        const answer = await pulumi.runtime.invoke("kubernetes:helm:template", { jsonOpts }, renderer);
        return answer.result as KubernetesObject[];
    } catch (error) {
        const said = (error as Error).message.replace(/^.*failed to generate YAML for specified Helm chart: /s, "");
        throw new NfvError({ code: "INVALID_INPUT", node: `Cnf "${name}"`, cause: `chart ${chart.source}: ${said}` });
    }
}

/** Hooks that Helm runs at other times than its installation: tests, deletions, rollbacks. */
function isLeftOut(object: KubernetesObject): boolean {
    const hooks = hooksOf(object);
    return hooks.length > 0 && !hooks.some(hook => ["pre-install", "post-install", "crd-install"].includes(hook));
}

function titleOf(object: KubernetesObject): string {
    return `${object.kind} ${object.metadata.name} (${hooksOf(object).join(", ")})`;
}

/** As Helm merges values: maps into each other, anything else is replaced. */
export function merged(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
    const isMap = (value: unknown): value is Record<string, unknown> =>
        value !== null && typeof value === "object" && !Array.isArray(value);
    const changes = Object.entries(after).map(([key, value]) => {
        const former = before[key];
        return [key, isMap(former) && isMap(value) ? merged(former, value) : value];
    });
    return { ...before, ...Object.fromEntries(changes) };
}

interface Capabilities {
    kubeVersion: string;
    /** "apps/v1", "apps/v1/Deployment" */
    apiVersions: string[];
    warning?: string;
}

/** What the templates see as `.Capabilities`. */
async function capabilities(vim: Vim): Promise<Capabilities> {
    // At `up` this waits until the access is proven.
    const serverVersion = (await isKnown(vim.serverVersion)) ? await promiseOf(vim.serverVersion) : undefined;
    const access = cnfAccess(vim).access as pulumi.Output<ClusterAccess>;
    const unseen = { kubeVersion: serverVersion ?? versionAtPreview, apiVersions: [] };
    if (serverVersion === undefined || !(await isKnown(access))) return unseen;
    const to = await promiseOf(access);
    try {
        const kinds = await settle(patienceSeconds, () => allKinds(new KubeApi(to, to.auth)));
        const names = kinds.flatMap(({ group, kind, versions }) =>
            versions.flatMap(version => {
                const apiVersion = group === "" ? version : `${group}/${version}`;
                return [apiVersion, `${apiVersion}/${kind}`];
            }),
        );
        return { kubeVersion: serverVersion, apiVersions: [...new Set(names)].sort() };
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        const warning = `the chart is rendered without what the cluster has (.Capabilities.APIVersions): ${error.reason}`;
        return { ...unseen, warning };
    }
}

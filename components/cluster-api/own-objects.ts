import * as pulumi from "@pulumi/pulumi";
import { type Document, visit } from "yaml";
import { substitute } from "../../provider/cluster-api/variables";
import { kubectlDocuments } from "../../provider/vim/kubectl-yaml";
import { objectsInYaml } from "../../provider/vim/manifests";
import { yamlTexts } from "../common/yaml-files";
import { foughtOver } from "./autoscaler-range";
import type { Named } from "./machine-template";
import { withShownVersions } from "./reference-versions";

export interface OwnObjects {
    cluster: Named;
    /** With the Cluster. */
    objects: Named[];
}

/**
 * The user's own objects of a workload cluster, for example a template of CAPO. Values that are known when the program runs are put into the
 * text, as clusterctl does; others into the texts of the parsed objects, so that a secret never has to be known here.
 * @throws Error that says what is wrong
 */
export function ownObjects(
    manifests: readonly string[],
    variables: Readonly<Record<string, pulumi.Input<string>>>,
    namespace: string,
): OwnObjects {
    const values = Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [name, typeof value === "string" ? value : marker(name)]),
    );
    const found = manifests
        .flatMap((each, i) => yamlTexts(`manifests.${i}`, each))
        .flatMap(({ place, text }) => objectsInYaml(place, substitute(text, values, place), notePlain));
    const late = found.flatMap(({ object }) => lateNames(object as Named));
    if (late.length > 0)
        throw new Error(
            `variables.${late[0]}: stands in the name of an object or of a field, so it must be known when the program runs: give a text, not an Output`,
        );
    const objects = found.map(({ object }) =>
        withShownVersions(inNamespace(withOutputs(object, variables) as Named, namespace)),
    );
    const [fought] = foughtOver(objects);
    if (fought !== undefined)
        throw new Error(
            `manifests: ${fought} has replicas and the annotations of an autoscaler: each change of it would set back the number that the autoscaler has set. Leave replicas out`,
        );
    const clusters = objects.filter(isCluster);
    if (clusters.length !== 1) {
        const names = clusters.map(({ metadata }) => metadata.name).join(", ");
        throw new Error(`manifests: must have one Cluster (cluster.x-k8s.io), and have ${names || "none"}`);
    }
    return { cluster: clusters[0]!, objects };
}

const isCluster = ({ apiVersion, kind }: Named) => kind === "Cluster" && apiVersion?.startsWith("cluster.x-k8s.io/");

/** Kinds without a namespace that such manifests have. */
const clusterWide = [
    "Namespace",
    "OpenStackClusterIdentity",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleBinding",
];

function inNamespace(object: Named, namespace: string): Named {
    if (clusterWide.includes(object.kind)) return object;
    return { ...object, metadata: { ...object.metadata, namespace: object.metadata?.namespace ?? namespace } };
}

/** No text of a manifest contains it by chance. */
const marker = (name: string) => `nfv.variable.${name}.elbairav`;
const markers = /nfv\.variable\.(\w+)\.elbairav/g;

/** Before a text without quotes, which may become a number, as in `replicas: ${COUNT}`. */
const plain = "nfv.plain.";

/** Quotes are lost when a document becomes data. */
function notePlain(document: Document): void {
    visit(document, {
        Scalar: (key, node) => {
            const { type, value } = node;
            if (key !== "key" && type === "PLAIN" && typeof value === "string" && namesIn(value).length > 0)
                node.value = `${plain}${value}`;
        },
    });
}

const namesIn = (text: string) => [...text.matchAll(markers)].map(([, name]) => name!);

/** Variables in what Pulumi must know to call a resource, and in names of fields. */
function lateNames(object: Named): string[] {
    const { apiVersion, kind, metadata } = object ?? {};
    return [
        ...[apiVersion, kind, metadata?.name, metadata?.namespace].map(each => `${each ?? ""}`),
        ...keysOf(object),
    ].flatMap(namesIn);
}

function keysOf(value: unknown): string[] {
    if (value === null || typeof value !== "object") return [];
    return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(keysOf)];
}

function withOutputs(value: unknown, variables: Readonly<Record<string, pulumi.Input<string>>>): unknown {
    if (Array.isArray(value)) return value.map(each => withOutputs(each, variables));
    if (typeof value === "string") return value.includes("nfv.variable.") ? filled(value, variables) : value;
    if (value === null || typeof value !== "object") return value;
    // Templates say `matchLabels: null`, and a webhook fills it: Pulumi would see a change in each run.
    const given = Object.entries(value).filter(([, inner]) => inner !== null);
    return Object.fromEntries(given.map(([key, inner]) => [key, withOutputs(inner, variables)]));
}

function filled(given: string, variables: Readonly<Record<string, pulumi.Input<string>>>): pulumi.Output<unknown> {
    const isPlain = given.startsWith(plain);
    const text = isPlain ? given.slice(plain.length) : given;
    const names = namesIn(text);
    return pulumi.all(names.map(name => variables[name]!)).apply(values => {
        const whole = names.reduce((all, name, i) => all.replaceAll(marker(name), () => `${values[i]}`), text);
        return isPlain ? scalarOf(whole) : whole;
    });
}

/** What the text would be in a document: a number, a list in brackets. An error would show the text, which may be secret. */
function scalarOf(text: string): unknown {
    try {
        return kubectlDocuments(text)[0] ?? text;
    } catch {
        return text;
    }
}

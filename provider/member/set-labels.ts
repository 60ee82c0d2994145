import type { NodeSpec, Taint } from "../common/model";
import { kubeadmScript } from "../kubeadm/kubeadm-script";
import { step } from "../steps/step";

/** Prefix of the annotations that list which labels, annotations and taints are ours. */
const ownPrefix = "pulumi-nfv.dev";

/** Set on a node before our drain cordons it. A node that a person cordoned does not have it. */
export const cordonedAnnotation = `${ownPrefix}/cordoned`;

function taintKey(taint: Taint): string {
    return `${taint.key}:${taint.effect}`;
}

/** "key=value:Effect", the syntax of kubectl. */
function taintText(taint: Taint): string {
    return `${taint.key}${taint.value ? `=${taint.value}` : ""}:${taint.effect}`;
}

/** The merge patch that sets labels, annotations, and the lists of what is ours. */
function nodePatch(spec: NodeSpec) {
    const own = {
        [`${ownPrefix}/labels`]: Object.keys(spec.labels).sort().join(" "),
        [`${ownPrefix}/annotations`]: Object.keys(spec.annotations).sort().join(" "),
        [`${ownPrefix}/taints`]: spec.taints.map(taintKey).sort().join(" "),
    };
    return { metadata: { labels: spec.labels, annotations: { ...spec.annotations, ...own } } };
}

/** Each label and annotation as the API prints it: `"key":"value"`. */
function valuesOf({ metadata: { labels, annotations } }: ReturnType<typeof nodePatch>): string[] {
    return Object.entries({ ...labels, ...annotations }).map(([key, value]) =>
        JSON.stringify({ [key]: value }).slice(1, -1),
    );
}

/** The taint as the API prints it, up to the place where a time may follow. */
function taintJson({ key, value, effect }: Taint): string {
    return JSON.stringify({ key, ...(value && { value }), effect }).slice(0, -1);
}

/**
 * Sets labels, annotations and taints. Removes what we set before and is no longer wanted; keeps what others set.
 * Uncordons a node that was to leave and is wanted again if our drain cordoned it. Runs on a control-plane node: a node
 * may not label itself.
 */
export const setLabels = step<NodeSpec>({ id: "node.labels", title: "set labels and taints" })(spec => ({
    revision: 1,
    env: {
        NAME: spec.name,
        PATCH: JSON.stringify(nodePatch(spec)),
        LABELS: Object.keys(spec.labels).join(" "),
        ANNOTATIONS: Object.keys(spec.annotations).join(" "),
        TAINTS: spec.taints.map(taintText).join(" "),
        TAINT_KEYS: spec.taints.map(taintKey).join(" "),
    },
    target: "controlPlane",
    run: kubeadmScript("member/set-labels.sh", { CORDONED_ANNOTATION: cordonedAnnotation }),
    observe: {
        script: kubeadmScript("member/observe-labels.sh", { CORDONED_ANNOTATION: cordonedAnnotation }),
        env: {
            VALUES: valuesOf(nodePatch(spec)).join("\n"),
            TAINTS_JSON: spec.taints.map(taintJson).join("\n"),
        },
    },
    timeoutSeconds: 120,
    retries: { times: 3, delaySeconds: 3 },
}));

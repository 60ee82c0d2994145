import type { NodeSpec, Taint } from "../model";
import { asAdministrator } from "../shell/kubectl";
import { sh } from "../shell/script";
import type { StepFactory } from "../steps/types";
import { nodeApi } from "./node-api";

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
function nodePatch(spec: NodeSpec): object {
    const own = {
        [`${ownPrefix}/labels`]: Object.keys(spec.labels).sort().join(" "),
        [`${ownPrefix}/annotations`]: Object.keys(spec.annotations).sort().join(" "),
        [`${ownPrefix}/taints`]: spec.taints.map(taintKey).sort().join(" "),
    };
    return { metadata: { labels: spec.labels, annotations: { ...spec.annotations, ...own } } };
}

/** The taint as the API prints it, up to the place where a time may follow. */
function taintJson({ key, value, effect }: Taint): string {
    return JSON.stringify({ key, ...(value && { value }), effect }).slice(0, -1);
}

/**
 * Shell: `label_new_node` labels a node that has just joined: one without former labels of ours, and with all its
 * taints. Fails for others.
 */
const labelNewNode =
    nodeApi +
    sh`
        label_new_node() {
            node=$(node_api)
            [ "$(code_of "$node")" = 200 ] || return 1
            node=$(printf '%s' "$node" | tr -d ' \\n')
            case $node in *'"${ownPrefix}/'*) return 1 ;; esac
            printf '%s\\n' "$TAINTS_JSON" | while read -r taint; do
                case $node in *"$taint"*) ;; *) exit 1 ;; esac
            done || return 1
            # by standard input: annotations may be longer than an argument can be
            node=$(printf '%s' "$PATCH" | node_api -X PATCH -H 'Content-Type: application/merge-patch+json' --data-binary @-)
            [ "$(code_of "$node")" = 200 ]
        }
    `;

/**
 * Sets labels, annotations and taints. Removes what we set before and is no longer wanted; keeps what others set.
 * Uncordons a node that was to leave and is wanted again if our drain cordoned it. Runs on a control-plane node: a node
 * may not label itself.
 */
export const setLabels: StepFactory<NodeSpec> = spec => ({
    id: "node.labels",
    title: "set labels and taints",
    revision: 1,
    env: {
        NAME: spec.name,
        PATCH: JSON.stringify(nodePatch(spec)),
        LABELS: Object.keys(spec.labels).join(" "),
        ANNOTATIONS: Object.keys(spec.annotations).join(" "),
        TAINTS: spec.taints.map(taintText).join(" "),
        TAINT_KEYS: spec.taints.map(taintKey).join(" "),
        TAINTS_JSON: spec.taints.map(taintJson).join("\n"),
    },
    target: "controlPlane",
    run:
        `${asAdministrator}${labelNewNode}` +
        sh`
        if label_new_node; then exit 0; fi
        k() { kubectl --request-timeout=20s "$@"; }
        ours() { printf '{.metadata.annotations.pulumi-nfv\\.dev/%s}|' "$1"; }
        i=0
        until had=$(k get node "$NAME" -o "jsonpath=$(ours labels)$(ours annotations)$(ours taints)$(ours cordoned)"); do
            i=$((i + 1))
            [ $i -lt 30 ] || exit 1
            sleep 1
        done
        # those of the list $1 that are not in the list $2, each with a minus
        gone() {
            for key in $1; do
                case " $2 " in *" $key "*) ;; *) printf '%s- ' "$key" ;; esac
            done
        }
        labels=$(gone "\${had%%|*}" "$LABELS")
        had=\${had#*|}
        annotations=$(gone "\${had%%|*}" "$ANNOTATIONS")
        had=\${had#*|}
        taints=$(gone "\${had%%|*}" "$TAINT_KEYS")
        had=\${had#*|}
        if [ -n "\${had%%|*}" ]; then
            k uncordon "$NAME" >/dev/null
            k annotate node "$NAME" ${cordonedAnnotation}- >/dev/null
        fi
        [ -z "$labels" ] || k label node "$NAME" $labels >/dev/null
        [ -z "$annotations" ] || k annotate node "$NAME" $annotations >/dev/null
        # an absent taint is an error for kubectl, and is what we want
        for taint in $taints; do k taint node "$NAME" "$taint" >/dev/null 2>&1 || true; done
        [ -z "$TAINTS" ] || k taint node "$NAME" --overwrite $TAINTS >/dev/null
        printf '%s' "$PATCH" | k patch node "$NAME" --type merge --patch-file /dev/stdin >/dev/null
    `,
    timeoutSeconds: 120,
    retries: { times: 3, delaySeconds: 3 },
});

import { didYouMean } from "../../provider/common/did-you-mean";
import { type FormatName, formats, hasFormat } from "../validation/formats";
import { unrendered } from "./value-problems";

/** Quantities are texts for the schema, and may be numbers: `cpu: 2`. */
const quantities =
    /\.(?:limits|requests|capacity|allocatable|hard|used|overhead|podFixed|default|defaultRequest|max|min|maxLimitRequestRatio|sizeLimit|divisor|averageValue|targetAverageValue|targetValue|currentAverageValue|maximumVolumeSize|attributes|step|validValues|consumedCapacity)$/;
/** A variable of a container has a text of this name. */
const quantityOfScaler = /^autoscaling\..*\.value$/;

/** `field`: with its type, "core.v1.Container.ports". */
export const isQuantity = (field: string) => quantities.test(field) || quantityOfScaler.test(field);

type Check = (value: unknown, key: string | undefined) => string | undefined;

const ofFormat =
    (name: FormatName): Check =>
    value => {
        if (typeof value !== "string" || hasFormat(name, value)) return undefined;
        const { must, example } = formats[name];
        return unrendered(value) ?? `"${value}" is not allowed: must be ${must}, such as ${JSON.stringify(example)}`;
    };
const keyOfFormat =
    (name: FormatName): Check =>
    (_, key) => {
        const problem = ofFormat(name)(key, undefined);
        return problem && `the key ${problem}`;
    };
const within =
    (least: number, most?: number, more = ""): Check =>
    value =>
        typeof value !== "number" || (value >= least && value <= (most ?? value))
            ? undefined
            : `${value} is not allowed: ${most === undefined ? `at least ${least}` : `${least} to ${most}`}${more}`;
const oneOf =
    (...words: string[]): Check =>
    value =>
        typeof value !== "string" || value === "" || words.includes(value)
            ? undefined
            : (unrendered(value) ??
              `"${value}" is not allowed: ${words.slice(0, -1).join(", ")} or ${words.at(-1)}${didYouMean(value, words)}`);
/** The value is never printed: it may be a secret. */
const base64: Check = value =>
    typeof value !== "string" ||
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value.replace(/[\r\n]/g, ""))
        ? undefined
        : "is no base64; stringData takes a text as it is";

const port = within(1, 65535);
const portOrNone = within(0, 65535);
const count = within(0);
const labels = ["labels", "matchLabels", "nodeSelector", "ServiceSpec.selector", "ReplicationControllerSpec.selector"];

/** Fields by name, with the type where other types have another field of this name → what the API asks of each value in them. */
const rules: [fields: string[], ...checks: Check[]][] = [
    [labels, keyOfFormat("labelKey"), ofFormat("labelValue")],
    [["ObjectMeta.annotations"], keyOfFormat("annotationKey")],
    [["containerPort", "ServicePort.port", "HTTPGetAction.port", "TCPSocketAction.port", "GRPCAction.port"], port],
    [["hostPort", "nodePort", "targetPort", "healthCheckNodePort", "NetworkPolicyPort.port", "endPort"], portOrNone],
    // YAML reads 0644 as octal, and 644 as decimal.
    [["defaultMode", "mode"], within(0, 0o777, "; a mode is octal: write 0644, not 644")],
    [["replicas", "parallelism", "completions", "backoffLimit", "revisionHistoryLimit", "minReadySeconds"], count],
    [["progressDeadlineSeconds", "terminationGracePeriodSeconds", "ttlSecondsAfterFinished"], count],
    [["initialDelaySeconds", "periodSeconds", "timeoutSeconds", "successThreshold", "failureThreshold"], count],
    [["successfulJobsHistoryLimit", "failedJobsHistoryLimit", "minReplicas", "runAsUser", "runAsGroup"], count],
    [["maxReplicas"], within(1)],
    [["weight"], within(1, 100)],
    [["imagePullPolicy"], oneOf("Always", "IfNotPresent", "Never")],
    [["PodSpec.restartPolicy", "Container.restartPolicy"], oneOf("Always", "OnFailure", "Never")],
    [["dnsPolicy"], oneOf("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")],
    [["protocol"], oneOf("TCP", "UDP", "SCTP")],
    [["ServiceSpec.type"], oneOf("ClusterIP", "NodePort", "LoadBalancer", "ExternalName")],
    [["externalTrafficPolicy", "internalTrafficPolicy"], oneOf("Cluster", "Local")],
    [["DeploymentStrategy.type"], oneOf("RollingUpdate", "Recreate")],
    [["StatefulSetUpdateStrategy.type", "DaemonSetUpdateStrategy.type"], oneOf("RollingUpdate", "OnDelete")],
    [["accessModes"], oneOf("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")],
    [["volumeMode"], oneOf("Filesystem", "Block")],
    [["persistentVolumeReclaimPolicy"], oneOf("Retain", "Recycle", "Delete")],
    [["policyTypes"], oneOf("Ingress", "Egress")],
    [["pathType"], oneOf("Exact", "Prefix", "ImplementationSpecific")],
    [["concurrencyPolicy"], oneOf("Allow", "Forbid", "Replace")],
    [["Taint.effect", "Toleration.effect"], oneOf("NoSchedule", "PreferNoSchedule", "NoExecute")],
    [["LabelSelectorRequirement.operator"], oneOf("In", "NotIn", "Exists", "DoesNotExist")],
    [["NodeSelectorRequirement.operator"], oneOf("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")],
    [["whenUnsatisfiable"], oneOf("DoNotSchedule", "ScheduleAnyway")],
    [["Secret.data", "binaryData"], base64],
];

const byField = new Map(rules.flatMap(([fields, ...checks]) => fields.map(field => [field, checks] as const)));
const quantityChecks: Check[] = [ofFormat("quantity"), within(0)];

/** Values that the API refuses although their type is right: of a field, and of what is in its list or map. `field`: with its type. Pure. */
export function wrongValues(field: string, value: unknown, path: string): string[] {
    const [type, name] = field.split(".").slice(-2);
    const checks = isQuantity(field) ? quantityChecks : (byField.get(`${type}.${name}`) ?? byField.get(name!) ?? []);
    return parts(value).flatMap(([key, part]) => {
        const problem = checks.map(check => check(part, key)).find(each => each !== undefined);
        return problem === undefined ? [] : [`${[path, ...(key === undefined ? [] : [key])].join(".")}: ${problem}`];
    });
}

function parts(value: unknown): [key: string | undefined, part: unknown][] {
    if (Array.isArray(value)) return value.map((part, i) => [`${i}`, part]);
    return value !== null && typeof value === "object" ? Object.entries(value) : [[undefined, value]];
}

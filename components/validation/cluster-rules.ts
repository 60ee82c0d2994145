import { didYouMean } from "../../provider/common/did-you-mean";
import { clusterNameProblem } from "../../provider/identity/identity";
import { certificateProblem, mapClusterCertificates } from "../common/certificate-files";
import { certificateRule } from "./certificate-rules";
import { drain } from "./drain-rules";
import { endpoint } from "./endpoint-rules";
import { machines, ssh } from "./machine-rules";
import { cni, networks } from "./network-rules";
import { controlPlaneCount, maxUnavailable, pools } from "./pool-rules";
import { type ClusterRule, oneOf, type Problem } from "./rule";
import { containerRuntime, packages, source, startTimeout, version } from "./version-rules";
import { vipNetwork } from "./vip-network";

const components = ["apiServer", "controllerManager", "scheduler", "etcd", "kubelet"];
/** On Linux. "": kube-proxy chooses. */
const proxyModes = ["", "iptables", "ipvs", "nftables"];

const name: ClusterRule = ({ clusterName }) => {
    const problem = clusterName === undefined ? undefined : clusterNameProblem(clusterName);
    return problem ? [["clusterName", problem]] : [];
};

const extraArgs: ClusterRule = ({ controlPlane }) =>
    Object.keys(controlPlane?.extraArgs ?? {})
        .filter(component => !components.includes(component))
        .map(component => oneOf(`controlPlane.extraArgs.${component}`, component, components));

/** kubelet's flags are in one line of a file that supports no quoting. */
const kubeletArgs: ClusterRule = ({ controlPlane }) =>
    Object.entries(controlPlane?.extraArgs?.["kubelet"] ?? {})
        .filter(([flag, value]) => value !== undefined && /[\s"'\\$*?]/.test(`${flag}${value}`))
        .map(([flag]): Problem => [`controlPlane.extraArgs.kubelet.${flag}`, "must be without spaces and quotes"]);

const proxyMode: ClusterRule = ({ kubeProxy }) => {
    const mode = kubeProxy?.["mode"];
    if (mode === undefined || proxyModes.includes(mode as string)) return [];
    const [place, what] = oneOf("kubeProxy.mode", String(mode), proxyModes.slice(1));
    return [[place, `${what}${didYouMean(String(mode), proxyModes.slice(1))}`]];
};

const certificates: ClusterRule = args => {
    const problems: Problem[] = [];
    mapClusterCertificates(args, (value: string | undefined, place) => {
        const problem = value === undefined ? undefined : certificateProblem(value);
        if (problem !== undefined) problems.push([place, problem]);
        return value;
    });
    return problems;
};

export const clusterRules: ClusterRule[] = [
    name,
    version,
    source,
    containerRuntime,
    startTimeout,
    controlPlaneCount,
    pools,
    maxUnavailable,
    certificateRule,
    machines,
    ssh,
    endpoint,
    vipNetwork,
    networks,
    cni,
    drain,
    extraArgs,
    kubeletArgs,
    proxyMode,
    packages,
    certificates,
];

import {
    allOf,
    conditions,
    conditionsAt,
    conditionsOf,
    conditionText,
    eachOf,
    exists,
    field,
    fieldOf,
    firstOf,
    notReady,
    notWhile,
    ready,
    sure,
    when,
} from "./judges";
import type { Judge } from "./types";

const isReady = conditions("Ready");
const rolling = notWhile("RollingOut", "ScalingUp", "ScalingDown");

/** `v1beta2` of Cluster API has other conditions, which `v1beta1` shows in a place of its own. */
const available = firstOf(
    allOf(conditions("Available"), rolling),
    conditionsAt("status.v1beta2.conditions", "Available"),
    isReady,
);
const provisioned = firstOf(isReady, field("status.ready", "true"), field("status.initialization.provisioned", "true"));

/** Kinds by group; `*` in a group or kind stands for any text. The first row that fits counts. */
const known: Record<string, Record<string, Judge>> = {
    "cluster.x-k8s.io": {
        "Cluster MachineDeployment Machine": available,
        MachineSet: firstOf(allOf(conditions("MachinesReady"), rolling), isReady),
        MachinePool: firstOf(conditions("Available"), isReady, field("status.phase", "Running")),
        ClusterClass: firstOf(conditions("RefVersionsUpToDate"), exists),
        MachineHealthCheck: exists,
    },
    "controlplane.cluster.x-k8s.io": { "*Template": exists, "*": firstOf(available, field("status.ready", "true")) },
    "bootstrap.cluster.x-k8s.io": { "*Template": exists },
    "infrastructure.cluster.x-k8s.io": { "*Template *Identity": exists, "*Cluster *Machine": provisioned },
    "addons.cluster.x-k8s.io": { "ClusterResourceSet*": exists },

    "cert-manager.io": { "Certificate CertificateRequest Issuer ClusterIssuer": isReady },

    "monitoring.coreos.com": {
        "Prometheus PrometheusAgent Alertmanager ThanosRuler": conditions("Available"),
        // Only scraped, and by whoever selects them: they have no status, or one behind a feature gate.
        "*": exists,
    },

    "networking.istio.io": { "*": exists },
    "security.istio.io": { "*": exists },
    "telemetry.istio.io": { "*": exists },
    "extensions.istio.io": { "*": exists },
    "install.istio.io": { IstioOperator: field("status.status", "HEALTHY") },
    "gateway.networking.k8s.io": {
        GatewayClass: conditions("Accepted"),
        Gateway: conditions("Accepted", "Programmed"),
        "*Route": eachOf("status.parents", "Accepted", "ResolvedRefs"),
        "Backend*Policy": eachOf("status.ancestors", "Accepted"),
        ReferenceGrant: exists,
    },

    // Networks and devices of nodes
    "k8s.cni.cncf.io": { NetworkAttachmentDefinition: exists },
    "sriovnetwork.openshift.io": {
        SriovNetworkNodeState: field("status.syncStatus", "Succeeded"),
        "*": exists,
    },
    "metallb.io": { "*": exists },
    "cilium.io": { "*": exists },
    "crd.projectcalico.org": { "*": exists },
    "projectcalico.org": { "*": exists },
    "operator.tigera.io": { Installation: isReady, TigeraStatus: conditions("Available") },
    "whereabouts.cni.cncf.io": { "*": exists },
    "nmstate.io": { NodeNetworkConfigurationPolicy: conditions("Available"), NMState: exists },

    "keda.sh": { "ScaledObject ScaledJob": isReady, "*TriggerAuthentication": exists },

    "argoproj.io": {
        Application: allOf(field("status.sync.status", "Synced"), field("status.health.status", "Healthy")),
        Workflow: field("status.phase", "Succeeded"),
        Rollout: field("status.phase", "Healthy"),
        "*": exists,
    },
    "source.toolkit.fluxcd.io": {
        // Flux writes no status of a registry: it is only an address.
        HelmRepository: when("spec.type", "oci", exists, isReady),
        "*": isReady,
    },
    "*.toolkit.fluxcd.io": {
        "Kustomization HelmRelease Receiver ImageRepository ImagePolicy ImageUpdateAutomation": isReady,
        "Alert Provider": exists,
    },
    "operators.coreos.com": {
        ClusterServiceVersion: field("status.phase", "Succeeded"),
        Subscription: field("status.state", "AtLatestKnown"),
        InstallPlan: field("status.phase", "Complete"),
        CatalogSource: field("status.connectionState.lastObservedState", "READY"),
        OperatorGroup: exists,
    },

    "kubevirt.io": { VirtualMachine: when("spec.runStrategy", "Halted", exists, isReady) },
    "cdi.kubevirt.io": { DataVolume: field("status.phase", "Succeeded", "WaitForFirstConsumer") },
    "snapshot.storage.k8s.io": {
        "VolumeSnapshot VolumeSnapshotContent": field("status.readyToUse", "true"),
        "*": exists,
    },
    "acid.zalan.do": { postgresql: field("status.PostgresClusterStatus", "Running") },

    "apiextensions.k8s.io": { CustomResourceDefinition: sure(conditions("NamesAccepted", "Established")) },
    "apiregistration.k8s.io": { APIService: conditions("Available") },

    // Below a custom resource: what Pulumi's plugin does not see, because it did not make it.
    "": {
        Pod: when("status.phase", "Succeeded", exists, podIsReady),
        PersistentVolumeClaim: field("status.phase", "Bound"),
    },
    apps: {
        "Deployment ReplicaSet StatefulSet": hasReplicas,
        DaemonSet: object => numbers(object, "status.numberReady", "status.desiredNumberScheduled"),
    },
    batch: { Job: firstOf(conditions("Complete"), jobHasFailed) },
};

/** The rule of a known kind; undefined: it is none. */
export function knownRule(group: string, kind: string): Judge | undefined {
    for (const [groups, kinds] of Object.entries(known)) {
        if (!fits(groups, group)) continue;
        const row = Object.entries(kinds).find(([names]) => names.split(" ").some(name => fits(name, kind)));
        if (row !== undefined) return row[1];
    }
    return undefined;
}

/** Whether a name fits a pattern, in which `*` stands for any text. */
export function fits(pattern: string, name: string): boolean {
    const parts = pattern.split("*").map(part => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`).test(name);
}

interface ContainerStatus {
    name: string;
    state?: { waiting?: { reason?: string; message?: string }; terminated?: { reason?: string; exitCode?: number } };
}

function podIsReady(object: Parameters<Judge>[0]) {
    const verdict = conditions("Ready")(object);
    if (verdict === undefined || verdict.ready) return verdict && ready;
    const lists = ["status.initContainerStatuses", "status.containerStatuses"].flatMap(
        path => (fieldOf(object, path) as ContainerStatus[] | undefined) ?? [],
    );
    const waiting = lists.flatMap(({ name, state: { waiting: w, terminated: t } = {} }) => {
        if (w !== undefined) return [`${name}: ${[w.reason, w.message].filter(Boolean).join(": ")}`];
        return t !== undefined && t.exitCode !== 0 ? [`${name}: ${t.reason}, exit code ${t.exitCode}`] : [];
    });
    const unscheduled = conditionsOf(object).filter(c => c.type === "PodScheduled" && c.status === "False");
    const reasons = [...unscheduled.map(conditionText), ...waiting];
    return reasons.length > 0 ? notReady(reasons.join("; ")) : verdict;
}

function hasReplicas(object: Parameters<Judge>[0]) {
    const failed = conditionsOf(object).find(c => c.type === "ReplicaFailure" && c.status === "True");
    return failed ? notReady(conditionText(failed)) : numbers(object, "status.readyReplicas", "spec.replicas");
}

function numbers(object: Parameters<Judge>[0], isPath: string, wantedPath: string) {
    const [is, wanted] = [Number(fieldOf(object, isPath) ?? 0), Number(fieldOf(object, wantedPath) ?? 1)];
    return is >= wanted ? ready : notReady(`${is} of ${wanted} ready`);
}

function jobHasFailed(object: Parameters<Judge>[0]) {
    const failed = conditionsOf(object).find(c => c.type === "Failed" && c.status === "True");
    return failed && { ...notReady(conditionText(failed)), stuck: true as const };
}

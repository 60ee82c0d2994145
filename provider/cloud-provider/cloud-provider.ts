import { NfvError } from "../common/errors";
import { toYaml } from "../common/to-yaml";
import { runFacts } from "../contract/run-facts";
import type { Context, ResourceType } from "../contract/types";
import { isLeftUndone } from "../machine/machine";
import { readyControlPlaneNode } from "../machine/machine-statuses";
import { missingObjectsScript, observeManifest } from "../network/scripts";
import { type ClusterWideInputs, type ClusterWideState, clusterWide } from "../objects/cluster-wide";
import type { StepFactory } from "../steps";
import { query } from "../steps/query";
import { cinderCsi } from "./cinder-csi";
import { snapshotterRights } from "./cinder-csi-rights";
import type { CloudAccess, LoadBalancerConf } from "./cloud-conf";
import { cloudControllerManager } from "./cloud-controller-manager";
import { type CloudPart, cloudParts, type NamedParts, refuseLeftOutParts, whyLeftOut } from "./cloud-parts";
import { emptySecret, secretData, secretManifest, withPartLabel } from "./objects";
import {
    applyCinderCsiScript,
    applyPartScript,
    applySecretScript,
    mountingWorkloadsScript,
    observeRemoved,
    observeSecret,
    observeStorageClasses,
    removeCinderCsiScript,
    removeManagerScript,
    removeSecretScript,
    storageClassesScript,
} from "./scripts";
import { type StorageClassSpec, storageClasses } from "./storage-classes";

/**
 * OpenStack's own parts in the cluster. A part that is undefined is not touched; one with `enabled: false` is removed.
 */
export interface CloudProviderSpec {
    clusterId: string;
    access: CloudAccess;
    /** @default registry.k8s.io */
    imageRepository?: string;
    cloudControllerManager?: { enabled: boolean; version: string; loadBalancer?: LoadBalancerConf };
    cinderCsi?: {
        enabled: boolean;
        version: string;
        ignoreVolumeZone?: boolean;
        storageClasses?: Record<string, StorageClassSpec>;
        /** The cluster has snapshot classes for it. */
        snapshots?: boolean;
    };
}

export type CloudProviderInputs = ClusterWideInputs<CloudProviderSpec>;
export type CloudProviderState = ClusterWideState<CloudProviderSpec>;

/** The manifests of each part. */
const parts: Record<CloudPart, (spec: CloudProviderSpec) => object[] | undefined> = {
    cloudControllerManager: ({ cloudControllerManager: part, ...spec }: CloudProviderSpec) =>
        part && cloudControllerManager({ ...spec, version: part.version }),
    cinderCsi: ({ cinderCsi: part, ...spec }: CloudProviderSpec) =>
        part && cinderCsi({ ...spec, version: part.version, snapshots: part.snapshots === true }),
};

type Part = CloudPart;

const isOn = (spec: CloudProviderSpec, part: Part) => spec[part]?.enabled === true;
/** A part that the program does not name may run, because a killed run has added it: so it is not off. */
const isOff = (spec: CloudProviderSpec, part: Part) => spec[part]?.enabled === false;
const anyIsOn = (spec: CloudProviderSpec) => isOn(spec, "cloudControllerManager") || isOn(spec, "cinderCsi");

const giveCredentials: StepFactory<CloudProviderSpec> = spec => {
    if (!anyIsOn(spec)) return undefined;
    const { access, clusterId, cloudControllerManager: ccm, cinderCsi: cinder } = spec;
    const conf = {
        access,
        ...(isOn(spec, "cloudControllerManager") && { loadBalancer: ccm?.loadBalancer }),
        ...(isOn(spec, "cinderCsi") && { blockStorage: { ignoreVolumeZone: cinder?.ignoreVolumeZone } }),
    };
    const manifest = secretManifest(conf);
    return {
        id: "cluster.cloud-credentials",
        title: "give the cloud provider its credentials",
        revision: 1,
        secrets: { manifest },
        declaredState: { cluster: clusterId, manifest },
        run: applySecretScript,
        observe: observeSecret(secretData(conf)),
        timeoutSeconds: 240,
    };
};

/** The Secret goes after the last part that mounts it. */
const removeCredentials: StepFactory<CloudProviderSpec> = spec => {
    if (!isOff(spec, "cloudControllerManager") || !isOff(spec, "cinderCsi")) return undefined;
    return {
        id: "cluster.cloud-credentials",
        title: "remove the cloud provider's credentials",
        revision: 1,
        env: { MANIFEST: toYaml(emptySecret) },
        declaredState: { cluster: spec.clusterId, on: false },
        run: removeSecretScript,
        observe: observeRemoved,
        timeoutSeconds: 120,
    };
};

const scripts = {
    cloudControllerManager: { apply: applyPartScript, remove: removeManagerScript },
    cinderCsi: { apply: applyCinderCsiScript, remove: removeCinderCsiScript },
};
const partNames = { cloudControllerManager: "cloud-controller-manager", cinderCsi: "cinder-csi" };

/** How long a removal waits for what the part itself cleans up, in seconds. */
const patience = "60";

/** Further inputs of the script of a part. `LEAVING`: what Cinder CSI has only with snapshots, and must not have without them. */
function moreInputs(spec: CloudProviderSpec, part: Part): Record<string, string> {
    if (!isOn(spec, part)) return { SECONDS_TO_WAIT: patience };
    if (part !== "cinderCsi") return {};
    const leaving = spec.cinderCsi?.snapshots ? [] : withPartLabel(partNames.cinderCsi, snapshotterRights());
    return { LEAVING: toYaml(...leaving) };
}

/** Objects that a removal deletes besides: a part that was changed last by a run that failed may have them. */
function alsoRemoved(spec: CloudProviderSpec, part: Part): object[] {
    return part === "cinderCsi" && !isOn(spec, part) && !spec.cinderCsi?.snapshots ? snapshotterRights() : [];
}

function partStep(part: Part, id: string, name: string, only?: boolean): StepFactory<CloudProviderSpec> {
    return spec => {
        if (spec[part] === undefined) return undefined;
        const on = isOn(spec, part);
        if (only !== undefined && on !== only) return undefined;
        const objects = withPartLabel(partNames[part], parts[part](spec) ?? []);
        const others = withPartLabel(partNames[part], alsoRemoved(spec, part));
        return {
            id,
            title: `${on ? "apply" : "remove"} ${name}`,
            revision: 1,
            env: { MANIFEST: toYaml(...objects, ...others), ...moreInputs(spec, part) },
            declaredState: { cluster: spec.clusterId, on, manifest: toYaml(...objects) },
            run: on ? scripts[part].apply : scripts[part].remove,
            observe: on ? observeManifest : observeRemoved,
            timeoutSeconds: 240,
        };
    };
}

const applyStorageClasses: StepFactory<CloudProviderSpec> = spec => {
    if (spec.cinderCsi === undefined) return undefined;
    const classes = isOn(spec, "cinderCsi") ? storageClasses(spec.cinderCsi.storageClasses) : [];
    const manifest = toYaml(...classes);
    const names = classes.map(each => (each as { metadata: { name: string } }).metadata.name).join(" ");
    return {
        id: "cluster.storage-classes",
        title: classes.length === 0 ? "remove our storage classes" : "apply the storage classes",
        revision: 1,
        env: { MANIFEST: manifest, CLASSES: names },
        declaredState: { cluster: spec.clusterId, manifest },
        run: storageClassesScript,
        observe: observeStorageClasses,
        timeoutSeconds: 120,
    };
};

const cinderCsiStep = (only: boolean) => partStep("cinderCsi", "cluster.cinder-csi", "Cinder CSI", only);

export const cloudProviderSteps: StepFactory<CloudProviderSpec>[] = [
    // Its removal may be refused: before anything else changes.
    cinderCsiStep(false),
    giveCredentials,
    partStep("cloudControllerManager", "cluster.cloud-controller-manager", "the cloud controller manager"),
    cinderCsiStep(true),
    applyStorageClasses,
    removeCredentials,
];

/** The wanted objects; of the Secret only its name. */
function objectsOf(spec: CloudProviderSpec): object[] {
    return [
        ...(anyIsOn(spec) ? [emptySecret] : []),
        ...cloudParts.flatMap(part => (isOn(spec, part) ? (parts[part](spec) ?? []) : [])),
        ...(isOn(spec, "cinderCsi") ? storageClasses(spec.cinderCsi?.storageClasses) : []),
    ];
}

const base = clusterWide({
    type: "cloud-provider",
    factories: cloudProviderSteps,
    isThere: async (spec, master) => {
        const objects = objectsOf(spec);
        if (objects.length === 0) return true;
        const call = { step: "look at the cloud provider", script: missingObjectsScript, timeoutSeconds: 40 };
        return (await query(master, { ...call, env: { MANIFEST: toYaml(...objects) } })).trim() === "";
    },
});

/** @throws INVALID_INPUT for a part that may run and that the program does not name any more. A switched-off part may run until its removal is done. */
function refuseLeftOut(state: CloudProviderState, after: Partial<CloudProviderSpec>): void {
    const { spec } = state;
    const mayRun = (part: Part) => isOn(spec, part) || (isOff(spec, part) && isLeftUndone(state));
    const missing = cloudParts.filter(part => after[part] === undefined && mayRun(part));
    if (missing.length > 0) throw new NfvError({ code: "INVALID_INPUT", cause: missing.map(whyLeftOut).join("\n") });
}

/**
 * A run that was killed may have added a part: the state does not name it, and only the cluster knows it.
 * @throws INVALID_INPUT, and NO_CONTROL_PLANE where that cannot be asked
 */
async function refuseIfMounted({ spec, controlPlane }: CloudProviderState, context: Context): Promise<void> {
    if (cloudParts.every(part => isOff(spec, part))) return;
    const { connection } = await readyControlPlaneNode(context, spec.clusterId, controlPlane, "any");
    const call = { step: "look who uses the cloud's credentials", script: mountingWorkloadsScript, timeoutSeconds: 40 };
    const found = (await query(connection, call)).trim();
    if (found === "") return;
    const parts = cloudParts.filter(part => !isOff(spec, part)).map(part => `cloudProvider.${part}`);
    throw new NfvError({
        code: "INVALID_INPUT",
        cause:
            `cloudProvider is left out of the program, but these still log in to the cloud with its credentials: ${found.split("\n").join(", ")}. ` +
            `Nothing was touched. Give ${parts.join(" and ")} with enabled: false first, run pulumi up, and leave it out after that.`,
    });
}

const namedParts = (spec: Partial<CloudProviderSpec> | undefined): NamedParts =>
    Object.fromEntries(cloudParts.flatMap(part => (spec?.[part] ? [[part, spec[part].enabled]] : [])));

/**
 * OpenStack's cloud controller manager and Cinder CSI. They are applied as soon as the first control-plane node is
 * ready: nodes keep the `uninitialized` taint until the manager runs, so nothing here waits for nodes. A part leaves only by `enabled: false`: without
 * this resource the application credential would be deleted under parts that run.
 */
export const cloudProvider: ResourceType<CloudProviderInputs, CloudProviderState> = {
    ...base,
    check: (olds, news, context) => {
        const { inputs, failures = [] } = base.check(olds, news, context);
        const isKnown = typeof news.spec === "object";
        const leftOut = isKnown ? refuseLeftOutParts(namedParts(olds.spec), namedParts(news.spec)) : [];
        return { inputs, failures: [...failures, ...leftOut] };
    },
    update: async (id, olds, news, context) => {
        refuseLeftOut(olds, news.spec);
        return base.update(id, olds, news, context);
    },
    delete: async (id, state, context) => {
        const { spec, resourceUrn } = state;
        if (!runFacts(context).isEnding(spec.clusterId) && !runFacts(context).program.has(resourceUrn)) {
            refuseLeftOut(state, {});
            await refuseIfMounted(state, context);
        }
        return base.delete(id, state, context);
    },
};

import * as pulumi from "@pulumi/pulumi";
import { ClusterRecord } from "../../provider/adapters/dynamic";
import type { KubernetesClusterArgs } from "../args/args";
import { certificateText, mapClusterCertificates } from "../common/certificate-files";
import { hookList } from "../common/hook-list";
import { reading } from "../common/invalid-input";
import type { Provisioned } from "../infrastructure/infrastructure";
import { infrastructureOf } from "../infrastructure/select";
import { problemsWhenKnown } from "../validation/validate";
import { makeHooks } from "./cluster-hooks";
import { clusterIdentity } from "./cluster-identity";
import { type Cluster, clusterParts } from "./cluster-parts";
import type { Files } from "./cluster-plan";
import { keptInputs } from "./fixed-values";
import { markSecrets } from "./mark-secrets";
import { openHeals } from "./open-heals";
import { comparedInputs } from "./operation";
import { readFiles } from "./operator-files";
import { refusedVersion } from "./version-refusal";
import { wishesOf } from "./wishes";

/** What exists before the first part in the cluster: its identity, its machines, and what the run remembers. */
export interface BegunCluster {
    name: string;
    args: KubernetesClusterArgs;
    /** The same, with its secret values marked. */
    marked: KubernetesClusterArgs;
    files: Files;
    cluster: Cluster;
    provisioned: Provisioned;
    hooks: ReturnType<typeof makeHooks>;
}

export function beginCluster(component: pulumi.Resource, name: string, args: KubernetesClusterArgs): BegunCluster {
    const marked = markSecrets(mapClusterCertificates(args, certificateText));
    const clusterName = marked.clusterName ?? name;
    const refused = refusedVersion(args, clusterName);
    const { files, hookSpecs, infrastructure } = reading("KubernetesCluster", name, () => ({
        files: readFiles(marked),
        hookSpecs: hookList(marked.hooks ?? []),
        infrastructure: infrastructureOf({ name, args: marked, parent: component, problems: refused }),
    }));
    const { parent, preflight } = infrastructure;
    const problems = pulumi
        .all([problemsWhenKnown("KubernetesCluster", name, args), refused])
        .apply(found => found.filter(each => each !== undefined).join("\n") || undefined);
    const kept = keptInputs(args, name, infrastructure);
    const identity = clusterIdentity(
        name,
        { clusterName, problems, kept },
        { parent, dependsOn: [...preflight] },
        args.rotate,
    );
    const { clusterId, fingerprintKey } = identity;
    const contents = {
        "kubernetes.source": files.bundleFiles,
        "network.cniManifests": files.cniManifests,
        ...(marked.hooks && { hooks: hookSpecs.map(({ hash }) => hash) }),
        ...(marked.storage && { storage: files.persistentVolumes }),
        ...infrastructure.fileContents,
    };
    const compared = comparedInputs(marked, name, contents, fingerprintKey);
    const wishes = wishesOf({ args: marked, name, infrastructure, files }, fingerprintKey);
    const hooks = makeHooks({ name, clusterName, list: hookSpecs, clusterId, parent });
    // If the identity's check refuses the inputs, nothing is noted.
    const record = new ClusterRecord(
        name,
        { clusterId, wishes, openHeals: openHeals(clusterId, args, infrastructure.nodes) },
        { parent, dependsOn: [identity.resource] },
    );
    const provisioned = infrastructure.provision({ clusterId, fingerprintKey, compared, kept, record, hooks });

    const cluster = clusterParts({
        name,
        clusterName,
        args: marked,
        identity,
        provisioned,
        record,
        kept,
        parent,
        files,
    });
    return { name, args, marked, files, cluster, provisioned, hooks };
}

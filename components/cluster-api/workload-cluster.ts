import * as pulumi from "@pulumi/pulumi";
import {
    type Args,
    CredentialReport,
    type DeepInput,
    OwnerMark,
    WorkloadClaim,
    WorkloadRollout,
} from "../../provider/adapters/dynamic";
import type { SentCredentials } from "../../provider/cluster-api/credential-report";
import type { WorkloadClaimInputs } from "../../provider/cluster-api/workload/workload-claim";
import type { WorkloadRolloutInputs } from "../../provider/cluster-api/workload/workload-rollout";
import type { WorkloadMachine } from "../../provider/cluster-api/workload-machines";
import { renderKubeconfig } from "../../provider/identity/kubeconfig";
import { supportWarning } from "../../provider/kubernetes/support";
import type { WorkloadClusterArgs } from "../args/workload-cluster-args";
import type { SendCredentialsArgs } from "../args/workload-credential-args";
import { workloadDefaults } from "../args/workload-defaults";
import { Cnf } from "../cnf/cnf";
import { withoutNulls } from "../cnf/without-nulls";
import { certificateText } from "../common/certificate-files";
import { invalidInput, readingInputs } from "../common/invalid-input";
import { problemsWhenKnown, validate } from "../validation/validate";
import { Vim, vimAccess, vimProblems } from "../vim/vim";
import { asBefore } from "./as-before";
import { cloudLogin } from "./cloud-login";
import { contentHash } from "./content-name";
import { definitionProblems } from "./definitions";
import { fixedFields } from "./fixed-fields";
import { identityObjects } from "./identity-secret";
import { keptByMachines } from "./kept-by-machines";
import { noteKept } from "./kept-clusters";
import type { Named } from "./machine-template";
import { definitionsOf, type ManagementCluster, managementProblems, mayDefine, vimOf } from "./management-cluster";
import { unmovable } from "./movable-objects";
import { withAddOns } from "./own-add-ons";
import { type OwnObjects, ownObjects } from "./own-objects";
import { rolesOf } from "./roles";
import { addOnManifests, workloadManifests } from "./workload-manifests";
import { workloadObjects } from "./workload-objects";
import { type WorkloadSpec, workloadSpec } from "./workload-spec";

/**
 * A Kubernetes cluster that Cluster API makes in an OpenStack cloud. It is awaited: at the end of `up` all machines are ready. Destroying it removes
 * its servers, ports, volumes and addresses from the cloud, before the management cluster may go.
 */
export class WorkloadCluster extends pulumi.ComponentResource {
    /** URL of the API. */
    readonly endpoint!: pulumi.Output<string>;
    /** PEM certificate of the authority that signed the API's certificate. */
    readonly caCertificate!: pulumi.Output<string>;
    /**
     * The administrator's kubeconfig. Cluster API renews its certificate; a refresh follows.
     * @secret
     */
    readonly kubeconfig!: pulumi.Output<string>;
    /** Access for network functions, with an account of its own. */
    readonly vim!: Vim;
    /** The machines, with their nodes and servers. */
    readonly machines!: pulumi.Output<WorkloadMachine[]>;

    constructor(name: string, args: WorkloadClusterArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:WorkloadCluster", name, {}, options);
        validate("WorkloadCluster", name, args, [
            ...managementProblems(args?.management, "management"),
            ...vimProblems(args?.managementVim, "managementVim"),
        ]);
        const warning = args.version === undefined ? undefined : supportWarning(args.version, new Date());
        if (warning !== undefined) void pulumi.log.warn(warning, this);
        const wished = parse(name, args);
        const others = differing(args, wished);
        if (others.length > 0) throw invalidInput("WorkloadCluster", name, others);
        const vim = args.management ? vimOf(args.management) : args.managementVim!;
        const movable = args.movable ? this : undefined;
        const conflicts = noteKept(vim, { name, namespace: namespaceOf(wished), movable });
        if (conflicts.length > 0) throw invalidInput("WorkloadCluster", name, conflicts);
        const { cluster, objects } = withLogin(this, wished);
        const unfit = args.management ? definitionProblems(objects, definitionsOf(args.management), isLate) : [];
        if (unfit.length > 0) throw invalidInput("WorkloadCluster", name, unfit);
        const { name: clusterName, namespace } = cluster.metadata;
        const dependsOn = args.management ? [args.management] : [vim];
        const timeoutSeconds = args.timeoutSeconds ?? workloadDefaults.timeoutSeconds;
        const { made, held } = movable
            ? claim(this, name, { vim, namespace, clusterName, objects, timeoutSeconds }, dependsOn)
            : { made: apply(this, name, { vim, namespace, objects }, args.management, dependsOn), held: undefined };
        // Not of Secrets: a hash of a weak password gives it away. Their change needs no wait.
        const hashed = pulumi.output(objects.filter(({ kind }) => kind !== "Secret"));
        const inputs = {
            access: vimAccess(vim),
            clusterId: vim.clusterIdentifier,
            namespace,
            clusterName,
            roles: hashed.apply(known => rolesOf(clusterName, known as unknown as Named[], contentHash)),
            objectsHash: hashed.apply(contentHash),
            paused: args.paused ?? false,
            ...(args.allowUnsupportedVersion && { allowUnsupportedVersion: true }),
            kept: keptByMachines(objects, podNetworkOf(wished)),
            fixed: hashed.apply(known => fixedFields(known as unknown as Named[])),
            ...ownIdentity(objects),
            ...(held && { held }),
            timeoutSeconds,
            problems: problemsWhenKnown("WorkloadCluster", name, args),
        };
        const rollout = new WorkloadRollout(name, inputs as unknown as Args<WorkloadRolloutInputs>, {
            parent: this,
            dependsOn: [made],
        });
        const same = { namespace, clusterName, ...(!movable && { clusterId: vim.clusterIdentifier }) };
        const {
            uid,
            vim: own,
            ...outputs
        } = outputsOf(this, name, {
            ...{ rollout, same, clusterName, serviceAccount: args.serviceAccount },
        });
        Object.assign(this, { ...outputs, vim: own });
        if (args.sendCredentials) {
            // What it was made as: another management cluster may be given after a move.
            const clusterId = movable ? rollout.clusterId : vim.clusterIdentifier;
            const at = { clusterId, name: clusterName, namespace, uid };
            sendCredentials(this, name, args.sendCredentials, at);
        }
        this.registerOutputs(outputs);
    }
}

interface Rolled {
    rollout: InstanceType<typeof WorkloadRollout>;
    /** What must be the same in the state for its outputs to count. */
    same: Parameters<typeof asBefore>[1];
    clusterName: string;
    serviceAccount: WorkloadClusterArgs["serviceAccount"];
}

/** Where the cluster is reached, and as whom. */
function outputsOf(parent: WorkloadCluster, name: string, { rollout, same, clusterName, serviceAccount }: Rolled) {
    const kept = asBefore(rollout, same);
    const endpoint = kept(rollout.endpoint, "endpoint");
    const caCertificate = kept(rollout.caCertificate, "caCertificate");
    const clientCertificate = kept(rollout.clientCertificate, "clientCertificate");
    const clientKey = kept(rollout.clientKey, "clientKey");
    const uid = kept(rollout.uid, "uid");
    const kubeconfig = pulumi.secret(
        pulumi
            .all([endpoint, caCertificate, clientCertificate, clientKey])
            .apply(([url, ca, clientCert, key]) =>
                renderKubeconfig({ name: clusterName, endpoint: url, ca, clientCert, clientKey: key }),
            ),
    );
    const vim = new Vim(
        name,
        {
            endpoint,
            caCertificate,
            auth: { clientCertificate: pulumi.secret(clientCertificate), clientKey: pulumi.secret(clientKey) },
            serviceAccount: serviceAccount ?? {},
            // A cluster that was made again is another one: what ran on the former one is gone.
            clusterIdentifier: uid.apply(known => `${clusterName}-${known.slice(0, 8)}`),
        },
        // The account goes with its cluster: nobody has to remove it, and a cluster that does not answer can be removed, too.
        { parent, dependsOn: [rollout], deletedWith: rollout },
    );
    return { endpoint, caCertificate, kubeconfig, vim, uid, machines: rollout.machines };
}

interface Applied {
    vim: Vim;
    namespace: string;
    objects: Named[];
}

/** Pulumi's plugin holds the objects: each is a resource. */
const apply = (
    parent: WorkloadCluster,
    name: string,
    { vim, namespace, objects }: Applied,
    management: ManagementCluster | undefined,
    dependsOn: pulumi.Resource[],
): pulumi.Resource =>
    new Cnf(
        name,
        {
            vim,
            objects: objects as never,
            customKinds: customKinds(objects, management),
            ...(namespace !== "default" && { namespace }),
            // The rollout waits, and knows more about these objects.
            skipAwait: true,
        },
        { parent, dependsOn },
    );

/** The rollout holds the objects, wherever they are; their names are claimed before. */
function claim(
    parent: WorkloadCluster,
    name: string,
    applied: Applied & { clusterName: string; timeoutSeconds: number },
    dependsOn: pulumi.Resource[],
) {
    const { vim, namespace, clusterName, objects, timeoutSeconds } = applied;
    const problems = unmovable(objects, namespace);
    if (problems.length > 0) throw invalidInput("WorkloadCluster", name, problems);
    const owner = new OwnerMark(name, { name }, { parent, dependsOn }).mark;
    const inputs = {
        ...{ name, owner, namespace, clusterName, timeoutSeconds },
        access: vimAccess(vim),
        clusterId: vim.clusterIdentifier,
        objects: objects.map(({ apiVersion, kind, metadata }) => ({
            ...{ apiVersion, kind, namespace: metadata.namespace, name: metadata.name },
        })),
    };
    const made = new WorkloadClaim(name, inputs as unknown as Args<WorkloadClaimInputs>, { parent, dependsOn });
    return { made, held: { name, owner, objects: objects.map(each => withoutNulls(each)) } };
}

interface ReportedCluster {
    /** Of the management cluster. */
    clusterId: pulumi.Output<string>;
    name: string;
    namespace: string;
    uid: pulumi.Output<string>;
}

function sendCredentials(
    parent: WorkloadCluster,
    name: string,
    { url, token, caCertificate, access, removal, timeoutSeconds }: SendCredentialsArgs,
    { clusterId, ...cluster }: ReportedCluster,
): void {
    const { kubeconfig, vim } = parent;
    const credentials =
        access === "administrator"
            ? { kubeconfig }
            : { kubeconfig: vim.kubeconfig, vimConnectionInfo: vim.vimConnectionInfo };
    const ca = caCertificate && certificateText(caCertificate, "sendCredentials.caCertificate");
    new CredentialReport(
        name,
        {
            ...{ clusterId, cluster, url, removal: removal ?? false },
            ...(token !== undefined && { token }),
            ...(ca !== undefined && { caCertificate: ca }),
            timeoutSeconds: timeoutSeconds ?? workloadDefaults.sendSeconds,
            credentials: credentials as DeepInput<SentCredentials>,
        },
        { parent },
    );
}

/** The Cluster, and all objects with it. The login to the cloud is made when nothing can be wrong any more. */
function withLogin(parent: WorkloadCluster, wished: OwnObjects | WorkloadSpec): OwnObjects {
    if ("objects" in wished) return wished;
    const objects = [...identityObjects(wished, cloudLogin(parent, wished)), ...workloadObjects(wished)];
    return { cluster: objects.find(({ kind }) => kind === "Cluster")!, objects };
}

/** The user's own objects, or the spec of ours. */
function parse(name: string, args: WorkloadClusterArgs): OwnObjects | WorkloadSpec {
    return readingInputs("WorkloadCluster", name, () => {
        const { manifests, variables = {}, namespace = workloadDefaults.namespace } = args;
        if (manifests !== undefined)
            return withAddOns(ownObjects(manifests, variables, namespace), addOnManifests(args.addOns));
        return workloadSpec(args.clusterName ?? name, args, workloadManifests(args));
    });
}

/** Inputs that say something else than the user's own Cluster, which would win without a word. */
const differing = (args: WorkloadClusterArgs, wished: OwnObjects | WorkloadSpec): string[] =>
    "objects" in wished
        ? (["clusterName", "namespace"] as const).flatMap(input => {
              const own = wished.cluster.metadata[input === "clusterName" ? "name" : "namespace"];
              const given = args[input];
              return given === undefined || given === own
                  ? []
                  : [`${input}: is "${given}", and the Cluster in manifests has "${own}": leave it out, or give that`];
          })
        : [];

/** Its value is not known yet. */
const isLate = (value: unknown) => pulumi.Output.isInstance(value) || value instanceof Promise;

const namespaceOf = (wished: OwnObjects | WorkloadSpec): string =>
    "objects" in wished ? wished.cluster.metadata.namespace : wished.namespace;

/** Whose pod network it is: `manifests` and `none` are both the user's. */
function podNetworkOf(wished: OwnObjects | WorkloadSpec): string | undefined {
    if ("objects" in wished) return undefined;
    const { cni } = wished.network;
    return cni === "manifests" || cni === "none" ? "your own" : cni;
}

/** An identity for several clusters that is removed with this one. */
function ownIdentity(objects: readonly Named[]): { ownIdentity?: string } {
    const made = objects.find(({ kind }) => kind === "OpenStackClusterIdentity");
    return made === undefined ? {} : { ownIdentity: made.metadata.name };
}

/**
 * Kinds of Cluster API and its providers: their definitions are in the management cluster, as soon as that is made. A kind that its providers do not
 * define is left out: if the cluster does not have it, it is a wrong name, and would be awaited for nothing.
 */
function customKinds(objects: readonly Named[], management: ManagementCluster | undefined): string[] {
    const kinds = objects
        .filter(({ apiVersion }) => /\.x-k8s\.io\//.test(apiVersion))
        .map(({ apiVersion, kind }) => `${kind}.${apiVersion.split("/")[0]}`)
        .filter(kind => management === undefined || mayDefine(management, kind));
    return [...new Set(kinds)];
}

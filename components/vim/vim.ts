import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { type DeepInput, OwnerMark, VimRegistration } from "../../provider/adapters/dynamic";
import { ownState } from "../../provider/adapters/own-state";
import { renderKubeconfig } from "../../provider/identity/kubeconfig";
import type { VimConnectionInfo } from "../../provider/vim";
import type { ClusterAccess } from "../../provider/vim/check-cluster";
import type { VimArgs } from "../args/vim-args";
import { certificateText, mapVimCertificates } from "../common/certificate-files";
import { problemsWhenKnown, validate } from "../validation/validate";
import { requireKubernetes } from "./kubernetes-plugin";
import { replacementHooks } from "./replacement";
import { accessGiven, type GivenAccess } from "./vim-kubeconfig";

interface Private {
    name: string;
    given: GivenAccess;
    access: VimRegistration;
    /** Created at its first use. */
    provider?: kubernetes.Provider;
    cnf?: CnfAccess;
    renderer?: kubernetes.Provider;
    /** Network functions wait for it, the Vim does not. */
    ready?: pulumi.Resource;
}

/** Data of a Vim that is no output. Not fields, because a component's fields become its outputs. */
const privates = new WeakMap<Vim, Private>();

/** Access to a Kubernetes cluster, ours or any other, verified against its live API before anything is applied to it. */
export class Vim extends pulumi.ComponentResource {
    /** URL of the API. */
    readonly endpoint: pulumi.Output<string>;
    /** PEM certificate of the authority that signed the API's certificate; "" if it is not verified. */
    readonly caCertificate: pulumi.Output<string>;
    /**
     * The token for users of this Vim.
     * @secret
     */
    readonly bearerToken: pulumi.Output<string>;
    /**
     * The same access as a kubeconfig.
     * @secret
     */
    readonly kubeconfig: pulumi.Output<string>;
    /**
     * The same access as ETSI SOL003 writes it.
     * @secret
     */
    readonly vimConnectionInfo: pulumi.Output<VimConnectionInfo>;
    /** Id of the cluster; it never changes. A Kubernetes provider with this id is not replaced when the access changes. */
    readonly clusterIdentifier: pulumi.Output<string>;
    /** When the token expires, ISO 8601; `up` renews it after half of its life. "": it does not expire. */
    readonly tokenExpires: pulumi.Output<string>;
    /** Version that the API server reports: "v1.36.3". */
    readonly serverVersion: pulumi.Output<string>;

    constructor(name: string, args: VimArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:Vim", name, {}, options);
        validate("Vim", name, args);
        const { clusterIdentifier, serviceAccount, tokenGeneration } = args;
        const given = accessGiven(mapVimCertificates(args, certificateText));
        const mark = serviceAccount && new OwnerMark(name, { name }, { parent: this });
        const vim = new VimRegistration(
            name,
            {
                ...given,
                ...(serviceAccount && { serviceAccount }),
                ...(tokenGeneration !== undefined && { tokenGeneration }),
                name,
                ...(mark && { owner: mark.mark }),
                problems: problemsWhenKnown("Vim", name, args),
                ...(clusterIdentifier !== undefined && { clusterIdentifier }),
                clusterId: clusterIdentifier ?? given.endpoint,
                ...(dependsOnOthers(options) && { dependent: true }),
            },
            // The access has the same dependencies as the component itself.
            { parent: this, dependsOn: options?.dependsOn, deletedWith: options?.deletedWith },
        );
        privates.set(this, { name, given, access: vim });
        this.endpoint = pulumi.output(given.endpoint);
        this.caCertificate = pulumi.output(given.caCertificate ?? "");
        this.bearerToken = pulumi.secret(vim.bearerToken);
        this.kubeconfig = pulumi.secret(vim.kubeconfig);
        this.vimConnectionInfo = pulumi.secret(vim.vimConnectionInfo);
        this.clusterIdentifier = vim.clusterId;
        this.tokenExpires = vim.tokenExpires;
        this.serverVersion = vim.serverVersion;
        this.registerOutputs({
            endpoint: this.endpoint,
            caCertificate: this.caCertificate,
            bearerToken: this.bearerToken,
            kubeconfig: this.kubeconfig,
            vimConnectionInfo: this.vimConnectionInfo,
            clusterIdentifier: this.clusterIdentifier,
            tokenExpires: this.tokenExpires,
            serverVersion: this.serverVersion,
        });
    }

    /**
     * A Kubernetes provider for resources of your own, with the program's own credentials (`auth`): the Vim's token
     * may have fewer rights, and expires. An object that exists already is an error. Needs the npm package @pulumi/kubernetes and its plugin.
     */
    get provider(): kubernetes.Provider {
        const entry = privates.get(this)!;
        entry.provider ??= makeProvider(this, entry, {
            name: entry.name,
            clusterIdentifier: this.clusterIdentifier,
            upsertExistingObjects: false,
        });
        return entry.provider;
    }
}

/** Whether something that the program makes comes before the component. A promise of resources may be one of none: then only `up` asks. */
function dependsOnOthers({ dependsOn = [] }: pulumi.ComponentResourceOptions = {}): boolean {
    return !Array.isArray(dependsOn) || dependsOn.length > 0;
}

/**
 * What waits until all nodes of a Vim's own cluster are Ready. Network functions wait for it: before that, the scheduler would put all pods on
 * those that are, and nothing moves them later.
 */
export function noteReadiness(vim: Vim, ready: pulumi.Resource): void {
    privates.get(vim)!.ready = ready;
}

/** The program's own access to the cluster of a Vim. */
export function vimAccess(vim: Vim): DeepInput<ClusterAccess> {
    return pulumi.secret({ ...privates.get(vim)!.given }) as DeepInput<ClusterAccess>;
}

/** What is wrong with an input `vim`, as "place: what". The schema does not see it: for it, any resource is an object. */
export function vimProblems(given: unknown, input = "vim"): string[] {
    if (given === undefined || privates.has(given as Vim)) return [];
    if (given === null) return [`${input}: is required`];
    if (pulumi.Output.isInstance(given) || given instanceof Promise) {
        return [`${input}: is an Output or a Promise: give the Vim itself`];
    }
    const { __pulumiType: type, __name: name } = given as { __pulumiType?: string; __name?: string };
    return type === "pulumi-nfv:index:KubernetesCluster"
        ? [`${input}: is a KubernetesCluster; did you mean its output vim (${name}.vim)?`]
        : [`${input}: is no Vim: make one (new nfv.Vim), or give the output vim of a KubernetesCluster`];
}

/** What a Cnf needs from its Vim. */
export interface CnfAccess {
    /** Its objects are made after these. */
    after: readonly pulumi.Resource[];
    access: DeepInput<ClusterAccess>;
    provider: kubernetes.Provider;
    /** Hooks that run before an object is created. */
    objectHooks?: pulumi.ResourceHookBinding;
    /** The objects wait for it: their hooks need the stack's state, and a hook that requests it would wait for itself. */
    stateRead: Promise<unknown>;
}

export function cnfAccess(vim: Vim): CnfAccess {
    const entry = privates.get(vim)!;
    entry.cnf ??= makeCnfAccess(vim, entry);
    return entry.cnf;
}

/**
 * Pulumi's kubernetes plugin as a renderer of charts. It has no cluster: a provider of a cluster that does not exist yet renders nothing at
 * preview.
 */
export function chartRenderer(vim: Vim): kubernetes.Provider {
    const entry = privates.get(vim)!;
    const { Provider } = requireKubernetes();
    entry.renderer ??= new Provider(`${entry.name}-charts`, { kubeconfig: "{}" }, { parent: vim });
    return entry.renderer;
}

function makeCnfAccess(vim: Vim, entry: Private): CnfAccess {
    const access = vimAccess(vim);
    const name = `${entry.name}-cnf`;
    const hooks = replacementHooks(name, access as pulumi.Output<ClusterAccess>);
    const stateRead = ownState().then(() => true);
    // Upsert: a run can go on after it was killed between creating an object and recording it. CnfObjects has refused foreign objects before.
    const provider = makeProvider(vim, entry, {
        name,
        clusterIdentifier: pulumi.all([vim.clusterIdentifier, stateRead]).apply(([id]) => id),
        upsertExistingObjects: true,
        hooks: hooks.provider,
    });
    const after = [vim, ...(entry.ready ? [entry.ready] : [])];
    return { after, access, provider, objectHooks: hooks.object, stateRead };
}

interface ProviderParts {
    name: string;
    clusterIdentifier: pulumi.Output<string>;
    upsertExistingObjects: boolean;
    hooks?: pulumi.ResourceHookBinding | undefined;
}

function makeProvider(
    vim: Vim,
    { given, access }: Private,
    { name, clusterIdentifier, upsertExistingObjects, hooks }: ProviderParts,
): kubernetes.Provider {
    const { Provider } = requireKubernetes();
    return new Provider(
        name,
        {
            kubeconfig: ownKubeconfig(vim, given),
            clusterIdentifier,
            enableConfigMapMutable: true,
            enableSecretMutable: true,
            upsertExistingObjects,
        },
        { parent: vim, dependsOn: [access], hooks },
    );
}

/**
 * Uses the program's own credentials: they do not change when the Vim's token is renewed, and are still valid when the cluster is
 * destroyed after that token has expired. A login by OpenID Connect has no lasting credentials, so there it uses the Vim's token.
 */
function ownKubeconfig(vim: Vim, { auth }: GivenAccess): pulumi.Output<string> {
    if ("oidc" in auth && auth.oidc) return vim.kubeconfig;
    return pulumi.secret(
        pulumi
            .all([vim.clusterIdentifier, vim.endpoint, vim.caCertificate, auth])
            .apply(([name, endpoint, ca, { clientCertificate: clientCert, clientKey, bearerToken: token }]) =>
                renderKubeconfig({
                    name,
                    endpoint,
                    user: "program",
                    ...(ca !== "" && { ca }),
                    ...(token === undefined ? { clientCert, clientKey } : { token }),
                }),
            ),
    );
}

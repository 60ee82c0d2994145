import type * as kubernetes from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { Vim as VimAccess } from "../provider/dynamic";
import type { VimConnectionInfo } from "../provider/vim";
import { requireKubernetes } from "./kubernetes-plugin";
import { validate, validateWhenKnown } from "./validate";
import type { VimArgs } from "./vim-args";

/** The provider of each Vim, made at first use. Not a field: fields of a component become its outputs. */
const providers = new WeakMap<Vim, { name: string; provider?: kubernetes.Provider }>();

/** Access to a Kubernetes cluster, ours or any other, proven against its live API before anything is put on it. */
export class Vim extends pulumi.ComponentResource {
    /** URL of the API. */
    readonly endpoint: pulumi.Output<string>;
    /** PEM certificate of the authority that vouches for the API; "" if it is not verified. */
    readonly caCertificate: pulumi.Output<string>;
    /** The token that is handed out. Secret. */
    readonly bearerToken: pulumi.Output<string>;
    /** The same access as a kubeconfig. Secret. */
    readonly kubeconfig: pulumi.Output<string>;
    /** The same access as ETSI SOL003 writes it. Secret. */
    readonly vimConnectionInfo: pulumi.Output<VimConnectionInfo>;
    /** Name of the cluster that never changes: a Kubernetes provider that has it is not replaced when the access changes. */
    readonly clusterIdentifier: pulumi.Output<string>;
    /** Version that the API server reports: "v1.34.4". */
    readonly serverVersion: pulumi.Output<string>;

    constructor(name: string, args: VimArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:Vim", name, {}, options);
        providers.set(this, { name });
        validate("Vim", name, args);
        const { clusterIdentifier, ...access } = args;
        const clusterId = clusterIdentifier ?? args.endpoint;
        const vim = new VimAccess(
            name,
            { ...access, name: validateWhenKnown("Vim", name, args, name), clusterId },
            // What hangs on the component's own options hangs on the access too.
            { parent: this, dependsOn: options?.dependsOn, deletedWith: options?.deletedWith },
        );
        this.endpoint = pulumi.output(args.endpoint);
        this.caCertificate = pulumi.output(args.caCertificate ?? "");
        this.bearerToken = pulumi.secret(vim.bearerToken);
        this.kubeconfig = pulumi.secret(vim.kubeconfig);
        this.vimConnectionInfo = pulumi.secret(vim.vimConnectionInfo);
        this.clusterIdentifier = pulumi.output(clusterId);
        this.serverVersion = vim.serverVersion;
        this.registerOutputs({
            endpoint: this.endpoint,
            caCertificate: this.caCertificate,
            bearerToken: this.bearerToken,
            kubeconfig: this.kubeconfig,
            vimConnectionInfo: this.vimConnectionInfo,
            clusterIdentifier: this.clusterIdentifier,
            serverVersion: this.serverVersion,
        });
    }

    /** A Kubernetes provider with this access, for resources of your own. Needs the npm package @pulumi/kubernetes and its plugin. */
    get provider(): kubernetes.Provider {
        const entry = providers.get(this)!;
        entry.provider ??= makeProvider(this, entry.name);
        return entry.provider;
    }
}

function makeProvider(vim: Vim, name: string): kubernetes.Provider {
    const { Provider } = requireKubernetes();
    return new Provider(
        name,
        {
            kubeconfig: vim.kubeconfig,
            clusterIdentifier: vim.clusterIdentifier,
            enableConfigMapMutable: true,
            enableSecretMutable: true,
            // A run that was killed between making an object and noting it goes on; fields that others own are still a conflict.
            upsertExistingObjects: true,
        },
        { parent: vim },
    );
}

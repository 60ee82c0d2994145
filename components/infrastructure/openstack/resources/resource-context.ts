import type * as openstack from "@pulumi/openstack";
import * as pulumi from "@pulumi/pulumi";
import { type GivenKind, type GivenNames, givenKey } from "../../../../provider/openstack/given-names";
import { isId } from "../../../../provider/openstack/is-id";
import { markWord, type Owner, ownerTag, ownerTags } from "../../../../provider/openstack/requirements";
import { requireOpenstack } from "../openstack-plugin";
import type { ServerPlan } from "../plan/server-plan";
import { ownerOf } from "../server-access";
import type { ServersRequest } from "../servers";
import type { CloudHooks } from "./cloud-hooks";
import { type Checked, uncheckedGuard } from "./unchecked-changes";

/** What all parts of the cluster's servers have in common. */
export interface ResourceContext {
    openstack: typeof openstack;
    plan: ServerPlan;
    /** Pulumi's name of a part: the cluster's name and the part's key. */
    name(key?: string): string;
    /**
     * Options of every resource. `more` overrides them, but its `dependsOn` and `turn` are added. The resource is not registered if
     * OperationStart has not checked its inputs: see uncheckedGuard.
     */
    options(
        more?: pulumi.CustomResourceOptions & {
            dependsOn?: pulumi.Resource[];
            /** The same, of resources that are made later. */
            turn?: Promise<pulumi.Resource[]>;
        },
    ): pulumi.CustomResourceOptions;
    /** The same for resources that change with these nodes. */
    of(nodes: readonly string[]): ResourceContext;
    /** For resources that hold data or that data depends on. */
    protect: boolean;
    tags: string[];
    /** Metadata of each server in addition to the plan's: the key that only this state has. */
    ownKey: Record<string, pulumi.Input<string>>;
    /** Name and owner of a part that we create: it proves the ownership from the moment of the part's creation. */
    description(key: string): pulumi.Output<string>;
    /** Option for a resource that we create: a hook that checks the cloud right before. */
    before(kind: Exclude<keyof CloudHooks, "shrink">): Pick<pulumi.CustomResourceOptions, "hooks">;
    /** Asks the cloud, but only after the checks: these report all problems at once, and more clearly. */
    ask<T>(question: (options: pulumi.InvokeOptions) => Promise<T>): pulumi.Output<T>;
    /** The id for an id or name. The checks found it at the first use, so a name that is moved later changes nothing. */
    given(kind: keyof typeof questions, nameOrId: string): pulumi.Input<string>;
    /** The id that the checks found, by its key in GivenNames. */
    found(key: string): pulumi.Output<string | undefined>;
}

/** Questions for ids that the checks could not find because the user may not list these resources. */
type Question = (plugin: typeof openstack, name: string, options: pulumi.InvokeOptions) => Promise<{ id: string }>;

const questions: Record<Exclude<GivenKind, "subnet">, Question> = {
    network: ({ networking }, name, options) => networking.getNetwork({ name }, options),
    router: ({ networking }, name, options) => networking.getRouter({ name }, options),
    securityGroup: ({ networking }, name, options) => networking.getSecGroup({ name }, options),
};

export interface ContextRequest extends ServersRequest {
    /** Hooks that check the cloud before a resource is created. */
    hooks: CloudHooks;
    /** What OperationStart has checked. */
    checked: Checked;
}

export function resourceContext(request: ContextRequest): ResourceContext {
    const { plan, parent, provider, dependsOn, names = {} } = request;
    const origin = { parent, ...(provider && { provider }) };
    // Depends on the ids and not on the resources: an id is unknown until the check has run.
    const checked = pulumi.all(dependsOn.map(resource => (resource as pulumi.CustomResource).id ?? resource.urn));
    const plugin = requireOpenstack();
    const ask = <T>(question: (options: pulumi.InvokeOptions) => Promise<T>) => checked.apply(() => question(origin));
    const found = (key: string) => pulumi.output(names).apply((all?: GivenNames) => all?.[key]);
    const ownKey = { [ownerTag]: pulumi.output(request.publicKey).apply(ownerOf) };
    const word = pulumi.output({ ...plan.metadata, ...ownKey }).apply(mark => markWord(mark as Owner));
    const guard = uncheckedGuard(request);
    const optionsOf =
        (nodes: readonly string[]): ResourceContext["options"] =>
        ({ dependsOn: also = [], turn, ...more } = {}) => {
            const all: pulumi.Resource[] = [...dependsOn, ...(also as pulumi.Resource[])];
            const allowed: Promise<pulumi.Resource[]> = guard(nodes).then(async () => [
                ...all,
                ...((await turn) ?? []),
            ]);
            return { ...origin, dependsOn: allowed, ...more };
        };
    const context: ResourceContext = {
        openstack: plugin,
        plan,
        name: key => (key === undefined ? request.name : `${request.name}-${key}`),
        options: optionsOf([]),
        of: nodes => ({ ...context, options: optionsOf(nodes) }),
        protect: plan.deleteProtection,
        tags: ownerTags(plan.metadata),
        ownKey,
        description: key => pulumi.interpolate`${plan.clusterName}: ${key} (${word})`,
        before: kind => ({
            hooks: {
                beforeCreate: [request.hooks[kind]],
                ...(kind === "volume" && { beforeUpdate: [request.hooks.shrink] }),
            },
        }),
        ask,
        given: (kind, nameOrId) =>
            isId(nameOrId)
                ? nameOrId
                : found(givenKey(kind, nameOrId)).apply(id =>
                      id === undefined
                          ? ask(options => questions[kind](plugin, nameOrId, options)).id
                          : pulumi.output(id),
                  ),
        found,
    };
    return context;
}

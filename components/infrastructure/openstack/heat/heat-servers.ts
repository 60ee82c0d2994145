import * as pulumi from "@pulumi/pulumi";
import { resourceHook } from "../../../../provider/adapters/hooks";
import { orPlaceholder } from "../../../../provider/adapters/or-placeholder";
import { prefixOf } from "../../../../provider/common/cidr";
import { NfvError } from "../../../../provider/common/errors";
import { type GivenNames, nameInKey } from "../../../../provider/openstack/given-names";
import { hashTag, ownerTag, ownerTags } from "../../../../provider/openstack/requirements";
import { keyedHashes } from "../../../preview/keyed-hashes";
import type { PlaceOutputs, Value } from "../hot/types";
import { requireOpenstack } from "../openstack-plugin";
import { ownerOf } from "../server-access";
import type { Server, ServerPlace, Servers, ServersRequest } from "../servers";
import { beforeUpdate, type UpdateGuard } from "./before-update";
import { stackParameters } from "./heat-parameters";
import { heatStack, type StackWords } from "./heat-stack";
import type { OwnTemplate } from "./own-template";
import { stackErrorHook } from "./stack-hooks";

export interface HeatRequest extends ServersRequest, UpdateGuard {
    timeoutMinutes: number;
    /** Node → how often its server was recreated. A missing node counts as 0. */
    generations: pulumi.Input<Record<string, number>>;
    /** Grows to have Heat finish a change that failed. */
    retries?: pulumi.Input<number | undefined>;
    /** Node → image that its server was made from. A missing node uses the plan's. */
    images?: pulumi.Input<Record<string, string>>;
    /** Node → flavor that its server was made with. A missing node uses the plan's. */
    flavors?: pulumi.Input<Record<string, string>>;
    /** The user's template, read and flattened. */
    own?: Pick<OwnTemplate, "stack" | "parameters">;
}

/** The servers of the plan, or of the user's template, as one Heat stack. */
export function heatServers(request: HeatRequest): Servers {
    const { name, plan, stackName, timeoutMinutes, parent, provider, own } = request;
    const openstack = requireOpenstack();
    const words = heatStack(plan, own?.stack);
    const child = { parent, provider };
    const keyPair =
        own &&
        plan.keyPair.made &&
        new openstack.compute.Keypair(
            name,
            { name: plan.keyPair.name, publicKey: request.publicKey },
            { ...child, dependsOn: request.dependsOn },
        );
    const hook = stackErrorHook(`pulumi-nfv-heat-${name}`, request);
    const given = parameters(request, words);
    const hash = stackHash(words, own, request.fingerprintKey);
    const look = beforeUpdate(request, {
        template: words.template,
        parameters: given,
        hash,
    });
    const timeout = `${timeoutMinutes + 5}m`;
    const stack = new openstack.orchestration.StackV1(
        name,
        {
            name: stackName,
            templateOpts: { Bin: words.template },
            // Without an environment the plug-in tries to read its working directory as one.
            environmentOpts: { Bin: "\n" },
            parameters: given,
            disableRollback: true,
            timeout: timeoutMinutes,
            tags: tags(request, hash),
        },
        {
            ...child,
            dependsOn: [...request.dependsOn, ...(keyPair ? [keyPair] : [])],
            // With --replace, the cluster would be deleted first. Heat refuses a second stack of the name, and the error hook tells why.
            deleteBeforeReplace: false,
            protect: plan.deleteProtection,
            customTimeouts: { create: timeout, update: timeout, delete: timeout },
            // Another name would be another stack; OperationStart refuses it, but --target may leave that out.
            ignoreChanges: ["name"],
            hooks: {
                beforeUpdate: [resourceHook(`pulumi-nfv-heat-change-${name}`, look, { onDryRun: true })],
                onError: [hook],
            },
        },
    );
    // Hosts wait for it, so in a destroy it comes after them: a node that is refused keeps the volumes and load balancers of its cluster.
    const leftovers = request.leftovers([stack]);
    const outputs = stack.StackOutputs as unknown as pulumi.Output<StackOutput[] | undefined>;
    return readServers(words, { stack, usedByNode: [leftovers] }, outputs);
}

/** Identifies what the stack is made of. */
export function stackHash(
    { template }: StackWords,
    own: HeatRequest["own"],
    key: pulumi.Output<string>,
): pulumi.Output<string> {
    const stack = [template, own?.stack.parameters, own?.parameters];
    return keyedHashes({ stack }, key).apply(hashes => hashes["stack"]!);
}

interface StackOutput {
    outputKey: string;
    outputValue: string;
}

/** User data is secret because it contains the servers' host keys. Values of the user's hidden parameters are secret, too. */
function parameters(
    { plan, publicKey, userData, generations, names = {}, images, flavors, own }: HeatRequest,
    words: StackWords,
) {
    const given: Record<string, pulumi.Input<Value>> = { ...own?.stack.parameters, ...own?.parameters };
    if (words.publicKeyParameter) given[words.publicKeyParameter] = publicKey;
    for (const key of words.given) {
        given[key] = pulumi.output(names).apply((all?: GivenNames) => all?.[key] ?? nameInKey(key));
    }
    const planned = new Map(
        [...plan.servers, ...(plan.jumpServer ? [plan.jumpServer] : [])].map(server => [server.name, server]),
    );
    const kept = (all: pulumi.Input<Record<string, string>> | undefined, server: string, wish: "image" | "flavor") =>
        pulumi.output(all).apply(known => known?.[server] ?? planned.get(server)![wish]);
    for (const [server, parameters] of Object.entries(words.inputs)) {
        const { userDataParameter, generationParameter, imageParameter, flavorParameter } = parameters;
        if (userDataParameter) given[userDataParameter] = pulumi.secret(userData[server] ?? "");
        if (generationParameter) given[generationParameter] = pulumi.output(generations).apply(all => all[server] ?? 0);
        if (imageParameter) given[imageParameter] = kept(images, server, "image");
        if (flavorParameter) given[flavorParameter] = kept(flavors, server, "flavor");
    }
    for (const name of own?.stack.hiddenParameters ?? []) {
        if (given[name] !== undefined) given[name] = pulumi.secret(given[name]);
    }
    return stackParameters(words.template, given);
}

function tags(
    { plan, publicKey, generations, retries, own }: HeatRequest,
    hash: pulumi.Output<string>,
): pulumi.Output<string[]> {
    const ours = ownerTags(plan.metadata);
    return pulumi.all([publicKey, generations, retries, hash]).apply(([key, counts, tries, made]) => [
        ...ours,
        `${ownerTag}=${ownerOf(key)}`,
        `${hashTag}=${made}`,
        ...(tries === undefined ? [] : [`pulumi-nfv.retry=${tries}`]),
        // A user's template may have no parameter for generations; the changed tag then makes Heat update the stack.
        ...(own ? [`pulumi-nfv.generation=${Object.values(counts).reduce((sum, each) => sum + each, 0)}`] : []),
    ]);
}

function readServers(
    words: StackWords,
    { stack, usedByNode }: { stack: pulumi.CustomResource } & Required<Pick<Server, "usedByNode">>,
    outputs: pulumi.Output<StackOutput[] | undefined>,
): Servers {
    const find = (list: StackOutput[] | undefined, name: string) =>
        (list ?? []).find(({ outputKey }) => outputKey === name)?.outputValue;
    /**
     * Unknown at preview, until the stack has the output. The plug-in gives "" where Heat could not find the value out: Neutron or Nova may not have
     * answered.
     */
    const value = (name: string, mayBeEmpty = false): pulumi.Output<string> =>
        outputs.apply(list => {
            const text = find(list, name);
            if (text !== undefined && (text !== "" || mayBeEmpty)) return text;
            if (pulumi.runtime.isDryRun()) return pulumi.unknown as unknown as string;
            throw new NfvError({
                code: "STACK_FAILED",
                cause:
                    text === ""
                        ? `Heat does not know the value of the output "${name}" now`
                        : `the stack has no output "${name}"`,
                hint:
                    text === ""
                        ? "openstack stack output show --all says why. When that is over: pulumi up --refresh."
                        : "openstack stack output list shows those it has. All must be texts.",
            });
        });
    /** A stack that is replaced makes other servers, so preview shows what is on the old ones as replaced. An updated stack may keep them. */
    const idAtPreview = (name: string) =>
        pulumi
            .all([orPlaceholder<string | undefined>(stack.id, undefined), orPlaceholder(outputs, undefined)])
            .apply(([id, list]) => (id === undefined ? (pulumi.unknown as unknown as string) : find(list, name)));
    const maybe = (name: string | undefined) => (name === undefined ? undefined : value(name));
    const server = ({ address, floatingAddress, serverId, volumes }: StackWords["servers"][string]): Server => ({
        address: value(address),
        ...(floatingAddress !== undefined && { floatingIp: value(floatingAddress) }),
        id: pulumi.runtime.isDryRun() ? idAtPreview(serverId) : value(serverId),
        deletedWith: stack,
        hostGoesWith: stack,
        usedByNode,
        volumes: Object.fromEntries(Object.entries(volumes ?? {}).map(([key, output]) => [key, value(output)])),
    });
    const { vip, jumpAddress, place } = words;
    return {
        servers: Object.fromEntries(Object.entries(words.servers).map(([node, names]) => [node, server(names)])),
        ...(vip && {
            vip: {
                address: value(vip.address),
                prefixLength: vip.cidr === undefined ? pulumi.output(32) : value(vip.cidr).apply(prefixOf),
                floatingIp: maybe(vip.floatingAddress),
            },
        }),
        jumpAddress: maybe(jumpAddress),
        singleServers: [],
        ...(place && { place: placeIn(stack, place, value) }),
    };
}

/** The stack is there before the server that joins its nodes, and deleted after it: Heat cannot delete a network with a port of others. */
function placeIn(
    stack: pulumi.Resource,
    { network, subnet, securityGroups, externalNetwork }: PlaceOutputs,
    value: (output: string, mayBeEmpty?: boolean) => pulumi.Output<string>,
): ServerPlace {
    return {
        network: {
            networkId: value(network),
            subnetId: value(subnet),
            route: [stack],
            ...(externalNetwork !== undefined && { externalNetworkId: value(externalNetwork) }),
        },
        securityGroups: value(securityGroups, true).apply(ids => ids.split(",").filter(id => id !== "")),
        reserved: [],
        before: [stack],
    };
}

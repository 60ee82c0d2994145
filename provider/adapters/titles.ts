import type { Role } from "../common/model";
import type { Title } from "./descriptor";
import { descriptorOf } from "./descriptors";

/** Resources of the cloud have no descriptor. Those with one name are made together. */
const inCloud: Readonly<Record<string, string>> = {
    ApplicationCredential: "the cloud provider's application credential",
    FloatingIp: "floating addresses and security rules",
    Instance: "the servers",
    Keypair: "the key pair",
    Network: "the network, its subnet and its route",
    Port: "server groups, security groups and ports",
    Router: "the network, its subnet and its route",
    RouterInterface: "the network, its subnet and its route",
    SecGroup: "server groups, security groups and ports",
    SecGroupRule: "floating addresses and security rules",
    ServerGroup: "server groups, security groups and ports",
    StackV1: "the stack with the networks, servers and volumes",
    Subnet: "the network, its subnet and its route",
    Volume: "volumes",
    VolumeAttach: "what attaches the volumes",
};

export const cloudTypes: readonly string[] = Object.keys(inCloud);

/** What the engine does to a resource. `end`: it deletes it with its cluster. */
export type TitledAct = "create" | "update" | "replace" | "delete" | "end";

const verbs: Readonly<Record<TitledAct, string>> = {
    ...{ create: "make", update: "change", replace: "replace", delete: "delete", end: "delete" },
};

/**
 * What an act on a resource of this type does, for a person: "prepare the machines". Without a role it is the worker's.
 * Undefined: the type is not ours, and not one that we use.
 */
export function titleOf(type: string, act: TitledAct, role: Role = "worker"): string | undefined {
    if (Object.hasOwn(inCloud, type)) return `${verbs[act]} ${inCloud[type]}`;
    const titles = descriptorOf(type)?.titles;
    if (titles === undefined) return undefined;
    const of = (title: Title) => (typeof title === "string" ? title : title[role]);
    const { make, change = make, leave, end } = titles;
    const all: Record<TitledAct, string> = {
        create: of(make),
        update: of(change),
        replace: leave === undefined ? of(change) : `${of(leave)}; then ${of(make)}`,
        delete: of(leave ?? forgotten),
        end: end ?? (leave === undefined ? forgotten : "nothing leaves by itself: the whole cluster goes"),
    };
    return all[act];
}

const forgotten = "forget what is recorded";

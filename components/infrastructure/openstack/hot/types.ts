import type { Role } from "../../../../provider/common/model";

/** Any JSON value of a template. Maps keep the order of the text. */
export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };
export type ValueMap = { [key: string]: Value };

/** One template file, parsed as Heat does. Positions of its maps and lists: places.ts. */
export interface Hot {
    /** As shown in errors. */
    file: string;
    /** `heat_template_version`, always as a date. */
    version: string;
    description?: string;
    parameterGroups?: Value;
    parameters: Record<string, HotParameter>;
    conditions: ValueMap;
    resources: Record<string, HotResource>;
    outputs: Record<string, HotOutput>;
}

export interface HotParameter {
    type: string;
    default?: Value;
    hidden: boolean;
    /** The whole declaration. */
    source: ValueMap;
}

export interface HotResource {
    type: string;
    properties: ValueMap;
    dependsOn: string[];
    condition?: Value;
    /** metadata, deletion_policy, update_policy, external_id. */
    rest: ValueMap;
    /** The whole declaration. */
    source: ValueMap;
}

export interface HotOutput {
    value: Value;
    description?: string;
    condition?: Value;
    source: ValueMap;
}

/** A template with the files that it names: nested templates by `type`, texts by the argument of `get_file`. */
export interface TemplateFiles {
    hot: Hot;
    nested: Record<string, Hot>;
    files: Record<string, string>;
}

/** Name of a node: index counts from 1 in each pool; pool is undefined for control-plane nodes. */
export type Naming = (role: Role, pool: string | undefined, index: number) => string;

/** What both kinds of template need from the caller. */
export interface TemplateAnswers {
    /** Values of the template's parameters. */
    parameters?: Record<string, Value>;
    /** Parameters whose values are not known yet (secrets, outputs of other resources); the stack gets them later. */
    deferredParameters?: string[];
    naming: Naming;
    /** Key pair for nodes' servers that have none of their own. */
    keyName?: string;
    /** Give each node's server without user data a hidden parameter for it: `userDataParameter` of the node. */
    userData?: boolean;
}

/** Where the nodes are in a template of one of Tacker's styles. */
export interface HeatTemplateAnswers extends TemplateAnswers {
    /** By name of the group (AutoScalingGroup, ResourceGroup), or of the VDU's resource, in the top template. */
    groups: Record<string, GroupAnswers>;
    /** Virtual address of the API. */
    vip?: VipAnswers;
    /** Servers that are not nodes, by a name that the caller chooses: a storage server. */
    servers?: Record<string, ServerAnswers>;
    /** Resources of the top template for which `[nfv, VDU, x, …]` of copy n means `x-<n-1>`, as in StandardUserData. */
    indexedVdus?: string[];
    /** Number of copies of the top template's resources that are not nodes. */
    copies?: Record<string, number>;
    /** What to do if `[nfv, …]` has no value; `name` is the third word without a copy's index. */
    missingHint?: (path: string[], name: string) => string;
}

export interface GroupAnswers extends ConnectionAnswers {
    role: Role;
    /** Name of the pool, for workers. */
    pool?: string;
    /**
     * How many nodes.
     * @default the template's number
     */
    count?: number;
    /** Numbers, from 1, that no node has: `count` is the number of the others. */
    without?: readonly number[];
    /**
     * The server's resource in the nested template.
     * @default the only OS::Nova::Server there
     */
    server?: string;
}

export interface ConnectionAnswers {
    /**
     * Port (or floating IP) whose address the cluster uses: Tacker's `nic_cp_name`.
     * @default the server's first port
     */
    clusterCp?: string;
    /**
     * Port or floating IP for SSH: Tacker's `ssh_cp_name`.
     * @default the address in the cluster
     */
    sshCp?: string;
}

export interface ServerAnswers extends ConnectionAnswers {
    /** Name of the server's resource in the top template. */
    server: string;
}

export interface VipAnswers {
    /** The port that holds the address: Tacker's `cluster_cp_name`. */
    port: string;
    /** Its floating IP: Tacker's `cluster_fip_name`. */
    floatingIp?: string;
}

/** Names of the stack's outputs; each is a string. */
export interface ServerOutputs {
    address: string;
    sshAddress?: string;
    serverId: string;
    /** Ids of volumes, by their names in the template. */
    volumes?: Record<string, string>;
}

export interface ExpandedServer {
    name: string;
    /** Resource of the server in the stack. */
    resource: string;
    /** Resources that are replaced together when it is healed: the server, and its boot volume. */
    healed: string[];
    /** flavor, image and zone, as far as they are known before the stack exists. */
    shape: Record<string, string>;
    /** Names in the shape of values that only the stack will know. */
    shapeLater?: string[];
    /** Networks that its port allows besides its own address. Undefined: all of them, or not known. */
    letThrough?: string[];
    /** Parameter that is raised so that Heat updates the stack and replaces a server that is marked unhealthy. */
    generationParameter: string;
    /** Hidden parameter for its user data, if the caller wants one and the template gives none. */
    userDataParameter?: string;
    outputs: ServerOutputs;
}

export interface ExpandedNode extends ExpandedServer {
    role: Role;
    pool?: string;
}

/** Names of outputs for a server beside the stack, which joins the nodes. */
export interface PlaceOutputs {
    /** Ids. */
    network: string;
    subnet: string;
    /** Ids, with commas. */
    securityGroups: string;
    /** Id of the network of the nodes' floating IPs. */
    externalNetwork?: string;
}

/** One flat template with explicit resources for each node, and the names of its outputs. */
export interface ExpandedStack {
    /** YAML that versions 1.1 and 1.2 read in the same way. */
    template: string;
    /** Known values; all strings. */
    parameters: Record<string, string>;
    /** Parameters whose values are secret. */
    hiddenParameters: string[];
    nodes: ExpandedNode[];
    /** Names of outputs; `cidr` is the address's network. */
    vip?: { address: string; cidr?: string; floatingAddress?: string };
    /** Servers that are not nodes. */
    servers: ExpandedServer[];
    /** Outputs for a server beside the stack. */
    place?: PlaceOutputs;
    /** Inputs that the template never uses. */
    unread?: string[];
}

import { createHash } from "node:crypto";
import { apiServerPort, vipPort } from "../../../../provider/endpoint/decide-endpoint";
import { clusterKey, pulumiStackKey } from "../../../../provider/openstack/requirements";
import type { KubernetesClusterArgs } from "../../../args/args";
import type { CloudNetworkArgs, CloudServersArgs, ServerArgs } from "../../../args/infrastructure-args";
import { cniOf, defaults } from "../../../common/plain-args";
import { chosenNumbers } from "../../choose-nodes";
import { backEndOf, cloudOf } from "./cloud-args";
import { securityRules, sshRules } from "./security-rules";
import { type ServerGroupRequest, serverGroups } from "./server-groups";
import { serverName, serverNumbers } from "./server-names";
import type {
    GivenNetwork,
    JumpPlan,
    MadeNetwork,
    PortPlan,
    ServerPlan,
    ServerPlanEntry,
    VipPlan,
    VolumePlan,
} from "./server-plan";
import { storageServer } from "./storage-server";

export const cloudDefaults = {
    networkCidr: "10.100.0.0/24",
    serverGroup: "soft-anti-affinity",
    sshCidrs: ["0.0.0.0/0"],
    apiCidrs: ["0.0.0.0/0"],
} as const;

/** Identifies a Pulumi program; the stack's name alone does not, because stacks of two projects may have the same name. */
export interface Program {
    project: string;
    stack: string;
}

/** Neutron's tags hold 60 characters, with "pulumi-nfv.stack=" before the program. */
const longestProgram = 43;

/** "project:stack", because OpenStack's rule for tags forbids slashes and commas. A long one is cut, and a hash of the whole keeps it unique. */
function programMark({ project, stack }: Program): string {
    const whole = `${project}:${stack}`;
    if (whole.length <= longestProgram) return whole;
    const sum = createHash("sha256").update(whole).digest("hex").slice(0, 8);
    return `${whole.slice(0, longestProgram - sum.length - 1)}-${sum}`;
}

/** Metadata that says which program made a server, and of what. */
export function ownerMark(name: string, program: Program): Record<string, string> {
    return { [clusterKey]: name, [pulumiStackKey]: programMark(program) };
}

/** All that the cluster needs from the cloud. Pure, and stable: a server's entry does not depend on the number of others. */
export function planServers(args: KubernetesClusterArgs, defaultName: string, program: Program): ServerPlan {
    const cloud = cloudOf(args) ?? {};
    const clusterName = args.clusterName ?? defaultName;
    const metadata = ownerMark(clusterName, program);
    const vip = vipOf(args, cloud, clusterName);
    const groups = serverGroups(args);
    const podCidr = args.network?.podCidr ?? defaults.podCidr;
    // The bridge CNI routes pods' addresses over the nodes' network; port security would drop these packets.
    const podCidrs = cniOf(args) === "bridge" ? [podCidr] : [];
    const access = cloud.access ?? {};
    const jumpServer = jumpOf(cloud, clusterName, metadata);
    const servers = groups.flatMap(group =>
        chosenNumbers(group.count, serverNumbers(group.remove, clusterName, group.key)).map(number =>
            entry({ cloud, clusterName, metadata, podCidrs, vip: vip !== undefined }, group, number),
        ),
    );
    const storage = storageServer(args, {
        clusterName,
        metadata,
        floatingIp: hasFloatingIp(cloud, false),
        portSecurity: servers.every(({ ports }) => ports[0]!.portSecurity),
        inputs: "storage.",
    });
    return {
        clusterName,
        metadata,
        network: networkOf(cloud.network ?? {}, clusterName),
        ...(cloud.externalNetwork !== undefined && { externalNetwork: cloud.externalNetwork }),
        securityGroup: {
            name: clusterName,
            rules: securityRules({
                sshCidrs: jumpServer ? [] : (access.sshCidrs ?? cloudDefaults.sshCidrs),
                apiCidrs: access.apiCidrs ?? cloudDefaults.apiCidrs,
                apiPorts: [apiServerPort, ...(vip ? [args.controlPlane?.endpoint?.vip?.port ?? vipPort] : [])],
                nodePortCidrs: access.nodePortCidrs ?? [],
                podCidrs,
            }),
        },
        serverGroups: groups
            .filter(group => policyOf(group) !== "none")
            .map(group => ({ key: group.key, name: `${clusterName}-${group.key}`, policy: policyOf(group) })),
        keyPair: { name: cloud.keyPair ?? keyPairName(args, clusterName), made: cloud.keyPair === undefined },
        ...(vip && { vip }),
        ...(jumpServer && { jumpServer }),
        ...(storage && { storage }),
        servers,
        deleteProtection: cloud.deleteProtection ?? false,
    };
}

/** A key pair is identified by its name alone, and after a change of the back end both exist for a while. */
function keyPairName(args: KubernetesClusterArgs, clusterName: string): string {
    return backEndOf(args) === "heat" ? `${clusterName}-heat` : clusterName;
}

interface Common {
    cloud: CloudServersArgs;
    clusterName: string;
    metadata: Record<string, string>;
    podCidrs: string[];
    vip: boolean;
}

function entry(common: Common, group: ServerGroupRequest, number: number): ServerPlanEntry {
    const { cloud, clusterName, metadata } = common;
    const { role, pool, settings } = group;
    const key = `${group.key}-${number}`;
    const name = serverName(clusterName, group.key, number);
    const zones = settings.availabilityZones ?? [];
    return {
        key,
        name,
        role,
        ...(pool !== undefined && { pool }),
        image: settings.image ?? cloud.image ?? "",
        flavor: group.flavor ?? cloud.flavor ?? "",
        ...(zones.length > 0 && { availabilityZone: zones[(number - 1) % zones.length]! }),
        ...(policyOf(group) !== "none" && { serverGroup: group.key }),
        ...(settings.bootVolume && { bootVolume: volume(name, "boot", settings.bootVolume) }),
        volumes: Object.entries(settings.volumes ?? {})
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([volumeKey, wish]) => volume(name, volumeKey, wish)),
        ports: portsOf(common, group, name),
        floatingIp: hasFloatingIp(cloud, role === "controlPlane"),
        metadata: {
            ...cloud.metadata,
            ...settings.metadata,
            ...metadata,
            "pulumi-nfv.role": role === "controlPlane" ? "control-plane" : "worker",
            ...(pool !== undefined && { "pulumi-nfv.pool": pool }),
        },
        ...(settings.configDrive !== undefined && { configDrive: settings.configDrive }),
        ...(settings.userData !== undefined && { userData: settings.userData }),
    };
}

function portsOf({ podCidrs, vip }: Common, { role, settings }: ServerGroupRequest, server: string): PortPlan[] {
    const port = (wish: ServerArgs["port"]) => ({
        portSecurity: wish?.portSecurity ?? true,
        securityGroups: wish?.portSecurity === false ? [] : (settings.securityGroups ?? []),
        ...(wish?.vnicType !== undefined && { vnicType: wish.vnicType }),
    });
    const first = port(settings.port);
    return [
        {
            name: server,
            ...first,
            // Without port security a port may carry any address, and Neutron refuses allowed addresses.
            allowedCidrs: first.portSecurity ? podCidrs : [],
            bearsVip: first.portSecurity && vip && role === "controlPlane",
        },
        ...(settings.networks ?? []).map(({ network, subnet, port: wish }, i) => ({
            name: `${server}-net${i + 2}`,
            network: { network, ...(subnet !== undefined && { subnet }) },
            ...port(wish),
            allowedCidrs: [],
            bearsVip: false,
        })),
    ];
}

export function networkOf(given: CloudNetworkArgs, clusterName: string): MadeNetwork | GivenNetwork {
    if (given.network !== undefined) {
        return {
            made: false,
            network: given.network,
            ...(given.subnet !== undefined && { subnet: given.subnet }),
        };
    }
    return {
        made: true,
        name: clusterName,
        subnetName: clusterName,
        cidr: given.cidr ?? cloudDefaults.networkCidr,
        dnsServers: given.dnsServers ?? [],
        ...(given.mtu !== undefined && { mtu: given.mtu }),
        router: given.router === undefined ? { name: clusterName } : { existing: given.router },
    };
}

/** A single control-plane node gets one, too, so that the address stays when others join. */
function vipOf(
    { controlPlane }: KubernetesClusterArgs,
    cloud: CloudServersArgs,
    clusterName: string,
): VipPlan | undefined {
    if (controlPlane?.endpoint?.external) return undefined;
    const address = controlPlane?.endpoint?.vip?.address;
    return {
        portName: `${clusterName}-api`,
        ...(address !== undefined && { address }),
        floatingIp: cloud.access?.apiFloatingIp ?? cloud.externalNetwork !== undefined,
    };
}

export function jumpOf(
    { access, image, server }: CloudServersArgs,
    clusterName: string,
    owner: Record<string, string>,
): JumpPlan | undefined {
    const wish = access?.jumpServer;
    if (!wish) return undefined;
    const name = `${clusterName}-jump`;
    return {
        name,
        flavor: wish.flavor,
        image: wish.image ?? server?.image ?? image ?? "",
        metadata: { ...owner, "pulumi-nfv.role": "jump" },
        securityGroup: { name, rules: sshRules(access.sshCidrs ?? cloudDefaults.sshCidrs) },
    };
}

/** User's setting → whether a node gets a floating IP. */
const floating: Record<string, (master: boolean) => boolean> = {
    all: () => true,
    controlPlane: master => master,
    none: () => false,
};

export function hasFloatingIp({ access, externalNetwork, ssh }: CloudServersArgs, master: boolean): boolean {
    const direct = externalNetwork !== undefined && !access?.jumpServer && !ssh?.jump;
    return (floating[access?.floatingIps ?? (direct ? "all" : "none")] ?? floating["none"]!)(master);
}

function policyOf({ settings }: ServerGroupRequest): string {
    return settings.serverGroup ?? cloudDefaults.serverGroup;
}

function volume(server: string, key: string, { sizeGiB, type }: { sizeGiB: number; type?: string }): VolumePlan {
    return { name: `${server}-${key}`, key, sizeGiB, ...(type !== undefined && { type }) };
}

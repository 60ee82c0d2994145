import { hasRuntime } from "../common/bundle";
import { usualSpelling } from "../common/cidr";
import type { HostSpec } from "../common/model";
import { containerdVerdict, isOlder, minorOf, needsNewCgroups } from "../kubernetes/releases";
import { script } from "../shell/script-file";
import type { Query } from "../steps/query";

/** What a machine is, before anything is done on it. */
export interface SystemFacts {
    /** Its clock, in seconds since the epoch. */
    time: number;
    /** "Debian GNU/Linux 12 (bookworm)". */
    system: string;
    /** As uname -m says: "x86_64". */
    machine: string;
    kernel: string;
    /** Name of its first process. */
    init: string;
    /** Type of the file system of its control groups. */
    cgroups: string;
    /** Version of its containerd: "1.7.24". Empty: it has none. */
    containerd: string;
    /** Programs that our steps need, as far as they are there. */
    programs: string[];
    freeMiB: number;
    hasAddress: boolean;
    /** The file of name servers that kubelet would give to CoreDNS. */
    resolvConf: string;
    resolvConfMissing: boolean;
    nameservers: string[];
    /** Ports of a node that somebody listens on: "6443 haproxy". */
    ports: string[];
}

/** What the program wants of a machine, as far as its system has a say in it. */
export type SystemWish = Pick<
    HostSpec,
    "address" | "role" | "kubernetesVersion" | "source" | "endpoint" | "resolvConf" | "oldCgroups"
> & {
    /** containerd comes from the bundle. For a preview, which does not get the bundle's files. */
    runtimeFromBundle?: true;
};

/** The command that asks; fake nodes in tests recognise it. */
export const systemArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-system"];

export function systemQuery({ address, role, endpoint, resolvConf = "" }: SystemWish): Query {
    const controlPlane = [6443, 2379, 2380, 10257, 10259, ...(endpoint.vip ? [endpoint.port] : [])];
    return {
        step: "look at the system",
        script: script("node/print-system.sh"),
        argv: systemArgv,
        env: {
            ADDRESS: address,
            PORTS: [10250, ...(role === "controlPlane" ? new Set(controlPlane) : [])].join(" "),
            RESOLV_CONF: resolvConf,
        },
        timeoutSeconds: 10,
    };
}

/** Undefined: the machine did not say what it is, such as a fake one. */
export function parseSystem(text: string): SystemFacts | undefined {
    const lines = text.split("\n").map(line => [line.split("=", 1)[0]!, line.slice(line.indexOf("=") + 1)] as const);
    const all = (name: string) => lines.filter(([key]) => key === name).map(([, value]) => value.trim());
    const value = (name: string) => all(name)[0] ?? "";
    if (value("time") === "") return undefined;
    return {
        time: Number(value("time")),
        ...{ system: value("system"), machine: value("machine"), kernel: value("kernel") },
        ...{ init: value("init"), cgroups: value("cgroups"), programs: all("program") },
        containerd: /\d+(\.\d+)+/.exec(value("containerd"))?.[0] ?? "",
        freeMiB: Number(value("freeMiB")),
        hasAddress: value("hasAddress") === "yes",
        resolvConf: value("resolvConf"),
        resolvConfMissing: value("resolvConfMissing") === "yes",
        nameservers: all("nameserver"),
        ports: all("port"),
    };
}

/**
 * How far its clock may be away: leases compare times, and a certificate that was made here must be valid there. A server that has just booted may not have
 * set its clock yet; certificates begin an hour before they are made.
 */
export const clockLimits = { preview: 60, run: 1800 };

/** The images of a node and its logs. */
const neededMiB = 2048;

/** The oldest kernel with which kubeadm's own preflight goes on. */
const oldestKernel = "4.19";

interface Situation {
    facts: SystemFacts;
    wish: SystemWish;
    /** Of this machine, in seconds since the epoch, when it was asked. */
    now: number;
    /** See clockLimits. */
    clockSeconds: number;
}

/** What stands behind % is an interface; an IPv6 address may hold one of IPv4. */
const isLoopback = (given: string) =>
    /^(127\.|0\.0\.0\.0$|::1?$|::ffff:7f[\da-f]{2}:)/.test(usualSpelling(given.replace(/%.*/, "")));

const loopbackServers = ({ facts: { nameservers } }: Situation) => nameservers.filter(isLoopback);

const lacking = ({ facts: { programs } }: Situation) => ["flock", "timeout"].filter(name => !programs.includes(name));

const packagesBy = ({ wish: { source } }: Situation) => (source.apt ? "apt-get" : source.dnf ? "dnf" : undefined);

/** The bundle's containerd takes the place of the machine's. */
const containerdOf = ({
    facts,
    wish: { runtimeFromBundle, source, kubernetesVersion },
}: Pick<Situation, "facts" | "wish">) =>
    runtimeFromBundle || hasRuntime(source.bundle?.files) ? {} : containerdVerdict(facts.containerd, kubernetesVersion);

/** What will be a problem later; undefined: nothing. Pure. */
export const systemWarning = (facts: SystemFacts, wish: SystemWish): string | undefined =>
    containerdOf({ facts, wish }).warning;

/** Each row that applies is a problem of its own: what was seen, why it matters, what would be right. */
const rows: { when: (s: Situation) => boolean; says: (s: Situation) => string }[] = [
    {
        when: s => s.facts.init !== "systemd",
        says: ({ facts }) =>
            `its first process is ${facts.init || "unknown"}, and nodes need systemd (${facts.system})`,
    },
    { when: s => lacking(s).length > 0, says: s => `it has no ${lacking(s).join(" and no ")}, which our steps need` },
    {
        when: ({ facts, wish }) => wish.source.bundle !== undefined && facts.machine !== "x86_64",
        says: ({ facts }) => `its processor is ${facts.machine}, and a bundle is for x86_64 (amd64)`,
    },
    {
        when: s => packagesBy(s) !== undefined && !s.facts.programs.includes(packagesBy(s)!),
        says: s =>
            `${s.facts.system} has no ${packagesBy(s)}, which kubernetes.source.${s.wish.source.apt ? "apt" : "dnf"} needs`,
    },
    {
        when: ({ facts }) => isOlder(facts.kernel, oldestKernel),
        says: ({ facts }) => `its kernel is ${facts.kernel}, and Kubernetes needs ${oldestKernel} or newer`,
    },
    {
        when: ({ facts, wish }) =>
            facts.cgroups !== "cgroup2fs" && needsNewCgroups(wish.kubernetesVersion) && !wish.oldCgroups,
        says: ({ facts, wish }) =>
            `it has control groups of version 1 (${facts.cgroups || "none"} on /sys/fs/cgroup), and kubelet 1.${minorOf(wish.kubernetesVersion)} needs version 2: boot it with systemd.unified_cgroup_hierarchy=1, or set kubelet: { failCgroupV1: false } of the cluster or its pool`,
    },
    { when: s => containerdOf(s).problem !== undefined, says: s => containerdOf(s).problem! },
    {
        when: ({ facts }) => !facts.hasAddress,
        says: ({ wish }) => `none of its network interfaces has the address ${wish.address}`,
    },
    {
        when: ({ facts, now, clockSeconds }) => Math.abs(facts.time - now) > clockSeconds,
        says: ({ facts, now }) =>
            `its clock is ${Math.abs(Math.round(facts.time - now))} s ${facts.time < now ? "behind" : "ahead of"} this machine's: set up NTP on both`,
    },
    {
        when: ({ facts }) => facts.freeMiB < neededMiB,
        says: ({ facts }) => `its disk has ${facts.freeMiB} MiB free below /var/lib, and a node needs ${neededMiB}`,
    },
    {
        when: ({ facts }) => facts.resolvConfMissing,
        says: ({ facts, wish }) =>
            `kubelet's file of name servers, ${facts.resolvConf}, is not there${wish.resolvConf ? ": correct kubelet.resolvConf" : ""}`,
    },
    {
        when: ({ facts }) => facts.resolvConf !== "" && !facts.resolvConfMissing && facts.nameservers.length === 0,
        says: ({ facts }) =>
            `${facts.resolvConf} names no name server, and CoreDNS does not start without one: write "nameserver ADDRESS" into it (on a site without DNS an address that nothing answers at), ` +
            "or give kubelet.resolvConf the path of another file on the machine",
    },
    {
        // CoreDNS would forward to itself, and end.
        when: s => loopbackServers(s).length > 0,
        says: s =>
            `${s.facts.resolvConf} names the loopback address ${loopbackServers(s).join(", ")} as name server, which in a pod is the pod itself: CoreDNS would ask itself. ` +
            "Give kubelet.resolvConf the path of a file on the machine that names the real servers, or let systemd-resolved run",
    },
    {
        when: ({ facts }) => facts.ports.length > 0,
        says: ({ facts }) =>
            `somebody listens on its port ${facts.ports.map(each => each.replace(" ", " (")).join("), ")})`,
    },
];

/** Why the machine cannot become the node that is wanted. Pure. */
export function systemProblems(situation: Situation): string[] {
    return rows.filter(row => row.when(situation)).map(row => row.says(situation));
}

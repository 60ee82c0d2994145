import { pkiFolder } from "../kubeadm/paths";
import type { HealthFacts } from "./facts";
import { fullDisks } from "./full-disks";
import { type Limits, usualLimits } from "./limits";

/** What cures a finding, the mildest first. No finding reboots or replaces a machine by itself: only a server that is lost is made again. */
export const cures = [
    "none of its own",
    "uncordon",
    "restart kubelet",
    "restart container runtime",
    "repair by hand",
    "free the disk",
    "renew the certificate",
    "free etcd's space",
    "repair etcd",
    "start the server",
    "reboot",
    "join again",
    "new server",
] as const;

export type Cure = (typeof cures)[number];

/** All that a refresh has seen of a machine and its node. What is undefined could not be asked, which is never a finding. */
export interface Sight {
    name: string;
    /** Its join is recorded. @default false */
    joined?: boolean;
    machine?: HealthFacts;
    /** The machine does not answer. */
    silent?: boolean;
    /** The cloud's view of a server that does not answer. */
    server?: { id: string; status?: string; gone?: boolean };
    /** The cluster's word about the node. */
    node?: { forgotten?: boolean; cordoned?: boolean; ready?: { status: string; since: string } };
    /** Of a control-plane node, by the others: etcd does not list it, or it does not answer. */
    etcdMember?: "missing" | "silent";
}

export interface Finding {
    code: string;
    /** For a person, without the machine's name. */
    text: string;
    cure: Cure;
    /** What `pulumi up` does about it: "starts it again". Undefined: nothing. */
    up?: string;
    /** What a person must do, if `up` does nothing. */
    person?: string;
}

interface Question {
    sight: Sight;
    machine?: HealthFacts;
    limits: Limits;
    now: number;
}

interface Row {
    code: string;
    cure: Cure;
    /** Its text, if it is found. */
    finds: (question: Question) => string | undefined;
    up?: string;
    person?: (sight: Sight, question: Question) => string;
}

const stopped = new Set(["inactive", "failed"]);
/** systemd starts the service, it ends, and systemd waits to start it again. */
const failing = "activating";

const hasBooted = ({ machine, limits }: Question) => (machine?.uptimeSeconds ?? 0) > limits.bootSeconds;
const runtimeIsDown = (q: Question) =>
    hasBooted(q) &&
    (stopped.has(q.machine?.runtime ?? "") || (q.machine?.runtime === "active" && !(q.machine.runtimeAnswers ?? true)));
/** It needs its settings, which the join brings. */
const kubeletIs = (q: Question, state: (each: string) => boolean) =>
    hasBooted(q) && q.sight.joined === true && state(q.machine?.kubelet ?? "");

const powerCommands: Record<string, string> = {
    SHUTOFF: "start",
    PAUSED: "unpause",
    SUSPENDED: "resume",
    SHELVED: "unshelve",
    SHELVED_OFFLOADED: "unshelve",
};
const powerOn = ({ server }: Sight) => powerCommands[server?.status ?? ""];

const etcdctl = (name: string) => {
    const folder = `${pkiFolder}/etcd`;
    return `kubectl -n kube-system exec etcd-${name} -- etcdctl --cacert=${folder}/ca.crt --cert=${folder}/server.crt --key=${folder}/server.key`;
};
const replaceNode = "pulumi up --replace URN, with the URN of its Node (pulumi stack --show-urns)";
const fullest = (q: Question, resource: "space" | "inodes") =>
    q.machine === undefined ? [] : fullDisks(q.machine, q.limits, resource);
const filled = (q: Question, resource: "space" | "inodes", what: string) =>
    fullest(q, resource)
        .map(disk => `${disk.usedPercent} % of ${what} of ${disk.folder} ${what === "the inodes" ? "are" : "is"} used`)
        .join(", ") || undefined;
const ended = ({ machine, now }: Question, certificate: string, whose: string) => {
    const end = machine?.certificates[certificate];
    return end !== undefined && end < now ? `${whose} ended on ${dayOf(end)}` : undefined;
};
/** kubelet ends then each time that it is started. */
const certificateEnded = (q: Question) => ended(q, "kubelet", "") !== undefined;
const isLarge = ({ machine, limits }: Question, part: "size" | "inUse") => {
    const space = machine?.etcdSpace;
    // With the alarm it is that finding, whatever the sizes are.
    return space !== undefined && !/NOSPACE/.test(machine?.etcd ?? "") && space[part] >= space.quota * limits.etcdShare;
};
const spaceWords = ({ machine }: Question) => {
    const space = machine?.etcdSpace;
    if (space === undefined) return "";
    const [size, inUse, quota] = [space.size, space.inUse, space.quota].map(each => Math.round(each / 2 ** 20));
    return `; its file has ${size} MiB of ${quota} MiB, ${inUse} MiB are in use`;
};
const dayOf = (time: number) => new Date(time).toISOString().replace(".000Z", "Z");

/** Each row finds something else: no row finds what another row explains. */
const rows: Row[] = [
    {
        code: "cordoned",
        cure: "uncordon",
        finds: q => isTrue(q.sight.node?.cordoned, "a deletion that was stopped has cordoned the node"),
        up: "uncordons it",
    },
    {
        code: "kubelet-stopped",
        cure: "restart kubelet",
        finds: q =>
            isTrue(
                kubeletIs(q, state => stopped.has(state)),
                "the kubelet is not running",
            ),
        up: "starts it again",
    },
    {
        code: "runtime-stopped",
        cure: "restart container runtime",
        finds: q => isTrue(runtimeIsDown(q) && q.machine?.runtime !== "active", "the container runtime is not running"),
        up: "starts it again",
    },
    {
        code: "runtime-silent",
        cure: "restart container runtime",
        finds: q =>
            isTrue(runtimeIsDown(q) && q.machine?.runtime === "active", "the container runtime does not answer"),
        up: "restarts it",
    },
    {
        code: "kubelet-failing",
        cure: "repair by hand",
        finds: q =>
            isTrue(
                !runtimeIsDown(q) && !certificateEnded(q) && kubeletIs(q, state => state === failing),
                "the kubelet ends each time that it is started",
            ),
        person: ({ name }) => `journalctl -u kubelet -n 50 on ${name} says why`,
    },
    {
        code: "static-pods-stopped",
        cure: "repair by hand",
        finds: q => {
            if (runtimeIsDown(q) || !kubeletIs(q, state => state === "active")) return undefined;
            const missing = Object.entries(q.machine!.pods).filter(([, state]) => state !== "running");
            const named = missing.map(([pod, state]) => (state === "absent" ? `${pod} (it has no manifest)` : pod));
            return isTrue(missing.length > 0, `of its static pods, these do not run: ${named.join(", ")}`);
        },
        person: ({ name }) => `journalctl -u kubelet -n 50, and the files below /var/log/pods, on ${name} say why`,
    },
    {
        code: "disk-full",
        cure: "free the disk",
        finds: q => filled(q, "space", "the space"),
        person: (_, q) => `find what fills it: du -xhd 3 ${foldersOf(fullest(q, "space"))} | sort -h | tail`,
    },
    {
        code: "inodes-used",
        cure: "free the disk",
        finds: q => filled(q, "inodes", "the inodes"),
        person: (_, q) => `find what fills it: du --inodes -xd 3 ${foldersOf(fullest(q, "inodes"))} | sort -n | tail`,
    },
    {
        code: "api-server-certificate-ended",
        cure: "renew the certificate",
        finds: q => ended(q, "apiserver", "the API server's certificate"),
        up: "renews it and what else has ended",
    },
    {
        code: "kubelet-certificate-ended",
        cure: "renew the certificate",
        finds: q => ended(q, "kubelet", "kubelet's certificate"),
        up: "gets it another one",
    },
    {
        code: "etcd-no-space",
        cure: "free etcd's space",
        finds: q =>
            isTrue(
                /NOSPACE/.test(q.machine?.etcd ?? ""),
                `etcd has the alarm NOSPACE: it takes no changes${spaceWords(q)}`,
            ),
        up: "compacts and defragments it, one control-plane node after another, and disarms the alarm",
    },
    {
        code: "etcd-fragmented",
        cure: "free etcd's space",
        finds: q => isTrue(isLarge(q, "size") && !isLarge(q, "inUse"), `etcd's file is nearly full${spaceWords(q)}`),
        up: "compacts and defragments it, one control-plane node after another",
    },
    {
        code: "etcd-nearly-full",
        cure: "repair etcd",
        finds: q => isTrue(isLarge(q, "inUse"), `etcd is nearly full${spaceWords(q)}`),
        person: () =>
            "delete objects that nothing needs, such as old Events or Helm releases, or raise the quota: controlPlane.extraArgs.etcd.quota-backend-bytes",
    },
    {
        code: "etcd-corrupt",
        cure: "repair etcd",
        finds: q =>
            isTrue(/CORRUPT/.test(q.machine?.etcd ?? ""), "etcd has the alarm CORRUPT: the data of its members differ"),
        person: ({ name }) => `${etcdctl(name)} alarm list names the member; then for that node ${replaceNode}`,
    },
    {
        code: "etcd-sick",
        cure: "repair etcd",
        finds: q => {
            const said = q.machine?.etcd ?? "";
            if (said === "" || /NOSPACE|CORRUPT/.test(said) || q.machine?.pods["etcd"] !== "running") return undefined;
            if (!hasBooted(q)) return undefined;
            return said === "silent" ? "its etcd does not answer" : `its etcd is not well: ${said}`;
        },
        person: ({ name }) => `the files /var/log/pods/kube-system_etcd-* on ${name} say why`,
    },
    {
        code: "etcd-member-silent",
        cure: "repair etcd",
        finds: q => isTrue(q.sight.etcdMember === "silent", "its member of etcd does not answer the others"),
        person: ({ name }) => `see whether ${name} runs, and the files /var/log/pods/kube-system_etcd-* on it`,
    },
    {
        code: "server-off",
        cure: "start the server",
        finds: q => isTrue(powerOn(q.sight) !== undefined, `its server is ${q.sight.server?.status} in the cloud`),
        person: sight => `openstack server ${powerOn(sight)} ${sight.server!.id}`,
    },
    {
        code: "machine-silent",
        cure: "reboot",
        finds: q =>
            isTrue(
                q.sight.silent === true && !q.sight.server?.gone && powerOn(q.sight) === undefined,
                `the machine does not answer${q.sight.server?.status ? `, and its server is ${q.sight.server.status} in the cloud` : ""}`,
            ),
        person: ({ server }) =>
            server === undefined
                ? "look at its power, its network and its console"
                : `openstack console log show ${server.id}; openstack server reboot --hard ${server.id}`,
    },
    {
        code: "node-forgotten",
        cure: "join again",
        finds: q => isTrue(q.sight.node?.forgotten, "its cluster does not know the node"),
        up: "brings it back",
    },
    {
        code: "etcd-member-missing",
        cure: "join again",
        finds: q => isTrue(q.sight.etcdMember === "missing", "etcd does not have it as a member"),
        person: () => replaceNode,
    },
    {
        code: "server-gone",
        cure: "new server",
        finds: q => isTrue(q.sight.server?.gone, "its server does not exist any more"),
        up: "replaces it as a lost server",
    },
];

function isTrue(found: boolean | undefined, text: string): string | undefined {
    return found ? text : undefined;
}

const foldersOf = (disks: readonly { folder: string }[]) => disks.map(({ folder }) => folder).join(" ");

/** What is wrong with a machine and its node, and the mildest cure of each; the mildest first. Pure. */
export function findings(sight: Sight, limits: Limits = usualLimits, now = Date.now()): Finding[] {
    const question: Question = { sight, machine: sight.machine, limits, now };
    const found = rows.flatMap(({ code, cure, finds, up, person }): Finding[] => {
        const text = finds(question);
        if (text === undefined) return [];
        return [{ code, text, cure, ...(up && { up }), ...(person && { person: person(sight, question) }) }];
    });
    const mild = found.sort((a, b) => cures.indexOf(a.cure) - cures.indexOf(b.cure));
    return [...notReady(question, mild), ...mild];
}

/** Another finding may be the cause: then the cure of that one is enough. */
function notReady({ sight: { name, node }, limits, now }: Question, others: readonly Finding[]): Finding[] {
    const { status, since } = node?.ready ?? { status: "True", since: "" };
    if (status === "True" || !(now - Date.parse(since) > limits.notReadySeconds * 1000)) return [];
    const text = `its node is NotReady since ${since}`;
    if (others.length > 0) return [{ code: "not-ready", cure: "none of its own", text }];
    const person = `kubectl describe node ${name} says why`;
    return [{ code: "not-ready", cure: "repair by hand", text, person }];
}

/** One line for all findings of a machine, without its name. */
export function wordsOf(found: readonly Finding[]): string {
    return found
        .map(({ text, up, person }) => {
            if (up !== undefined) return `${text}; pulumi up ${up}`;
            return person === undefined ? text : `${text}; pulumi up changes nothing: ${person}`;
        })
        .join(". ");
}

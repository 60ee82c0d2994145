import { X509Certificate } from "node:crypto";

/** A file system, as seen at one folder. Sizes in bytes. */
export interface Disk {
    folder: string;
    /** Folders of one device have the same text. */
    device: string;
    size: number;
    free: number;
    /** 0: the file system has no such limit. */
    inodes: number;
    freeInodes: number;
}

/** What `health.sh` found out. Undefined or missing: it could not be found out, which is never a finding. */
export interface HealthFacts {
    uptimeSeconds?: number;
    /** kubelet has its kubeconfig: the machine has joined a cluster. */
    joined: boolean;
    /** States of systemd: active, activating, inactive, failed, … */
    kubelet?: string;
    runtime?: string;
    runtimeAnswers?: boolean;
    disks: Disk[];
    /** kubelet's own hard thresholds: "nodefs.available" → "10%" or "1Gi"; undefined: kubelet uses its defaults. */
    evictions?: Record<string, string>;
    /** Name → its end, in milliseconds since 1970. */
    certificates: Record<string, number>;
    /** Static pods of a control-plane node: name → running, stopped, or absent (no manifest). */
    pods: Record<string, string>;
    /** etcd's own word about its health: "" if it is well, "silent" if it does not answer. */
    etcd?: string;
    /** Its data, in bytes: what the file has, what of that is in use, and how large it may become. */
    etcdSpace?: { size: number; inUse: number; quota: number };
}

/** Parses the output of `health.sh`. Lines that it does not know, or that are no whole lines, are left out. */
export function parseHealth(text: string): HealthFacts {
    const lines = text.split("\n").flatMap(line => {
        const [, name, value] = /^(\w+)=(.*)$/.exec(line.trim()) ?? [];
        return name === undefined ? [] : [{ name, value: value! }];
    });
    const one = (name: string) => lines.find(line => line.name === name)?.value;
    const all = (name: string) => lines.filter(line => line.name === name).map(({ value }) => value.split(" "));
    const pairs = (name: string) => all(name).map(([key, ...value]) => [key!, value.join(" ")] as const);
    const uptime = Number.parseInt(one("uptime") ?? "", 10);
    const answers = one("runtimeAnswers");
    const etcd = etcdOf(one("etcd"));
    return {
        ...(uptime >= 0 && { uptimeSeconds: uptime }),
        joined: one("joined") === "yes",
        ...(one("kubelet") && { kubelet: one("kubelet") }),
        ...(one("runtime") && { runtime: one("runtime") }),
        ...(answers !== undefined && { runtimeAnswers: answers === "yes" }),
        disks: disksOf(pairs("disk"), new Map(pairs("device"))),
        ...(one("evictions") === "own" && {
            evictions: Object.fromEntries(pairs("eviction").map(([key, value]) => [key, value.replace(/["']/g, "")])),
        }),
        certificates: Object.fromEntries(pairs("certificate").flatMap(endOf)),
        pods: Object.fromEntries(pairs("pod")),
        ...(etcd !== undefined && { etcd }),
        ...spaceOf(one("etcdSize"), one("etcdInUse"), one("etcdQuota")),
    };
}

/** Prometheus writes large numbers as 2.147483648e+09. */
function spaceOf(...said: (string | undefined)[]): Pick<HealthFacts, "etcdSpace"> {
    const [size, inUse, quota] = said.map(Number) as [number, number, number];
    return size > 0 && inUse > 0 && quota > 0 ? { etcdSpace: { size, inUse, quota } } : {};
}

function disksOf(seen: readonly (readonly [string, string])[], devices: ReadonlyMap<string, string>): Disk[] {
    return seen.flatMap(([folder, numbers]): Disk[] => {
        const values = numbers.split(" ").map(Number);
        const [block = 0, blocks = 0, free = 0, inodes = 0, freeInodes = 0] = values;
        if (values.length !== 5 || values.some(Number.isNaN) || blocks === 0) return [];
        const device = devices.get(folder) ?? folder;
        return [{ folder, device, size: block * blocks, free: block * free, inodes, freeInodes }];
    });
}

/** One that cannot be read proves nothing. */
function endOf([name, base64]: readonly [string, string]): [string, number][] {
    try {
        return [[name, Date.parse(new X509Certificate(Buffer.from(base64, "base64")).validTo)]];
    } catch {
        return [];
    }
}

/** etcd answers {"health":"false","reason":"ALARM NOSPACE"}. */
function etcdOf(said: string | undefined): string | undefined {
    if (said === undefined || said === "silent") return said;
    try {
        const { health, reason } = JSON.parse(said) as { health?: string; reason?: string };
        if (health === "true") return "";
        return health === "false" ? reason || "it does not say why" : undefined;
    } catch {
        return undefined;
    }
}

import type { HealthFacts } from "./facts";
import { findings, type Sight } from "./findings";

/** Of the samples. */
const today = Date.parse("2026-03-01T00:00:00Z");

const machine = (facts: Partial<HealthFacts>): HealthFacts => ({
    uptimeSeconds: 86_400,
    joined: true,
    kubelet: "active",
    runtime: "active",
    runtimeAnswers: true,
    disks: [],
    certificates: {},
    pods: {},
    ...facts,
});
const disk = { folder: "/var/lib/containerd", device: "1", size: 1000, free: 1000, inodes: 1000, freeInodes: 1000 };
const ofEtcd = (etcd: string, mebibytes?: Record<"size" | "inUse" | "quota", number>) => {
    const { size = 0, inUse = 0, quota = 0 } = mebibytes ?? {};
    const etcdSpace = { size: size * 2 ** 20, inUse: inUse * 2 ** 20, quota: quota * 2 ** 20 };
    const facts = { etcd, pods: { etcd: "running" }, ...(mebibytes && { etcdSpace }) };
    return { name: "m1", joined: true, machine: machine(facts) };
};
const id = "7c5c…";

/** One for each finding, the mildest cure first, and what is found in it. */
export const samples: Record<string, Sight> = {
    "kubelet-stopped": { name: "w2", joined: true, machine: machine({ kubelet: "inactive" }) },
    "runtime-stopped": { name: "w2", joined: true, machine: machine({ runtime: "failed", runtimeAnswers: false }) },
    "runtime-silent": { name: "w2", joined: true, machine: machine({ runtimeAnswers: false }) },
    "kubelet-failing": { name: "w2", joined: true, machine: machine({ kubelet: "activating" }) },
    "static-pods-stopped": {
        name: "m1",
        joined: true,
        machine: machine({ pods: { etcd: "running", "kube-apiserver": "stopped", "kube-scheduler": "absent" } }),
    },
    "not-ready": { name: "w2", node: { ready: { status: "Unknown", since: "2026-02-28T23:00:00Z" } } },
    "disk-full": { name: "w2", machine: machine({ disks: [{ ...disk, free: 90 }] }) },
    "inodes-used": { name: "w2", machine: machine({ disks: [{ ...disk, freeInodes: 40 }] }) },
    "api-server-certificate-ended": {
        name: "m1",
        machine: machine({ certificates: { apiserver: Date.parse("2026-02-20T00:00:00Z") } }),
    },
    "kubelet-certificate-ended": {
        name: "w2",
        machine: machine({ certificates: { kubelet: Date.parse("2026-02-20T00:00:00Z") } }),
    },
    "etcd-no-space": ofEtcd("ALARM NOSPACE"),
    "etcd-fragmented": ofEtcd("", { size: 1900, inUse: 300, quota: 2048 }),
    "etcd-nearly-full": ofEtcd("", { size: 1900, inUse: 1800, quota: 2048 }),
    "etcd-corrupt": ofEtcd("ALARM CORRUPT"),
    "etcd-sick": ofEtcd("silent"),
    "etcd-member-silent": { name: "m1", etcdMember: "silent" },
    "etcd-member-missing": { name: "m1", etcdMember: "missing" },
    "server-off": { name: "w2", silent: true, server: { id, status: "SHUTOFF" } },
    "machine-silent": { name: "w2", silent: true },
    "server-gone": { name: "w2", silent: true, server: { id, gone: true } },
    cordoned: { name: "w2", node: { cordoned: true } },
    "node-forgotten": { name: "w2", node: { forgotten: true } },
};

/** What is found in a sample, on its day. */
export function foundIn(sight: Sight) {
    return findings(sight, undefined, today);
}

/** What a refresh finds, as a Markdown table: docs/how-it-works.md has this text. */
export function healTable(): string {
    const rows = Object.entries(samples).map(([code, sight]) => {
        const [{ text, up, person } = { text: code }] = foundIn(sight);
        return `| ${sight.name}: ${text} | ${up ?? "nothing"} | ${person === undefined ? "" : escaped(person)} |`;
    });
    return ["| the line | what `pulumi up` does | what you do |", "|---|---|---|", ...rows, ""].join("\n");
}

/** A pipe would end the cell. */
function escaped(text: string): string {
    return text.replaceAll("|", "\\|");
}

if (require.main === module) process.stdout.write(healTable());

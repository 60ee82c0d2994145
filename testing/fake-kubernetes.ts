import { certificatesArgv } from "../provider/kubeadm/certificates";
import { machineStatusArgv } from "../provider/kubeadm/look";
import { endpointArgv } from "../provider/kubeadm/move-endpoint";
import { journalArgv } from "../provider/resources/journal";
import { agentPath } from "../provider/steps/agent";
import type { FakeAgent } from "./fake-agent";
import type { FakeAnswer } from "./types";

const starts = (argv: readonly string[], words: readonly string[]) => words.every((word, i) => word === argv[i]);

/**
 * Answers questions about Kubernetes from a node's journal: a node that has done the step `cluster.join` is a member with a ready
 * API server. Leaving and resetting do nothing. Undefined for all other questions.
 */
export function answerKubernetes(
    argv: readonly string[],
    script: string,
    agent: FakeAgent,
    hasAgent: boolean,
): FakeAnswer | undefined {
    if (starts(argv, machineStatusArgv)) {
        const joined = agent.journal["cluster.join"] !== undefined;
        const cluster = joined ? (agent.belongsTo?.cluster ?? "") : "";
        const owner = agent.belongsTo;
        const lines = [
            `memberOf=${cluster}`,
            `apiReady=${joined ? "yes" : "no"}`,
            `noted=${owner === undefined ? "" : `${owner.cluster} ${owner.node}`}`,
            ...(joined ? ["trace=/etc/kubernetes/kubelet.conf"] : []),
        ];
        return { stdout: `${lines.join("\n")}\n` };
    }
    if (starts(argv, endpointArgv)) return { stdout: "" };
    if (starts(argv, certificatesArgv)) return { stdout: "" };
    if (starts(argv, ["sh", "-s", "pulumi-nfv"]) && argv.length === 3) {
        return script.includes("member list") ? { stdout: '{"members":[]}\n[]\n' } : {};
    }
    if (starts(argv, ["sh", "-c"]) && argv[3] === "pulumi-nfv-known") {
        return { stdout: `answer:node/${argv[4]}\n` };
    }
    if (starts(argv, ["test", "-x", agentPath])) {
        return { code: hasAgent ? 0 : 1 };
    }
    if (starts(argv, journalArgv)) {
        const { belongsTo: owner, journal } = agent;
        const owned = owner === undefined ? "unnamed" : `of ${owner.cluster} ${owner.node}`;
        return { stdout: owner === undefined && Object.keys(journal).length === 0 ? "blank\n" : `${owned}\n` };
    }
    if (starts(argv, ["test", "-d"])) {
        return { code: Object.keys(agent.journal).length > 0 ? 0 : 1 };
    }
    return undefined;
}

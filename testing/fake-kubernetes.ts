import { addOnsArgv } from "../provider/cluster/add-ons-look";
import { healthArgv } from "../provider/health/look";
import { certificatesArgv } from "../provider/kubeadm/certificate-query";
import { machineStatusArgv } from "../provider/kubeadm/look";
import { journalArgv } from "../provider/machine/journal";
import { knownNodesArgv } from "../provider/member/known-node";
import { nodeVersionArgv } from "../provider/member/upgrade/node-version";
import { readinessArgv } from "../provider/member/upgrade/readiness";
import { systemArgv } from "../provider/node/system-facts";
import { endpointArgv } from "../provider/procedures/endpoint/move-endpoint";
import { unquote } from "../provider/shell/quote";
import { agentPath } from "../provider/steps/agent";
import { noteArgv } from "../provider/steps/observation-notes";
import { printedJournalArgv } from "../provider/steps/print-journal";
import { formatOpened } from "../provider/steps/protocol";
import type { FakeAgent } from "./fake-agent";
import type { FakeAnswer } from "./types";

const starts = (argv: readonly string[], words: readonly string[]) => words.every((word, i) => word === argv[i]);

export interface Machine {
    agent: FakeAgent;
    /** Of all machines of the fleet. */
    agents: readonly FakeAgent[];
    /** Whether our agent's program is on it. */
    hasAgent: boolean;
}

/**
 * Answers questions about Kubernetes from a node's journal: a node that has done the step `cluster.join` is a member with a ready
 * API server, and a control-plane node a healthy member of etcd. Leaving and resetting do nothing. Undefined for all other questions.
 */
export function answerKubernetes(
    argv: readonly string[],
    script: string,
    { agent, agents, hasAgent }: Machine,
): FakeAnswer | undefined {
    if (starts(argv, machineStatusArgv)) {
        const joined = agent.journal["cluster.join"] !== undefined;
        const cluster = joined ? (agent.belongsTo?.cluster ?? "") : "";
        const owner = agent.belongsTo;
        const lines = [
            `memberOf=${cluster}`,
            `memberSince=${joined ? agent.journal["cluster.join"] : ""}`,
            `isPrepared=${Object.keys(agent.journal).length > 0 ? "yes" : "no"}`,
            `apiReady=${joined ? "yes" : "no"}`,
            `noted=${owner === undefined ? "" : `${owner.cluster} ${owner.node}`}`,
            ...(joined ? ["trace=/etc/kubernetes/kubelet.conf"] : []),
        ];
        return { stdout: `${lines.join("\n")}\n` };
    }
    // it is no system that could be unfit
    if (starts(argv, systemArgv)) return { stdout: "" };
    if (starts(argv, addOnsArgv)) return { stdout: "dns=answers\n" };
    if (starts(argv, endpointArgv)) return { stdout: "" };
    if (starts(argv, nodeVersionArgv)) return { stdout: agent.versions.text };
    if (starts(argv, readinessArgv)) return { stdout: readinessOf(agent, agents) };
    if (starts(argv, certificatesArgv)) return { stdout: "" };
    if (starts(argv, healthArgv)) {
        const joined = agent.journal["cluster.join"] !== undefined ? "joined=yes\n" : "";
        const facts = `uptime=86400\n${joined}kubelet=${agent.kubelet}\nruntime=active\nruntimeAnswers=yes\n`;
        return { stdout: facts + notesOf(agent) };
    }
    if (starts(argv, noteArgv)) {
        for (const [, words] of unquoted(script).matchAll(/^printf '\\036'; printf '%s\\037' (.*?); printf /gm)) {
            const [id, ...others] = unquote(words!);
            agent.noted[id!] = others;
        }
        return {};
    }
    if (starts(argv, ["sh", "-s", "pulumi-nfv"]) && argv.length === 3) {
        return script.includes("member list") ? { stdout: etcdOf(agent, agents) } : {};
    }
    if (starts(argv, ["sh", "-c"]) && argv[3] === "pulumi-nfv-known") {
        return { stdout: `answer:node/${argv[4]}\n` };
    }
    if (starts(argv, knownNodesArgv)) {
        const names = agents.filter(each => each.journal["cluster.join"]).map(({ belongsTo }) => belongsTo!.node);
        return { stdout: `${names.map(name => `node/${name} \n`).join("")}answer\n` };
    }
    if (starts(argv, ["test", "-x", agentPath])) {
        return { code: hasAgent ? 0 : 1 };
    }
    if (starts(argv, journalArgv)) {
        const { belongsTo: owner, journal } = agent;
        const owned = owner === undefined ? "unnamed" : `of ${owner.cluster} ${owner.node}`;
        return { stdout: owner === undefined && Object.keys(journal).length === 0 ? "blank\n" : `${owned}\n` };
    }
    if (starts(argv, printedJournalArgv)) return { stdout: journalOf(agent) };
    if (starts(argv, ["test", "-d"])) {
        return { code: Object.keys(agent.journal).length > 0 ? 0 : 1 };
    }
    return undefined;
}

/** As print-journal.sh prints it. */
function journalOf(agent: FakeAgent): string {
    const { belongsTo: owner, journal } = agent;
    if (owner === undefined && Object.keys(journal).length === 0) return "blank\n";
    const whose = owner === undefined ? "unnamed" : `of ${owner.cluster} ${owner.node}`;
    const busy = (agent.lease?.expires ?? 0) > Date.now() ? "busy\n" : "";
    return `${whose}\n${busy}${formatOpened({ done: journal, running: agent.running() })}`;
}

/** The notes are a quoted text. */
const unquoted = (text: string) => text.replaceAll("'\\''", "'");

/** What the machine's notes say of the results of its steps. */
function notesOf({ noted, differs }: FakeAgent): string {
    const said = Object.entries(noted).map(([id, words]) => {
        const lines = differs[id] ?? [];
        return `\x1e${[id, ...words, "0"].join("\x1f")}\n${lines.map(line => `${line}\n`).join("")}`;
    });
    return said.join("");
}

/** Only control-plane nodes have done this step. */
const ofControlPlane = "node.api-server-ready";

/** What etcdctl says of the members and of their health. */
function etcdOf({ belongsTo: owner }: FakeAgent, agents: readonly FakeAgent[]): string {
    const ours = agents.filter(
        ({ belongsTo, journal }) =>
            belongsTo?.cluster === owner?.cluster && journal["cluster.join"] && journal[ofControlPlane],
    );
    const urlOf = ({ belongsTo }: FakeAgent) => `https://${belongsTo!.node}:2379`;
    const members = ours.map((each, i) => ({ ID: i + 1, name: each.belongsTo!.node, clientURLs: [urlOf(each)] }));
    const health = ours.map(each => ({ endpoint: urlOf(each), health: each.etcdWorks }));
    return `${JSON.stringify({ members })}\n${JSON.stringify(health)}\n`;
}

/** What the cluster says of its nodes' versions; each is Ready. */
function readinessOf({ belongsTo: owner }: FakeAgent, agents: readonly FakeAgent[]): string {
    const nodes = agents.filter(
        ({ belongsTo, journal }) => belongsTo?.cluster === owner?.cluster && journal["cluster.join"],
    );
    const lines = nodes.map(({ belongsTo, versions }) => `node ${belongsTo!.node} v${versions.kubelet} True`);
    return `${lines.join("\n")}\n`;
}

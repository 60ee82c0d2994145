import { healthArgv } from "../../../../provider/health/look";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { masterTraces } from "../../../../provider/kubeadm/traces";
import { knownNodesArgv } from "../../../../provider/member/known-node";
import { isAct } from "../../../../provider/steps/protocol";
import { queryArgv } from "../../../../provider/steps/query";
import type { FakeNode } from "../../../../testing/fake-node";
import type { FakeAnswer, FleetEvent } from "../../../../testing/types";

/** What is on a machine of a cluster's node. */
interface Machine {
    fake: FakeNode;
    address: string;
    isOn: boolean;
    /** Its note that it is a member. */
    member: boolean;
    /** A join or a leave has begun and not ended. */
    joinStarted: boolean;
    /** Data of etcd is on it, and it runs. */
    etcd: boolean;
    joins: number;
}

interface Member {
    id: number;
    name: string;
    machine: string;
}

interface NodeObject {
    uid: string;
    machine: string;
    cordoned: boolean;
}

/** What a program wants, as far as the rules need it. */
export interface Wanted {
    /** Name → machine. */
    nodes: Record<string, string>;
    /** The cluster itself is to end. */
    ends?: boolean;
}

export const quorumOf = (voters: number) => Math.floor(voters / 2) + 1;

/** etcd and the node objects behind fake machines, and the rules that no run may break. */
export class World {
    readonly machines = new Map<string, Machine>();
    readonly members = new Map<number, Member>();
    readonly objects = new Map<string, NodeObject>();
    /** Rules that were broken, in words. */
    readonly broken: string[] = [];
    /** What happened, for a person. */
    readonly log: string[] = [];
    wanted: Wanted = { nodes: {} };
    /** Acts that fail: id → whether they have their effect all the same. */
    readonly failing = new Map<string, "before" | "after">();
    /** Names of nodes that joined and left. */
    joined: string[] = [];
    left: string[] = [];
    private next = 1;
    /** Masters that go, from their drain to their reset. */
    private readonly goingOut = new Set<string>();
    private readonly joining = new Set<string>();
    /** Members that worked when a run looked at etcd last. */
    private seenHealthy: readonly Member[] = [];
    /** Called with every begin and end of a step. */
    onEvent: () => void = () => {};

    add(name: string, address: string, fake: FakeNode): void {
        this.machines.set(name, {
            ...{ fake, address, isOn: true, member: false, joinStarted: false, etcd: false, joins: 0 },
        });
        fake.on(machineStatusArgv, () => this.status(name));
        fake.on(healthArgv, () => this.health(name));
        fake.on(queryArgv, ({ stdin }) => this.query(name, stdin.toString()));
        fake.on(
            argv => argv[0] === "sh" && argv[3] === "pulumi-nfv-known",
            ({ argv }) => this.known(name, argv[4]!),
        );
        fake.on(knownNodesArgv, () => this.knownNodes(name));
        fake.agent.onAct = ({ stdin }) => this.act(name, fake.agent.acts.at(-1)!, stdin.toString());
    }

    at(address: string): FakeNode | undefined {
        return [...this.machines.values()].find(each => each.address === address && each.isOn)?.fake;
    }

    /** What the fleet reports. */
    saw({ node: machine, event, step, fingerprint, exitCode }: FleetEvent): void {
        if (step === undefined || (event !== "begin" && event !== "end")) return;

        this.log.push(`${machine} ${step} ${event}${exitCode ? ` with ${exitCode}` : ""}`);
        if (step === "cluster.join" && !isAct(fingerprint!)) {
            if (event === "begin") this.joinBegins(machine);
            else this.joinEnds(machine, exitCode === 0);
        }
        this.onEvent();
    }

    isHealthy({ machine }: Member): boolean {
        const { isOn, etcd } = this.machines.get(machine)!;
        return isOn && etcd;
    }

    hasQuorum(): boolean {
        const voters = [...this.members.values()];
        return voters.filter(each => this.isHealthy(each)).length >= quorumOf(voters.length);
    }

    private breaks(rule: string): void {
        this.broken.push(rule);
        this.log.push(`BROKEN: ${rule}`);
    }

    private nameOf(machine: string): string {
        return this.machines.get(machine)!.fake.agent.belongsTo?.node ?? "";
    }

    private joinBegins(machine: string): void {
        const name = this.nameOf(machine);
        this.machines.get(machine)!.joinStarted = true;
        if (!isMaster(name)) return;
        if (this.joining.size > 0) this.breaks(`${name} joins while ${[...this.joining]} joins`);
        this.joining.add(name);
    }

    private joinEnds(machine: string, isDone: boolean): void {
        const name = this.nameOf(machine);
        this.joining.delete(name);
        if (!isDone) return;
        const its = this.machines.get(machine)!;
        if (its.member) this.breaks(`${name} on ${machine} joins, and is a member already`);
        Object.assign(its, { member: true, joinStarted: false, joins: its.joins + 1 });
        this.objects.set(name, { uid: `uid-${this.next++}`, machine, cordoned: false });
        this.joined.push(name);
        if (!isMaster(name)) return;
        const same = [...this.members.values()].filter(each => each.name === name);
        if (same.length > 0) this.breaks(`${name} joins on ${machine}, and etcd has it on ${same[0]!.machine}`);
        if (this.members.size > 0 && !this.hasQuorum()) this.breaks(`${name} joins an etcd without quorum`);
        its.etcd = true;
        const id = this.next++;
        this.members.set(id, { id, name, machine });
    }

    private apiReady(machine: string): boolean {
        const isMember = [...this.members.values()].some(each => each.machine === machine && this.isHealthy(each));
        return isMember && this.hasQuorum();
    }

    private status(machine: string): FakeAnswer {
        const its = this.machines.get(machine)!;
        const { belongsTo, journal } = its.fake.agent;
        const cluster = belongsTo?.cluster ?? "";
        const yes = (so: boolean) => (so ? "yes" : "no");
        const lines = [
            `memberOf=${its.member ? cluster : ""}`,
            `memberSince=${its.member ? its.joins : ""}`,
            `joinStarted=${its.joinStarted ? cluster : ""}`,
            `isPrepared=${yes(Object.keys(journal).length > 0)}`,
            `apiReady=${yes(this.apiReady(machine))}`,
            `noted=${belongsTo === undefined ? "" : `${cluster} ${belongsTo.node}`}`,
            ...(its.member ? ["trace=/etc/kubernetes/kubelet.conf"] : []),
            ...(its.etcd ? masterTraces.map(trace => `trace=${trace}`) : []),
        ];
        return { stdout: `${lines.join("\n")}\n` };
    }

    private health(machine: string): FakeAnswer {
        const joined = this.machines.get(machine)!.member ? "joined=yes\n" : "";
        return { stdout: `uptime=86400\n${joined}kubelet=active\nruntime=active\nruntimeAnswers=yes\n` };
    }

    private known(asked: string, name: string): FakeAnswer {
        if (!this.apiReady(asked)) return { code: 1, stderr: "the API server is not ready\n" };
        const object = this.objects.get(name);
        return { stdout: `answer:${object ? `node/${name}${object.cordoned ? " leaving" : ""}` : ""}\n` };
    }

    private knownNodes(asked: string): FakeAnswer {
        if (!this.apiReady(asked)) return { code: 1, stderr: "the API server is not ready\n" };
        const lines = [...this.objects].map(([name, { cordoned }]) => `node/${name} ${cordoned ? "leaving" : ""}\n`);
        return { stdout: `${lines.join("")}answer\n` };
    }

    /** Who works under this name or at this address. */
    private living(name: string, address: string): string {
        const at = (machine: string) => this.machines.get(machine)!.address;
        const isSame = (other: string, machine: string) => other === name || at(machine) === address;
        const members = [...this.members.values()]
            .filter(each => isSame(each.name, each.machine) && this.isHealthy(each))
            .map(each => `etcd ${each.name} https://${at(each.machine)}:2379\n`);
        const nodes = [...this.objects]
            .filter(([other, { machine }]) => isSame(other, machine))
            .filter(([, { machine }]) => this.machines.get(machine)!.isOn && this.machines.get(machine)!.member)
            .map(([other, { machine }]) => `node ${other} ${at(machine)}\n`);
        return [...members, ...nodes].join("");
    }

    /** kubelet's certificate, which a reset takes away. */
    private proof(machine: string): string {
        const { member, joinStarted, etcd } = this.machines.get(machine)!;
        const certificate = Buffer.from(`node ${this.nameOf(machine)}`).toString("base64");
        return member || joinStarted || etcd ? `certificate=${certificate}\nsignature=YQ==\n` : "";
    }

    private query(asked: string, script: string): FakeAnswer {
        if (/e member list -w json/.test(script)) {
            if (!this.apiReady(asked)) return { code: 1, stderr: "etcd does not answer\n" };
            const all = [...this.members.values()];
            this.seenHealthy = all.filter(each => this.isHealthy(each));
            const url = ({ machine }: Member, port: number) => `https://${this.machines.get(machine)!.address}:${port}`;
            const members = all.map(each => ({
                ...{ ID: each.id, name: each.name, peerURLs: [url(each, 2380)], clientURLs: [url(each, 2379)] },
            }));
            const health = all.map(each => ({ endpoint: url(each, 2379), health: this.isHealthy(each) }));
            return { stdout: `${JSON.stringify({ members })}\n${JSON.stringify(health)}\n` };
        }
        if (script.includes("print-living-member")) {
            if (!this.apiReady(asked)) return { code: 1, stderr: "the API server is not ready\n" };
            return { stdout: this.living(valueIn(script, "NAME"), valueIn(script, "ADDRESS")) };
        }
        if (script.includes("prove-machine")) return { stdout: this.proof(asked) };
        if (script.includes("verify-machine")) {
            const said = Buffer.from(valueIn(script, "CERTIFICATE"), "base64").toString();
            return { stdout: said === `node ${valueIn(script, "NAME")}` ? "yes\n" : "" };
        }
        if (script.includes('type=="InternalIP"')) {
            const object = this.objects.get(valueIn(script, "NODE"));
            return { stdout: object ? `${this.machines.get(object.machine)!.address}\n` : "" };
        }
        if (script.includes('type=="Ready"')) {
            if (!this.apiReady(asked)) return { code: 1, stderr: "the API server is not ready\n" };
            return { stdout: this.objects.has(valueIn(script, "NODE")) ? "True" : "none\n" };
        }
        return {};
    }

    private async act(
        on: string,
        { id, forNode = "" }: { id: string; forNode?: string },
        script: string,
    ): Promise<FakeAnswer> {
        const how = this.failing.get(id);
        this.failing.delete(id);
        if (how === "before") return { code: 1, stderr: `fake failure of ${id}\n` };
        // Others may act meanwhile.
        await new Promise(resolve => setTimeout(resolve, 1));
        const answer = this.acts[id]?.(on, script, forNode) ?? {};
        return how === "after" ? { code: 1, stderr: `fake failure of ${id}\n` } : answer;
    }

    private readonly acts: Record<string, (on: string, script: string, forNode: string) => FakeAnswer> = {
        "node.drain": (on, script) => {
            if (!this.apiReady(on)) return { code: 1, stderr: "the API server is not ready\n" };
            const name = valueIn(script, "NAME");
            const object = this.objects.get(name);
            if (isMaster(name)) this.goes(name);
            if (object === undefined) return {};
            object.cordoned = true;
            return { stdout: `uid ${object.uid}\n` };
        },
        "node.leave": on => {
            const its = this.machines.get(on)!;
            its.joinStarted = its.member || its.joinStarted;
            its.member = false;
            return {};
        },
        "node.leave-etcd": (_on, script) => {
            const id = Number.parseInt(valueIn(script, "MEMBER"), 16);
            const member = this.members.get(id);
            if (member === undefined) return {};
            if (!this.hasQuorum()) return { code: 1, stderr: "etcd has no quorum\n" };
            const rest = [...this.members.values()].filter(each => each !== member);
            const healthy = rest.filter(each => this.isHealthy(each)).length;
            if (rest.length === 0 || healthy < quorumOf(rest.length)) {
                // A member went away since the run looked: etcd itself refuses.
                if (rest.filter(each => this.seenHealthy.includes(each)).length >= quorumOf(rest.length))
                    return { code: 1, stderr: "etcdserver: unhealthy cluster\n" };
                this.breaks(`${member.name} leaves etcd: ${healthy} of ${rest.length} would stand`);
            }
            this.members.delete(id);
            return {};
        },
        "node.delete-object": (on, script) => {
            if (!this.apiReady(on)) return { code: 1, stderr: "the API server is not ready\n" };
            const name = valueIn(script, "NAME");
            if (this.objects.get(name)?.uid === valueIn(script, "NODE_UID")) {
                this.objects.delete(name);
                this.left.push(name);
            }
            return {};
        },
        "node.reset": on => this.reset(on, "reset"),
        "host.reset": on => this.reset(on, "undone"),
        "node.register": on => {
            this.objects.set(this.nameOf(on), { uid: `uid-${this.next++}`, machine: on, cordoned: false });
            return {};
        },
        "node.labels": (_on, _script, forNode) => {
            const object = this.objects.get(forNode);
            if (object === undefined) return { code: 1, stderr: "no such node\n" };
            object.cordoned = false;
            return {};
        },
    };

    /** On a master, before a machine joins: removes what a former machine of this name left. The answer is the token. */
    prepareJoin(on: string, script: string): string {
        const [name, address, role] = ["NAME", "ADDRESS", "ROLE"].map(each => valueIn(script, each)) as [
            string,
            string,
            string,
        ];
        if (!this.apiReady(on)) throw new Error("the API server is not ready");
        for (const member of role === "controlPlane" ? [...this.members.values()] : []) {
            const at = this.machines.get(member.machine)!.address;
            if (member.name !== name && at !== address) continue;
            if (at !== address && this.isHealthy(member)) throw new Error(`${name} lives at ${at}`);
            const rest = [...this.members.values()].filter(each => each !== member);
            // etcd itself refuses that.
            if (rest.filter(each => this.isHealthy(each)).length < quorumOf(rest.length))
                throw new Error("unhealthy cluster");
            this.members.delete(member.id);
            this.machines.get(member.machine)!.etcd = false;
        }
        const object = this.objects.get(name);
        if (object && this.machines.get(object.machine)!.address === address) this.objects.delete(name);
        return "abcdef.0123456789abcdef\n";
    }

    private reset(on: string, how: string): FakeAnswer {
        const its = this.machines.get(on)!;
        const name = this.nameOf(on);
        this.goingOut.delete(name);
        const voter = [...this.members.values()].find(each => each.machine === on);
        if (voter && !this.wanted.ends) this.breaks(`${name} on ${on} is ${how}, and etcd still has it`);
        // One that was off while it was taken out still says that it is a member: its own data is of no use.
        const isKnown = this.objects.get(name)?.machine === on;
        if (its.member && isKnown && !this.wanted.ends && this.wanted.nodes[name] === on)
            this.breaks(`${name} stays on ${on}, and is ${how}`);
        Object.assign(its, { member: false, joinStarted: false, etcd: false });
        const { journal } = its.fake.agent;
        delete journal["cluster.join"];
        delete journal["node.labels"];
        for (const step of Object.keys(journal)) if (step.startsWith("node.")) journal[step] = "unfinished";
        return {};
    }

    private goes(name: string): void {
        const others = [...this.goingOut].filter(each => each !== name && this.objects.has(each));
        if (others.length > 0) this.breaks(`${name} goes out while ${others} is out`);
        this.goingOut.add(name);
    }

    /** The next run may go on with another one. */
    runEnds(): void {
        this.goingOut.clear();
        this.joining.clear();
    }
}

export const isMaster = (name: string) => name.startsWith("m");

/** The value of a shell variable at the beginning of a script. */
export function valueIn(script: string, name: string): string {
    const found = new RegExp(`^${name}=(?:'([^']*)'|(\\S*))$`, "m").exec(script);
    return found?.[1] ?? found?.[2] ?? "";
}

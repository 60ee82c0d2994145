import { setTimeout as sleep } from "node:timers/promises";
import { unquote } from "../provider/shell/quote";
import type { SshTarget } from "../provider/ssh/types";
import { agentPath } from "../provider/steps/agent";
import { decodeCall } from "../provider/steps/protocol";
import { decodeQueries, formatQueries, queriesArgv } from "../provider/steps/queries";
import { queryArgv } from "../provider/steps/query";
import { FakeAgent } from "./fake-agent";
import { FakeFiles } from "./fake-files";
import { answerKubernetes } from "./fake-kubernetes";
import { newKeyPair } from "./keys";
import { type CommandChannel, SshServer } from "./ssh-server";
import type { Answering, FakeAnswer, FakeBehaviour, FakeCall, FleetEvent, Matcher } from "./types";

/** Longer input is cut in the record. */
const recordedBytes = 64 * 1024;

/** A fake machine, a server in this process: it records the commands it receives and gives the answers that the test has set. */
export class FakeNode {
    /** All commands received, in order. Standard input up to 64 KiB. */
    readonly commands: FakeCall[] = [];
    readonly files: FakeFiles;
    readonly agent: FakeAgent;
    readonly server: SshServer;

    private readonly handlers: { match: Matcher; answer: Answering; left: number }[] = [];

    constructor(
        readonly name: string,
        private readonly behaviour: FakeBehaviour,
        /** Private key that the node accepts, OpenSSH form. */
        private readonly privateKey: string,
        log: (event: FleetEvent) => void,
        /** Of all machines of the fleet: etcd's members are among them. */
        private readonly agents: () => readonly FakeAgent[],
    ) {
        const note = (event: Omit<FleetEvent, "time" | "node">) => log({ time: Date.now(), node: name, ...event });
        this.files = new FakeFiles(behaviour.keepBytes ?? 1024 * 1024);
        const writeFile: FakeFiles["put"] = (...file) => this.files.put(...file);
        this.agent = new FakeAgent(name, behaviour, { log: note, writeFile });
        this.server = new SshServer(behaviour, [privateKey, ...(behaviour.authorizedKeys ?? [])], [newHostKey()], {
            exec: (user, line, channel) => void this.exec(user, line, channel),
            connected: () => note({ event: "connect" }),
        });
    }

    /** Argument for `connect` or for a resource's `connection`. */
    get target(): SshTarget {
        return {
            host: this.server.host,
            port: this.server.port,
            user: "root",
            privateKey: this.privateKey,
            hostKey: this.hostKey,
        };
    }

    get hostKey(): string {
        return this.server.publicHostKeys[0];
    }

    /** Sets the answer to commands from now on; the latest setting wins. `times`: how often it applies. */
    on(match: Matcher, answer: Answering, times = Number.POSITIVE_INFINITY): this {
        this.handlers.unshift({ match, answer, left: times });
        return this;
    }

    /**
     * Sets the answer to scripts other than steps: queries, and acts that give no answer (drain, reset …). The call's standard
     * input is the script; both streams of an act become its output.
     */
    onScript(answer: Answering): this {
        this.agent.onAct = answer;
        return this.on(queryArgv, answer);
    }

    /** The next `times` commands of this kind fail. */
    fail(match: Matcher, times = 1, answer: FakeAnswer = { code: 1, stderr: "fake failure\n" }): this {
        return this.on(match, answer, times);
    }

    /** The connection drops when the next command of this kind comes. */
    cutAt(match: Matcher, times = 1): this {
        return this.on(match, { cut: true }, times);
    }

    /** Drops all connections now. */
    cut(): void {
        this.server.cut();
    }

    /** Refuses new connections and drops the existing ones, like a machine that is off. */
    async powerOff(): Promise<void> {
        await this.server.stop();
        this.agent.reboot();
    }

    async powerOn(): Promise<void> {
        await this.server.listen();
    }

    /** As if the machine had been rebuilt: a new host key and no files. */
    changeHostKey(): void {
        this.server.setHostKeys([newHostKey()]);
    }

    /** Received commands that match, in order. */
    seen(match: Matcher): FakeCall[] {
        return this.commands.filter(call => fits(match, call.argv));
    }

    private async exec(user: string, line: string, channel: CommandChannel): Promise<void> {
        // As the login shell of a machine would.
        const [, printed = "", command = line] = /^printf %s (\S+); (.*)$/s.exec(line) ?? [];
        channel.write(printed);
        const words = unquote(command);
        const sudo = words[0] === "sudo" && words[1] === "-n" && words[2] === "--";
        const bare = sudo ? words.slice(3) : words;
        const argv = bare[0] === "timeout" && bare[1] === "-k" ? bare.slice(4) : bare;
        const call: FakeCall = { node: this.name, user, sudo, argv, stdin: Buffer.alloc(0) };
        this.commands.push(call);
        let answer: FakeAnswer;
        try {
            answer = await this.decide(call, channel);
            await sleep((answer.delaySeconds ?? 0) * 1000);
        } catch (error) {
            answer = { code: 1, stderr: `fake node: ${(error as Error).message}\n` };
        }
        if (answer.hang) {
            channel.resume();
            channel.once("signal", (name: string) => finish(channel, { signal: name }));
        } else if (answer.cut) {
            this.cut();
        } else {
            finish(channel, answer);
        }
    }

    private async decide(call: FakeCall, channel: CommandChannel): Promise<FakeAnswer> {
        if (call.sudo && this.behaviour.sudo === false) {
            channel.resume();
            return { code: 1, stderr: "sudo: a password is required\n" };
        }
        const handler = this.handlers.find(each => each.left > 0 && fits(each.match, call.argv));
        if (handler !== undefined) {
            handler.left--;
            const early = typeof handler.answer === "function" ? undefined : handler.answer;
            if (early?.cut || early?.hang) {
                return early;
            }
            call.stdin = await readAll(channel);
            return typeof handler.answer === "function" ? handler.answer(call) : handler.answer;
        }
        const transfer = this.files.answer(call.argv);
        if (transfer !== undefined) {
            return transfer(channel);
        }
        const agentCall = decodeCall(call.argv);
        const input = await readAll(channel, agentCall?.verb === "run" ? agentCall.sizeBytes : undefined);
        call.stdin = input.subarray(0, recordedBytes);
        const script = input.toString();
        if (agentCall !== undefined && this.files.get(call.argv[0]) !== undefined) {
            const answer = await this.agent.answer(agentCall, script, {
                write: output => channel.writable && channel.write(output),
                onGone: listener => channel.resume().once("end", listener).once("close", listener),
            });
            if (agentCall.verb === "forget" && agentCall.id === "") {
                this.files.remove(call.argv[0]);
            }
            return answer;
        }
        if (queriesArgv.every((word, i) => word === call.argv[i])) return this.together(call, script);
        const kubernetes = this.kubernetes(call.argv, script);
        return kubernetes ?? this.otherwise(call);
    }

    /** Each query as if it had come alone, so that a test can set its answer. They count as commands, too. */
    private async together(call: FakeCall, text: string): Promise<FakeAnswer> {
        const answers: FakeAnswer[] = [];
        for (const { argv, script } of decodeQueries(text)) {
            const each: FakeCall = { ...call, argv, stdin: Buffer.from(script).subarray(0, recordedBytes) };
            this.commands.push(each);
            const answer = await this.set(each);
            if (answer?.cut || answer?.hang) return answer;
            answers.push(answer ?? this.kubernetes(argv, script) ?? (await this.otherwise(each)));
        }
        const delaySeconds = answers.reduce((sum, each) => sum + (each.delaySeconds ?? 0), 0);
        return { ...formatQueries(answers), delaySeconds };
    }

    /** The answer that a test has set for a command; undefined: none. */
    private async set(call: FakeCall): Promise<FakeAnswer | undefined> {
        const handler = this.handlers.find(each => each.left > 0 && fits(each.match, call.argv));
        if (handler === undefined) return undefined;
        handler.left--;
        return typeof handler.answer === "function" ? handler.answer(call) : handler.answer;
    }

    private kubernetes(argv: readonly string[], script: string): FakeAnswer | undefined {
        return answerKubernetes(argv, script, {
            agent: this.agent,
            agents: this.agents(),
            hasAgent: this.files.get(agentPath) !== undefined,
        });
    }

    private async otherwise(call: FakeCall): Promise<FakeAnswer> {
        const { argv } = call;
        const [program, option, path] = argv;
        if (program === "true") {
            return {};
        }
        if (program === "test" && /^-[defsx]$/.test(option) && argv.length === 3) {
            return { code: this.files.has(path, option === "-d") ? 0 : 1 };
        }
        const { unknownCommand } = this.behaviour;
        if (unknownCommand !== undefined) {
            return typeof unknownCommand === "function" ? unknownCommand(call) : unknownCommand;
        }
        const why = call.argv[0] === agentPath ? "not found" : "fake node: no answer is set for this command";
        return { code: 127, stderr: `${call.argv[0]}: ${why}\n` };
    }
}

function newHostKey(): string {
    return newKeyPair().private;
}

function fits(match: Matcher, argv: readonly string[]): boolean {
    if (typeof match === "function") {
        return match(argv);
    }
    if (match instanceof RegExp) {
        return match.test(argv.join(" "));
    }
    if ("startsWith" in match) {
        return match.startsWith.every((word, i) => word === argv[i]);
    }
    return match.length === argv.length && match.every((word, i) => word === argv[i]);
}

/** Reads all input; with `bytes`, only that many, and the channel stays open. */
async function readAll(channel: CommandChannel, bytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let length = 0;
    // Plain iteration would destroy the channel before the exit code is sent.
    for await (const chunk of channel.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= bytes) break;
    }
    return Buffer.concat(chunks);
}

function finish(channel: CommandChannel, answer: FakeAnswer): void {
    if (channel.destroyed || !channel.writable) {
        return;
    }
    if (answer.stderr) {
        channel.stderr.write(answer.stderr);
    }
    const end = () => {
        if (answer.signal === undefined) {
            channel.exit(answer.code ?? 0);
        } else {
            channel.exit(answer.signal);
        }
        channel.end();
    };
    if (answer.stdout?.length) {
        channel.write(answer.stdout, end);
    } else {
        end();
    }
}

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Connections } from "../../../../provider/ssh";
import type { SshTarget } from "../../../../provider/ssh/types";
import { type Act, plan, runAct, runSteps, type StepBody } from "../../../../provider/steps";
import { LocalConnection } from "./local-connection";

const connections = new Connections();

/** An operator in a separate process, which tests can kill. SIGINT cancels its run. */
export interface Job {
    /** Folder of a local node, or connection settings of a real one. */
    root?: string;
    target?: SshTarget;
    /** @default "n1" of "c1" */
    of?: { node: string; clusterId: string };
    bodies: StepBody[];
    /** Done after the steps, on this node for the node w1. */
    act?: Act;
    leaseSeconds?: number;
}

export interface Operator extends ChildProcess {
    output: () => string;
    finished: Promise<string>;
}

export function startOperator(job: Job, wrap: string[] = []): Operator {
    const argv = [...wrap, process.execPath, "-r", "tsx/cjs", __filename];
    const child = spawn(argv[0], argv.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", chunk => {
        output += chunk;
    });
    child.stderr.on("data", chunk => {
        output += chunk;
    });
    child.stdin.end(JSON.stringify(job));
    const finished = new Promise<string>(resolve => child.on("close", code => resolve(`${output}exit ${code}\n`)));
    return Object.assign(child, { output: () => output, finished });
}

async function main(): Promise<void> {
    const {
        root,
        target,
        of = { node: "n1", clusterId: "c1" },
        bodies,
        act,
        leaseSeconds,
    }: Job = JSON.parse(readFileSync(0, "utf8"));
    const connection = root === undefined ? connections.to(target!) : new LocalConnection(root);
    const steps = plan(
        bodies.map(body => () => body),
        {},
        "key",
    );
    const report = (text: string) => console.log(text);
    const cancel = new AbortController();
    process.on("SIGINT", () => cancel.abort());
    const context = { ...of, connection, report, signal: cancel.signal };
    try {
        await runSteps(steps, { ...context, done: {}, leaseSeconds });
        if (act) await runAct(act, { ...context, forNode: "w1" });
    } finally {
        await connection.close();
    }
}

if (require.main === module) {
    main().catch(error => {
        console.log(String(error));
        process.exitCode = 1;
    });
}

import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

/** Result of a finished command. */
export interface Outcome {
    code: number;
    /** Standard output and standard error, in the order of their arrival. */
    output: string;
}

/** One event of `pulumi … --json`: only the fields that are read here. */
export interface EngineEvent {
    resourcePreEvent?: { metadata: StepMetadata };
    resOutputsEvent?: { metadata: StepMetadata };
    diagnosticEvent?: { urn?: string; message: string; severity: string; ephemeral?: boolean };
    summaryEvent?: { resourceChanges: Record<string, number>; durationSeconds: number };
    timestamp?: number;
}

export interface StepMetadata {
    op: string;
    urn: string;
    type: string;
    diffs?: string[];
    detailedDiff?: Record<string, { kind: string }> | null;
}

export interface ProjectOptions {
    /** Folder that has Pulumi.yaml. */
    folder: string;
    /** The `pulumi` executable. */
    pulumi: string;
    env: NodeJS.ProcessEnv;
    /** Folder of the state; created if missing. */
    state: string;
    stack: string;
    /** Puts a command into the network that reaches the nodes. */
    enter?: (argv: string[]) => string[];
    /** Receives the output as it comes. Default: nothing is shown. */
    onOutput?: (text: string) => void;
}

/** A Pulumi project with a file backend of its own, driven through the command line as a user would. */
export class PulumiProject {
    /** Environment of every `pulumi …` that is started. */
    readonly env: NodeJS.ProcessEnv;

    constructor(private readonly options: ProjectOptions) {
        fs.mkdirSync(options.state, { recursive: true });
        this.env = {
            ...process.env,
            ...options.env,
            PULUMI_BACKEND_URL: `file://${options.state}`,
            PULUMI_CONFIG_PASSPHRASE: options.env["PULUMI_CONFIG_PASSPHRASE"] ?? "",
            PULUMI_NODEJS_TRANSPILE_ONLY: "true",
        };
    }

    /** Starts `pulumi …`; the caller may kill it. */
    start(args: string[], onOutput = this.options.onOutput, input?: string): { pid: number; done: Promise<Outcome> } {
        const argv = [this.options.pulumi, ...args];
        const [command, ...rest] = this.options.enter?.(argv) ?? argv;
        const child = spawn(command!, rest, {
            cwd: this.options.folder,
            env: this.env,
            stdio: ["pipe", "pipe", "pipe"],
        });
        child.stdin.end(input);
        let output = "";
        for (const stream of [child.stdout, child.stderr]) {
            stream.setEncoding("utf8");
            stream.on("data", (text: string) => {
                output += text;
                onOutput?.(text);
            });
        }
        const done = new Promise<Outcome>((resolve, reject) => {
            child.on("error", reject);
            child.on("close", (code, signal) => resolve({ code: code ?? (signal ? 137 : 1), output }));
        });
        return { pid: child.pid!, done };
    }

    /** Runs `pulumi …` on this terminal. Without a terminal the output is passed on. */
    async show(args: string[]): Promise<Outcome> {
        if (!process.stdout.isTTY)
            return this.start([...args, "--non-interactive", "--suppress-progress"], text => process.stdout.write(text))
                .done;
        // Ctrl-C reaches pulumi too, which cancels the operation in progress.
        const ignore = () => {};
        process.on("SIGINT", ignore);
        const [command, ...rest] = this.options.enter?.([this.options.pulumi, ...args]) ?? [
            this.options.pulumi,
            ...args,
        ];
        const child = spawn(command!, rest, {
            cwd: this.options.folder,
            env: this.env,
            stdio: ["inherit", "inherit", "pipe"],
        });
        let output = "";
        child.stderr.setEncoding("utf8");
        child.stderr.on("data", (text: string) => {
            output += text;
            process.stderr.write(text);
        });
        const code = await new Promise<number>((resolve, reject) => {
            child.on("error", reject);
            child.on("close", status => resolve(status ?? 1));
        });
        process.off("SIGINT", ignore);
        return { code, output };
    }

    /** Runs `pulumi …`. An exit code other than 0 is thrown as an error that contains the output. */
    async run(args: string[], onOutput?: (text: string) => void): Promise<string> {
        const { code, output } = await this.start(args, onOutput).done;
        if (code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${code}:\n${output}`);
        return output;
    }

    async selectStack(): Promise<void> {
        await this.run(["stack", "select", "--create", this.options.stack]);
    }

    /** Secrets go through standard input, because every user of the machine can read command lines. */
    async setConfig(values: Record<string, string>, secrets: Record<string, string> = {}): Promise<void> {
        const plain = Object.entries(values).flatMap(([key, value]) => ["--plaintext", `${key}=${value}`]);
        await this.run(["config", "set-all", ...plain], () => {});
        for (const [key, value] of Object.entries(secrets)) {
            const argv = ["config", "set", "--secret", key];
            const { code, output } = await this.start(argv, () => {}, value).done;
            if (code !== 0) throw new Error(`pulumi ${argv.join(" ")} ended with ${code}:\n${output}`);
        }
    }

    up(...args: string[]): Promise<string> {
        return this.run(["up", "--yes", "--skip-preview", "--non-interactive", ...args]);
    }

    destroy(...args: string[]): Promise<string> {
        return this.run(["destroy", "--yes", "--skip-preview", "--non-interactive", ...args]);
    }

    /** The events of `pulumi up|preview|destroy|refresh --json`. */
    async events(args: string[]): Promise<EngineEvent[]> {
        const env = { PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true" };
        Object.assign(this.env, env);
        const output = await this.run([...args, "--json", "--non-interactive"], () => {});
        return output
            .split("\n")
            .filter(line => line.startsWith("{"))
            .map(line => JSON.parse(line) as EngineEvent);
    }

    async output(name: string, showSecrets = true): Promise<string> {
        const text = await this.run(["stack", "output", name, ...(showSecrets ? ["--show-secrets"] : [])], () => {});
        return text.trimEnd();
    }

    /** The stack as stored, secrets encrypted. */
    async exportStack(): Promise<string> {
        return this.run(["stack", "export"], () => {});
    }

    /** Folder of the state, for tests that search it. */
    get stateFolder(): string {
        return path.resolve(this.options.state);
    }
}

import * as fs from "node:fs";
import * as path from "node:path";
import { type EngineEvent, LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { pulumiLauncher } from "./pulumi-launcher";
import { type Outcome, type PulumiCall, type RunningPulumi, showPulumi, startPulumi } from "./pulumi-process";

export interface ProjectOptions {
    /** Folder that has Pulumi.yaml. */
    folder: string;
    /** The `pulumi` executable. */
    pulumi: string;
    env: Record<string, string>;
    /** Folder of the state; created if missing. */
    state: string;
    stack: string;
    /** Puts a command into the network that reaches the nodes. */
    enter?: (argv: string[]) => string[];
    /** See PulumiCall. */
    quietMinutes?: number;
}

/** Flags of `pulumi up`, `destroy` and `refresh`. */
export interface RunFlags {
    expectNoChanges?: boolean;
    refresh?: boolean;
    /** URNs. */
    replace?: string[];
    /** How many resources act at once. */
    parallel?: number;
}

/**
 * A Pulumi project with a file backend of its own, driven by Pulumi's Automation API. Where the API cannot do what is needed, `start`, `run` and `show`
 * start the command line as a child process:
 * - the caller kills it, needs its exit code, or runs a command that the API does not have;
 * - it draws on a terminal;
 * - it changes the stack. After each run the API starts three further processes for outputs and history, a second in all, which nobody here reads;
 * - it previews in a lab. The API listens for the engine's events on 127.0.0.1, which the engine in the lab's network cannot reach;
 * - it exports a state whose secrets stay encrypted. The API always decrypts them;
 * - it stores a secret. The API writes it into the command line, which every user of the machine can read.
 */
export class PulumiProject {
    private constructor(
        private readonly options: ProjectOptions,
        /** The Automation API's view of the stack. */
        readonly stack: Stack,
    ) {}

    /** Creates the stack if it is missing. */
    static async open(options: ProjectOptions): Promise<PulumiProject> {
        fs.mkdirSync(options.state, { recursive: true });
        const envVars = {
            ...options.env,
            PULUMI_BACKEND_URL: `file://${options.state}`,
            PULUMI_CONFIG_PASSPHRASE: options.env["PULUMI_CONFIG_PASSPHRASE"] ?? "",
            PULUMI_NODEJS_TRANSPILE_ONLY: "true",
        };
        const pulumiCommand = await pulumiLauncher(path.join(options.state, "launcher"), argvOf(options));
        const stack = await LocalWorkspace.createOrSelectStack(
            { stackName: options.stack, workDir: options.folder },
            { pulumiCommand, envVars },
        );
        return new PulumiProject(options, stack);
    }

    /** Environment of every `pulumi …` that is started; may be changed. */
    get env(): Record<string, string> {
        return this.stack.workspace.envVars;
    }

    up(flags: RunFlags = {}): Promise<string> {
        return this.change("up", flags);
    }

    destroy(flags: RunFlags = {}): Promise<string> {
        return this.change("destroy", flags);
    }

    refresh(flags: RunFlags = {}): Promise<string> {
        return this.change("refresh", flags);
    }

    /** Secrets go through standard input. */
    async setConfig(values: Record<string, string>, secrets: Record<string, string> = {}): Promise<void> {
        await this.stack.setAllConfig(
            Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value }])),
        );
        for (const [key, input] of Object.entries(secrets)) {
            const argv = ["config", "set", "--secret", key];
            checked(argv, await startPulumi(this.call, argv, { input }).done);
        }
    }

    /** Text of an output, secret or not; of other values than text its JSON. */
    async output(name: string): Promise<string> {
        const outputs = await this.stack.outputs();
        const found = outputs[name];
        if (!found) throw new Error(`stack ${this.options.stack} has no output ${name}, only ${Object.keys(outputs)}`);
        return typeof found.value === "string" ? found.value : JSON.stringify(found.value);
    }

    /** The stack as stored, secrets encrypted. */
    async exportStack(): Promise<string> {
        return this.run(["stack", "export"]);
    }

    /** The events of `pulumi up|preview|destroy|refresh --json`. */
    async events(args: string[]): Promise<EngineEvent[]> {
        this.env["PULUMI_ENABLE_STREAMING_JSON_PREVIEW"] = "true";
        const output = await this.run([...args, "--json", "--non-interactive"]);
        return output
            .split("\n")
            .filter(line => line.startsWith("{"))
            .map(line => JSON.parse(line) as EngineEvent);
    }

    /** The text of `pulumi preview …`. */
    preview(...args: string[]): Promise<string> {
        return this.run(["preview", "--non-interactive", ...args]);
    }

    /** Starts `pulumi …`; the caller may kill it. */
    start(args: string[], onOutput?: (text: string) => void): RunningPulumi {
        return startPulumi(this.call, args, { onOutput });
    }

    /** Runs `pulumi …`. An exit code other than 0 is thrown as an error that contains the output. */
    async run(args: string[]): Promise<string> {
        return checked(args, await this.start(args).done);
    }

    private change(command: "up" | "destroy" | "refresh", flags: RunFlags): Promise<string> {
        const stack = ["--stack", this.options.stack];
        return this.run([command, "--yes", "--skip-preview", "--non-interactive", ...stack, ...argvOfFlags(flags)]);
    }

    /** Runs `pulumi …` on this terminal. Without a terminal the output is passed on. */
    show(args: string[]): Promise<Outcome> {
        return showPulumi(this.call, args);
    }

    /** Folder of the state, for tests that search it. */
    get stateFolder(): string {
        return path.resolve(this.options.state);
    }

    private get call(): PulumiCall {
        const { folder, quietMinutes } = this.options;
        return { argv: argvOf(this.options), folder, env: { ...process.env, ...this.env }, quietMinutes };
    }
}

function argvOf({ pulumi, enter }: ProjectOptions): string[] {
    return enter?.([pulumi]) ?? [pulumi];
}

function argvOfFlags({ expectNoChanges, refresh, replace = [], parallel }: RunFlags): string[] {
    return [
        ...(expectNoChanges ? ["--expect-no-changes"] : []),
        ...(refresh ? ["--refresh"] : []),
        ...replace.flatMap(urn => ["--replace", urn]),
        ...(parallel === undefined ? [] : ["--parallel", `${parallel}`]),
    ];
}

function checked(args: string[], { code, output }: Outcome): string {
    if (code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${code}:\n${output}`);
    return output;
}

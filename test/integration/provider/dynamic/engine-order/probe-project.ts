import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../../support/eventually";
import { killTree } from "../../../../support/kill-tree";
import { projectRoot, UserProject } from "../../../../support/user-project";
import { type CallName, RunLog } from "./run-log";

/** A resource of the probe program. */
export interface Probe {
    name: string;
    /** Names of the probes that it depends on. */
    after: string[];
    /** An update if it differs from the state. */
    value: string;
    /** Inputs that are outputs of others: input → probe, output. */
    takes?: Record<string, [string, string]>;
    /** A replacement if it differs; so does the input `hostId`. */
    machine?: string;
    deletedFirst?: boolean;
    /** Of create, update and delete. */
    seconds?: number;
    fails?: boolean;
    /** Its diff says that nothing changes. */
    saysNoChange?: boolean;
}

export interface Run {
    log: RunLog;
    code: number;
    output: string;
    /** Probe → value of its inputs and of its outputs in the state: "b a". */
    stored: Record<string, string>;
    /** Operations that the state calls unfinished: "updating n1". */
    pending: string[];
}

interface State {
    resources?: { urn: string; inputs?: { value?: string }; outputs?: { value?: string } }[];
    pending_operations?: { type: string; resource: { urn: string } }[];
}

const folder = "test/integration/provider/dynamic/engine-order";
const nameOf = (urn: string) => urn.split("::").at(-1)!;

/** The probe program with a state of its own. Each run can begin with the same saved state. */
export class ProbeProject {
    private constructor(private readonly project: UserProject) {
        this.env["PROBE_LOG"] = this.logFile;
    }

    static async make(): Promise<ProbeProject> {
        return new ProbeProject(await UserProject.make("probe", `${folder}/program.js`));
    }

    readonly remove = () => this.project.remove();

    get env(): Record<string, string> {
        return this.project.pulumi.env;
    }

    /** Pulumi's files of the state are kept, or put back. */
    save(): void {
        cpSync(this.stateFolder, this.savedFolder, { recursive: true });
    }

    restore(): void {
        rmSync(this.stateFolder, { recursive: true, force: true });
        cpSync(this.savedFolder, this.stateFolder, { recursive: true });
    }

    /** Replaces the stack's configuration. */
    configure(config: Record<string, string>): void {
        const file = join(this.project.folder, "Pulumi.dev.yaml");
        const [salt = ""] = existsSync(file) ? (/^encryptionsalt:.*$/m.exec(readFileSync(file, "utf8")) ?? []) : [];
        const values = Object.entries(config).map(([key, value]) => `    probe:${key}: ${value}`);
        writeFileSync(file, [...(salt ? [salt] : []), ...(values.length ? ["config:", ...values] : []), ""].join("\n"));
    }

    async run(probes: Probe[], args: string[]): Promise<Run> {
        const { code, output } = await this.start(probes, args).done;
        return this.ended(code, output);
    }

    /** A run whose processes are killed, or that is interrupted, while this call runs. */
    async stopDuring(call: CallName, how: "kill" | "interrupt", probes: Probe[], command = "up"): Promise<Run> {
        const running = this.start(probes, [command, "--yes", "--skip-preview"]);
        const [method, name] = call.split(" ");
        const begins = (text: string) => text.includes(`"method":"${method}","name":"${name}","at":"begin"`);
        await until(
            120,
            () => begins(this.logText()),
            () => this.logText(),
        );
        if (how === "kill") killTree(running.pid);
        else process.kill(running.pid, "SIGINT");
        const { code, output } = await running.done;
        return this.ended(code, output);
    }

    private start(probes: Probe[], args: string[]) {
        rmSync(this.logFile, { force: true });
        this.project.give({ provider: join(projectRoot, folder, "provider.js"), probes });
        return this.project.pulumi.start([...args, "--non-interactive"]);
    }

    private ended(code: number, output: string): Run {
        const state = JSON.parse(readFileSync(join(this.stateFolder, "stacks/probe/dev.json"), "utf8"));
        const { resources = [], pending_operations = [] } = (state.checkpoint.latest ?? {}) as State;
        const probes = resources.filter(({ urn }) => urn.includes(":Probe::"));
        return {
            ...{ log: new RunLog(this.logText()), code, output },
            stored: Object.fromEntries(
                probes.map(({ urn, inputs, outputs }) => [nameOf(urn), `${inputs?.value} ${outputs?.value}`]),
            ),
            pending: pending_operations.map(({ type, resource }) => `${type} ${nameOf(resource.urn)}`),
        };
    }

    private logText(): string {
        return existsSync(this.logFile) ? readFileSync(this.logFile, "utf8") : "";
    }

    private get logFile(): string {
        return join(this.project.folder, "log");
    }

    private get stateFolder(): string {
        return join(this.project.pulumi.stateFolder, ".pulumi");
    }

    private get savedFolder(): string {
        return join(this.project.folder, "saved");
    }
}

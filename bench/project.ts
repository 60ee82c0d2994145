import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PulumiProject } from "../dev/pulumi-project";
import { pulumiEnvironment } from "../tools/pulumi-environment";
import { packageRoot } from "../tools/settings";
import type { PluginName } from "../tools/versions";

const root = packageRoot();

export interface ProgramOptions {
    /** File of bench/programs without its extension. */
    program: string;
    plugins?: PluginName[];
    /** More variables for Pulumi. */
    env?: Record<string, string>;
    /** Puts a command into the network that reaches the nodes. */
    enter?: (argv: string[]) => string[];
    say: (text: string) => void;
}

/** A Pulumi project in a temporary folder, with this package in its node_modules, as users have it. */
export class BenchProject {
    private readonly running = new Set<number>();
    private readonly abandon = () => {
        for (const pid of this.running) {
            process.kill(pid);
        }
        rmSync(this.folder, { recursive: true, force: true });
    };

    private constructor(
        readonly folder: string,
        private readonly pulumi: PulumiProject,
    ) {
        process.once("exit", this.abandon);
    }

    static async make({ program, plugins = [], env = {}, enter, say }: ProgramOptions): Promise<BenchProject> {
        const environment = await pulumiEnvironment({ plugins, onProgress: say });
        for (const [name, reason] of Object.entries(environment.missingPlugins)) {
            throw new Error(`the plugin ${name} cannot be had: ${reason}`);
        }
        const folder = mkdtempSync(join(tmpdir(), `nfv-bench-${program}-`));
        mkdirSync(join(folder, "node_modules"));
        symlinkSync(root, join(folder, "node_modules/pulumi-nfv"));
        symlinkSync(join(root, "node_modules/@pulumi"), join(folder, "node_modules/@pulumi"));
        const runtime = "runtime: {name: nodejs, options: {typescript: false}}";
        writeFileSync(join(folder, "Pulumi.yaml"), `name: bench-${program}\n${runtime}\nmain: index.js\n`);
        writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "bench", private: true }));
        copyFileSync(join(root, "bench/programs", `${program}.js`), join(folder, "index.js"));
        const pulumi = await PulumiProject.open({
            folder,
            pulumi: environment.pulumi,
            env: { ...environment.env, ...env },
            state: join(folder, "state"),
            stack: "bench",
            enter,
        });
        return new BenchProject(folder, pulumi);
    }

    /** Runs `pulumi …` as users do: the Automation API would add its own questions to what is measured. It ends with the bench. */
    async run(...args: string[]): Promise<string> {
        const { pid, done } = this.pulumi.start(args);
        this.running.add(pid);
        const { code, output } = await done;
        this.running.delete(pid);
        if (code !== 0) {
            throw new Error(`pulumi ${args.join(" ")} ended with ${code}:\n${output}`);
        }
        return output;
    }

    up(...args: string[]): Promise<string> {
        return this.run("up", "--yes", "--skip-preview", "--non-interactive", ...args);
    }

    /** The stack with its secrets in plain text. */
    async exportStack(): Promise<string> {
        return JSON.stringify(await this.pulumi.stack.exportStack());
    }

    /** Writes what the program reads: args.json beside it. */
    give(args: unknown): void {
        writeFileSync(join(this.folder, "args.json"), JSON.stringify(args), { mode: 0o600 });
    }

    remove(): void {
        process.off("exit", this.abandon);
        rmSync(this.folder, { recursive: true, force: true });
    }
}

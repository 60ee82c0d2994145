import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../dev/levels";
import { PulumiProject } from "../../dev/pulumi-project";
import { pulumiEnvironment } from "../../tools/pulumi-environment";
import type { PluginName } from "../../tools/versions";

export { projectRoot };

/** Why tests that run programs against the compiled package cannot run; undefined: they can. */
export function notBuilt(): string | undefined {
    const built = existsSync(join(projectRoot, "dist/provider/index.js"));
    return built ? undefined : "the package is not built (npm run build)";
}

/** A user's Pulumi project in a temporary folder, with this package in its node_modules. */
export class UserProject {
    private constructor(
        readonly folder: string,
        readonly pulumi: PulumiProject,
        /** Why requested plugins are missing; undefined: none is. */
        readonly lacks: string | undefined,
    ) {}

    /** `program`: a file below the package's folder; it becomes index.js. `enter`: see ProjectOptions. */
    static async make(
        name: string,
        program: string,
        plugins: PluginName[] = [],
        enter?: (argv: string[]) => string[],
    ): Promise<UserProject> {
        const folder = mkdtempSync(join(tmpdir(), `nfv-${name}-`));
        mkdirSync(join(folder, "node_modules"));
        symlinkSync(projectRoot, join(folder, "node_modules/pulumi-nfv"));
        symlinkSync(join(projectRoot, "node_modules/@pulumi"), join(folder, "node_modules/@pulumi"));
        const runtime = "runtime: {name: nodejs, options: {typescript: false}}";
        writeFileSync(join(folder, "Pulumi.yaml"), `name: ${name}\n${runtime}\nmain: index.js\n`);
        writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true }));
        copyFileSync(join(projectRoot, program), join(folder, "index.js"));
        const state = join(folder, "state");
        const { pulumi, env, missingPlugins } = await pulumiEnvironment({ plugins, stateFolder: state });
        const project = await PulumiProject.open({ folder, pulumi, env, state, stack: "dev", ...(enter && { enter }) });
        const [lacks] = plugins.flatMap(plugin => missingPlugins[plugin]?.split("\n")[0] ?? []);
        return new UserProject(folder, project, lacks);
    }

    /** Writes what the program reads: args.json beside it. */
    give(args: unknown): void {
        writeFileSync(join(this.folder, "args.json"), JSON.stringify(args), { mode: 0o600 });
    }

    remove(): void {
        rmSync(this.folder, { recursive: true, force: true });
    }
}

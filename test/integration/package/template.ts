import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noLookVariable } from "../../../provider/common/no-look";
import { pulumiEnvironment } from "../../../tools/pulumi-environment";
import { type RunResult, run, tryRun } from "../../../tools/run";
import { listeningAgent } from "../../support/listening-agent";
import { packedArchive } from "../../support/packed-package";

type Manifest = Record<"dependencies" | "devDependencies", Record<string, string>>;

/** An empty folder in which a user makes a project of the template that is in the archive. */
export class TemplateUser {
    private constructor(
        readonly folder: string,
        readonly archive: string,
        private readonly pulumi: string,
        private readonly env: Record<string, string>,
        private readonly endAgent: () => void,
    ) {}

    static async make(): Promise<TemplateUser> {
        const folder = mkdtempSync(join(tmpdir(), "nfv-template-"));
        const archive = await packedArchive(folder);
        await run(["tar", "xzf", archive, "-C", folder]);
        const { pulumi, env } = await pulumiEnvironment({
            plugins: ["kubernetes"],
            stateFolder: join(folder, "state"),
        });
        const socket = join(folder, "agent");
        const endAgent = await listeningAgent(socket);
        return new TemplateUser(
            folder,
            archive,
            pulumi,
            { ...env, SSH_AUTH_SOCK: socket, [noLookVariable]: "yes" },
            endAgent,
        );
    }

    /** `pulumi new` without network and questions; `change` edits the dependencies of a copy of the template first. */
    async create(
        name: string,
        config: Record<string, string>,
        change: (manifest: Manifest) => void,
    ): Promise<RunResult> {
        const template = join(this.folder, "template");
        rmSync(template, { recursive: true, force: true });
        cpSync(join(this.folder, "package/templates/nfv-typescript"), template, { recursive: true });
        const manifest = JSON.parse(readFileSync(join(template, "package.json"), "utf8")) as Manifest;
        change(manifest);
        writeFileSync(join(template, "package.json"), JSON.stringify(manifest));
        const settings = Object.entries(config).flatMap(([key, value]) => ["--config", `${key}=${value}`]);
        const where = ["--name", name, "--stack", "dev", "--dir", join(this.folder, name)];
        mkdirSync(join(this.folder, name));
        return this.call(["new", template, "--offline", "--yes", ...where, ...settings], this.folder);
    }

    /** The text of `pulumi preview`. */
    preview(name: string): Promise<RunResult> {
        return this.call(["preview", "--non-interactive", "--stack", "dev"], join(this.folder, name));
    }

    private call(argv: string[], cwd: string): Promise<RunResult> {
        return tryRun([this.pulumi, ...argv], { cwd, env: this.env });
    }

    remove(): void {
        this.endAgent();
        rmSync(this.folder, { recursive: true, force: true });
    }
}

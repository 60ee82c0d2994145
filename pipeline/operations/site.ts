import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { LocalWorkspace, type LocalWorkspaceOptions, type PulumiFn, type Stack } from "@pulumi/pulumi/automation";
import { NfvError } from "../../provider/common/errors";
import { type Checked, checkStack } from "../../tools/check/check-stack";
import { resourcesIn, type StateResource } from "../../tools/check/stack-state";
import { type HealLimits, usualLimits, type Verdict, verdictOn } from "../../tools/check/verdict";
import { cleanOf, messageOf } from "../events/clean-text";
import type { PipelineEvent } from "../events/events";
import {
    backup,
    heal,
    instantiate,
    type Order,
    type RestoreOrder,
    type RotateOrder,
    restore,
    rotate,
    scale,
    terminate,
    up,
    wordOf,
} from "../plan/order";
import type { RotatedKey } from "../plan/rotated-keys";
import { findCli } from "../stack/cli";
import { settingOf } from "../stack/configuration";
import { openStack } from "../stack/open-stack";
import { type RunFiles, runFiles } from "../stack/runner-record";
import { configurationText, stackFile } from "../stack/stack-file";
import { type Operated, operate, type RunOptions, type RunResult } from "./operate";
import { repair } from "./repair";
import { Run } from "./run";
import { unfinishedHeal } from "./unfinished-heal";
import { type Chained, operateChain, type UpgradeTarget } from "./upgrade-chain";

export interface SiteOptions {
    /** Name of the stack, as `pulumi stack select` takes it. @default the selected one, without `program` */
    stack?: string;
    /** Folder with `Pulumi.STACK.yaml`, and of a program in files also with `Pulumi.yaml`. The package must be installed for it. */
    folder: string;
    /** A program in this process. @default the one in the folder */
    program?: PulumiFn;
    /** Name of the project, of a program in this process. @default of the folder's `Pulumi.yaml` */
    project?: string;
    /** Makes the stack if it is missing. @default true with `program` */
    create?: boolean;
    /** Where operations write: `pulumi-nfv:KEY`, as the program gives it to `fromConfig`. @default "cluster" */
    key?: string;
    /** The `pulumi` executable. @default the one of the PATH; without any the one that this package finds, as `nfv doctor` shows */
    pulumi?: string;
    /** Besides the environment of this process: the backend, the passphrase, the cloud. */
    env?: Readonly<Record<string, string>>;
}

/** A stack with clusters, and what pipelines do with it. */
export class Site implements Operated {
    constructor(
        readonly stack: Stack,
        readonly files: RunFiles,
        readonly configuration: string,
        readonly key: string,
    ) {}

    /** What `up` would do. Changes nothing. */
    preview(options?: RunOptions): Run<RunResult> {
        return this.run({ ...up, name: "preview" }, { ...options, previewOnly: true });
    }

    /** What the program and the configuration say. */
    up(options?: RunOptions): Run<RunResult> {
        return this.run(up, options);
    }

    /** As `up`, if it only makes clusters. */
    instantiate(options?: RunOptions): Run<RunResult> {
        return this.run(instantiate, options);
    }

    /** `{ workers: 3 }`, `{ controlPlane: 3 }`. Refused if anything else would be done to a cluster, unless `guards.allow` has it. */
    scale(counts: Readonly<Record<string, number>>, options?: RunOptions): Run<RunResult> {
        return this.run(() => scale(counts), options);
    }

    /**
     * Nodes leave their cluster and join again. `run`: the same word heals no node twice, for pipelines that repeat a job.
     * @default run the word of a heal of the same nodes that a former run did not finish; otherwise one made of the time
     */
    heal(
        nodes: readonly string[] | "all",
        { run, cure, ...options }: RunOptions & { run?: string; cure?: string } = {},
    ): Run<RunResult> {
        const orderOf = async (tell: (event: PipelineEvent) => void) => {
            if (run !== undefined) return heal({ nodes, run, cure });
            const open = await this.unfinishedHeal({ nodes, cure });
            if (open !== undefined) tell(goesOn(open));
            const word = open ?? wordOf(new Date());
            return { ...heal({ nodes, run: word, cure }), madeWord: word };
        };
        return this.run(orderOf, options);
    }

    /**
     * Broken nodes come back as a refresh finds them: services start again, lost servers are made again. A plan with anything else is refused, and what is to do on other nodes stays
     * for the next run.
     */
    repair(nodes: readonly string[], options?: RunOptions): Run<RunResult> {
        return this.run(() => repair(nodes), options);
    }

    /** What cannot be read makes the operation fail, with the error that says why. */
    private async unfinishedHeal(asked: Parameters<typeof unfinishedHeal>[0]): Promise<string | undefined> {
        try {
            const configured = settingOf(configurationText(this.configuration), this.key, ["heal"]);
            return configured === undefined ? undefined : unfinishedHeal(asked, configured, await this.resources());
        } catch {
            return undefined;
        }
    }

    /**
     * Another version of Kubernetes. With `through` version by version: each is an upgrade of its own, and the next one begins when the cluster is well. The same
     * call goes on where a run was stopped. The hash of the first plan covers the list of versions, too.
     */
    upgrade(target: string | UpgradeTarget, options: RunOptions = {}): Run<RunResult> {
        const site: Chained = {
            folder: this.stack.workspace.workDir,
            state: () => this.resources(),
            setting: path => settingOf(configurationText(this.configuration), this.key, path),
            operate: (order, own, tell) => operate(this, order, own, tell),
            check: () => this.check(),
        };
        return new Run(
            tell => operateChain(site, typeof target === "string" ? { to: target } : target, options, tell),
            options.onEvent,
        );
    }

    /**
     * Exchanges keys of the running cluster: `site.rotate(["authorities"], { run: "2026-11" })`. Some need further runs, for which the plan of the last one says when: the same call,
     * or `up`, goes on.
     */
    rotate(keys: readonly RotatedKey[], { run, graceHours, ...options }: RunOptions & RotateOrder): Run<RunResult> {
        return this.run(() => rotate(keys, { run, graceHours }), options);
    }

    /**
     * A snapshot of etcd. `run`: the same word makes one once, for pipelines that repeat a job.
     * @default run a word made of the time
     */
    backup({ run = wordOf(new Date()), ...options }: RunOptions & { run?: string } = {}): Run<RunResult> {
        return this.run(() => backup(run), options);
    }

    /** A snapshot of etcd comes back; what was made in the cluster since is lost. The same word in `run` restores once. */
    restore({ run, snapshot, onto, ...options }: RunOptions & RestoreOrder): Run<RunResult> {
        return this.run(() => restore({ run, snapshot, onto }), options);
    }

    /** Deletes all that the stack has. The stack itself stays, with its configuration and history. */
    terminate(options?: RunOptions): Run<RunResult> {
        return this.run(terminate, options);
    }

    /** What `nfv check` says: looks at machines and nodes, and changes nothing. */
    async check(limits: HealLimits = usualLimits): Promise<Checked & { verdict: Verdict }> {
        const checked = await checkStack(await this.resources());
        return { ...checked, verdict: verdictOn(checked.found, checked.nodes, limits) };
    }

    private async resources(): Promise<StateResource[]> {
        return resourcesIn(JSON.stringify(await this.stack.exportStack()));
    }

    private run(
        order: Order | ((tell: (event: PipelineEvent) => void) => Order | Promise<Order>),
        options: RunOptions = {},
    ): Run<RunResult> {
        const start = async (tell: (event: PipelineEvent) => void) =>
            operate(this, typeof order === "function" ? await order(tell) : order, options, tell);
        return new Run(start, options.onEvent);
    }
}

function goesOn(word: string): PipelineEvent {
    const text = `goes on with the heal ${word}, which a former run did not finish; another word (--run) heals all of these nodes once more`;
    return { type: "message", time: new Date().toISOString(), severity: "info", text };
}

/** Opens a stack of a program in this process or in files, with any backend. @throws INVALID_INPUT, TOOL_MISSING */
export async function openSite(options: SiteOptions): Promise<Site> {
    const { folder, key = "cluster", program, project, create = program !== undefined } = options;
    const workDir = resolve(folder);
    const hasProject = ["yaml", "yml", "json"].some(end => existsSync(join(workDir, `Pulumi.${end}`)));
    if (!hasProject && (program === undefined || project === undefined))
        throw noProject(workDir, program !== undefined);
    const { command, env } = await findCli(options);
    const workspace: LocalWorkspaceOptions = {
        workDir,
        pulumiCommand: command,
        // The preview of a destroy refuses `yes`, which this variable means.
        envVars: { ...env, PULUMI_NFV_PROCESS: "", PULUMI_SKIP_CONFIRMATIONS: "false" },
        // Resources of this package run in a process that starts in `main`.
        ...(!hasProject && { projectSettings: { name: project!, runtime: "nodejs", main: "." } }),
    };
    // For Pulumi an empty name is the selected stack.
    if (options.stack?.trim() === "") throw new NfvError({ code: "INVALID_INPUT", cause: "the stack's name is empty" });
    const name = options.stack ?? (await selectedStack(workspace));
    const opening = openStack(name, create, { ...workspace, ...(program !== undefined && { program }) });
    const stack = await opening.catch(error => {
        throw notOpened(name, error, { ...process.env, ...env });
    });
    const settings = await stack.workspace.projectSettings();
    const { url = "" } = await stack.workspace.whoAmI();
    // "dev" is also "organization/project/dev".
    const files = runFiles(url, settings.name, name.split("/").at(-1)!);
    stack.workspace.envVars["PULUMI_NFV_PROCESS"] = files.process;
    return new Site(stack, files, stackFile(workDir, name), key);
}

async function selectedStack(workspace: LocalWorkspaceOptions): Promise<string> {
    const found = await (await LocalWorkspace.create(workspace)).stack().catch(() => undefined);
    if (found) return found.name;
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: "no stack is selected",
        hint: "Give one (--stack NAME), or select it: pulumi stack select.",
    });
}

function noProject(folder: string, isInline: boolean): NfvError {
    return new NfvError({
        code: "INVALID_INPUT",
        cause: `${folder} has no Pulumi.yaml`,
        hint: isInline ? "Give the project's name." : "Run it in the project's folder, or give that as folder (--cwd).",
    });
}

/** The address of a backend may hold a password. */
function notOpened(name: string, error: unknown, env: Parameters<typeof cleanOf>[1]): NfvError {
    const said = cleanOf(messageOf(error), env);
    const lines = new Set(said.split("\n").map(line => line.replace(/^ *(stderr|stdout|code|err\?): */, "").trim()));
    return new NfvError({
        code: "INVALID_INPUT",
        cause: `stack ${name}: ${[...lines].filter(line => /error/.test(line)).join("; ") || said.trim()}`,
        hint: "Check its name (pulumi stack ls), the login to its backend and the passphrase; a new one: pulumi stack init.",
    });
}

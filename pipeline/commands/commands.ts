import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { NfvError } from "../../provider/common/errors";
import { readGivenFile } from "../../provider/common/given-file";
import { plainText } from "../../provider/common/plain-text";
import type { PipelineEvent } from "../events/events";
import { toLine } from "../events/read-events";
import { eventsIn } from "../events/read-lines";
import { repair } from "../operations/repair";
import { refuseDisorder } from "../plan/chain";
import { backup, heal, restore, rotate, wordOf } from "../plan/order";
import { type RotatedKey, rotatedKeys } from "../plan/rotated-keys";
import { lineOf, planText } from "../report/text";
import {
    addOutputOptions,
    addRunOptions,
    addStackOptions,
    countsIn,
    type Given,
    listIn,
    wholeNumber,
    wrong,
    wrongHint,
} from "./command-options";
import { runOperation } from "./command-run";
import { completionFor } from "./completion";
import { refuseUnwritable, writeReports } from "./report-files";

/** In the order of the help. */
const adding: readonly ((nfv: Command) => void)[] = [
    addPreview,
    addUp,
    addInstantiate,
    addScale,
    addHeal,
    addRepair,
    addUpgrade,
    addRotate,
    addBackup,
    addRestore,
    addTerminate,
    addReport,
    addCompletion,
];

/** The commands that run operations. Their orders are made once more by the site: here wrong words are refused before the question for --yes. */
export function operationCommands(): Command {
    const nfv = new Command("nfv").exitOverride().configureOutput({ writeErr: () => {} });
    nfv.description("operations of a stack with clusters (docs/pipelines.md)");
    for (const add of adding) add(nfv);
    return nfv;
}

function addPreview(nfv: Command): void {
    addStackOptions(nfv.command("preview").description("show what up would do; changes nothing"))
        .addHelpText(
            "after",
            examples("nfv preview --stack site --markdown plan.md", "nfv preview --json >events.jsonl"),
        )
        .action((given: Given) => runOperation({ ...given, preview: true }, (site, options) => site.preview(options)));
}

function addUp(nfv: Command): void {
    addRunOptions(nfv.command("up").description("make everything as the program and its configuration say"))
        .addHelpText(
            "after",
            examples(
                "nfv up --yes --allow scale,modify_information",
                "nfv up --plan 5f0c… --junit up.xml --html up.html",
            ),
        )
        .action((given: Given) => runOperation(given, (site, options) => site.up(options)));
}

function addInstantiate(nfv: Command): void {
    addRunOptions(
        nfv.command("instantiate").description("make clusters; refused if anything else would be done to one"),
    )
        .addHelpText("after", examples("nfv instantiate --stack site --yes"))
        .action((given: Given) => runOperation(given, (site, options) => site.instantiate(options)));
}

function addScale(nfv: Command): void {
    addRunOptions(nfv.command("scale").argument("<pool=n...>", "controlPlane=3, or a pool and its number of nodes"))
        .description("add nodes to groups, or remove some")
        .addHelpText("after", examples("nfv scale workers=5 --yes", "nfv scale workers=3 --preview --markdown plan.md"))
        .action((texts: string[], given: Given) => {
            const counts = countsIn(texts);
            return runOperation(given, (site, options) => site.scale(counts, options));
        });
}

function addHeal(nfv: Command): void {
    addRunOptions(nfv.command("heal").argument("[node...]", "names of nodes"))
        .description("make nodes leave their cluster and join again")
        .option("--all", "all nodes")
        .option(
            "--run <word>",
            "a word of your choice: each word heals a node once, so the same one goes on with a run that failed (default: made of the time)",
        )
        .option("--cure <word>", "see heal.cure of a cluster")
        .addHelpText("after", examples("nfv heal w1 --run job-4711 --yes", "nfv heal w1 --preview --run job-4711"))
        .action((nodes: string[], given: Given & { all?: boolean; run?: string; cure?: string }) => {
            if (nodes.length > 0 === (given.all === true)) throw wrong("heal: name nodes, or give --all");
            const { run, cure } = given;
            heal({ nodes: given.all ? "all" : nodes, run: run || wordOf(new Date()), cure });
            return runOperation(given, (site, options) =>
                site.heal(given.all ? "all" : nodes, { ...options, ...(run && { run }), ...(cure && { cure }) }),
            );
        });
}

function addRepair(nfv: Command): void {
    addRunOptions(nfv.command("repair").argument("<node...>", "names of nodes, as nfv check --json says them in heals"))
        .description("bring back what a refresh finds broken on these nodes, and do nothing else")
        .addHelpText("after", examples("nfv repair w1 --yes", "nfv repair w1 --preview"))
        .action((nodes: string[], given: Given) => {
            repair(nodes);
            return runOperation(given, (site, options) => site.repair(nodes, options));
        });
}

function addUpgrade(nfv: Command): void {
    addRunOptions(nfv.command("upgrade").argument("<version>", "of Kubernetes, 1.36.4"))
        .description("go to another version of Kubernetes; over several minors version by version")
        .option("--through <versions>", "versions on the way, one of each minor between: 1.35.4,1.36.3")
        .option("--bundle <folder>", "folder of the bundle; {version} stands for the version: ./bundle-{version}")
        .addHelpText(
            "after",
            examples(
                "nfv upgrade 1.36.4 --forbid-replace controlPlane --yes",
                "nfv upgrade 1.37.2 --through 1.36.3 --bundle ./bundle-{version} --preview",
            ),
        )
        .action((to: string, given: Given & { through?: string; bundle?: string }) => {
            const { through, bundle } = given;
            const target = { to, ...(through && { through: listIn(through) }), ...(bundle && { bundle }) };
            refuseDisorder([...(target.through ?? []), to].map(version => version.replace(/^v/, "")));
            return runOperation(given, (site, options) => site.upgrade(target, options));
        });
}

function addRotate(nfv: Command): void {
    addRunOptions(nfv.command("rotate").argument("<key...>", rotatedKeys.join(", ")))
        .description("exchange keys of the running cluster; those with a grace need a further run after it")
        .requiredOption(
            "--run <word>",
            "a word of your choice: a new one exchanges the keys, the same one goes on with that",
        )
        .option(
            "--grace-hours <n>",
            "of serviceAccountKey and authorities: for how long the former ones stay valid",
            text => wholeNumber("--grace-hours", text),
        )
        .addHelpText(
            "after",
            examples("nfv rotate authorities --run 2026-11 --preview", "nfv rotate encryptionKey --run 2026-11 --yes"),
        )
        .action((keys: RotatedKey[], given: Given & { run: string; graceHours?: number }) => {
            const { run, graceHours } = given;
            if (run !== "") rotate(keys, { run, graceHours });
            return runOperation(given, (site, options) => site.rotate(keys, { ...options, run, graceHours }));
        });
}

function addBackup(nfv: Command): void {
    addRunOptions(nfv.command("backup").description("make a snapshot of etcd"))
        .option("--run <word>", "a word of your choice: each word makes one snapshot (default: made of the time)")
        .addHelpText("after", examples("nfv backup --run before-1.35 --yes"))
        .action((given: Given & { run?: string }) => {
            if (given.run) backup(given.run);
            return runOperation(given, (site, options) =>
                site.backup({ ...options, ...(given.run && { run: given.run }) }),
            );
        });
}

function addRestore(nfv: Command): void {
    addRunOptions(nfv.command("restore").argument("[snapshot]", "id of a snapshot (default: the latest)"))
        .description("bring a snapshot of etcd back; what was made in the cluster since is lost")
        .requiredOption("--run <word>", "a word of your choice: each word restores once")
        .option("--onto <machines>", "newMachines: see etcdRestore.onto of a cluster")
        .addHelpText(
            "after",
            examples("nfv restore --run 2026-11-27 --preview", "nfv restore 0123abcd --run job-7 --plan 5f0c…"),
        )
        .action((snapshot: string | undefined, given: Given & { run: string; onto?: string }) => {
            const { run, onto } = given;
            if (run !== "") restore({ run, snapshot, onto });
            return runOperation(given, (site, options) => site.restore({ ...options, run, snapshot, onto }));
        });
}

function addTerminate(nfv: Command): void {
    addRunOptions(nfv.command("terminate").description("delete all that the stack has; the stack itself stays"))
        .addHelpText("after", examples("nfv terminate --preview", "nfv terminate --plan 5f0c…"))
        .action((given: Given) => runOperation(given, (site, options) => site.terminate(options)));
}

function addReport(nfv: Command): void {
    addOutputOptions(nfv.command("report").argument("[file]", "events of nfv … --json; - is standard input", "-"))
        .description("make reports of a run that has ended")
        .addHelpText("after", examples("nfv report events.jsonl --markdown comment.md --html run.html"))
        .action((file: string, given: Given) => report(file, given));
}

function addCompletion(nfv: Command): void {
    nfv.command("completion")
        .argument("<shell>", "bash or zsh")
        .description("print a script for the shell that completes commands, options and stacks")
        .addHelpText("after", examples('eval "$(nfv completion bash)"'))
        .action((shell: string) => console.log(completionFor(shell, nfv)));
}

function report(file: string, given: Given): void {
    refuseUnwritable(given, file);
    const events = eventsIn(contentOf(file));
    writeReports(events, given);
    if (given.json) for (const event of events) console.log(toLine(event));
    else if ((["markdown", "junit", "html", "sarif"] as const).every(kind => given[kind] === undefined))
        for (const event of events) {
            const text = textOf(event);
            if (text !== undefined) console.log(plainText(text));
        }
}

/** @throws INVALID_INPUT */
function contentOf(file: string): string {
    if (file === "-") return readFileSync(0, "utf8");
    try {
        return readGivenFile(file);
    } catch (error) {
        throw wrong((error as Error).message);
    }
}

/** A run tells its errors itself at its end; a report has only events. */
function textOf(event: PipelineEvent): string | undefined {
    if (event.type === "plan") return planText(event.plan);
    if (event.type !== "error") return lineOf(event);
    const place = [event.node, event.step, event.code].filter(each => each !== undefined).join(": ");
    return [`error: ${place}`, ...[event.text, event.hint ?? ""].join("\n").trimEnd().split("\n")].join("\n    ");
}

function examples(...lines: string[]): string {
    return `\nExamples:\n${lines.map(line => `  ${line}`).join("\n")}\n`;
}

/** Commander names what was meant in a line of its own. */
function inOurWords(message: string): string {
    return message.replace(/^error: /, "").replace(/\n\(Did you mean (?:one of )?([^?]+)\?\)$/, '; did you mean "$1"?');
}

/** @throws INVALID_INPUT and the errors of the operation */
export async function runCommand(argv: readonly string[]): Promise<void> {
    try {
        await operationCommands().parseAsync([...argv], { from: "user" });
    } catch (error) {
        if (error instanceof CommanderError && error.exitCode === 0) return;
        const told = error instanceof CommanderError ? wrong(inOurWords(error.message)) : error;
        if (!(told instanceof NfvError && told.hint === wrongHint)) throw told;
        throw new NfvError({ code: told.code, cause: told.reason, hint: wrongHint.replace("COMMAND", argv[0] ?? "") });
    }
}

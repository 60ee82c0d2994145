import { existsSync, readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { parse } from "yaml";
import { operationCommands } from "../../../pipeline/commands/commands";
import { projectRoot } from "../../support/user-project";

/** Checks that commands in the pages name what exists. */

const read = (file: string) => readFileSync(path.join(projectRoot, file), "utf8");
const pack = JSON.parse(read("package.json")) as Record<"scripts" | "peerDependencies" | "devDependencies", object>;

const packages = ["pulumi-nfv", ...Object.keys(pack.peerDependencies), ...Object.keys(pack.devDependencies)];
const pulumiCommands = ["up", "preview", "destroy", "refresh", "cancel", "stack", "config", "login", "plugin", "new"];
/** Other programs, whose arguments are not checked. */
const others = [
    "ssh",
    "scp",
    "export",
    "cat",
    "kubectl",
    "openstack",
    "cd",
    "sha256sum",
    "curl",
    "tar",
    "grep",
    "sudo",
];

/** Settings that the examples' projects declare, or their programs read: `image`, `nfv:vip`. */
function settings(): string[] {
    const folder = path.join(projectRoot, "examples");
    const projects = readdirSync(folder, { withFileTypes: true }).filter(({ name }) =>
        existsSync(path.join(folder, name, "Pulumi.yaml")),
    );
    return projects.flatMap(({ name }) => {
        const { config = {} } = parse(read(`examples/${name}/Pulumi.yaml`)) as { config?: object };
        const program = read(`examples/${name}/index.ts`);
        const [, namespace] = /new pulumi\.Config\("(\w+)"\)/.exec(program) ?? [];
        const asked = [...program.matchAll(/config\.(?:get|require)\w*(?:<.*?>)?\("(\w+)"\)/g)].map(([, key]) => key!);
        return [...Object.keys(config), ...asked.map(key => (namespace === undefined ? key : `${namespace}:${key}`))];
    });
}

/** First word → what is wrong with the rest; undefined: nothing. */
const checks: Record<string, (words: string[]) => string | undefined> = {
    npm: ([command, ...rest]) => {
        if (command === "install")
            return unknownOf(rest.filter(word => !word.startsWith("-")).map(nameOfPackage), packages, "package");
        if (["ci", "pack", "pkg"].includes(command!)) return undefined;
        const script = command === "run" ? rest[0]! : command!;
        if (!(script in pack.scripts)) return `there is no script ${script}`;
        const words = rest.slice(rest.indexOf("--") + 1);
        return script === "lab" ? inUsage("lab/cli.ts", words.slice(0, 1)) : undefined;
    },
    npx: ([tool, command, ...rest]) => {
        if (tool !== "nfv")
            return packages.includes(tool!) || tool === "tsc" ? undefined : `there is no command ${tool}`;
        const options = rest.filter(word => word.startsWith("--"));
        const operation = operationCommands().commands.find(each => each.name() === command);
        if (operation === undefined) return inUsage("tools/nfv.ts", [`nfv ${command}`, ...options]);
        return unknownOf(
            options,
            operation.options.map(({ long }) => long!),
            "option",
        );
    },
    pulumi: ([command, ...rest]) => {
        if (!pulumiCommands.includes(command!)) return `pulumi has no command ${command}`;
        const words = rest.filter(word => !word.startsWith("-"));
        return command === "config" && words[0] === "set"
            ? unknownOf(words.slice(1, 2), settings(), "setting")
            : undefined;
    },
};

/** What is wrong with a script of a page. */
export function commandProblems(script: string): string[] {
    return commandsOf(script).flatMap(words => {
        const [first, ...rest] = words;
        if (others.includes(first!)) return [];
        const check = checks[first!];
        const problem = check ? check(rest) : `${first} is no command that a page may name`;
        return problem === undefined ? [] : [`${words.join(" ")}: ${problem}`];
    });
}

/** The words of each command. Supports only the shell syntax that pages use (quotes, comments, lists, pipes, here-documents). */
function commandsOf(script: string): string[][] {
    const commands: string[][] = [[]];
    let word: string | undefined;
    const endWord = () => {
        if (word !== undefined) commands.at(-1)!.push(word);
        word = undefined;
    };
    const endCommand = () => {
        endWord();
        commands.push([]);
    };
    const text = script.replace(/\\\n/g, " ").replace(/<<(\w+)\n[\s\S]*?^\1$/gm, "");
    for (let i = 0; i < text.length; i++) {
        const letter = text[i]!;
        if (letter === "'" || letter === '"') {
            const end = text.indexOf(letter, i + 1);
            word = (word ?? "") + text.slice(i + 1, end);
            i = end;
        } else if (letter === "#" && word === undefined) {
            i = text.indexOf("\n", i) - 1;
            if (i < 0) break;
        } else if (/[\n;|&]/.test(letter)) endCommand();
        else if (/\s/.test(letter)) endWord();
        else word = (word ?? "") + letter;
    }
    endWord();
    return commands.filter(words => words.length > 0).map(withoutRedirections);
}

function withoutRedirections(words: string[]): string[] {
    return words.filter((word, i) => !/^[<>]/.test(word) && !/^(?:<|>|>>)$/.test(words[i - 1] ?? ""));
}

function inUsage(file: string, words: string[]): string | undefined {
    const usage = read(file);
    const missing = words.find(word => !new RegExp(`(?:^|[\\s[|])${word}(?=[\\s\\]|]|$)`, "m").test(usage));
    return missing === undefined ? undefined : `${file} knows no ${missing}`;
}

/** "@pulumi/kubernetes@4.32.0" and "./pulumi-nfv-0.1.0.tgz" without version and place; versions.test.ts checks versions. */
function nameOfPackage(word: string): string {
    return word.replace(/^\.\/(\S+)-[\d.]+\.tgz$/, "$1").replace(/(?<=.)@[^/]*$/, "");
}

function unknownOf(words: string[], known: readonly string[], what: string): string | undefined {
    const unknown = words.find(word => !known.includes(word));
    return unknown === undefined ? undefined : `there is no ${what} ${unknown}`;
}

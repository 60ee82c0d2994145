import { readFileSync } from "node:fs";
import Module from "node:module";
import { join } from "node:path";
import Mocha from "mocha";
import ts from "typescript";
import { projectRoot } from "../levels";
import { mutantsOf, mutated } from "./mutants";

/** Sent to the parent. `mutant` -1: the tests without a mutant. */
export type WorkerMessage = { begins: number } | { ended: number; killed: boolean; test?: string };

/** Runs the tests once with each mutant from `first` on, all in this process: only what depends on the mutant is loaded again. */
async function main(source: string, first: number, every: number, tests: string[]): Promise<void> {
    const file = join(projectRoot, source);
    const text = readFileSync(file, "utf8");
    const mutants = mutantsOf(text);
    const load = replaceModule(file);
    for (let i = first; i < mutants.length; i++) {
        if (i >= 0 && i % every !== 0) continue;
        send({ begins: i });
        load(i < 0 ? text : mutated(text, mutants[i]!));
        const test = await firstFailure(tests.map(each => join(projectRoot, each)));
        send({ ended: i, killed: test !== undefined, test });
    }
}

const send = (message: WorkerMessage) => process.send!(message);

/** The title of the first test that fails, or why none could run; undefined: all pass. */
async function firstFailure(files: string[]): Promise<string | undefined> {
    const mocha = new Mocha({ bail: true, timeout: 20_000, reporter: class {} as never });
    for (const file of files) mocha.addFile(file);
    const stray = new Promise<string>(resolve => process.once("unhandledRejection", error => resolve(`${error}`)));
    let failed: string | undefined;
    const ran = new Promise<void>((resolve, reject) => {
        try {
            mocha.run(() => resolve()).on("fail", test => (failed ??= test.fullTitle()));
        } catch (error) {
            reject(error);
        }
    }).catch(error => `does not load: ${error}`);
    const problem = await Promise.race([ran, stray]);
    process.removeAllListeners("unhandledRejection");
    return failed ?? (problem || undefined);
}

/** Returns a function that makes the file's next `require` load another text. */
function replaceModule(file: string): (text: string) => void {
    const { _extensions: loaders, _cache: loaded } = Module as unknown as {
        _extensions: Record<string, (module: { _compile(code: string, file: string): void }, file: string) => void>;
        _cache: Record<string, NodeModule | undefined>;
    };
    const usual = loaders[".ts"]!;
    let code = "";
    loaders[".ts"] = (module, name) => (name === file ? module._compile(code, name) : usual(module, name));
    const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true };
    return text => {
        code = ts.transpileModule(text, { compilerOptions, fileName: file }).outputText;
        const users = dependants(loaded, file);
        for (const name of Object.keys(loaded)) if (users.has(name)) delete loaded[name];
    };
}

/** The file, whatever imports it, and all tests: mocha needs them loaded again. */
function dependants(loaded: Record<string, NodeModule | undefined>, file: string): Set<string> {
    const users = new Set([file, ...Object.keys(loaded).filter(name => name.endsWith(".test.ts"))]);
    for (let before = -1; before !== users.size; ) {
        before = users.size;
        for (const [name, module] of Object.entries(loaded)) {
            if (module?.children.some(child => users.has(child.id)) && name !== __filename) users.add(name);
        }
    }
    return users;
}

const [source, first, every, ...tests] = process.argv.slice(2);
main(source!, Number(first), Number(every), tests).then(
    () => process.exit(0),
    error => {
        console.error(error);
        process.exit(1);
    },
);

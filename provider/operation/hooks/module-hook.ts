import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { misspelt } from "../../common/did-you-mean";
import { NfvError } from "../../common/errors";
import type { HookContext, HookFacts, HookResult, MgmtDriver, NodeCommand } from "./contract";
import { type HookEvent, hookEvents } from "./events";
import type { HookSpec } from "./hook-spec";
import { runOnNode } from "./on-node";
import type { HookTools } from "./tools";

/** The events that a module has a method for. @throws INVALID_INPUT if it cannot be loaded, or has none */
export async function moduleEvents({ name, files: [file] }: HookSpec, folder: string): Promise<HookEvent[]> {
    const driver = await load(name, file!, folder);
    const events = hookEvents.filter(event => typeof driver[event] === "function");
    const others = methodsOf(driver);
    const mistyped = others.flatMap(method => {
        // The run would never call such a method, and the user would not notice.
        const meant = misspelt(method, hookEvents);
        return meant === undefined ? [] : [`${method} (${meant}?)`];
    });
    if (events.length > 0 && mistyped.length === 0) return events;
    if (events.length > 0) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `hook ${name}: ${file} has methods that no event calls: ${mistyped.join(", ")}`,
            hint: "Correct their names. A method for other purposes needs a name that is no event's but for a letter.",
        });
    }
    const has = others.length === 0 ? "" : `; its methods are ${others.join(", ")}`;
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: `hook ${name}: ${file} exports no method of a MgmtDriver${has}`,
        hint: `Export a class or an object with methods such as scaleEnd(context). The names are: ${hookEvents.join(", ")}.`,
    });
}

/** Runs the module's method in this process. */
export async function runModule(
    hook: HookSpec,
    facts: HookFacts,
    leave: (data: Record<string, unknown>) => void,
    tools: HookTools,
): Promise<HookResult> {
    const driver = await load(hook.name, hook.files[0]!, tools.folder);
    const { report, note, signal } = tools;
    const commands = new Map<string, number>();
    const run = (node: string, command: NodeCommand) => {
        const number = (commands.get(node) ?? 0) + 1;
        commands.set(node, number);
        return runOnNode(node, command, { facts, hash: hook.hash, number, timeoutSeconds: hook.timeoutSeconds }, tools);
    };
    const context: HookContext = {
        ...facts,
        leave,
        run,
        ...(tools.api && { kubernetes: tools.api }),
        progress: report,
        log: note,
        signal,
    };
    // The method is called on the driver, so that it may use `this`.
    return (await driver[facts.event]!(context)) ?? {};
}

async function load(hook: string, file: string, folder: string): Promise<MgmtDriver> {
    const path = resolve(folder, file);
    try {
        const loaded = (/\.mjs$/.test(path) ? await import(pathToFileURL(path).href) : requireFile(path)) as object;
        return driverOf(loaded);
    } catch (error) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `hook ${hook}: ${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
            hint: `Relative paths start from ${folder}. A module is JavaScript (.js, .cjs, .mjs) or TypeScript (.ts).`,
        });
    }
}

/** The default export, or what the module exports; a class gets its object. */
function driverOf(loaded: object): MgmtDriver {
    const exported = (loaded as { default?: unknown }).default ?? loaded;
    const inner = (exported as { default?: unknown }).default ?? exported; // ESM that a compiler made of CommonJS
    return (typeof inner === "function" ? new (inner as new () => object)() : inner) as MgmtDriver;
}

/** Those of an object, or of its class. */
function methodsOf(driver: object): string[] {
    const places = [driver, Object.getPrototypeOf(driver) as object | null];
    const own = places.filter(place => place !== null && place !== Object.prototype) as Record<string, unknown>[];
    const names = own.flatMap(place => Object.getOwnPropertyNames(place).filter(each => isMethod(place, each)));
    return names.filter(each => each !== "constructor");
}

const isMethod = (place: object, name: string) =>
    typeof Object.getOwnPropertyDescriptor(place, name)?.value === "function";

function requireFile(path: string): object {
    const require = createRequire(path);
    if (/\.c?ts$/.test(path)) understandTypeScript(require);
    return require(path);
}

/**
 * This process is not the one in which Pulumi compiles the program. We take the same compiler: ts-node of the project, or
 * the one that comes with Pulumi's SDK. Node 24 needs none.
 */
function understandTypeScript(require: NodeRequire): void {
    const { typescript } = process.features as { typescript?: unknown };
    if (typescript || require.extensions[".ts"]) return;
    const { register } = find("ts-node", [require, createRequire(__filename), ofPulumi()]) as {
        register(options: object): void;
    };
    const compilerOptions = { module: "commonjs", target: "es2020", esModuleInterop: true };
    register({ transpileOnly: true, skipProject: true, compilerOptions });
}

const ofPulumi = () => createRequire(createRequire(__filename).resolve("@pulumi/pulumi"));

function find(name: string, places: NodeRequire[]): unknown {
    for (const require of places) {
        try {
            return require(name);
        } catch {
            // The next place may have it.
        }
    }
    throw new Error(`${name} was not found: compile the module to JavaScript, or install ${name} in the project`);
}

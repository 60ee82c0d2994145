import * as pulumi from "@pulumi/pulumi";
import { coreIdentity, type Identity, outputsOf } from "../provider/identity/made-identity";
import { withoutTraces } from "./without-traces";

/** A resource that a program registered. */
export interface Registered {
    urn: string;
    /** "Host core-m1". */
    label: string;
    inputs: Record<string, unknown>;
    /** As the engine stores it: its id, inputs and outputs. */
    state: Record<string, unknown>;
    /** Inputs in the SDK's wire format, with the marks of secrets. */
    raw: Record<string, unknown>;
    type: string;
    protect: boolean;
    deleteBeforeReplace: boolean;
    /** The plug-in's own wish does not count. */
    neverDeletedFirst: boolean;
    ignoreChanges: string[];
    replaceOnChanges: string[];
    /** A changed value replaces the resource. */
    replacementTrigger?: unknown;
    /** Names of the hooks that run before it is made. */
    beforeCreate: string[];
    /** Likewise before it is changed. */
    beforeUpdate: string[];
    /** Labels of what it waits for; components count as their children. */
    after: string[];
    deletedWith: string;
    retainOnDelete: boolean;
    secretOutputs: string[];
}

/** Marks in the SDK's wire format. */
const signature = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";

withoutTraces();

/** Answers of the engine that differ from the inputs. */
export interface Answers {
    /** Results of provider functions. */
    call?: (token: string, inputs: Record<string, unknown>) => Record<string, unknown>;
    /** What a provider adds to a created resource. */
    outputs?: (type: string, name: string, inputs: Record<string, unknown>) => Record<string, unknown>;
    /**
     * For a preview of a stack that exists: types that this run updates, so that their outputs are unknown. Those of all
     * others are known.
     */
    updated?: readonly string[];
}

/** Runs a program against a recording engine, as a preview of a new stack or as an update. */
export async function record<T>(
    mode: "preview" | "up",
    program: () => T,
    { call, outputs, updated }: Answers = {},
): Promise<{ resources: Registered[]; result: T; identity: Identity }> {
    const known = await coreIdentity();
    const exists = mode === "up" || updated !== undefined;
    const hasOutputs = (type: string) => exists && !updated?.includes(type.split(":").at(-1)!);
    const ofIdentity: Record<string, object> = outputsOf(known);
    const states = new Map<string, Record<string, unknown>>();
    await pulumi.runtime.setMocks(
        {
            call: ({ token, inputs }) => call?.(token, inputs) ?? {},
            newResource: ({ type, name, inputs }) => {
                const id = exists ? `${name}-id` : undefined;
                const state = {
                    ...inputs,
                    ...(hasOutputs(type) && ofIdentity[type.split(":").at(-1)!]),
                    ...(hasOutputs(type) && outputs?.(type, name, inputs)),
                };
                states.set(`${type} ${name}`, plain({ id, ...state }) as Record<string, unknown>);
                return { id, state };
            },
        },
        "test",
        "test",
        mode === "preview",
    );
    const monitor = pulumi.runtime.getMonitor()!;
    const register = monitor.registerResource.bind(monitor) as (...args: unknown[]) => unknown;
    const requests: Omit<Registered, "after" | "state">[] = [];
    const edges = new Map<string, string[]>();
    const names = new Set<string>();
    const twice: string[] = [];
    Object.assign(monitor, {
        registerResourceHook: (_request: unknown, done: (error: null) => void) => done(null),
        registerErrorHook: (_request: unknown, done: (error: null) => void) => done(null),
        registerResource: (request: any, ...rest: unknown[]) => {
            const raw = request.getObject().toJavaScript();
            const [type, name] = [request.getType() as string, request.getName() as string];
            const urn = pulumi.runtime.getProject() && urnOf(request.getParent(), type, name);
            edges.set(urn, request.getDependenciesList());
            // The engine refuses a second resource of one name. It knows all parents.
            const own = `${request.getParent()} ${type} ${name}`;
            if (names.has(own)) twice.push(own);
            names.add(own);
            requests.push({
                urn,
                label: `${type.split(":").at(-1)} ${name}`,
                inputs: plain(raw) as Record<string, unknown>,
                raw,
                type,
                protect: request.getProtect() === true,
                deleteBeforeReplace: request.getDeletebeforereplace() === true,
                neverDeletedFirst:
                    request.getDeletebeforereplacedefined() === true && request.getDeletebeforereplace() !== true,
                ignoreChanges: request.getIgnorechangesList(),
                beforeCreate: request.getHooks()?.getBeforeCreateList() ?? [],
                beforeUpdate: request.getHooks()?.getBeforeUpdateList() ?? [],
                replaceOnChanges: request.getReplaceonchangesList(),
                replacementTrigger: request.getReplacementTrigger()?.toJavaScript(),
                deletedWith: request.getDeletedwith(),
                retainOnDelete: request.getRetainondelete(),
                secretOutputs: request.getAdditionalsecretoutputsList(),
            });
            return register(request, ...rest);
        },
    });
    const result = program();
    await settled(() => requests.length);
    if (twice.length > 0) throw new Error(`Duplicate resource URN: ${twice.join(", ")}`);
    const labels = new Map(requests.map(({ urn, label }) => [urn, label]));
    const resources = requests.map(request => ({
        ...request,
        state: states.get(`${request.type} ${request.label.split(" ").slice(1).join(" ")}`) ?? {},
        deletedWith: labels.get(request.deletedWith) ?? request.deletedWith,
        after: edges.get(request.urn)!.map(urn => labels.get(urn) ?? urn),
    }));
    return { resources, result, identity: known };
}

/** The resource with this label: "Host core-m1". */
export function registered(resources: readonly Registered[], label: string): Registered {
    const found = resources.find(each => each.label === label);
    if (found === undefined) throw new Error(`${label} is not among ${resources.map(each => each.label).join(", ")}`);
    return found;
}

/** Whether a value is marked as secret. */
export function isSecret(value: unknown): boolean {
    return (value as Record<string, unknown> | undefined)?.[signature] === secretMark;
}

function urnOf(parent: string, type: string, name: string): string {
    // As in the SDK's own mock: the last type only, while the engine writes all.
    const parentType = parent ? `${parent.split("::")[2]!.split("$").at(-1)}$` : "";
    return `urn:pulumi:test::test::${parentType}${type}::${name}`;
}

function plain(value: unknown): unknown {
    if (isSecret(value)) return plain((value as { value: unknown }).value);
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}

/** Waits until the SDK has registered what the program made, and what its callbacks made of the answers. */
async function settled(count: () => number): Promise<void> {
    for (let before = -1; count() !== before; ) {
        before = count();
        // With a recording engine there is no connection to end: it waits for the requests only. Not all of them come where an answer lacks a value.
        await Promise.race([pulumi.runtime.disconnect(), quiet(count)]);
        await new Promise(setImmediate);
    }
}

/** Waits until no new request has come for a while. */
async function quiet(count: () => number): Promise<void> {
    let [before, times] = [-1, 0];
    while (times < 5) {
        await new Promise(resolve => setTimeout(resolve, 10));
        times = count() === before ? times + 1 : 0;
        before = count();
    }
}

import * as pulumi from "@pulumi/pulumi";
import type { Provider } from "../../../../provider/adapters/serve";
import { unknownValue } from "../../../../provider/common/unknown-value";

const resproto = require("@pulumi/pulumi/proto/resource_pb");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb");

type Properties = Record<string, unknown>;

/** A resource in the state. */
export interface Stored {
    urn: string;
    /** "Host" */
    type: string;
    id: string;
    inputs: Properties;
    outputs: Properties;
    dependencies: string[];
    /** Input → URNs. */
    propertyDependencies: Record<string, string[]>;
    deletedWith: string;
    /** The last run changed it and failed. */
    hasFailed: boolean;
}

export type Act = "create" | "update" | "replace" | "delete";

export interface RunResult {
    /** "update Host core-m1", in order of their ends. */
    changed: string[];
    /** Undefined: it went well. */
    error?: Error;
}

/** Marks of a secret in the SDK's wire format. */
const signature = "4dabf18193072939515e22adb298388d";
const secretMark = "1b47061264138c4ac30d75fd1eb44270";

/**
 * The part of Pulumi's engine that a cluster needs, in this process: it keeps the state, creates and changes in the order of the edges, replaces with the
 * deletion first, deletes in the opposite order, and stops at a failure. A run can be killed: then nothing that goes on is recorded.
 */
export class SmallEngine {
    state = new Map<string, Stored>();
    /** URNs of resources whose creation a killed run has begun and nobody recorded, as with Pulumi's pending operations. */
    readonly unrecorded = new Set<string>();

    /** Runs the program with these resources. `killed`: resolves when the run is to end at once. */
    async up(provider: Provider, program: () => void, killed: Promise<void>): Promise<RunResult> {
        return new Run(this, provider).up(program, killed);
    }

    /** Deletes all resources. */
    async destroy(provider: Provider): Promise<RunResult> {
        return new Run(this, provider).destroy();
    }

    /** Last part of a URN with the type, for people: "Host core-m1". */
    static label({ urn, type }: Pick<Stored, "urn" | "type">): string {
        return `${type} ${urn.split("::").at(-1)}`;
    }
}

class Run {
    private readonly changed: string[] = [];
    private readonly inProgram = new Set<string>();
    /** Components and what is inside. */
    private readonly children = new Map<string, string[]>();
    /** Deleted before their replacement, which this run has not made yet. */
    private readonly awaited = new Set<string>();
    private error: Error | undefined;
    private dead = false;
    private pending = 0;
    private quiet: () => void = () => {};

    constructor(
        private readonly engine: SmallEngine,
        private readonly provider: Provider,
    ) {}

    async up(program: () => void, killed: Promise<void>): Promise<RunResult> {
        await this.host();
        const whenKilled = killed.then(() => {
            this.dead = true;
        });
        program();
        await Promise.race([this.registered(), whenKilled]);
        if (this.error === undefined && !this.dead) await Promise.race([this.deleteRest(), whenKilled]);
        return this.result();
    }

    async destroy(): Promise<RunResult> {
        await this.deleteAll([...this.state.values()]);
        return this.result();
    }

    private result(): RunResult {
        if (this.dead) return { changed: this.changed, error: new Error("killed") };
        return { changed: this.changed, ...(this.error && { error: this.error }) };
    }

    private get state(): Map<string, Stored> {
        return this.engine.state;
    }

    /** Stands in for Pulumi's monitor. */
    private async host(): Promise<void> {
        const outputs = () =>
            Object.fromEntries([...this.state].map(([urn, each]) => [urn, { outputs: each.outputs }]));
        // What the program reads is the state before the run.
        const before = { outputs: outputs() };
        await pulumi.runtime.setMocks(
            { call: () => before, newResource: () => ({ id: "", state: {} }) },
            "p",
            "s",
            false,
        );
        const monitor = pulumi.runtime.getMonitor()!;
        Object.assign(monitor, {
            registerResourceHook: (_request: unknown, done: (error: null) => void) => done(null),
            registerErrorHook: (_request: unknown, done: (error: null) => void) => done(null),
            registerResourceOutputs: (_request: unknown, done: (error: null, answer: object) => void) => done(null, {}),
            registerResource: (request: any, done: (error: Error | null, answer?: unknown) => void) => {
                this.pending++;
                this.register(request).then(
                    answer => this.answered(() => done(null, answer)),
                    error => this.failed(error),
                );
            },
        });
    }

    private answered(answer: () => void): void {
        // The program of a run that was killed is gone, too.
        if (this.dead) return;
        answer();
        // The program's next requests come from its promises.
        setImmediate(() => setImmediate(() => setImmediate(() => this.ended())));
    }

    private failed(error: Error): void {
        this.error ??= error;
        this.ended();
    }

    private ended(): void {
        this.pending--;
        if (this.pending === 0) this.quiet();
    }

    /** Resolves when the program asks nothing any more: everything is registered, or the rest waits for what failed. */
    private async registered(): Promise<void> {
        for (let calm = 0; calm < 3; ) {
            if (this.pending > 0) {
                await new Promise<void>(resolve => {
                    this.quiet = resolve;
                });
                calm = 0;
            }
            await new Promise(resolve => setTimeout(resolve, 1));
            calm = this.pending === 0 ? calm + 1 : 0;
        }
    }

    private async register(request: any): Promise<unknown> {
        const token: string = request.getType();
        const name: string = request.getName();
        const parent: string = request.getParent();
        const qualified = parent ? `${parent.split("::")[2]}$${token}` : token;
        const urn = `urn:pulumi:s::p::${qualified}::${name}`;
        this.children.set(parent, [...(this.children.get(parent) ?? []), urn]);
        const response = new resproto.RegisterResourceResponse();
        response.setUrn(urn);
        if (!request.getCustom()) return response;
        const type = token.split(":").at(-1)!;
        const wanted = {
            ...{ urn, type, inputs: plain(request.getObject().toJavaScript()) as Properties },
            dependencies: this.resources(request.getDependenciesList()),
            propertyDependencies: dependenciesOfProperties(request),
            deletedWith: request.getDeletedwith() as string,
        };
        this.inProgram.add(urn);
        // Nothing new begins.
        if (this.error !== undefined) throw this.error;
        const stored = outside.has(type) ? this.foreign(wanted) : await this.make(wanted);
        const secret: string[] = request.getAdditionalsecretoutputsList();
        response.setId(stored.id);
        response.setObject(
            Struct.fromJavaScript(
                Object.fromEntries(
                    Object.entries(stored.outputs).map(([key, value]) => [
                        key,
                        secret.includes(key) && value !== undefined ? { [signature]: secretMark, value } : value,
                    ]),
                ),
            ),
        );
        return response;
    }

    /** Components stand for their children. */
    private resources(urns: readonly string[]): string[] {
        return [
            ...new Set(urns.flatMap(urn => (this.children.has(urn) ? this.resources(this.children.get(urn)!) : [urn]))),
        ];
    }

    private foreign(wanted: Wanted): Stored {
        const stored = { ...wanted, id: `${wanted.urn}-id`, outputs: wanted.inputs, hasFailed: false };
        this.state.set(wanted.urn, stored);
        return stored;
    }

    private async make(wanted: Wanted): Promise<Stored> {
        const { type, urn } = wanted;
        const old = this.state.get(urn);
        const recreated = this.awaited.has(urn);
        const given = wanted.inputs;
        const checked = await this.provider.check(type, recreated ? {} : (old?.inputs ?? {}), given);
        const [problem] = checked.failures ?? [];
        if (problem !== undefined)
            throw new Error(`${SmallEngine.label(wanted)}: ${problem.property}: ${problem.reason}`);
        const inputs = { ...(checked.inputs as Properties), __provider: given["__provider"] };
        const ready = { ...wanted, inputs };
        if (old === undefined) return this.create(ready, recreated ? "replace" : "create");
        const diff = this.provider.diff(type, old.id, old.outputs, inputs);
        if ((diff.replaces ?? []).length > 0) {
            await this.deleteForReplacement(old);
            return this.create(ready, "replace");
        }
        if (diff.changes || old.hasFailed) return this.update(old, ready);
        const same = { ...old, ...ready, outputs: old.outputs };
        this.record(same);
        return same;
    }

    private async create(wanted: Wanted, act: Act): Promise<Stored> {
        const { unrecorded } = this.engine;
        unrecorded.add(wanted.urn);
        return this.change(act, wanted, async () => {
            const { id, outs } = await this.provider.create(wanted.type, wanted.inputs);
            return { id, outputs: outs as Properties };
        }).finally(() => this.dead || unrecorded.delete(wanted.urn));
    }

    private async update(old: Stored, wanted: Wanted): Promise<Stored> {
        return this.change("update", wanted, async () => {
            const { outs } = await this.provider.update(wanted.type, old.id, old.outputs, wanted.inputs);
            return { id: old.id, outputs: outs as Properties };
        });
    }

    private async change(
        act: Act,
        wanted: Wanted,
        work: () => Promise<{ id: string; outputs: Properties }>,
    ): Promise<Stored> {
        try {
            const { id, outputs } = await work();
            const __provider = wanted.inputs["__provider"];
            const stored = { ...wanted, id, outputs: { ...outputs, __provider }, hasFailed: false };
            this.record(stored, act);
            this.awaited.delete(wanted.urn);
            return stored;
        } catch (error) {
            const { id, properties } = error as { id?: string; properties?: Properties };
            if (id !== undefined) this.record({ ...wanted, id, outputs: properties ?? {}, hasFailed: true }, act);
            throw error;
        }
    }

    private record(stored: Stored, act?: Act): void {
        if (this.dead) return;
        this.state.set(stored.urn, stored);
        if (act !== undefined) this.changed.push(`${act} ${SmallEngine.label(stored)}`);
    }

    /** With it go those that would be replaced for want of it, the last one first. */
    private async deleteForReplacement(root: Stored): Promise<void> {
        const goes = new Set([root.urn]);
        const unlike = ({ type, id, inputs, outputs, propertyDependencies }: Stored) => {
            const lost = Object.entries(propertyDependencies).filter(([, urns]) => urns.some(urn => goes.has(urn)));
            if (lost.length === 0) return false;
            const asked = { ...inputs, ...Object.fromEntries(lost.map(([name]) => [name, unknownValue])) };
            return (this.provider.diff(type, id, outputs, asked).replaces ?? []).length > 0;
        };
        for (const each of this.state.values()) if (!goes.has(each.urn) && unlike(each)) goes.add(each.urn);
        for (const urn of [...goes].reverse()) {
            const old = this.state.get(urn);
            if (old === undefined) continue;
            await this.provider.delete(old.type, old.id, old.outputs);
            if (this.dead) await never();
            this.state.delete(urn);
            this.awaited.add(urn);
        }
    }

    private async deleteRest(): Promise<void> {
        await this.deleteAll([...this.state.values()].filter(({ urn }) => !this.inProgram.has(urn)));
    }

    /** Those that nothing depends on any more at once, then the next ones. */
    private async deleteAll(all: readonly Stored[]): Promise<void> {
        let left = [...all];
        const going = new Set(all.map(({ urn }) => urn));
        while (left.length > 0 && !this.dead && this.error === undefined) {
            const used = new Set(left.flatMap(({ dependencies }) => dependencies));
            const now = left.filter(({ urn }) => !used.has(urn));
            if (now.length === 0) throw new Error("a cycle of dependencies");
            await Promise.all(now.map(each => this.remove(each, going)));
            left = left.filter(each => !now.includes(each));
        }
    }

    private async remove(old: Stored, going: ReadonlySet<string>): Promise<void> {
        try {
            const skipped = going.has(old.deletedWith) || outside.has(old.type);
            if (!skipped) await this.provider.delete(old.type, old.id, old.outputs);
            if (this.dead) return;
            this.state.delete(old.urn);
            this.changed.push(`delete ${SmallEngine.label(old)}`);
        } catch (error) {
            this.error ??= error as Error;
        }
    }
}

type Wanted = Omit<Stored, "id" | "outputs" | "hasFailed">;

/** They need a live API. */
const outside = new Set(["VimRegistration"]);

const never = () => new Promise<never>(() => {});

function dependenciesOfProperties(request: any): Record<string, string[]> {
    const found: Record<string, string[]> = {};
    request.getPropertydependenciesMap().forEach((value: any, key: string) => {
        found[key] = value.getUrnsList();
    });
    return found;
}

function plain(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(plain);
    if (value === null || typeof value !== "object") return value;
    const fields = value as Properties;
    if (fields[signature] === secretMark) return plain(fields["value"]);
    return Object.fromEntries(Object.entries(fields).map(([key, inner]) => [key, plain(inner)]));
}

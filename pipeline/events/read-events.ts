import type { EngineEvent } from "@pulumi/pulumi/automation";
import { titleOf } from "../../provider/adapters/titles";
import { errorCodes } from "../../provider/common/errors";
import type { Role } from "../../provider/common/model";
import { type Act, changes, type Progress } from "../plan/acts";
import { isOurs, nameIn, shortType, specOf, typeIn } from "../plan/urns";
import { cleanText, hintHere } from "./clean-text";
import type { PipelineEvent } from "./events";
import { type ErrorParts, readError, readHookLine, readStepLine } from "./read-message";
import { KnownSecrets } from "./secrets";

type Metadata = NonNullable<EngineEvent["resourcePreEvent"]>["metadata"];
type Diagnostic = NonNullable<EngineEvent["diagnosticEvent"]>;

/** Events of others show nothing that is done. */
const acts: Readonly<Record<string, Act>> = { ...changes, read: "read", refresh: "read" };

/** Components and the stack only group others. */
const isComponent = ({ old, new: next }: Metadata) => !(next ?? old)?.custom;

/**
 * Reads the engine's events one after another. Only fields that are named here pass; texts pass without secrets; debug
 * messages never pass. `secrets`: values that must not show, such as those of the stack's configuration.
 */
export class EventReader {
    private readonly begun = new Map<string, number>();
    private readonly phases = new Set<string>();
    /** Clusters that are being terminated. */
    private readonly ending = new Set<string>();
    /** Node of a resource's URN, its role, and the name of its cluster. */
    private readonly nodes = new Map<string, { node: string; role?: string; cluster?: string }>();
    private readonly told = new Set<string>();
    /** The last step that was told, by the resource's URN. */
    private readonly steps = new Map<string, string>();

    private readonly secrets: KnownSecrets;

    constructor(secrets: readonly string[] = []) {
        this.secrets = new KnownSecrets(secrets);
    }

    read(event: EngineEvent): PipelineEvent[] {
        const { resourcePreEvent, resOutputsEvent, resOpFailedEvent, diagnosticEvent, summaryEvent, policyEvent } =
            event;
        const time = new Date(event.timestamp * 1000).toISOString();
        if (resourcePreEvent) return this.acted(time, event.timestamp, resourcePreEvent.metadata, "begin");
        if (resOutputsEvent) return this.acted(time, event.timestamp, resOutputsEvent.metadata, "end");
        if (resOpFailedEvent) return this.acted(time, event.timestamp, resOpFailedEvent.metadata, "failed");
        if (diagnosticEvent) return this.said(time, diagnosticEvent);
        if (policyEvent) return this.policy(time, policyEvent);
        if (summaryEvent) return [summary(time, summaryEvent)];
        return [];
    }

    /** The text without secrets, and without what a terminal obeys. */
    clean(text: string): string {
        return cleanText(text.replace(/<\{%[^%]*%\}>/g, ""), this.secrets);
    }

    private acted(time: string, now: number, metadata: Metadata, state: Progress): PipelineEvent[] {
        this.note(metadata);
        const act = acts[metadata.op];
        if (act === undefined || isComponent(metadata)) return [];
        const { urn, op } = metadata;
        const key = `${op} ${urn}`;
        if (state === "begin") this.begun.set(key, now);
        const seconds = state === "begin" ? {} : { seconds: Math.max(0, now - (this.begun.get(key) ?? now)) };
        const resource = shortType(metadata.type);
        const phase = state === "begin" ? this.phase(time, metadata, act) : [];
        const its = { act, state, ...seconds };
        if (isOurs(metadata.type) && (resource === "Host" || resource === "Node"))
            return [...phase, { type: "node", time, node: this.nodeOf(urn), ...this.clusterOf(urn), resource, ...its }];
        return [...phase, { type: "resource", time, name: this.clean(nameIn(urn)), resource, ...its }];
    }

    private phase(time: string, { urn, type, old }: Metadata, act: Act): PipelineEvent[] {
        if (!isOurs(type)) return [];
        const cluster = nameIn(old?.parent ?? "");
        // The first to go with its cluster, and never without it.
        if (act === "delete" && shortType(type) === "OperationEnd") this.ending.add(cluster);
        if (act === "read") return [];
        const ends = act === "delete" && this.ending.has(cluster);
        const role = this.nodes.get(urn)?.role as Role | undefined;
        const phase = titleOf(shortType(type), ends ? "end" : act, role);
        if (phase === undefined || this.phases.has(phase)) return [];
        this.phases.add(phase);
        return [{ type: "phase", time, phase }];
    }

    private note({ urn, type, old, new: next }: Metadata): void {
        if (!isOurs(type)) return;
        const { name, role } = specOf(next?.inputs) ?? specOf(old?.outputs) ?? specOf(old?.inputs) ?? {};
        if (typeof name !== "string") return;
        const cluster = nameIn((next ?? old)?.parent ?? "");
        const isMachine = shortType(type) === "Host" || shortType(type) === "Node";
        this.nodes.set(urn, {
            node: name,
            ...(typeof role === "string" && { role }),
            ...(isMachine && cluster !== "" && { cluster: this.clean(cluster) }),
        });
    }

    private nodeOf(urn: string): string {
        return this.nodes.get(urn)?.node ?? this.clean(nameIn(urn));
    }

    private clusterOf(urn: string): { cluster?: string } {
        const cluster = this.nodes.get(urn)?.cluster;
        return cluster === undefined ? {} : { cluster };
    }

    private said(time: string, { severity, message, urn = "", ephemeral }: Diagnostic): PipelineEvent[] {
        if ((severity as string) === "debug") return [];
        const text = this.clean(message).trimEnd();
        if (text.trim() === "") return [];
        const node = urn === "" ? undefined : this.nodeOf(urn);
        if (severity === "error") return this.failed(time, text, node, this.steps.get(urn));
        if (ephemeral && node !== undefined) {
            const place = { time, node, ...this.clusterOf(urn), resource: shortType(typeIn(urn)) };
            const step = readStepLine(text);
            if (step) this.steps.set(urn, step.step);
            return [step ? { type: "step", ...place, ...step } : { type: "progress", ...place, text }];
        }
        const ofOperation = isOurs(typeIn(urn)) && shortType(typeIn(urn)).startsWith("Operation");
        const operation = /^operation: ([\s\S]+)$/.exec(text);
        if (operation && ofOperation) return [{ type: "operation", time, cluster: nameIn(urn), text: operation[1]! }];
        const hook = isOurs(typeIn(urn)) ? readHookLine(text) : undefined;
        // Where nodes leave, the last deletion runs hooks, and its name is that of a node.
        if (hook) return [{ type: "hook", time, ...(ofOperation && { cluster: this.clean(nameIn(urn)) }), ...hook }];
        const shown = severity === "warning" ? "warning" : "info";
        return [{ type: "message", time, severity: shown, ...(node !== undefined && { node }), text }];
    }

    /** The engine tells some errors twice. `underWay`: the last step of the resource. */
    private failed(
        time: string,
        text: string,
        resource: string | undefined,
        underWay: string | undefined,
    ): PipelineEvent[] {
        // The engine's last words: what happened was said before.
        if (/^(update|preview|destroy) failed$/.test(text) && this.told.size > 0) return [];
        if (/^(update|preview|destroy) cancell?ed$/.test(text)) return [{ type: "error", time, ...cancelled }];
        const read = readError(text);
        const { node = resource, ...parts } = read.code === "CANCELLED" ? cut(read, resource, underWay) : read;
        const key = JSON.stringify([parts.code, node, parts.text]);
        if (this.told.has(key)) return [];
        this.told.add(key);
        return [{ type: "error", time, ...(node !== undefined && { node }), ...parts }];
    }

    private policy(time: string, { message, enforcementLevel, policyName, resourceUrn }: Policy): PipelineEvent[] {
        const text = this.clean(`policy ${policyName}: ${message}`).trimEnd();
        const node = resourceUrn ? { node: this.nodeOf(resourceUrn) } : {};
        return enforcementLevel === "mandatory"
            ? [{ type: "error", time, ...node, text }]
            : [{ type: "message", time, severity: "warning", ...node, text }];
    }
}

/** A join has steps on another machine, too: where the stop came is not what was under way. */
function cut(read: ErrorParts, resource: string | undefined, step: string | undefined): ErrorParts {
    if (resource === undefined) return read;
    return { ...read, node: resource, ...(step !== undefined && { step }) };
}

const cancelled = { code: "CANCELLED", text: "the run was stopped", hint: hintHere(errorCodes.CANCELLED.hint) };

type Policy = NonNullable<EngineEvent["policyEvent"]>;

function summary(time: string, event: NonNullable<EngineEvent["summaryEvent"]>): PipelineEvent {
    const { isPreview = false, result } = event as { isPreview?: boolean; result?: string };
    return {
        type: "summary",
        time,
        preview: isPreview,
        result: result === undefined || result === "succeeded" ? "succeeded" : "failed",
        seconds: Math.max(0, event.durationSeconds),
        changes: { ...(event.resourceChanges as Record<string, number>) },
    };
}

/** One event as a line of JSON. */
export function toLine(event: PipelineEvent): string {
    return JSON.stringify(event);
}

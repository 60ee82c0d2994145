import { unknownValue } from "../common/unknown-value";
import { isAsBefore, packedLike, unpack } from "../contract/packed";
import {
    askedInputs,
    isMachine,
    isStored,
    type MachineName,
    type MachineType,
    packAsked,
    packState,
} from "../machine/stored-machine";
import { descriptorOf, secretNames } from "./descriptors";

/** Properties of a resource as they travel between Pulumi and a resource type. */
export type Properties = Record<string, unknown>;

/** Properties as the resources expect them: unpacked, without the adapter's `__provider`. */
export function open(type: string, properties: Properties): Properties {
    const rest = withoutProvider(properties);
    return isPacked(type) ? unpack(rest, secretNames(type)) : rest;
}

/** Packs the answer if the question was packed. */
export function closed(type: string, asked: Properties, answer: object): Properties {
    const properties = answer as Properties;
    if (isMachine(type) && isStored(asked)) return packState(properties, asked);
    return isPacked(type) ? packedLike(asked, properties, secretNames(type)) : properties;
}

/** Drops undefined values, which the engine's wire format does not support. */
export function plain<T>(value: T): T {
    return JSON.parse(JSON.stringify(value)) as T;
}

export function withoutProvider({ __provider: _, ...rest }: Properties): Properties {
    return rest;
}

export const urnIn = ({ resourceUrn }: Properties) => (typeof resourceUrn === "string" ? resourceUrn : "");

export const machineIn = (type: MachineType, properties: Properties) =>
    open(type, properties) as Properties & MachineName;

/** The inputs of a machine that are stored; undefined if the program's are not packed. */
export function machineInputs(type: MachineType, news: Properties): Properties | undefined {
    if (news.secrets === undefined) return undefined;
    return plain(packAsked(askedInputs(type, open(type, news))));
}

/** Whether the text is given and known. */
export function isText(value: unknown): value is string {
    return typeof value === "string" && value !== unknownValue;
}

function isPacked(type: string): boolean {
    return descriptorOf(type)?.packed === true;
}

export function isDecidedByInputs(type: string): boolean {
    return descriptorOf(type)?.decidedByInputs === true;
}

/** What only the former inputs have counts for the inputs that may leave. */
export function isSameQuestion(type: string, olds: Properties, news: Properties): boolean {
    const leaving: readonly string[] = descriptorOf(type)?.leavingInputs ?? [];
    return isAsBefore(olds, news) && leaving.every(name => olds[name] === undefined || news[name] !== undefined);
}

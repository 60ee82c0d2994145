import { createHash } from "node:crypto";
import { NfvError } from "../common/errors";
import type { NodeSpec } from "../common/model";
import { hasUnknown, unknownValue } from "../common/unknown-value";
import { packSecrets, type SecretEntry } from "../contract/packed";
import { runFacts } from "../contract/run-facts";
import type { InSession } from "../contract/types";
import { type CertificateEnds, dueCertificates, renewBeforeDays } from "../kubeadm/certificate-ends";
import { canonicalJson, keyedHash } from "../steps/fingerprint";

/**
 * What the engine stores of a Host or a Node. A program gives each of them all that its steps need: tables of bundle
 * files, certificates, the cluster's keys. The state of a cluster would hold these texts four times for each node, and
 * never needs them: `diff` compares fingerprints, `read` and `delete` see outputs only.
 *
 * - Inputs: the fingerprints of the steps, and the fields that `diff` compares. No secrets. create and update get the
 *   other inputs from `mustBeInProgram`: the engine calls `check` with them before, in the same process.
 * - Outputs: what `read`, `delete` and the next `diff` need. host.ts and node.ts choose these fields.
 */

type Properties = Record<string, unknown>;

/** What names a machine in inputs and outputs. */
export interface MachineName {
    spec: { clusterId: string; name: string };
}

export type MachineType = "Host" | "Node";

const specOfBoth = ["clusterId", "name", "role", "address", "kubernetesVersion", "endpoint"];

/** Fields of `spec` that `diff` compares. `masters`: only of a Host that is a control-plane node on a given machine. */
const comparedSpec: Record<MachineType, readonly string[]> = {
    Host: [...specOfBoth, "masters"],
    Node: [...specOfBoth, "drain", "certificates"],
};

/** Secret outputs. */
const secretNames = ["connection", "controlPlane"];

/** Outputs that are stored in the text of `spec`: only our code reads them. */
const besideSpec = ["login", "resourceUrn"];

export function isMachine(type: string): type is MachineType {
    return Object.hasOwn(comparedSpec, type);
}

/** The inputs that the program of this run gives a machine. Undefined: it does not have it, or the run leaves it out. */
export function machineInProgram(context: InSession, type: MachineType, { spec }: MachineName): Properties | undefined {
    const isIt = ({ spec: { clusterId, name } }: MachineName) => clusterId === spec.clusterId && name === spec.name;
    return runFacts(context).program.find<MachineName & Properties>(type, isIt)?.news;
}

/** @throws INVALID_INPUT for one that this run leaves out: the engine makes it again from what is stored */
export function mustBeInProgram(context: InSession, type: MachineType, machine: MachineName): Properties {
    const given = machineInProgram(context, type, machine);
    if (given !== undefined) return given;
    const { clusterId, name } = machine.spec;
    throw new NfvError({
        code: "INVALID_INPUT",
        node: name,
        cause: `${type} ${clusterId}/${name} was not checked in this run, which leaves it out (--target or --exclude): what is stored of it is not enough to make or change it`,
        hint: "Run pulumi up without --target and --exclude: it goes on from here.",
    });
}

/** Inputs that are not stored, so that a change of them alone changes nothing on a machine. */
const notStored = ["fingerprintKey", "resourceUrn", "programPath", "pool", "replacement"];

/** The inputs that are stored. At preview, each may be unknown. */
export function askedInputs(type: MachineType, inputs: Properties): Properties {
    const { connection, controlPlane, ...beside } = inputs;
    const others = Object.fromEntries(Object.entries(beside).filter(([name]) => !notStored.includes(name)));
    const withMasters = (inputs["spec"] as Properties)["role"] === "controlPlane" && inputs["server"] === undefined;
    const names = comparedSpec[type].filter(name => name !== "masters" || withMasters);
    return {
        ...others,
        ...(inputs["server"] !== undefined && { server: {} }),
        spec: picked(inputs["spec"], names),
        login: loginOf(inputs),
        connection: picked(connection, ["host", "hostKey"]),
        ...(controlPlane !== undefined && { controlPlane: placesOf(controlPlane) }),
    };
}

/** An unknown value stays unknown. */
function picked(value: unknown, names: readonly string[]): unknown {
    if (typeof value !== "object") return value;
    return Object.fromEntries(names.map(name => [name, (value as Properties)[name]]));
}

function placesOf(peers: unknown): unknown {
    if (!Array.isArray(peers)) return peers;
    return peers.map(peer => ({ name: peer.name, connection: picked(peer.connection, ["host"]) }));
}

/**
 * Keyed hash of how a machine is reached, without its host key. Another hash is an update. Stored forms have it; it is
 * unknown where the connection is.
 */
export function loginOf(inputs: object): string {
    const { login, connection, fingerprintKey } = inputs as Properties;
    if (login !== undefined) return login as string;
    if (hasUnknown([connection, fingerprintKey])) return unknownValue;
    const { hostKey: _, ...target } = connection as Properties;
    return keyedHash(String(fingerprintKey), target);
}

/**
 * Stored inputs as properties for the engine: one text, and beside it what may depend on other resources. With unknown
 * values, which the engine finds in no text: not packed.
 */
export function packAsked(asked: Properties): Properties {
    const { spec, steps, login, connection, controlPlane, ...others } = asked;
    if (spec === unknownValue) return { ...others, spec };
    const whole = { ...(spec as object), steps, login, connection, controlPlane };
    return { ...others, spec: hasUnknown(whole) ? whole : canonicalJson(whole) };
}

/** Outputs as properties for the engine. `before`: the packed inputs that led to them, or the former outputs. */
export function packState(state: Properties, before: Properties): Properties {
    const { spec, done, pending, hostKey, ...others } = state;
    const given = (state["connection"] as Properties | undefined)?.["hostKey"];
    const beside = Object.fromEntries(besideSpec.map(name => [name, state[name]]));
    const secrets = secretNames.flatMap((name): SecretEntry[] => (name in state ? [[[name], state[name]]] : []));
    const hidden = [...besideSpec, ...secretNames];
    return {
        ...Object.fromEntries(Object.entries(others).filter(([name]) => !hidden.includes(name))),
        ...((pending as unknown[] | undefined)?.length && { pending }),
        ...(hostKey !== undefined && hostKey !== given && { hostKey }),
        spec: canonicalJson({ ...(spec as object), ...beside }),
        secrets: packSecrets(secrets),
        done: canonicalJson(done ?? {}),
        asked: before["asked"] ?? digestOf(before),
    };
}

/** Whether these are stored inputs or outputs, and not inputs of a program. */
export function isStored({ spec, secrets, done }: Properties): boolean {
    return typeof spec === "string" && (secrets === undefined || done !== undefined);
}

/**
 * Whether a state has all that these stored inputs ask for. Comparing fingerprints is enough: no two steps have the
 * same.
 */
export function isUpToDate(state: Properties, asked: Properties): boolean {
    const { spec } = asked;
    if (!isAskedAgain(state, asked) || typeof spec !== "string") return false;
    if (state["pending"] !== undefined || state["drift"] !== undefined) return false;
    const { steps, certificates } = JSON.parse(spec) as { steps: Record<string, string> } & Pick<
        NodeSpec,
        "certificates"
    >;
    const ends = (state["certificates"] ?? {}) as CertificateEnds;
    if (dueCertificates(ends, renewBeforeDays({ certificates })) !== undefined) return false;
    return areDone(steps, JSON.parse(state["done"] as string));
}

/** Whether the program asks for the same as in the last run: all that is to do is repair, or what that run has left. */
export const isAskedAgain = (state: Properties, asked: Properties): boolean => state["asked"] === digestOf(asked);

/** Whether each of the fingerprints is among those of completed steps. */
export function areDone(steps: Record<string, string> | undefined, done: Record<string, string>): boolean {
    if (typeof steps !== "object") return false; // unknown at preview
    const fingerprints = new Set(Object.values(done));
    return Object.values(steps).every(each => fingerprints.has(each));
}

function digestOf({ __provider: _, ...asked }: Properties): string {
    return createHash("sha256").update(canonicalJson(asked)).digest("base64url").slice(0, 16);
}

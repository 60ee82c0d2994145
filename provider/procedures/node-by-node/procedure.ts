import type { NodeSpec, Role } from "../../common/model";
import type { CheckFailure, CommonInputs, Context } from "../../contract/types";
import type { Peer } from "../../machine/machine";
import type { Connection } from "../../ssh/types";
import type { Act } from "../../steps/types";
import type { Reached } from "../reached";
import type { RequestNote } from "./request-note";

/** The part in the state of a request that is carried out on one node after another. */
export interface StoredRequest extends CommonInputs {
    clusterId: string;
    /** Id of the request, as the program has it: another one means once more. */
    requestId: string;
    /** For how long a worker is watched before those behind it begin. */
    soakSeconds: number;
    /** Workers that stay as they are until a later program lets them go. */
    waiting: string[];
    /** Shown at preview: what happens on each node. */
    nodes: Record<string, string>;
}

/** A node of the request. */
export interface NodeTarget extends Peer {
    role: Role;
    /** Of a worker. */
    pool?: string;
    /** On how many of its pool at once. */
    atOnce: number;
    /** Those of a lower number come before. */
    turn: number;
    drain: NodeSpec["drain"];
    /** It stays as it is until a later program lets it go. */
    waits?: boolean;
}

export type ReachedTarget = NodeTarget & Reached;

/** The facts that a node says of itself. */
export interface NodeLook {
    /** How far the last request is here. */
    note?: RequestNote;
}

/** A node whose turn it is. */
export interface NodeAtWork<Stored = StoredRequest, Look = NodeLook> {
    target: ReachedTarget;
    stored: Stored;
    context: Context;
    /** How far a stopped run came. */
    stage: string | undefined;
    look(): Promise<Look>;
    /** Runs on the node. */
    here(act: Act): Promise<string>;
    /** Runs on a control-plane node, about the node. */
    there(act: Act): Promise<void>;
    pause(why: string): Promise<void>;
}

/** A request that is carried out on one node after another, as data. Each node notes how far it is, so that a run that was killed goes on. */
export interface NodeByNode<Stored extends StoredRequest = StoredRequest, Look extends NodeLook = NodeLook> {
    /** Its input: "os.upgrade". */
    request: string;
    /** Name of its notes on the nodes. */
    noteName: string;
    /** Its turn drains the node, and uncordons it: a node that our drain has cordoned is in the middle of it. */
    drains?: true;
    /** "upgrade the operating system" */
    step: string;
    /** What its turn is called, for messages: "upgrade". */
    turn: string;
    /** Changes nothing. */
    look(machine: Connection, node: string, stored: Stored): Promise<Look>;
    /** Whether there is anything to do. */
    isDue(look: Look, stored: Stored): boolean;
    /** On all nodes before the first one begins, without effect: what cannot work stops the run there. */
    ahead?(stored: Stored): Act;
    /** The turn of a node. Begun once more, it goes on. @returns what was done, for the user */
    work(node: NodeAtWork<Stored, Look>, before: Look): Promise<string>;
    /** How long a node that a stopped run has left may be silent, in seconds. @default as long as others */
    awaySeconds?(stored: Stored): number;
    /** For preview: what the turn of a node will do. */
    lineOf(target: NodeTarget, look: Look, stored: Stored): string;
    /** For preview, before the lines of the nodes. `controlPlane`: how many control-plane nodes there are. */
    headline(controlPlane: number): string;
    /** Why preview refuses, by what a node said. @default never */
    refuse?(node: string, look: Look): CheckFailure[];
}

/** In seconds: how often something is asked that a run waits for, how long for nodes that are not Ready, for machines that do not answer, and for their services. Tests set less. */
export const requestDeadlines = { pause: 2, ready: 240, answer: 30, services: 300 };

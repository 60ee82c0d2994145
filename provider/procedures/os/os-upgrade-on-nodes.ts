import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../../common/errors";
import type { NodeSpec, Role } from "../../common/model";
import type { CommonInputs, Context } from "../../contract/types";
import { untilControlPlaneReady } from "../../machine/control-plane-ready";
import { isUnreachable, named, type Peer } from "../../machine/machine";
import { nodesThatWait } from "../../member/joins-later";
import { drainNode } from "../../member/leave/leave-acts";
import { backInService } from "../../member/upgrade/acts";
import { notServing, podsOn } from "../../member/upgrade/pods-on";
import type { Connection } from "../../ssh";
import { runAct } from "../../steps";
import type { Act } from "../../steps/types";
import { rotationStateArgv, rotationStateScript } from "../encryption-key/encryption-acts";
import { type AskedKey, addressOf, type Reached, reachPeers, statesOf } from "../rotation-on-nodes";
import { whyNotRotate } from "../rotation-state";
import { checkServices, fetchPackages, noteStage, rebootMachine, upgradePackages } from "./acts";
import { bootOf, lookAtNodes, lookAtOs, type OsState, type SeenNode } from "./os-state";

/** What the state keeps. */
export interface StoredOsUpgrade extends CommonInputs {
    clusterId: string;
    /** The word of the program: another one upgrades once more. */
    word: string;
    /** "all", "security", or patterns of names, separated by spaces. */
    packages: string;
    reboot: "ifNeeded" | "always" | "never";
    rebootTimeoutSeconds: number;
    /** For how long a worker is watched before those behind it begin. */
    soakSeconds: number;
    /** Workers that stay as they are until a later program lets them go. */
    held: string[];
    /** Shown at preview: what happens on each node. */
    nodes: Record<string, string>;
}

/** A node whose operating system is upgraded. */
export interface OsTarget extends Peer {
    role: Role;
    /** Of a worker. */
    pool?: string;
    /** How many of its pool are upgraded at once. */
    atOnce: number;
    /** Those of a lower number are upgraded before. */
    turn: number;
    drain: NodeSpec["drain"];
    /** It stays as it is until a later program lets it go. */
    holds?: boolean;
}

type Target = OsTarget & Reached;

/** In seconds: how often something is asked that a run waits for, how long for nodes that are not Ready, and for machines that do not answer. Tests set less. */
export const osPatience = { pause: 2, ready: 240, answer: 30, services: 300 };

export const osAsked: AskedKey = {
    step: "upgrade the operating system",
    input: "os.upgrade",
    code: "QUORUM_AT_RISK",
    notOurs: { cause: "", hint: "" },
    healing:
        "All other control-plane nodes must work before one is upgraded. Repair or heal it, then run pulumi up again: it goes on.",
    look: "look at the control-plane nodes",
    script: rotationStateScript,
    argv: rotationStateArgv,
};

/** So many download at once. */
const downloadsAtOnce = 10;

/** @throws what stopped it, with the node; those behind it were not touched */
export async function upgradeNodes(stored: StoredOsUpgrade, targets: readonly OsTarget[], context: Context) {
    const waiting = nodesThatWait(context, stored.clusterId);
    const reached = reachPeers(JSON.stringify(targets), context) as Target[];
    const run = new OsUpgradeRun(
        stored,
        reached.filter(({ name }) => !waiting.includes(name)),
        context,
    );
    await run.all();
}

/** Whether the machine is to reboot after the upgrade. Pure. */
export const wantsReboot = ({ reboot }: Pick<StoredOsUpgrade, "reboot">, { needsReboot }: OsState) =>
    reboot === "always" || (reboot === "ifNeeded" && needsReboot);

/** How far the machine is with this word. Pure. */
export const stageOf = ({ note }: OsState, word: string) => (note?.word === word ? note.stage : undefined);

/** Groups that follow one another: by turn, then by pool. Pure. */
export function inGroups<T extends Pick<OsTarget, "turn" | "pool">>(workers: readonly T[]): T[][] {
    const groups = new Map<string, T[]>();
    for (const worker of [...workers].sort((a, b) => a.turn - b.turn)) {
        const key = `${worker.turn} ${worker.pool ?? ""}`;
        groups.set(key, [...(groups.get(key) ?? []), worker]);
    }
    return [...groups.values()];
}

class OsUpgradeRun {
    private readonly masters: Target[];
    private going: Target[];
    private readonly summary: string[] = [];

    constructor(
        private readonly stored: StoredOsUpgrade,
        private readonly targets: readonly Target[],
        private readonly context: Context,
    ) {
        this.masters = targets.filter(({ role }) => role === "controlPlane");
        this.going = targets.filter(({ holds }) => !holds);
    }

    async all(): Promise<void> {
        const seen = await this.untilAllReady();
        // One that is held now, and in the middle, is not left cordoned.
        this.going = this.targets.filter(({ name, holds }) => !holds || seen[name]?.ours);
        const states = await Promise.all(this.going.map(target => this.firstLook(target, seen[target.name])));
        const stages = new Map(this.going.map(({ name }, i) => [name, stageOf(states[i]!, this.stored.word)]));
        const left = this.going.filter(({ name }) => stages.get(name) !== "done");
        const isInMiddle = ({ name }: Target) =>
            seen[name]?.ours || ["begun", "upgraded"].includes(stages.get(name) ?? "");
        // Without effect, so a package that cannot be had stops the run before the first node is drained.
        await atOnce(left, downloadsAtOnce, target => this.here(target, fetchPackages(this.stored.packages)));
        const one = (target: Target) => this.on(target, seen[target.name]?.ours === true);
        // What a stopped run has left is away already: no other one goes beside it.
        const ordered = [...left.filter(isInMiddle), ...left.filter(each => !isInMiddle(each))];
        for (const master of ordered.filter(({ role }) => role === "controlPlane")) await one(master);
        const workers = ordered.filter(({ role }) => role === "worker");
        for (const worker of workers.filter(isInMiddle)) await one(worker);
        for (const group of inGroups(workers.filter(each => !isInMiddle(each))))
            await atOnce(group, group[0]!.atOnce, one);
        if (this.summary.length > 0) this.context.note(this.summary.join("\n"));
    }

    /** What the cluster says of its nodes. One that our drain has cordoned may be away: it is in the middle. */
    private async untilAllReady(): Promise<Record<string, SeenNode>> {
        // Without a majority of three, the API is away while a control-plane node reboots that a stopped run has left.
        const reboot = this.masters.length < 3 ? this.stored.rebootTimeoutSeconds : 0;
        const until = performance.now() + Math.max(osPatience.ready, reboot) * 1000;
        for (;;) {
            const seen = await this.nodesSeen(performance.now() > until);
            const away = this.going.filter(({ name }) => !seen[name]?.ready && !seen[name]?.ours);
            if (away.length === 0) return seen;
            const names = away.map(({ name }) => name).join(", ");
            if (performance.now() > until) throw refusal(`not Ready: ${names}. Repair or heal them first`);
            await this.pause(`wait until ${names} are Ready`);
        }
    }

    /** Where there are fewer than three, a control-plane node that reboots takes the API with it. */
    private async nodesSeen(isLast: boolean): Promise<Record<string, SeenNode>> {
        try {
            return await lookAtNodes(await this.master());
        } catch (error) {
            if (isLast || this.masters.length > 2 || !(error instanceof NfvError)) throw error;
            return {};
        }
    }

    /** A machine that a stopped run has rebooted is waited for. */
    private async firstLook(target: Target, seen: SeenNode | undefined): Promise<OsState> {
        const { packages, rebootTimeoutSeconds } = this.stored;
        const until = performance.now() + (seen?.ours ? rebootTimeoutSeconds : osPatience.answer) * 1000;
        for (;;) {
            try {
                return await named(target.name, () => lookAtOs(target.link, target.name, packages));
            } catch (error) {
                if (!isUnreachable(error)) throw error;
                if (performance.now() > until) throw withHint(error, silentHint(target.name));
            }
            await target.link.close();
            await this.pause(`wait until ${target.name} answers`);
        }
    }

    private async on(target: Target, isCordoned: boolean): Promise<void> {
        try {
            await this.upgrade(target, isCordoned);
        } catch (error) {
            throw this.context.signal?.aborted ? error : stoppedBy(error, target.name);
        }
    }

    private async upgrade(target: Target, isCordoned: boolean): Promise<void> {
        const { word, packages, reboot } = this.stored;
        const { name, role, drain } = target;
        const before = await lookAtOs(target.link, name, packages);
        const stage = stageOf(before, word);
        const hasBegun = stage === "begun" || stage === "upgraded" || isCordoned;
        if (role === "controlPlane") await this.refuseAtRisk(target, hasBegun);
        if (!hasBegun && before.packages.length === 0 && !wantsReboot(this.stored, before)) {
            await this.here(target, noteStage(word, "done"));
            this.summary.push(`${name}: nothing was due`);
            return;
        }
        let now = before;
        if (stage !== "upgraded") {
            await this.here(target, noteStage(word, "begun"));
            await this.there(target, drainNode(name, drain));
            await this.here(target, upgradePackages(word, packages, reboot));
            now = await lookAtOs(target.link, name, packages);
        }
        const isSameBoot = now.boot === now.note?.boot;
        if (isSameBoot && wantsReboot(this.stored, now)) {
            // Somebody may have uncordoned it since a run was killed.
            if (stage === "upgraded") await this.there(target, drainNode(name, drain));
            await this.reboot(target, now.boot);
        }
        await this.here(target, checkServices(role, addressOf(target), osPatience.services));
        const after = await lookAtOs(target.link, name, packages);
        await this.there(target, backInService(name, "bootID", after.boot));
        if (role === "worker") await this.soak(name);
        await this.here(target, noteStage(word, "done"));
        const rebooted = after.boot === now.note?.boot ? "" : `, rebooted (kernel ${after.kernel})`;
        const did = stage === "upgraded" ? "upgraded before" : `${before.packages.length} packages upgraded`;
        this.summary.push(`${name}: ${did}${rebooted}`);
        if (!after.needsReboot) return;
        const why = reboot === "never" ? "os.reboot is never" : `it runs kernel ${after.kernel}: see its boot loader`;
        this.context.warn(`${name} still asks for a reboot; ${why}`);
    }

    /** etcd and each other control-plane node must be healthy; this one, too, where its upgrade has not begun. */
    private async refuseAtRisk({ name }: Target, hasBegun: boolean): Promise<void> {
        const states = await statesOf(
            osAsked,
            this.masters.filter(each => !hasBegun || each.name !== name),
        );
        const error = whyNotUpgrade(states, this.stored.clusterId, this.masters);
        if (error !== undefined) throw error;
    }

    private async reboot(target: Target, before: string): Promise<void> {
        const { name, link } = target;
        const { rebootTimeoutSeconds: seconds } = this.stored;
        let last = "it answers, and has not rebooted";
        const isAnother = async () => {
            try {
                return (await bootOf(link, name)) !== before;
            } catch (error) {
                if (!(error instanceof NfvError)) throw error;
                last = `it does not answer: ${error.reason}`;
                await link.close();
                return undefined;
            }
        };
        try {
            await this.here(target, rebootMachine);
        } catch (error) {
            // The connection may break before the end of the act is heard.
            if (this.context.signal?.aborted || (await isAnother()) === false) throw error;
        }
        for (const until = performance.now() + seconds * 1000; !(await isAnother()); ) {
            if (performance.now() > until) {
                throw new NfvError({
                    code: "REBOOT_FAILED",
                    node: name,
                    step: "reboot",
                    cause: `not back ${seconds} s after its reboot: ${last}`,
                });
            }
            await this.pause(`wait until ${name} has rebooted`);
        }
    }

    private async soak(name: string): Promise<void> {
        const { soakSeconds } = this.stored;
        if (soakSeconds === 0) return;
        this.context.report(`${name} is watched for ${soakSeconds} s`);
        await sleep(soakSeconds * 1000, undefined, { signal: this.context.signal });
        const failing = notServing(await podsOn(await this.master(), name, this.context.signal));
        if (failing.length === 0) return;
        const cause = `${soakSeconds} s after its upgrade it does not serve: ${failing.join(", ")}`;
        throw new NfvError({ code: "OS_UPGRADE_FAILED", node: name, cause });
    }

    private async pause(why: string): Promise<void> {
        const { report, signal } = this.context;
        report(why);
        await sleep(osPatience.pause * 1000, undefined, { signal });
    }

    private async master(): Promise<Connection> {
        const { context, masters, stored } = this;
        return (await untilControlPlaneReady(context, stored.clusterId, masters, "any")).connection;
    }

    private here({ name: node, link: connection }: Target, act: Act): Promise<string> {
        const { report, signal } = this.context;
        return named(node, () => runAct(act, { node, connection, clusterId: this.stored.clusterId, report, signal }));
    }

    private async there({ name: forNode }: Target, act: Act): Promise<void> {
        const { context, masters, stored } = this;
        const { clusterId } = stored;
        const { report, signal } = context;
        const { name: node, connection } = await untilControlPlaneReady(context, clusterId, masters, "any");
        await runAct(act, { node, connection, forNode, clusterId, report, signal });
    }
}

/** Why no control-plane node may be upgraded now. Pure. */
export function whyNotUpgrade(
    states: Parameters<typeof whyNotRotate>[1],
    clusterId: string,
    masters: readonly Pick<OsTarget, "name">[],
): NfvError | undefined {
    const all = states.map(state => ({ ...state, ours: true }));
    const members = [...new Set(all.flatMap(each => each.members))];
    const known = masters.map(({ name }) => name);
    const others = members.filter(name => !known.includes(name));
    const error = whyNotRotate(osAsked, all, clusterId, members);
    if (error !== undefined || others.length === 0) return error;
    // They leave behind this resource, so they still count, and may be dead.
    return new NfvError({
        code: "QUORUM_AT_RISK",
        step: osAsked.step,
        cause: `etcd has members that the program does not: ${others.join(", ")}`,
        hint: "Take os.upgrade out of the program and run pulumi up, so that they leave. Then put it back.",
    });
}

/** After a failure none begins that had not; those that had end first. */
async function atOnce<T>(all: readonly T[], count: number, work: (each: T) => Promise<unknown>): Promise<void> {
    const waiting = [...all];
    const failures: unknown[] = [];
    const lane = async () => {
        for (let next = waiting.shift(); next !== undefined && failures.length === 0; next = waiting.shift())
            await work(next).catch(error => failures.push(error));
    };
    await Promise.all(Array.from({ length: count }, lane));
    if (failures.length > 0) throw failures[0];
}

const refusal = (cause: string) =>
    new NfvError({ code: "OS_UPGRADE_FAILED", step: osAsked.step, cause: `${cause}; nothing was changed in this run` });

const silentHint = (node: string) =>
    `No node was touched in this run. Start ${node}, or correct how it is reached; then run pulumi up again: it goes on.`;

function withHint({ code, node, step, reason: cause, output }: NfvError, hint: string): NfvError {
    return new NfvError({ code, node, step, cause, hint, output });
}

function stoppedBy(error: unknown, name: string): unknown {
    if (!(error instanceof NfvError) || (error.code !== "STEP_FAILED" && error.code !== "STEP_TIMEOUT")) return error;
    const { node = name, step, reason: cause, output } = error;
    return new NfvError({ code: "OS_UPGRADE_FAILED", node, step, cause, output });
}

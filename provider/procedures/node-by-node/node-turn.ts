import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../../common/errors";
import type { Context } from "../../contract/types";
import { untilControlPlaneReady } from "../../machine/control-plane-ready";
import { named } from "../../machine/machine";
import { notServing, podsOn } from "../../member/upgrade/pods-on";
import type { Connection } from "../../ssh";
import { runAct } from "../../steps";
import type { Act } from "../../steps/types";
import { statesOf } from "../rotation-on-nodes";
import { stateQuestion, whyNotNext } from "./at-risk";
import type { NodeAtWork, NodeByNode, NodeLook, ReachedTarget, StoredRequest } from "./procedure";
import { requestDeadlines } from "./procedure";
import { isBegun, noteStage, stageOf } from "./request-note";

/** A run of a request: what the turn of each node needs. */
export class NodeTurns {
    /** What was done, a line for each node. */
    readonly summary: string[] = [];

    constructor(
        readonly procedure: NodeByNode,
        readonly stored: StoredRequest,
        readonly controlPlane: readonly ReachedTarget[],
        readonly context: Context,
    ) {}

    /** `isCordoned`: by our drain. @throws what stopped it, with the node */
    async turnOf(target: ReachedTarget, isCordoned: boolean): Promise<void> {
        try {
            await this.take(target, isCordoned);
        } catch (error) {
            throw this.context.signal?.aborted ? error : stoppedBy(error, target.name);
        }
    }

    private async take(target: ReachedTarget, isCordoned: boolean): Promise<void> {
        const { procedure, stored } = this;
        const { name, role } = target;
        const note = (stage: "begun" | "done") =>
            this.here(target, noteStage(procedure.noteName, stored.requestId, stage));
        const before = await this.look(target);
        const stage = stageOf(before, stored.requestId);
        const hasBegun = isBegun(stage) || isCordoned;
        if (role === "controlPlane") await this.refuseAtRisk(target, hasBegun);
        if (!hasBegun && !procedure.isDue(before, stored)) {
            await note("done");
            this.summary.push(`${name}: nothing was due`);
            return;
        }
        if (!isBegun(stage)) await note("begun");
        const did = await procedure.work(this.atWork(target, stage), before);
        if (role === "worker") await this.soak(name);
        await note("done");
        this.summary.push(`${name}: ${did}`);
    }

    private atWork(target: ReachedTarget, stage: string | undefined): NodeAtWork {
        const { stored, context } = this;
        return {
            ...{ target, stored, context, stage },
            look: () => this.look(target),
            here: act => this.here(target, act),
            there: act => this.there(target, act),
            pause: why => this.pause(why),
        };
    }

    look({ name, link }: ReachedTarget): Promise<NodeLook> {
        return named(name, () => this.procedure.look(link, name, this.stored));
    }

    /** etcd and each other control-plane node must be healthy; this one, too, where its turn has not begun. */
    private async refuseAtRisk({ name }: ReachedTarget, hasBegun: boolean): Promise<void> {
        const question = stateQuestion(this.procedure);
        const states = await statesOf(
            question,
            this.controlPlane.filter(each => !hasBegun || each.name !== name),
        );
        const error = whyNotNext(question, states, this.stored.clusterId, this.controlPlane);
        if (error !== undefined) throw error;
    }

    private async soak(name: string): Promise<void> {
        const { soakSeconds } = this.stored;
        if (soakSeconds === 0) return;
        this.context.report(`${name} is watched for ${soakSeconds} s`);
        await sleep(soakSeconds * 1000, undefined, { signal: this.context.signal });
        const failing = notServing(await podsOn(await this.apiNode(), name, this.context.signal));
        if (failing.length === 0) return;
        const cause = `${soakSeconds} s after its ${this.procedure.turn} it does not serve: ${failing.join(", ")}`;
        throw new NfvError({ code: "REQUEST_FAILED", node: name, step: this.procedure.step, cause });
    }

    async pause(why: string): Promise<void> {
        const { report, signal } = this.context;
        report(why);
        await sleep(requestDeadlines.pause * 1000, undefined, { signal });
    }

    async apiNode(): Promise<Connection> {
        const { context, controlPlane, stored } = this;
        return (await untilControlPlaneReady(context, stored.clusterId, controlPlane, "any")).connection;
    }

    here({ name: node, link: connection }: ReachedTarget, act: Act): Promise<string> {
        const { report, signal } = this.context;
        return named(node, () => runAct(act, { node, connection, clusterId: this.stored.clusterId, report, signal }));
    }

    private async there({ name: forNode }: ReachedTarget, act: Act): Promise<void> {
        const { context, controlPlane, stored } = this;
        const { clusterId } = stored;
        const { report, signal } = context;
        const { name: node, connection } = await untilControlPlaneReady(context, clusterId, controlPlane, "any");
        await runAct(act, { node, connection, forNode, clusterId, report, signal });
    }
}

function stoppedBy(error: unknown, name: string): unknown {
    if (!(error instanceof NfvError) || (error.code !== "STEP_FAILED" && error.code !== "STEP_TIMEOUT")) return error;
    const { node = name, step, reason: cause, output } = error;
    return new NfvError({ code: "REQUEST_FAILED", node, step, cause, output });
}

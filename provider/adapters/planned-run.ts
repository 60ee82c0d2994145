import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { NfvError } from "../common/errors";
import { joinStep } from "../member/join/join-cluster";
import type { PlannedAct } from "../member/planned-acts";
import { setLabels } from "../member/set-labels";
import { descriptorOf } from "./descriptors";

/** Path of a file with PlannedResourceActs[], and the SHA-256 of it. Set by nfv for the run of a plan; without them a run may do everything. */
export const planVariables = { file: "PULUMI_NFV_PLAN", sum: "PULUMI_NFV_PLAN_SHA256" };

/** What a plan does with a resource of this package. */
export interface PlannedResourceActs {
    urn: string;
    /** "Node" */
    type: string;
    /** That it has. Undefined: it is new. */
    id?: string;
    /** Undefined: nothing. */
    act?: "create" | "update" | "replace" | "delete";
    /** Ids of what is deleted: of it, and of what former runs have left to be deleted. */
    deletes?: readonly string[];
    /** Its inputs were not all known, so that the preview could not say whether it changes. */
    open?: true;
    /** Of what exists and runs steps: what an update does at most, also where the preview saw no change. */
    acts?: Pick<PlannedAct, "title" | "fingerprint" | "any">[];
    /** Of OperationStart: number and line of the operation that preview shows. */
    operation?: string;
}

/** A resource as it is about to be acted on. */
export interface AboutToAct {
    type: string;
    urn: string;
    id?: string;
    /** The machine's name, for errors. */
    node?: string;
}

/** What an update is about to do. */
export interface Update {
    /** Undefined: it runs no steps. */
    acts?: readonly PlannedAct[];
    /** Whether it may interrupt nodes without steps of its own. */
    disrupts?: boolean;
    /** See PlannedResourceActs. */
    operation?: string;
}

/** The plan that a run may carry out: what it does not name is refused. */
export class PlannedRun {
    private constructor(private readonly resources: readonly PlannedResourceActs[]) {}

    /** Undefined: the run has no plan. @throws PLAN_CHANGED for a file that is not the plan's */
    static of(env: Readonly<Record<string, string | undefined>>): PlannedRun | undefined {
        const file = env[planVariables.file];
        if (!file) return undefined;
        return new PlannedRun(JSON.parse(planText(file, env[planVariables.sum])));
    }

    /** @throws PLAN_CHANGED for one that the plan does not make */
    create(made: AboutToAct): void {
        const { act, open } = this.find(made) ?? {};
        if (act === "create" || act === "replace" || open || descriptorOf(made.type)?.madeLate) return;
        throw unplanned(made, "it would be made");
    }

    /** @throws PLAN_CHANGED for one that the plan does not delete */
    delete(gone: AboutToAct): void {
        const isPlanned = this.resources.some(
            ({ type, deletes = [] }) => type === gone.type && deletes.includes(gone.id ?? ""),
        );
        if (!isPlanned) throw unplanned(gone, "it would be deleted");
    }

    /**
     * Keys are made in the run alone, and what gets them changes with them: so an update that neither runs steps nor interrupts nodes need not be named. @throws PLAN_CHANGED
     * for more than the plan names
     */
    update(changed: AboutToAct, { acts, disrupts, operation }: Update): void {
        const planned = this.find(changed);
        if (operation !== undefined && planned?.operation !== undefined && planned.operation !== operation)
            throw unplanned(changed, `the operation would be "${operation}", and not "${planned.operation}"`);
        if (acts === undefined && !disrupts) return;
        const isNamed = planned?.act === undefined ? planned?.open : planned.act !== "delete";
        const other = acts === undefined ? undefined : acts.find(act => !planned || !allows(planned, act));
        if (other !== undefined)
            throw unplanned(changed, `it would ${isNamed ? "do more" : "change"}: ${other.title}`, other.title);
        if (!planned || planned.act === "delete" || (acts === undefined && !isNamed))
            throw unplanned(changed, "it would change");
    }

    /** Whether a step may run, by its title: the machine may know more to do than the state said. */
    mayRun(resource: AboutToAct, title: string): boolean {
        const planned = this.find(resource);
        return (
            planned === undefined || allows(planned, { title }) || (title === setLabels.row.title && this.restores())
        );
    }

    /** What a snapshot had of nodes comes back, and all of them get their labels again. */
    private restores(): boolean {
        return this.resources.some(({ type, act }) => type === "EtcdRestore" && act !== undefined);
    }

    private find({ type, urn, id }: AboutToAct): PlannedResourceActs | undefined {
        const its = this.resources.filter(each => each.type === type);
        return its.find(each => each.urn === urn) ?? its.find(each => id !== undefined && each.id === id);
    }
}

/** A fingerprint that the preview did not know is any. A machine that joins does all its steps. */
function allows({ acts }: PlannedResourceActs, { title, fingerprint }: PlannedAct): boolean {
    if (acts === undefined) return true;
    return acts.some(
        named =>
            named.any ||
            named.title === joinStep.title ||
            (named.title === title &&
                (!fingerprint || !isFingerprint(named.fingerprint) || named.fingerprint === fingerprint)),
    );
}

const isFingerprint = (text: string | undefined) => /^[0-9a-f]{12}$/.test(text ?? "");

function planText(file: string, sum: string | undefined): string {
    let text = "";
    try {
        text = readFileSync(file, "utf8");
    } catch {
        // the sum of nothing differs
    }
    if (createHash("sha256").update(text).digest("hex") === sum) return text;
    throw new NfvError({
        code: "PLAN_CHANGED",
        cause: `${file} is not the plan that this run was started for`,
        hint: "Run nfv again; a program that calls pulumi itself must not inherit PULUMI_NFV_PLAN.",
    });
}

function unplanned({ type, node, urn }: AboutToAct, what: string, step?: string): NfvError {
    return new NfvError({
        code: "PLAN_CHANGED",
        node: node ?? (urn.split("::").at(-1) || type),
        ...(step !== undefined && { step }),
        cause: `the plan of this run does not name this: ${type}: ${what}`,
        hint: "It changed after the preview, so nobody has approved or counted it, and it was not done. Other parts of the plan may be done. Preview again, and run that plan.",
    });
}

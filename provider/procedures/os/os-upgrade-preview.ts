import { NfvError } from "../../common/errors";
import type { CheckFailure, Context } from "../../contract/types";
import { connectTo } from "../../machine/machine";
import { readyControlPlaneNode } from "../../machine/machine-statuses";
import { drained } from "../../member/upgrade/upgrade-preview";
import { healedInRun } from "../../operation/healed-in-run";
import { asFailures } from "../../vim/check-cluster";
import { lookAt, reachPeers } from "../rotation-on-nodes";
import { lookAtNodes, lookAtOs, nextKernel, type OsState, type SeenNode } from "./os-state";
import {
    type OsTarget,
    osAsked,
    type StoredOsUpgrade,
    stageOf,
    wantsReboot,
    whyNotUpgrade,
} from "./os-upgrade-on-nodes";

/** What a machine answered, or why it did not. */
type Answer = OsState | NfvError;

/** Says what happens where, as far as the machines answer, and returns why the run would be refused. It changes nothing, so the lists are those that the machines have. */
export async function lookBeforeOsUpgrade(
    stored: StoredOsUpgrade,
    targets: readonly OsTarget[],
    context: Context,
): Promise<CheckFailure[]> {
    const masters = targets.filter(({ role }) => role === "controlPlane");
    let seen: Record<string, SeenNode>;
    try {
        seen = await lookAtNodes((await readyControlPlaneNode(context, stored.clusterId, masters, "any")).connection);
    } catch (error) {
        context.note(`which packages are due was not found out: ${reasonOf(error)}`);
        return [];
    }
    const answers = await Promise.all(targets.map(target => ask(target, stored, context)));
    const lines = targets.map((target, i) => `${i + 1}. ${lineOf(target, answers[i]!, stored)}`);
    context.note([apiLine(masters.length), ...lines].join("\n"));
    const removing = targets.flatMap(({ name }, i) => removalOf(name, answers[i]!));
    const isUnderWay =
        Object.values(seen).some(({ ours }) => ours) ||
        answers.some(each => isState(each) && ["begun", "upgraded"].includes(stageOf(each, stored.word) ?? ""));
    if (isUnderWay) return removing;
    const healed = healedInRun(context, stored.clusterId);
    const others = masters.filter(({ name }) => !healed.includes(name));
    const looked = await lookAt(osAsked, reachPeers(JSON.stringify(others), context), "preview");
    const silent = looked.find(({ unreachable }) => unreachable !== undefined)?.unreachable;
    const states = looked.flatMap(({ state }) => state ?? []);
    return [...removing, ...asFailures(silent ?? whyNotUpgrade(states, stored.clusterId, masters))];
}

const apiLine = (masters: number) =>
    masters > 2
        ? "one control-plane node after another, so that etcd keeps its majority"
        : "the API of the cluster is away while a control-plane node reboots: there are fewer than three";

const isState = (answer: Answer): answer is OsState => !(answer instanceof NfvError);
const reasonOf = (error: unknown) => (error instanceof NfvError ? error.reason : String(error));

async function ask({ name, connection }: OsTarget, { packages }: StoredOsUpgrade, context: Context): Promise<Answer> {
    try {
        return await lookAtOs(connectTo(context, connection), name, packages);
    } catch (error) {
        if (error instanceof NfvError) return error;
        throw error;
    }
}

/** "m1: 12 packages (3 security), kernel 6.1.0-25-amd64 to 6.1.0-28-amd64, reboots; drained within 300 s, or the run stops (lists of 2026-11-27)". Pure. */
export function lineOf(target: OsTarget, answer: Answer, stored: StoredOsUpgrade): string {
    const { name, holds, drain } = target;
    if (holds) return `${name}: stays as it is until os.pauseAfter lets it go`;
    if (!isState(answer)) return `${name}: it does not say what is due: ${answer.reason}`;
    const stage = stageOf(answer, stored.word);
    if (stage === "done") return `${name}: done already`;
    if (stage !== undefined) return `${name}: its upgrade goes on`;
    const { packages, kernel, lists } = answer;
    if (lists === "") return `${name}: it has no lists of packages yet; up reads them, and then does what is due`;
    const next = nextKernel(answer);
    const needs = wantsReboot(stored, answer) || (stored.reboot === "ifNeeded" && next !== undefined);
    const day = lists === "" ? "" : ` (lists of ${lists})`;
    if (packages.length === 0 && !needs) return `${name}: nothing is due${day}`;
    const security = packages.filter(each => each.security).length;
    const what = [
        `${packages.length} packages (${security} security)`,
        ...(next === undefined ? [] : [`kernel ${kernel} to ${next}`]),
        needs ? "reboots" : stored.reboot === "never" ? "no reboot" : "reboots if a package asks for it",
    ];
    return `${name}: ${what.join(", ")}; ${drained({ spec: { drain } })}${day}`;
}

function removalOf(name: string, answer: Answer): CheckFailure[] {
    if (!isState(answer) || answer.removes.length === 0) return [];
    const reason = `${name}: FOREIGN_SOFTWARE: the upgrade would remove these packages: ${answer.removes.join(", ")}. Nothing was touched`;
    return [{ property: "packages", reason }];
}

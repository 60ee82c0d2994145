import { runFacts } from "../../contract/run-facts";
import type { InSession, ResourceType } from "../../contract/types";
import { failuresOf, hasUnknown, text } from "../../contract/values";
import { keepsItsState } from "../given-rotation";
import { type OsTarget, type StoredOsUpgrade, upgradeNodes } from "./os-upgrade-on-nodes";
import { lookBeforeOsUpgrade } from "./os-upgrade-preview";

export interface OsUpgradeInputs extends StoredOsUpgrade {
    /** Secret, for this run: the nodes in their order, JSON of OsTarget[]. */
    targets: string;
}

export interface OsUpgradeState extends StoredOsUpgrade {
    /** The word whose upgrade is done on all nodes but those in `held`. */
    upgraded: string;
}

/**
 * The packages of the operating system are upgraded on one node after another, once for each new word: after all Nodes, so that one that is dead is healed
 * before. Each machine notes how far it is, so a run that was killed goes on.
 */
export const osUpgrade: ResourceType<OsUpgradeInputs, OsUpgradeState> = {
    check: (_olds, news) => {
        const { targets: _, ...stored } = news;
        return { inputs: stored as OsUpgradeInputs, failures: failuresOf(news, { clusterId: text, word: text }) };
    },
    needsCheckInCloud: (olds, news) =>
        (olds.word !== news.word || areLetGo(olds, news)) && !hasUnknown([news.clusterId, news.targets]),
    checkInCloud: async (_olds, news, context) => ({
        failures: await lookBeforeOsUpgrade(news, JSON.parse(news.targets) as OsTarget[], context),
    }),
    diff: (_id, olds, news) => {
        if (olds.upgraded === news.word && !areLetGo(olds, news)) return { changes: false };
        const lines = Object.entries(news.nodes).map(([node, what]) => `${node}: ${what}`);
        return { changes: true, note: lines.join("\n") };
    },
    create: async (inputs, context) => {
        await upgradeNodes(inputs, targetsOf(inputs, context), context);
        return { id: `${inputs.clusterId}/os-upgrade`, outs: { ...inputs, upgraded: inputs.word } };
    },
    update: async (_id, _olds, news, context) => {
        await upgradeNodes(news, targetsOf(news, context), context);
        return { outs: { ...news, upgraded: news.word } };
    },
    ...keepsItsState(),
};

const areLetGo = (olds: Partial<StoredOsUpgrade>, news: StoredOsUpgrade) =>
    olds.held?.some(name => !news.held.includes(name)) ?? false;

function targetsOf({ clusterId }: StoredOsUpgrade, context: InSession): OsTarget[] {
    const given = runFacts(context).program.ofCluster<OsUpgradeInputs>("OsUpgrade", clusterId);
    return JSON.parse(given?.news.targets ?? "[]");
}

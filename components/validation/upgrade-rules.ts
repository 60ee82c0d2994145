import { didYouMean } from "../../provider/common/did-you-mean";
import type { HeatArgs } from "../args/infrastructure-args";
import { controlPlaneEntry, type UpgradeOrderArgs } from "../args/upgrade-args";
import type { PlainArgs } from "../common/plain-args";
import { cloudOf } from "../infrastructure/openstack/plan/cloud-args";
import { serverGroups } from "../infrastructure/openstack/plan/server-groups";
import { serverNumber } from "../infrastructure/openstack/plan/server-names";
import type { Problem, Rule } from "./rule";

const longest = 24 * 3600;

const order: Rule<PlainArgs> = args => orderProblems(args, args.kubernetes.upgrade, "kubernetes.upgrade");

/** A name that is wrong would let a worker move earlier than the program says. */
export function orderProblems(args: PlainArgs, given: UpgradeOrderArgs | undefined, place: string): Problem[] {
    const { order = [], pauseAfter, soakSeconds = 0 } = given ?? {};
    const names = isKnownIn(args);
    return [
        ...order.flatMap((name, i): Problem[] => {
            const at = `${place}.order.${i}`;
            if (order.indexOf(name) !== i) return [[at, `${name} is named twice`]];
            if (name === controlPlaneEntry) return [[at, "the control plane always moves first: leave it out"]];
            if (names === undefined || names.known.includes(name) || names.isServer(name)) return [];
            return [[at, `"${name}" is no worker and no pool${didYouMean(name, names.known)}`]];
        }),
        ...(pauseAfter === undefined || pauseAfter === controlPlaneEntry || order.includes(pauseAfter)
            ? []
            : [
                  [
                      `${place}.pauseAfter`,
                      `"${pauseAfter}" is neither "${controlPlaneEntry}" nor in order${didYouMean(pauseAfter, order)}`,
                  ] as Problem,
              ]),
        ...(Number.isInteger(soakSeconds) && soakSeconds >= 0 && soakSeconds <= longest
            ? []
            : [
                  [
                      `${place}.soakSeconds`,
                      `${soakSeconds} is not allowed: a whole number from 0 to ${longest}`,
                  ] as Problem,
              ]),
    ];
}

export const upgradeRules: Rule<PlainArgs>[] = [order];

/** Undefined: nothing says which names are right, because a template of the user's own names the nodes. */
function isKnownIn(args: PlainArgs): { known: string[]; isServer: (name: string) => boolean } | undefined {
    const { pools = {}, infrastructure, clusterName = "" } = args;
    const cloud = cloudOf(args);
    const { template } = (cloud ?? {}) as HeatArgs;
    if (template && !template.tacker) return undefined;
    const machines = Object.entries(infrastructure.hosts?.pools ?? {}).flatMap(([pool, each]) => [
        pool,
        ...Object.keys(each),
    ]);
    const groups = cloud ? serverGroups(args).filter(({ pool }) => pool !== undefined) : [];
    return {
        known: cloud ? Object.keys(pools) : machines,
        isServer: name => groups.some(({ key }) => serverNumber(name, clusterName, key) !== undefined),
    };
}

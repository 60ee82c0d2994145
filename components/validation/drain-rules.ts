import type { PlainArgs } from "../common/plain-args";
import { type ClusterRule, oneOf, type Problem } from "./rule";

const drainPolicies = ["fail", "evict", "delete"];

export const drain: ClusterRule = args => {
    const places: [string, PlainArgs["drain"]][] = [
        ["drain", args.drain],
        ...Object.entries(args.pools ?? {}).map(([pool, of]): [string, PlainArgs["drain"]] => [
            `pools.${pool}.drain`,
            of.drain,
        ]),
    ];
    return places.flatMap(([place, { policy, timeoutSeconds } = {}]): Problem[] => [
        ...(policy === undefined || drainPolicies.includes(policy)
            ? []
            : [oneOf(`${place}.policy`, policy, drainPolicies)]),
        ...(timeoutSeconds === undefined || timeoutSeconds >= 0
            ? []
            : [[`${place}.timeoutSeconds`, "must not be negative"] as Problem]),
    ]);
};

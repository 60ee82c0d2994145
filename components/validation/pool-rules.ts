import { didYouMean } from "../../provider/common/did-you-mean";
import { maxUnavailableProblem } from "../common/max-unavailable";
import { type ClusterRule, dnsLabel, dnsLabelRule, type Problem } from "./rule";

export const controlPlaneCount: ClusterRule = args => {
    if (!args.infrastructure.hosts) return [];
    const { count: given, remove } = args.controlPlane ?? {};
    const { listed, left, butRemoved } = usable(args.infrastructure.hosts.controlPlane, remove);
    const count = given ?? left;
    const place = given === undefined ? "infrastructure.hosts.controlPlane" : "controlPlane.count";
    if (![1, 3, 5].includes(count)) {
        const why = given === undefined && butRemoved !== "" ? `; it lists ${listed}${butRemoved}` : "";
        return [[place, `${count} is not allowed: 1, 3 or 5 (etcd needs a majority)${why}`]];
    }
    return count > left
        ? [[place, `${count} masters wanted, infrastructure.hosts.controlPlane lists ${listed}${butRemoved}`]]
        : [];
};

/** How many machines of a group there are, also without those that `remove` names. */
function usable(machines: object | undefined, remove: readonly string[] = []) {
    const names = Object.keys(machines ?? {});
    const left = names.filter(each => !remove.includes(each)).length;
    const butRemoved = left === names.length ? "" : `, of which remove takes ${names.length - left}`;
    return { listed: names.length, left, butRemoved };
}

export const pools: ClusterRule = args => {
    if (!args.infrastructure.hosts) return [];
    const listed = args.infrastructure.hosts?.pools ?? {};
    const known = Object.keys(args.pools ?? {});
    const strange = Object.keys(listed)
        .filter(pool => !known.includes(pool))
        .map(
            (pool): Problem => [
                `infrastructure.hosts.pools.${pool}`,
                `there is no such pool in pools${didYouMean(pool, known) || `: add it, pools: { ${keyOf(pool)}: {} }`}`,
            ],
        );
    const counts = Object.entries(args.pools ?? {}).flatMap(([pool, { count, remove }]): Problem[] => {
        const { listed: machines, left, butRemoved } = usable(listed[pool], remove);
        if (!dnsLabel.test(pool)) return [[`pools.${pool}`, dnsLabelRule]];
        if (count === undefined || (Number.isInteger(count) && count >= 0 && count <= left)) return [];
        const isCount = Number.isInteger(count) && count >= 0;
        const most = `infrastructure.hosts.pools.${pool} lists ${machines}${butRemoved}`;
        return [[`pools.${pool}.count`, `${count} is not allowed: ${isCount ? most : "a whole number of at least 0"}`]];
    });
    // A pool with `count: 0` is empty for now.
    const empty = known
        .filter(pool => !(pool in listed) && args.pools?.[pool]?.count !== 0)
        .map((pool): Problem => {
            const unused = Object.keys(listed).filter(other => !known.includes(other));
            const others = didYouMean(pool, [...unused, ...known.filter(other => other in listed)]);
            return [
                `pools.${pool}`,
                `infrastructure.hosts.pools.${pool} lists no machines${others} (count: 0 keeps an empty pool)`,
            ];
        });
    return [...strange, ...counts, ...empty];
};

/** As a program writes it. */
const keyOf = (name: string) => (/^[a-z]\w*$/.test(name) ? name : JSON.stringify(name));

export const maxUnavailable: ClusterRule = args =>
    Object.entries(args.pools ?? {}).flatMap(([pool, given]): Problem[] => {
        const problem = maxUnavailableProblem(given.maxUnavailable);
        return problem === undefined ? [] : [[`pools.${pool}.maxUnavailable`, problem]];
    });

import { didYouMean } from "../../provider/common/did-you-mean";
import type { HeatArgs } from "../args/infrastructure-args";
import type { PlainArgs } from "../common/plain-args";
import { cloudOf } from "../infrastructure/openstack/plan/cloud-args";
import { serverGroups } from "../infrastructure/openstack/plan/server-groups";
import { serverName, serverNumber } from "../infrastructure/openstack/plan/server-names";
import type { Problem, Rule } from "./rule";

/** A group of nodes that `remove` can name nodes of. */
interface Group {
    /** Place in the program: "pools.workers". */
    place: string;
    remove: readonly string[];
}

/** `controlPlane.remove` and `pools.NAME.remove`: a name that is wrong would let another node leave. */
const removed: Rule<PlainArgs> = args => [
    ...groupsOf(args).flatMap(twice),
    ...(args.infrastructure.hosts ? ofMachines(args) : []),
    ...(cloudOf(args) ? ofServers(args) : []),
];

export const removeRules: Rule<PlainArgs>[] = [removed];

function groupsOf({ controlPlane, pools }: PlainArgs): Group[] {
    return [
        { place: "controlPlane", remove: controlPlane?.remove ?? [] },
        ...Object.entries(pools ?? {}).map(([pool, { remove = [] }]) => ({ place: `pools.${pool}`, remove })),
    ];
}

function twice({ place, remove }: Group): Problem[] {
    return remove.flatMap((name, i): Problem[] =>
        remove.indexOf(name) === i ? [] : [[`${place}.remove.${i}`, `${name} is named twice`]],
    );
}

function ofMachines(args: PlainArgs): Problem[] {
    const hosts = args.infrastructure.hosts!;
    const lists = Object.fromEntries(
        groupsOf(args).map(({ place }) => {
            const machines =
                place === "controlPlane" ? hosts.controlPlane : hosts.pools?.[place.slice("pools.".length)];
            return [place, Object.keys(machines ?? {})];
        }),
    );
    return groupsOf(args).flatMap(({ place, remove }) =>
        remove.flatMap((name, i): Problem[] => {
            const own = lists[place]!;
            if (own.includes(name)) return [];
            const other = Object.keys(lists).find(each => lists[each]!.includes(name));
            const hint =
                other === undefined
                    ? didYouMean(name, own) || "; a machine that is listed no longer needs no entry here"
                    : `; it is one of infrastructure.hosts.${other}: name it in ${other}.remove`;
            return [[`${place}.remove.${i}`, `"${name}" is no machine of infrastructure.hosts.${place}${hint}`]];
        }),
    );
}

function ofServers(args: PlainArgs): Problem[] {
    const { clusterName = "" } = args;
    const groups = serverGroups(args);
    const { template } = cloudOf(args) as HeatArgs;
    // By its contract, a template may name nodes itself.
    const ownNames = template && !template.tacker ? ". A node that the template's outputs name is taken out there" : "";
    return groups.flatMap(({ path, key, remove }) =>
        remove.flatMap((name, i): Problem[] => {
            if (serverNumber(name, clusterName, key) !== undefined) return [];
            const other = groups.find(group => serverNumber(name, clusterName, group.key) !== undefined);
            const [digits] = /[1-9][0-9]*$/.exec(name) ?? [];
            const wanted =
                digits === undefined
                    ? `write it like "${serverName(clusterName, key, 2)}"`
                    : `did you mean "${serverName(clusterName, key, Number(digits))}"?`;
            const hint = other ? `it is one of ${other.path}: name it in ${other.path}.remove` : wanted;
            return [[`${path}.remove.${i}`, `"${name}" is no name of a node there; ${hint}${ownNames}`]];
        }),
    );
}

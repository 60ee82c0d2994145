import type { TackerNodeArgs, TackerTemplateArgs } from "../../../args/infrastructure-args";
import { expandOwn, type OwnTemplateAnswers } from "./contract";
import { expand } from "./expand";
import { answerPlaces } from "./nfv-names";
import { templateError } from "./places";
import type { ExpandedStack, GroupAnswers, HeatTemplateAnswers, TemplateFiles, Value } from "./types";
import { userData, type VduAnswers } from "./user-data";

/** What the program wants from a template of either kind. */
export type TemplateRequest = OwnTemplateAnswers;

/** A user's template as one flat stack: in one of Tacker's styles if `tacker` is given, else by its contract. */
export function expandTemplate(
    files: TemplateFiles,
    tacker: TackerTemplateArgs | undefined,
    request: TemplateRequest,
): ExpandedStack {
    return tacker ? expandTacker(files, tacker, request) : expandOwn(files, request);
}

function expandTacker(files: TemplateFiles, tacker: TackerTemplateArgs, request: TemplateRequest): ExpandedStack {
    const { groups, counts } = nodeGroups(files, tacker, request);
    const vdus = countedVdus(tacker, counts);
    if (request.deferredParameters?.includes("nfv")) {
        const hint = "Give it as plain text: our values are merged with it.";
        throw templateError(undefined, "the parameter nfv is not known when the program runs", hint);
    }
    const { nfv, ...parameters } = request.parameters ?? {};
    const filled = userData(tacker.userDataClass, files.hot, {
        vdus,
        connectionPoints: tacker.connectionPoints ?? {},
        additionalParams: nfv === undefined ? {} : { nfv: parsed(nfv) },
    });
    const copies = Object.entries(tacker.vdus ?? {}).flatMap(([name, { count }]) =>
        filled.indexedVdus.includes(name) && count !== undefined ? [[name, count]] : [],
    );
    const stack = expand(files, {
        ...request,
        parameters: { ...parameters, ...filled.parameters },
        indexedVdus: filled.indexedVdus,
        missingHint: filled.missingHint,
        copies: Object.fromEntries(copies),
        groups,
        ...vipAnswers(tacker),
    });
    const ofNodes = [...counts.keys()].map(name => `${answerPlaces.VDU}.${name}.count`);
    return { ...stack, unread: filled.unread.filter(place => !ofNodes.includes(place)) };
}

/** How many nodes a VDU makes, and the input that gives the number. */
type NodeCounts = Map<string, { count?: number; without?: readonly number[]; from: string }>;

/** The template's groups of nodes, and the number of nodes of each VDU. */
function nodeGroups(
    files: TemplateFiles,
    tacker: TackerTemplateArgs,
    request: TemplateRequest,
): { groups: Record<string, GroupAnswers>; counts: NodeCounts } {
    const groups: Record<string, GroupAnswers> = {};
    const counts: NodeCounts = new Map();
    const add = (
        title: string,
        args: TackerNodeArgs,
        node: Pick<GroupAnswers, "role" | "pool" | "count" | "without">,
    ): void => {
        const name = args.aspect ?? args.vdu;
        if (name === undefined) {
            throw templateError(
                files.hot.file,
                `${title}: neither aspect nor vdu is given`,
                "Name the group, or the VDU's resource.",
            );
        }
        groups[name] = { ...node, clusterCp: args.nicConnectionPoint, sshCp: args.sshConnectionPoint };
        const from = node.pool === undefined ? "controlPlane.count" : `pools.${node.pool}.count`;
        counts.set(args.vdu ?? name, { count: node.count, without: node.without, from });
    };
    const { counts: wanted, without } = request;
    const masters = { role: "controlPlane" as const, count: wanted.controlPlane, without: without?.controlPlane };
    add("masterNode", tacker.masterNode, masters);
    const pools = Object.keys({ ...request.counts.pools, ...tacker.workerNodes });
    for (const pool of pools) {
        const args = tacker.workerNodes?.[pool];
        if (!args) {
            const hint = `Add ${pool} to workerNodes, with its vdu or aspect and its connection points.`;
            throw templateError(files.hot.file, `the template's VDU of pool ${pool} is not named`, hint);
        }
        if (request.counts.pools && !Object.hasOwn(request.counts.pools, pool)) {
            throw templateError(
                files.hot.file,
                `workerNodes has a pool ${pool}, the program has none`,
                `Add pools.${pool}.`,
            );
        }
        const workers = { role: "worker" as const, pool, count: wanted.pools?.[pool], without: without?.pools?.[pool] };
        add(`workerNodes.${pool}`, args, workers);
    }
    return { groups, counts };
}

/** Settings of the VDUs, with the numbers of nodes that the program wants. */
function countedVdus(tacker: TackerTemplateArgs, counts: NodeCounts): Record<string, VduAnswers> {
    const vdus: Record<string, VduAnswers> = { ...tacker.vdus };
    for (const [name, { count, without, from }] of counts) {
        const given = vdus[name]?.count;
        if (given !== undefined) {
            throw templateError(
                undefined,
                `${answerPlaces.VDU}.${name}.count: ${given} has no meaning for the VDU of a node`,
                `Its number is ${from}.`,
            );
        }
        vdus[name] = {
            ...vdus[name],
            ...(count === undefined ? {} : { count }),
            ...(without === undefined ? {} : { without }),
        };
    }
    return vdus;
}

/** With one control-plane node, Tacker names its own port here, which is no virtual address. */
function vipAnswers(tacker: TackerTemplateArgs): Pick<HeatTemplateAnswers, "vip"> {
    const { clusterConnectionPoint: port, clusterFloatingIp: floatingIp, masterNode } = tacker;
    if (port !== undefined && port !== masterNode.nicConnectionPoint) {
        return { vip: { port, ...(floatingIp === undefined ? {} : { floatingIp }) } };
    }
    if (floatingIp === undefined) return {};
    throw templateError(
        undefined,
        `infrastructure.heat.template.tacker.clusterFloatingIp: ${floatingIp} belongs to no virtual address: ` +
            (port === undefined
                ? "clusterConnectionPoint is not given"
                : `${port} is the port of the masters themselves`),
        "Name the port of a virtual address as clusterConnectionPoint. The floating IP of a single master is its sshConnectionPoint.",
    );
}

function parsed(value: Value): Value {
    if (typeof value !== "string") return value;
    try {
        return JSON.parse(value) as Value;
    } catch {
        throw templateError(undefined, "the parameter nfv is no JSON text", "Give an object as JSON.");
    }
}

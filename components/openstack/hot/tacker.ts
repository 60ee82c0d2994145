import type { TackerNodeArgs, TackerTemplateArgs } from "../../infrastructure-args";
import { expandOwn, type OwnTemplateAnswers } from "./contract";
import { expand } from "./expand";
import { templateError } from "./places";
import type { ExpandedStack, GroupAnswers, TemplateFiles, Value } from "./types";
import { userData, type VduAnswers } from "./user-data";

/** What the program asks of a template, whichever kind it is. */
export type TemplateRequest = OwnTemplateAnswers;

/** A template of the user's as one flat stack: in one of Tacker's styles if `tacker` is given, else by its contract. */
export function expandTemplate(
    files: TemplateFiles,
    tacker: TackerTemplateArgs | undefined,
    request: TemplateRequest,
): ExpandedStack {
    return tacker ? expandTacker(files, tacker, request) : expandOwn(files, request);
}

function expandTacker(files: TemplateFiles, tacker: TackerTemplateArgs, request: TemplateRequest): ExpandedStack {
    const groups: Record<string, GroupAnswers> = {};
    const vdus: Record<string, VduAnswers> = { ...tacker.vdus };
    const add = (title: string, args: TackerNodeArgs, node: Pick<GroupAnswers, "role" | "pool" | "count">): void => {
        const name = args.aspect ?? args.vdu;
        if (name === undefined) {
            throw templateError(
                files.hot.file,
                `${title}: neither aspect nor vdu is given`,
                "Name the group, or the VDU's resource.",
            );
        }
        groups[name] = { ...node, clusterCp: args.nicConnectionPoint, sshCp: args.sshConnectionPoint };
        const vdu = args.vdu ?? name;
        vdus[vdu] = { ...vdus[vdu], ...(node.count === undefined ? {} : { count: node.count }) };
    };
    add("masterNode", tacker.masterNode, { role: "controlPlane", count: request.counts.controlPlane });
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
        add(`workerNodes.${pool}`, args, { role: "worker", pool, count: request.counts.pools?.[pool] });
    }
    const { nfv, ...parameters } = request.parameters ?? {};
    const filled = userData(tacker.userDataClass, files.hot, {
        vdus,
        connectionPoints: tacker.connectionPoints ?? {},
        additionalParams: nfv === undefined ? {} : { nfv: parsed(nfv) },
    });
    const port = vipPort(files, tacker);
    return expand(files, {
        ...request,
        parameters: { ...parameters, ...filled.parameters },
        indexedNames: filled.indexedNames,
        groups,
        ...(port === undefined
            ? {}
            : {
                  vip: {
                      port,
                      ...(tacker.clusterFloatingIp === undefined ? {} : { floatingIp: tacker.clusterFloatingIp }),
                  },
              }),
    });
}

/** With one master Tacker names the master's own port here, which is no virtual address. */
function vipPort({ hot }: TemplateFiles, tacker: TackerTemplateArgs): string | undefined {
    const name = tacker.clusterConnectionPoint;
    return name === undefined || (name === tacker.masterNode.nicConnectionPoint && !Object.hasOwn(hot.resources, name))
        ? undefined
        : name;
}

function parsed(value: Value): Value {
    if (typeof value !== "string") return value;
    try {
        return JSON.parse(value) as Value;
    } catch {
        throw templateError(undefined, "the parameter nfv is no JSON text", "Give an object as JSON.");
    }
}

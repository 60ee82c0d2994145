import { NfvError } from "../errors";
import { KubeApi, settle, settleSeconds } from "../vim";
import { handOverAnnotation, lookAtObjects, type ObjectName, ownerAnnotation } from "../vim/ownership";
import { type ClusterAccess, checkCluster } from "./check-cluster";
import type { CommonInputs, Context, ResourceType } from "./types";
import { changed } from "./values";

export interface CnfObjectsInputs extends CommonInputs {
    /** Of the network function. */
    cnf: string;
    access: ClusterAccess;
    /** On another cluster everything is made anew. */
    clusterId: string;
    /** Mark that the network function's objects carry. */
    owner: string;
    /** All that it will apply. */
    objects: ObjectName[];
    /** apiVersions of theirs that come with Kubernetes: definitions of others may be installed by the same run. */
    builtIn: string[];
}

/**
 * Stands before the objects of a network function: what is in the cluster already and carries no mark of ours is refused, at preview and
 * again at the beginning of each `up`. @pulumi/kubernetes would take it over, and delete it later.
 */
export const cnfObjects: ResourceType<CnfObjectsInputs, CnfObjectsInputs> = {
    check: (_olds, news) => ({ inputs: news }),
    checkLive: (_olds, news, context) => {
        const needs = [news.access, news.owner, news.objects];
        return checkCluster({ cnf: news.cnf, whether: "its objects are free", needs, look: () => look(news) }, context);
    },
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterId"]);
        const update = changed(olds, news, ["access", "owner", "objects", "builtIn", "cnf"]).length > 0;
        return { changes: replaces.length > 0 || update, replaces };
    },
    create: async (inputs, context) => ({ id: inputs.owner, outs: await claim(inputs, context) }),
    update: async (_id, _olds, news, context) => ({ outs: await claim(news, context) }),
    read: async (id, state) => ({ id, props: state }),
    delete: async () => {},
};

async function claim(inputs: CnfObjectsInputs, context: Context): Promise<CnfObjectsInputs> {
    context.report("look whether the objects are free");
    const problems = await settle(settleSeconds, () => look(inputs));
    if (problems !== undefined) throw problems;
    return inputs;
}

async function look({ cnf, access, owner, objects, builtIn }: CnfObjectsInputs): Promise<NfvError | undefined> {
    const { notServed, others } = await lookAtObjects(new KubeApi(access, access.auth), objects, owner, cnf);
    const node = `Cnf "${cnf}"`;
    const missing = notServed.filter(version => builtIn.includes(version));
    if (missing.length > 0) {
        const users = (version: string) =>
            objects.filter(({ apiVersion }) => apiVersion === version).map(({ kind, name }) => `${kind}/${name}`);
        return new NfvError({
            code: "INVALID_INPUT",
            node,
            cause: missing.map(v => `${access.endpoint} does not have ${v} (${users(v).join(", ")})`).join("\n"),
            hint: "kubectl api-versions lists what it has.",
        });
    }
    return others.length === 0 ? undefined : notOurs(node, cnf, owner, others);
}

function notOurs(node: string, cnf: string, owner: string, others: { object: ObjectName; owner?: string }[]): NfvError {
    const lines = others.map(({ object: { kind, namespace, name }, owner: other }) => {
        const who = other === undefined ? "not made by pulumi-nfv" : `made by ${other}`;
        return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name} exists already: ${who}`;
    });
    return new NfvError({
        code: "NOT_OURS",
        node,
        cause: lines.sort().join("\n"),
        hint:
            `Delete them, give yours other names, or hand them over: kubectl annotate KIND NAME ${handOverAnnotation}=${cnf}. ` +
            "If this Cnf had another name before, give it that name as an alias. " +
            `If somebody only removed the mark: kubectl annotate KIND NAME ${ownerAnnotation}=${owner}.`,
    });
}

import { graceEnd, isGraceOver } from "../../common/grace";
import type { Authorities, Role } from "../../common/model";
import { namesGivenUp } from "../../contract/give-up";
import { hasUnknown } from "../../contract/values";
import { type Bridges, newKubeletClient } from "../../identity";
import { nodesThatWait } from "../../member/joins-later";
import {
    inputsForWord,
    isNewKey,
    isRotatedFirst,
    keyNameOf,
    ofEachRotation,
    type RotationOfProgram,
    type StoredRotation,
} from "../key-rotation";
import { type Away, nodesAway, whyNotWithout } from "../nodes-away";
import { addressOf, type Reached, reachPeers } from "../reached";
import { nodeLines, type RunOfRequest, requestResource } from "../request-resource";
import { type AskedKey, checkedBeforehand, lookAt } from "../rotation-on-nodes";
import { type Looked, whyNotRotate } from "../rotation-state";
import { carryOut, type Stage } from "../stages";
import {
    type AuthorityStageSpec,
    authorities,
    authoritiesStateArgv,
    authoritiesStateScript,
    authorityStages,
    hasBegunToTrust,
    isIssue,
} from "./authority-acts";

/** `key`, `madeFor`, `peers`, `workers` and `unended` are not stored. */
export interface AuthorityRotationInputs extends StoredInputs, RotationOfProgram<NewAuthorities> {
    /** Secret: the workers, JSON of Peer[]. */
    workers: string;
    /** The word of authorities that the nodes may not have yet, as the state says at the start of the run; "": there are none. */
    unended: string;
}

interface NewAuthorities {
    authorities: Omit<Authorities, "caKey">;
    bridges: Bridges;
}

interface StoredInputs extends StoredRotation {
    /** How long certificates of the former authority stay valid. */
    graceHours: number;
    /** Shown at preview: when the nodes change. */
    when: string;
}

export interface AuthorityRotationState extends StoredInputs {
    /** The word for which there are authorities. */
    rotated: string;
    /** Name of these authorities; "": those with which the cluster was made. */
    keyName: string;
    /** Since when users may have the new ones, ISO 8601; "": they always had. */
    since: string;
    /** The nodes trust no other ones. */
    ended: boolean;
}

const asked: AskedKey = {
    ...authorities,
    look: "look at the authorities",
    script: authoritiesStateScript,
    argv: authoritiesStateArgv,
};

const underWay: AskedKey = {
    ...asked,
    healing: `Mend it, or heal it with ${asked.input} left in the program: that run goes on without it, and the next one lets it join.`,
};

/**
 * The cluster's authorities are those that ClusterKeys has. From a new word on, users get the new ones beside the former one; the first run after `graceHours`
 * exchanges them on the nodes. After all Nodes: one that is dead is healed first.
 */
export const authorityRotation = requestResource<AuthorityRotationInputs, AuthorityRotationState>({
    type: "AuthorityRotation",
    name: "authority-rotation",
    id: ofEachRotation.id,
    ofRun: [...ofEachRotation.ofRun, "unended"],
    ...checkedBeforehand<AuthorityRotationInputs, never>(
        asked,
        (states, { word, madeFor, key }) =>
            !hasUnknown([madeFor, key]) && madeFor === word && hasBegunToTrust(states, keyNameOf(key)),
    ),
    refuse: tooEarly,
    lineOfFirst: news => (isRotatedFirst(news) ? lineOf(news, news.graceHours === 0) : undefined),
    due: (olds, news, program) => {
        const isNew = isNewKey(olds, news, program);
        const isNow = isNew ? news.graceHours === 0 : isGraceOver(olds, news.graceHours);
        return isNew || isNow ? lineOf(news, isNow) : undefined;
    },
    carryOut: rotate,
});

const lineOf = ({ nodes, graceHours }: StoredInputs, isNow: boolean) => (isNow ? nodeLines(nodes) : later(graceHours));

const later = (graceHours: number) =>
    `the kubeconfig and the Vim get the new authority beside the former one; the first pulumi up after ${graceHours} hours exchanges it on the nodes`;

/** The nodes need a bridge from the authorities that they have. */
function tooEarly({ unended, word }: AuthorityRotationInputs) {
    if (unended === "" || unended === word) return [];
    const reason = `"${word}" comes before the rotation of "${unended}" has ended on the nodes: put "${unended}" back until it has; with rotate.authoritiesGraceHours 0 the next run ends it`;
    return [{ property: "word", reason }];
}

async function rotate(
    stored: StoredInputs,
    { olds, program: ofProgram, context }: RunOfRequest<AuthorityRotationInputs, AuthorityRotationState>,
): Promise<AuthorityRotationState> {
    const { clusterId, word, graceHours } = stored;
    const program = inputsForWord(asked, stored, ofProgram);
    const name = keyNameOf(program.key);
    const common = { ...stored, rotated: word, keyName: name };
    if (name === "") return { ...common, since: "", ended: true };
    context.report("look at the authorities of the control-plane nodes");
    const masters = reachPeers(program.peers, context);
    const looked = await lookAt(asked, masters, "up");
    const states = looked.flatMap(({ state }) => (state?.member === clusterId ? [state] : []));
    const hasBegun = hasBegunToTrust(states, name);
    const away = awayFrom(looked, masters, clusterId, hasBegun);
    if (away.needed.length > 0 && states.some(({ keys }) => !keys.includes(name))) throw whyNotWithout(away, clusterId);
    const since = olds?.keyName === name ? olds.since : new Date().toISOString();
    const outs = { ...common, since, ended: false };
    if (!hasBegun && !isGraceOver(outs, graceHours)) {
        const end = graceEnd(since, graceHours);
        context.note(
            `the nodes keep the former authorities until ${end}; the first pulumi up after that exchanges them`,
        );
        return outs;
    }
    const there = masters.filter(each => !away.masters.includes(each.name));
    const waiting = nodesThatWait(context, clusterId);
    const workers = reachPeers(program.workers, context).filter(each => !waiting.includes(each.name));
    const specOf = specsOf(program, away.needed.length > 0 ? [] : away.members);
    const targets = { controlPlane: there, workers, specOf };
    const unreached = await carryOut(authorityStages(hasBegun), targets, { clusterId, context });
    const left = [...away.masters, ...unreached.map(({ name: node }) => node)].filter(each => !waiting.includes(each));
    if (left.length > 0)
        context.warn(
            `${left.join(", ")} did not answer or are no members, and have no new authorities: start or heal them, then run pulumi up again`,
        );
    return { ...outs, ended: left.length + waiting.length === 0 };
}

/**
 * While all nodes trust the former authorities, all must answer. Where one trusts the new ones already, the rest follows: a node that is away goes on by bridges
 * when it is back, and one that is healed gets the new ones.
 */
function awayFrom(looked: readonly Looked[], masters: readonly Reached[], clusterId: string, hasBegun: boolean): Away {
    const unreachable = looked.find(each => each.unreachable !== undefined)?.unreachable;
    if (unreachable !== undefined && !hasBegun) throw unreachable;
    const known = masters.map(each => ({ name: each.name, address: addressOf(each) }));
    const away = nodesAway({ clusterId, masters: known, looked, givenUp: namesGivenUp(clusterId) });
    const borne = hasBegun ? away : { masters: [], members: [], needed: [] };
    const states = looked.flatMap(({ node, state }) => (state && !borne.masters.includes(node) ? [state] : []));
    const refusal = whyNotRotate(hasBegun ? underWay : asked, states, clusterId, borne.members);
    if (refusal !== undefined) throw refusal;
    return borne;
}

/** `away`: members of etcd that need not be healthy. */
function specsOf(program: AuthorityRotationInputs, away: readonly string[]) {
    const { key } = program;
    const all = filesOf(program);
    // A worker gets no private key of an authority.
    const ofWorker = linesOf({ "ca.crt": all["ca.crt"], "ca.bridge": all["ca.bridge"] });
    const files = { controlPlane: linesOf(all), worker: ofWorker };
    const ca = { certificate: key.authorities.caCertificate, key: key.secret };
    return async (node: Reached, role: Role, stage: Stage<AuthorityStageSpec>): Promise<AuthorityStageSpec> => ({
        ...{ role, address: addressOf(node), away, name: keyNameOf(key), authorities: files[role] },
        kubelet: isIssue(stage) ? await newKubeletClient(ca, key.bridges.ca, node.name) : "",
    });
}

/** By path below kubeadm's folder of keys. */
function filesOf({ key }: AuthorityRotationInputs) {
    const { authorities: made, bridges } = key;
    return {
        "ca.crt": made.caCertificate,
        "ca.key": key.secret,
        "ca.bridge": bridges.ca,
        "etcd/ca.crt": made.etcdCaCertificate,
        "etcd/ca.key": made.etcdCaKey,
        "etcd/ca.bridge": bridges.etcdCa,
        "front-proxy-ca.crt": made.frontProxyCaCertificate,
        "front-proxy-ca.key": made.frontProxyCaKey,
        "front-proxy-ca.bridge": bridges.frontProxyCa,
    };
}

function linesOf(files: Record<string, string>): string {
    return Object.entries(files)
        .map(([path, content]) => `${path} ${Buffer.from(content).toString("base64")}\n`)
        .join("");
}

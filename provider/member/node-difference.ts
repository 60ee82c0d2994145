import type { Diff } from "../contract/types";
import { changed, same } from "../contract/values";
import { driftChanges, driftNote, withNote } from "../machine/drift";
import { givesOtherHostKey, isLeftUndone, type Peer } from "../machine/machine";
import { areDone, loginOf } from "../machine/stored-machine";
import { isHealed, isHealWithdrawn } from "../operation/heals";
import { machineDiff } from "../operation/wishes";
import { renewalDue } from "./node-certificates";
import type { NodeInputs, NodeState } from "./node-state";
import { refuseUpgrade } from "./upgrade/upgrade";
import { heldNotes, releasedNote } from "./upgrade/upgrade-preview";
import { asHeld, isHeld } from "./upgrade/upgrade-turn";

/** If one of these changes, it is another node. */
const identity = ["spec.clusterId", "spec.name", "spec.role", "spec.address"];

/** What a node needs; `replaces`: it leaves, and joins again. @throws INVALID_INPUT for a version to which no member can go */
export function differenceOf(olds: NodeState, wanted: NodeInputs): Diff {
    refuseUpgrade(olds, wanted);
    const news = asHeld(olds, wanted);
    const replaces = [
        ...changed(olds, news, identity),
        ...(hostChanged(olds, news) ? ["hostId"] : []),
        ...(isHealed(olds, news) ? ["heal"] : []),
    ];
    const due = renewalDue(olds, news.spec);
    const update =
        due !== undefined ||
        !areDone(news.steps, olds.done) ||
        isLeftUndone(olds) ||
        isHealWithdrawn(olds, news) ||
        // not part of a step: the deletion reads it from the state
        !same(olds.spec.drain, news.spec.drain) ||
        givesOtherHostKey(olds, news) ||
        loginOf(olds) !== loginOf(news) ||
        !same(places(olds.controlPlane), places(news.controlPlane)) ||
        driftChanges(olds, news);
    const { name } = news.spec;
    const waits = isHeld(olds, wanted);
    const diff = withNote(machineDiff(olds, news, { replaces, update, waits }), driftNote(name, olds, news));
    const renews = due !== undefined && replaces.length === 0;
    const ofVersion = waits ? heldNotes(olds, wanted) : releasedNote(olds, news);
    const notes = [...ofVersion, ...(renews ? [`${name}: renew certificates: ${due}`] : [])];
    return withNote(diff, notes.length > 0 ? notes.join("; ") : undefined);
}

/** Undefined at preview while the Host will be replaced. */
function hostChanged(olds: NodeState, news: NodeInputs): boolean {
    return olds.hostId !== undefined && news.hostId !== undefined && olds.hostId !== news.hostId;
}

/** Control-plane nodes by name and host: other credentials do not make it another node. */
function places(peers: Peer[] | string) {
    return Array.isArray(peers) ? peers.map(({ name, connection }) => ({ name, host: connection.host })) : peers;
}

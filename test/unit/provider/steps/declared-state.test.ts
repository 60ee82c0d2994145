import assert from "node:assert/strict";
import { fingerprint } from "../../../../provider/steps/fingerprint";
import type { StepBody } from "../../../../provider/steps/types";
import { variedBodies } from "./varied-bodies";

/** Id of a step that may change its actions under the same fingerprint → the reason. */
const onPurpose: Record<string, string> = {
    "host.virtual-address-free": "a new master must not make all others look again",
    "host.virtual-router-id": "a new master must not make all others listen again",
    "node.keys": "after a rotation a node keeps the service-account keys that it has; no rotation changes a step",
    "node.api-server-files":
        "after a rotation a node keeps the encryption settings that it has; no rotation changes a step",
    "node.certificates": "a due certificate makes the Node forget the step; a threshold changes nothing on nodes",
    "cluster.join": "init or join is decided by what lives already; settings have steps of their own",
    "cluster.nodes-ready": "a time limit changes nothing on nodes",
    "cluster.coredns": "a time limit changes nothing on nodes",
    "storage.announced":
        "it matters only before the first start of the server: later exports and clients have their own step and resources",
};

/** Everything that a step does on a machine. */
const whatItDoes = (scripts: string, { target, preparation, env, files, uploads, secrets }: StepBody) =>
    scripts +
    JSON.stringify({
        target,
        preparation: { ...preparation, run: undefined },
        env,
        files,
        uploads: uploads?.map(({ path, sha256, mode }) => ({ path, sha256, mode })),
        secrets,
    });

const scriptsOf = ({ run, probe, preparation }: StepBody) =>
    [run, probe, preparation?.run].map(text => (text === undefined ? "\0none\0" : `\0${text}\0`)).join("");

/** For each step: fingerprint → the actions seen under it. */
class Seen {
    readonly steps = new Map<string, Map<string, Set<string>>>();

    add(id: string, print: string, action: string): void {
        const ofStep = this.steps.get(id) ?? new Map<string, Set<string>>();
        this.steps.set(id, ofStep);
        const actions = ofStep.get(print);
        if (actions) actions.add(action);
        else ofStep.set(print, new Set([action]));
    }

    /** Ids of steps that had two different actions under one fingerprint. */
    ambiguous(): string[] {
        return [...this.steps]
            .filter(([, prints]) => [...prints.values()].some(({ size }) => size > 1))
            .map(([id]) => id);
    }
}

describe("the declared state of each step", function () {
    this.timeout("15m");
    const [actions, scripts] = [new Seen(), new Seen()];

    before(async () => {
        for (const body of await variedBodies()) {
            const print = fingerprint(body, "key");
            const ofBody = scriptsOf(body);
            scripts.add(body.id, print, ofBody);
            actions.add(body.id, print, whatItDoes(ofBody, body));
        }
    });

    it("differs wherever scripts, values or files differ that come from an input, or it is said why not", () => {
        assert.ok(actions.steps.size > 30);
        assert.deepEqual(actions.ambiguous().sort(), Object.keys(onPurpose).sort());
    });

    it("differs wherever a script is another one, but for init and join, and for settings that a rotation changes", () => {
        assert.deepEqual(scripts.ambiguous(), ["node.keys", "node.api-server-files", "cluster.join"]);
    });
});

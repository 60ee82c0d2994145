import assert from "node:assert/strict";
import { fingerprint } from "../../../../provider/steps/fingerprint";
import type { StepBody } from "../../../../provider/steps/types";
import { plannedCluster } from "../../components/planned-cluster";
import { triedChanges } from "../../components/schema/tried-changes";
import { stepLists } from "./step-lists";

/** Id of a step that may do something else under the same fingerprint → why this is right. */
const onPurpose: Record<string, string> = {
    "host.virtual-address-free": "a new master must not make all others look again",
    "cluster.join": "init or join is decided by what lives already; settings have steps of their own",
    "cluster.nodes-ready": "a time limit changes nothing on nodes",
    "cluster.coredns": "a time limit changes nothing on nodes",
};

/** All that a step does on a machine. */
const whatItDoes = ({ run, probe, onControlPlane, env, files, uploads, secrets }: StepBody) =>
    JSON.stringify({
        run,
        probe,
        onControlPlane,
        env,
        files,
        uploads: uploads?.map(({ path, sha256, mode }) => ({ path, sha256, mode })),
        secrets,
    });

const scriptsOf = ({ run, probe, onControlPlane }: StepBody) => JSON.stringify({ run, probe, onControlPlane });

/** The same data with one of its leaves changed, for each leaf. */
function* withEachLeafChanged(value: unknown): Generator<unknown> {
    if (typeof value === "string") yield* [`${value}9`, ""];
    else if (typeof value === "number") yield value + 1;
    else if (typeof value === "boolean") yield !value;
    else if (Array.isArray(value)) {
        if (value.length > 0) yield value.slice(1);
        for (const [i, each] of value.entries()) {
            for (const changed of withEachLeafChanged(each)) yield value.map((old, at) => (at === i ? changed : old));
        }
    } else if (value !== null && typeof value === "object") {
        for (const [key, each] of Object.entries(value)) {
            for (const changed of withEachLeafChanged(each)) yield { ...value, [key]: changed };
            const { [key]: _, ...others } = value as Record<string, unknown>;
            yield others;
        }
    }
}

/** Of each step: fingerprint → what was seen under it. */
class Seen {
    readonly steps = new Map<string, Map<string, Set<string>>>();

    constructor(private readonly what: (body: StepBody) => string) {}

    add(body: StepBody): void {
        const ofStep = this.steps.get(body.id) ?? new Map<string, Set<string>>();
        this.steps.set(body.id, ofStep);
        const print = fingerprint(body, "key");
        ofStep.set(print, (ofStep.get(print) ?? new Set()).add(this.what(body)));
    }

    /** Ids of steps that showed two different things under one fingerprint. */
    ambiguous(): string[] {
        return [...this.steps]
            .filter(([, prints]) => [...prints.values()].some(({ size }) => size > 1))
            .map(([id]) => id);
    }
}

/** A spec that no validation lets through may make a factory fail; that is none of this test's business. */
function bodiesOrNone(make: () => StepBody[]): StepBody[] {
    try {
        return make();
    } catch {
        return [];
    }
}

async function seenIn(what: (body: StepBody) => string): Promise<Seen> {
    const seen = new Seen(what);
    for (const { specs, bodiesOf } of Object.values(await stepLists())) {
        for (const spec of specs) {
            for (const body of bodiesOf(spec)) seen.add(body);
            for (const changed of withEachLeafChanged(spec)) {
                for (const body of bodiesOrNone(() => bodiesOf(changed))) seen.add(body);
            }
        }
    }
    for (const { before, after } of Object.values(triedChanges)) {
        for (const args of [before, after]) {
            for (const { step } of plannedCluster(args).steps) seen.add(step);
        }
    }
    return seen;
}

describe("the declared state of each step", function () {
    this.timeout("2m");

    it("differs wherever scripts, values or files differ that come from an input, or it is said why not", async () => {
        const seen = await seenIn(whatItDoes);
        assert.ok(seen.steps.size > 30);
        assert.deepEqual(seen.ambiguous().sort(), Object.keys(onPurpose).sort());
    });

    it("differs wherever a script is another one, but for init and join", async () => {
        assert.deepEqual((await seenIn(scriptsOf)).ambiguous(), ["cluster.join"]);
    });
});

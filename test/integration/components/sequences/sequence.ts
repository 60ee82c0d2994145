import { readyPatience } from "../../../../provider/machine/another-machine";
import { patience } from "../../../../provider/machine/control-plane-ready";
import { realClock } from "../../../../provider/steps";
import { newKeyPair } from "../../../../testing/keys";
import { type Fault, nextFault, nextProgram } from "./choices";
import { argumentsOf, firstProgram, machines, nodesOf, type Program } from "./program";
import { Random } from "./random";
import { broken } from "./rules";
import { type Outcome, Site } from "./site";

/** A second of the product's patience passes in 20 ms. */
const factor = 50;

/** How often `up` may run until it ends well, without further faults. */
const tries = 3;

export interface Told {
    seed: number;
    /** What was done, for a person. */
    story: string[];
    /** Undefined: no rule was broken. */
    broken?: string[];
}

/** Makes waiting short. */
export function hurry(): void {
    const start = performance.now();
    const { sleep } = realClock;
    realClock.now = () => (start + (performance.now() - start) * factor) / 1000;
    realClock.sleep = (seconds, signal) => sleep(seconds / factor, signal);
    patience.seconds = 0;
    readyPatience.seconds = 0;
}

export interface Length {
    operations: number;
    /** Whether the cluster is destroyed in the end. That asks an API that nobody serves for ten seconds. */
    ends: boolean;
}

/** One cluster from its first run on, with what goes wrong in between. */
export async function playSequence(seed: number, { operations, ends }: Length): Promise<Told> {
    const random = new Random(seed);
    const site = await Site.open(machines);
    const privateKey = newKeyPair().private;
    const story: string[] = [];
    let before: Program = { ...firstProgram, masters: random.of([1, 3]), workers: random.of([1, 2]) };

    const up = async (program: Program, fault?: Fault): Promise<Outcome> => {
        const { world } = site;
        world.wanted = { nodes: nodesOf(program) };
        world.joined = [];
        world.left = [];

        const end = begin(site, fault);
        const outcome = await site.up(argumentsOf(program, privateKey));
        end();
        const how = outcome.error === undefined ? "ended well" : `failed: ${outcome.error.message}`;
        story.push(
            `up ${JSON.stringify(program)}${fault ? ` with ${JSON.stringify(fault)}` : ""}: ${outcome.operation ?? "no operation"}; ${how}`,
        );
        return outcome;
    };
    const isBroken = () => site.world.broken.length > 0;
    /** Until it ends well; then a further run changes nothing. */
    const settle = async (program: Program) => {
        for (let n = 1; ; n++) {
            const { error } = await up(program);
            if (isBroken()) return;
            if (error === undefined) break;
            if (n === tries) return void site.world.broken.push(`does not end well: ${error.message}`);
        }
        await stands(program);
    };
    const stands = async (program: Program) => {
        site.world.broken.push(...broken.left(site, program));
        const { changed, error } = await up(program);
        if (error !== undefined || changed.length > 0)
            site.world.broken.push(`a further run changes something: ${error?.message ?? changed}`);
    };

    try {
        await settle(before);
        for (let n = 0; n < operations && !isBroken(); n++) {
            const after = nextProgram(before, random);
            const fault = nextFault(before, after, random);
            const outcome = await up(after, fault);
            if (isBroken()) break;
            if (outcome.error === undefined) {
                if (fault === undefined) site.world.broken.push(...broken.operation(site, before, after, outcome));
                await stands(after);
                before = after;
            } else {
                if (fault === undefined) {
                    site.world.broken.push(`fails without a fault: ${outcome.error.message}`);
                    break;
                }
                const goes = random.isTrue(0.35) ? before : after;
                await settle(goes);
                before = goes;
            }
        }
        if (!isBroken() && ends) {
            site.world.wanted = { nodes: {}, ends: true };
            const { error } = await site.destroy();
            story.push(`destroy: ${error?.message ?? "ended well"}`);
            site.world.broken.push(...(error ? [`destroy fails: ${error.message}`] : broken.destroyed(site)));
        }
    } finally {
        await site.close();
    }
    const { broken: found, log } = site.world;
    return {
        seed,
        story: found.length > 0 ? [...story, ...log.slice(-60)] : story,
        ...(found.length > 0 && { broken: found }),
    };
}

/** Lets it go wrong; returns what ends that. */
function begin(site: Site, fault: Fault | undefined): () => void {
    const { world, fleet } = site;
    const after = (count: number, act: () => void) => {
        let seen = 0;
        world.onEvent = () => {
            if (seen++ === count) act();
        };
    };
    switch (fault?.kind) {
        case "step":
            fleet.node(fault.machine).agent.failStep(fault.step);
            break;
        case "act":
            world.failing.set(fault.act, fault.effect);
            break;
        case "away":
            // Not in the middle of the fake agent's own work.
            after(fault.after, () => setImmediate(() => site.turnOff(fault.machine)));
            break;
        case "kill":
            after(fault.after, () => site.kill());
            break;
    }
    return () => {
        world.onEvent = () => {};
        world.failing.clear();
        if (fault?.kind === "away") site.turnOn(fault.machine);
        if (fault?.kind === "step") fleet.node(fault.machine).agent["failures"].clear();
    };
}

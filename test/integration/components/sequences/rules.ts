import { nodesOf, type Program } from "./program";
import type { Outcome, Site } from "./site";
import { isMaster } from "./world";

/** What a run that ended well must have left behind. Each returns what is not so, in words. */
export const broken = {
    /** The nodes of the program are there, and nothing of another one. */
    left({ world, engine, unknown }: Site, program: Program): string[] {
        const nodes = nodesOf(program);
        const found: string[] = [];
        const used = new Set(Object.values(nodes));
        const members = [...world.members.values()];
        for (const [name, on] of Object.entries(nodes)) {
            const object = world.objects.get(name);
            if (object?.machine !== on) found.push(`${name} is not a node on ${on}`);
            if (object?.cordoned) found.push(`${name} is cordoned`);
            if (!world.machines.get(on)!.member) found.push(`${on} is no member`);
            if (isMaster(name) && !members.some(each => each.name === name && each.machine === on))
                found.push(`${name} is not in etcd`);
        }
        for (const name of world.objects.keys()) if (!(name in nodes)) found.push(`${name} is a node still`);
        for (const { name, machine } of members)
            if (nodes[name] !== machine) found.push(`etcd has ${name} on ${machine} still`);
        for (const [machine, { member, etcd, fake }] of world.machines) {
            if (used.has(machine)) continue;
            const steps = Object.keys(fake.agent.journal);
            const isTouched = steps.length > 0 || fake.agent.belongsTo !== undefined;
            if (member || etcd || (isTouched && !unknown.has(machine)))
                found.push(`${machine} is not as it was: ${steps}`);
        }
        const names = Object.keys(nodes).sort();
        for (const type of ["Host", "Node"]) {
            const stored = [...engine.state.values()].filter(each => each.type === type);
            const inState = stored.map(({ urn }) => urn.split("::core-").at(-1)!).sort();
            if (`${inState}` !== `${names}`) found.push(`the state has the ${type}s ${inState}, the program ${names}`);
        }
        return found;
    },

    /** The line that names the operation is what happened. */
    operation({ world }: Site, before: Program, after: Program, { operation = "" }: Outcome): string[] {
        const [was, is] = [nodesOf(before), nodesOf(after)];
        const added = Object.keys(is).filter(name => !(name in was));
        const removed = Object.keys(was).filter(name => !(name in is));
        const replaced = Object.keys(is).filter(name => name in was && was[name] !== is[name]);
        const named = (kind: RegExp) =>
            operation
                .split("; ")
                .filter(part => kind.test(part))
                .flatMap(part => [...part.matchAll(/\b[mw]\d\b/g)].map(([name]) => name));
        const found: string[] = [];
        const same = (what: string, one: readonly string[], other: readonly string[]) => {
            if (`${[...one].sort()}` !== `${[...other].sort()}`)
                found.push(`${what}: ${one} is not ${other} ("${operation}")`);
        };
        same("the line says who joins", named(/^scale out/), added);
        same("the line says who leaves", named(/^scale in/), removed);
        same("the line says who gets another machine", named(/^heal/), replaced);
        same("these joined", world.joined, [...added, ...replaced]);
        same("these left", world.left, [...removed, ...replaced]);
        // A pool's settings count while it has nodes.
        const hasPool = before.workers > 0 && after.workers > 0;
        const settings = ["kubelet", "apiServer", ...(hasPool ? (["labels"] as const) : [])] as const;
        const isChanged = settings.some(name => before[name] !== after[name]);
        if (isChanged !== /modify information/.test(operation))
            found.push(`the line says whether a setting changed: "${operation}"`);
        return found;
    },

    destroyed({ world, engine, unknown }: Site): string[] {
        const left = [...world.machines].filter(([name, { member, etcd, fake }]) => {
            const { journal, belongsTo } = fake.agent;
            const isTouched = belongsTo !== undefined || Object.keys(journal).length > 0;
            return member || etcd || (isTouched && !unknown.has(name));
        });
        return [
            ...left.map(([name]) => `${name} is not as it was`),
            ...[...engine.state.keys()].map(urn => `${urn} is in the state`),
        ];
    },
};

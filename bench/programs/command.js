"use strict";
// The same steps as command.remote.Command: a chain on each machine, edges between machines where the cluster needs them.
const { readFileSync } = require("node:fs");
const { remote } = require("@pulumi/command");

const { machines } = JSON.parse(readFileSync("args.json", "utf8"));

/** One step after another; the first after `after`. Gives back the last. */
const chain = ({ name, connection }, steps, after) =>
    steps.reduce(
        (before, step) => [new remote.Command(`${name}-${step}`, { connection, create: `nfv-step ${step}` }, { dependsOn: before })],
        after,
    );

const masters = [];
const prepared = new Map(machines.map(machine => [machine.name, chain(machine, machine.host, [])]));
for (const machine of machines.filter(({ master }) => master)) {
    masters.push(...chain(machine, machine.node, [...prepared.get(machine.name), ...masters.slice(-1)]));
}
const [first] = machines;
const network = chain(first, first.network, masters.slice(0, 1));
const workers = machines
    .filter(({ master }) => !master)
    .flatMap(machine => chain(machine, machine.node, [...prepared.get(machine.name), ...masters]));
chain(first, first.end, [...masters, ...workers, ...network]);

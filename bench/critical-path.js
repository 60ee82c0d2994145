"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.criticalPath = criticalPath;
exports.oneAfterAnother = oneAfterAnother;
/**
 * The time that the edges of the design allow at best: hosts all at once, masters one after another, workers together after the
 * masters, the pod network after the first master, the end after everything.
 */
function criticalPath({ machines, network, end }, seconds) {
    const sum = (machine, steps) => steps.reduce((total, step) => total + seconds(machine.name, step), 0);
    const [first] = machines;
    let masters = 0;
    let networkReady = 0;
    for (const machine of machines.filter(({ master }) => master)) {
        masters = Math.max(masters, sum(machine, machine.host)) + sum(machine, machine.node);
        networkReady ||= masters + sum(first, network);
    }
    const workers = machines
        .filter(({ master }) => !master)
        .map(machine => Math.max(masters, sum(machine, machine.host)) + sum(machine, machine.node));
    return Math.max(masters, networkReady, ...workers) + sum(first, end);
}
/** The same steps with nothing at the same time. */
function oneAfterAnother({ machines, network, end }, seconds) {
    const own = machines.flatMap(({ name, host, node }) => [...host, ...node].map(step => seconds(name, step)));
    const wide = [...network, ...end].map(step => seconds(machines[0].name, step));
    return [...own, ...wide].reduce((total, each) => total + each, 0);
}
//# sourceMappingURL=critical-path.js.map
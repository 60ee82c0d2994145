/**
 * A fake fleet as a separate process, for tests whose engine runs elsewhere (pulumi up).
 *
 *   fleet-process --nodes 3|NAME,NAME [--options FILE] [--events FILE] [--time-scale X] [--stay]
 *
 * When all servers listen, it prints one line of JSON, { pid, nodes: { NAME: SshTarget } }; then it appends each event to FILE as a
 * line of JSON. FILE of --options contains FleetOptions as JSON. Standard input takes commands, one per line:
 * `cut NODE`, `off NODE`, `on NODE`, `rekey NODE`, `fail NODE STEP [TIMES]`. It ends when standard input ends (not with --stay) or at SIGTERM.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import type { FleetOptions } from "./fake-fleet";
import { FakeFleet } from "./fake-fleet";
import type { FakeNode } from "./fake-node";

const orders: Record<string, (node: FakeNode, args: string[]) => unknown> = {
    cut: node => node.cut(),
    off: node => node.powerOff(),
    on: node => node.powerOn(),
    rekey: node => node.changeHostKey(),
    fail: (node, [step, times]) => node.agent.failStep(step, Number(times ?? 1)),
};

async function main(): Promise<void> {
    const { values } = parseArgs({
        options: {
            nodes: { type: "string" },
            options: { type: "string" },
            events: { type: "string" },
            "time-scale": { type: "string" },
            stay: { type: "boolean", default: false },
        },
    });
    const given: Partial<FleetOptions> =
        values.options === undefined ? {} : JSON.parse(readFileSync(values.options, "utf8"));
    const { nodes, events } = values;
    const named = nodes === undefined || /^\d+$/.test(nodes) ? undefined : nodes.split(",");
    const fleet = await FakeFleet.start({
        ...given,
        nodes: named ?? (nodes === undefined ? (given.nodes ?? 1) : Number(nodes)),
        ...(values["time-scale"] === undefined ? {} : { timeScale: Number(values["time-scale"]) }),
        onEvent: event => events && appendFileSync(events, `${JSON.stringify(event)}\n`),
    });
    const targets = [...fleet.nodes.keys()].map(name => [name, fleet.target(name)]);
    process.stdout.write(`${JSON.stringify({ pid: process.pid, nodes: Object.fromEntries(targets) })}\n`);

    const end = () => void fleet.stop().then(() => process.exit(0));
    process.once("SIGTERM", end);
    process.once("SIGINT", end);
    const lines = createInterface({ input: process.stdin });
    lines.on("line", line => {
        const [order, node, ...args] = line.trim().split(/\s+/);
        void Promise.resolve()
            .then(() => orders[order](fleet.node(node), args))
            .catch(error => process.stderr.write(`${line}: ${(error as Error).message}\n`));
    });
    lines.on("close", () => values.stay || end());
}

void main();

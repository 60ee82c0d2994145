import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { checkBench } from "./check/bench";
import { clusterBench } from "./cluster/bench";
import { recordBench } from "./cluster/record";
import { clusterApiBench } from "./cluster-api/bench";
import { fleetBench } from "./fleet/bench";
import { renderReport } from "./harness";
import { healBench } from "./heal/bench";
import { openstackBench } from "./openstack/bench";
import { pageBench } from "./page/bench";
import { previewBench } from "./preview/bench";
import { scaleBench } from "./scale/bench";
import { sshBench } from "./ssh/bench";
import { storageBench } from "./storage/bench";
import { type Bench, wholeNumber } from "./types";
import { upgradeBench } from "./upgrade/bench";
import { recordUpgradeBench } from "./upgrade/record";

const benches: Record<string, Bench> = {
    ssh: sshBench,
    preview: previewBench,
    cluster: clusterBench,
    scale: scaleBench,
    "cluster-api": clusterApiBench,
    openstack: openstackBench,
    fleet: fleetBench,
    storage: storageBench,
    heal: healBench,
    check: checkBench,
    page: pageBench,
    upgrade: upgradeBench,
    record: recordBench,
    "record-upgrade": recordUpgradeBench,
};

function help(): string {
    const lines = Object.entries(benches).flatMap(([name, bench]) => [
        `  ${name.padEnd(16)}${bench.about} (n = ${bench.rounds})`,
        ...Object.entries(bench.options).map(
            ([option, { about, default: value }]) =>
                `                  ${`--${option} …`.padEnd(18)}${about}${value && `, default ${value}`}`,
        ),
    ]);
    return [
        "Usage: npm run bench -- NAME [options]",
        "",
        ...lines,
        "",
        "  --n N             pairs to run (every pair runs all sides one after another; the ratio is the median of the pairs)",
        "  --json FILE       writes the report with every single sample",
        "",
        "Ratios are taken in one run on one machine: seconds of different machines are not comparable. See bench/README.md.",
        "",
    ].join("\n");
}

async function main(argv: string[]): Promise<number> {
    const [name, ...rest] = argv;
    const bench = name === undefined ? undefined : benches[name];
    if (bench === undefined) {
        const asked = name === undefined || ["help", "--help", "-h"].includes(name);
        (asked ? process.stdout : process.stderr).write(asked ? help() : `error: no bench "${name}"\n\n${help()}`);
        return asked ? 0 : 2;
    }
    const text = { type: "string" } as const;
    const own = Object.keys(bench.options).map(option => [option, text] as const);
    const { values } = parseArgs({
        args: rest,
        options: { n: text, json: text, help: { type: "boolean", short: "h" }, ...Object.fromEntries(own) },
    }) as unknown as { values: Record<string, string | undefined> };
    if (values["help"]) {
        process.stdout.write(help());
        return 0;
    }
    const defaults = Object.entries(bench.options).map(([option, { default: value }]) => [option, value]);
    const options = { ...Object.fromEntries(defaults), n: `${bench.rounds}`, ...values } as Record<string, string>;
    const say = (line: string) => process.stderr.write(`${line}\n`);
    const report = await bench.run({ rounds: wholeNumber(options, "n"), options, say });
    process.stdout.write(`\n${renderReport(report)}`);
    if (values["json"] !== undefined) {
        writeFileSync(values["json"], `${JSON.stringify(report, null, 2)}\n`);
    }
    return 0;
}

// What a bench started ends with it: through its own cleanup, or at the latest through its "exit" listeners.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));

main(process.argv.slice(2)).then(
    code => process.exit(code),
    error => {
        process.stderr.write(`error: ${error instanceof Error ? (error.stack ?? error.message) : error}\n`);
        process.exit(1);
    },
);

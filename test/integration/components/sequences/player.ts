import { hurry, playSequence } from "./sequence";

/** Plays the sequence of each seed and prints a line of JSON for each. Arguments: operations, `ends` or `stays` (each sixteenth cluster is destroyed), seeds. */
async function main(): Promise<void> {
    hurry();
    const [operations, ends, ...seeds] = process.argv.slice(2);
    for (const seed of seeds.map(Number)) {
        const told = await playSequence(seed, {
            operations: Number(operations),
            ends: ends === "ends" && seed % 16 === 0,
        });
        process.stdout.write(`${JSON.stringify(told)}\n`);
    }
    process.exit();
}

void main();

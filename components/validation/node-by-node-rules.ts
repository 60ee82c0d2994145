import type { PlainArgs } from "../common/plain-args";
import type { Problem } from "./rule";
import { unless, word } from "./storage/backup-rules";
import { orderProblems } from "./upgrade-rules";

/** A name of dpkg or rpm, with wildcards: a shell takes nothing else of it for a pattern, and apt no option. */
const pattern = /^[A-Za-z0-9*?][A-Za-z0-9.+_*?-]*$/;
const reboots = ["ifNeeded", "always", "never"];
const oneOf = (names: readonly string[]) => names.map(name => `"${name}"`).join(", ");

const wordProblems = (given: string | undefined, place: string) =>
    unless(
        given === undefined || word.test(given),
        place,
        `"${given}" is not allowed: a word of letters, digits, dots, - and _`,
    );

/** What is wrong with restarts on the nodes. */
export function restartProblems(args: PlainArgs): Problem[] {
    const { restart } = args;
    if (restart === undefined) return [];
    return [
        ...wordProblems(restart.containerRuntime, "restart.containerRuntime"),
        ...orderProblems(args, restart, "restart"),
    ];
}

/** What is wrong with upgrades of the operating system. */
export function osProblems(args: PlainArgs): Problem[] {
    const { os } = args;
    if (os === undefined) return [];
    const { upgrade, packages, reboot = "ifNeeded", rebootTimeoutSeconds: seconds = 600 } = os;
    const bad = (packages ?? []).filter(name => !pattern.test(name) || name === "all");
    const isMixed = packages?.includes("security") === true && packages.length > 1;
    const found: Problem[] = [
        ...wordProblems(upgrade, ".upgrade"),
        ...unless(packages?.length !== 0, ".packages", "names no package: leave it out for all of them"),
        ...unless(!isMixed, ".packages", '"security" stands alone: it chooses packages by where they come from'),
        ...unless(bad.length === 0, ".packages", `not the name of a package, nor a pattern of names: ${oneOf(bad)}`),
        ...unless(reboots.includes(reboot), ".reboot", `"${reboot}" is not allowed: ${oneOf(reboots)}`),
        ...unless(
            Number.isInteger(seconds) && seconds >= 30 && seconds <= 7200,
            ".rebootTimeoutSeconds",
            `${seconds} is not allowed: a whole number from 30 to 7200`,
        ),
    ];
    return [...found.map(([input, problem]): Problem => [`os${input}`, problem]), ...orderProblems(args, os, "os")];
}

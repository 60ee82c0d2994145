import * as path from "node:path";
import { packageRoot } from "../tools/settings";
import type { SetUpName } from "./set-up";

/**
 * The test levels, in the order in which they run, one after another: a cloud beside other tests leaves each too little of two cores, and requests time
 * out. A row runs test files with mocha, or plain commands that count as tests.
 */
export interface Level {
    name: string;
    title: string;
    /** Folders of test files below test/, or the command to run. */
    folders?: string[];
    command?: { title: string; argv: string[] }[];
    /** Minutes that the level may take on two cores with warm caches, without the long stories. The closing lines name a level that takes longer. */
    budgetMinutes: number;
    /** Files of these folders run side by side, before the others: they share nothing and promise nothing about time. @default none */
    sideBySide?: string[];
    /** So many at a time. More than there are cores, where tests often wait: for a patience that ends, for a program. @default 2 */
    jobs?: number;
    /** Its temporary files are in memory, where the machine has room for them there. */
    inMemory?: boolean;
    /** Runs only when the command line names it. */
    onRequest?: boolean;
    /** Runs only with `full`, or when the command line names it. */
    fullOnly?: boolean;
    needsRoot?: boolean;
    /** What is made before the first test, in this order. `lab` and `nfs` are left out without root, because the tests that need it skip themselves. */
    setUp?: SetUpName[];
    /** What only the long stories need besides. */
    fullSetUp?: SetUpName[];
}

/** The package's folder, whether this runs from its source or from dist/. */
export const projectRoot = packageRoot();

const bin = (name: string) => path.join(projectRoot, "node_modules", ".bin", name);

const sourceFolders = [
    "provider",
    "components",
    "examples",
    "testing",
    "tools",
    "pipeline",
    "lab",
    "dev",
    "bench",
    "test",
];

export const levels: Level[] = [
    {
        name: "lint",
        budgetMinutes: 1,
        title: "lint and format",
        setUp: ["shellcheck"],
        // the same as `npm run lint`
        command: [
            { title: "biome finds nothing", argv: [bin("biome"), "check", "--error-on-warnings", "."] },
            {
                title: "every import is one that .dependency-cruiser.cjs allows",
                argv: [bin("depcruise"), ...sourceFolders],
            },
            {
                title: "shellcheck finds nothing in the shell scripts",
                argv: [process.execPath, "dev/shellcheck.mjs"],
            },
            {
                title: "the ratchet counts what dev/house/allowed.json allows",
                argv: [bin("tsx"), "dev/house/lint.ts"],
            },
        ],
    },
    {
        name: "unit",
        budgetMinutes: 4,
        title: "unit: pure logic, Pulumi mocks",
        sideBySide: ["unit"],
        jobs: 4,
        inMemory: true,
        setUp: ["tacker-samples"],
    },
    {
        name: "integration",
        budgetMinutes: 8,
        title: "integration: real sshd, engine, lab nodes",
        folders: ["integration"],
        sideBySide: [
            ...["integration/provider/dynamic", "integration/components", "integration/provider/openstack"],
            ...["integration/package", "integration/pipeline", "integration/tools", "integration/examples"],
        ],
        setUp: ["pulumi", "bundle", "lab", "nfs"],
        fullSetUp: ["add-ons"],
    },
    {
        name: "node24",
        budgetMinutes: 3,
        fullOnly: true,
        title: "integration of the engine on Node 24 with the newest SDK",
        sideBySide: ["integration/provider/dynamic"],
        setUp: ["pulumi"],
    },
    {
        name: "e2e",
        budgetMinutes: 13,
        title: "end to end: real kubeadm clusters on lab nodes",
        folders: ["e2e"],
        needsRoot: true,
        setUp: ["pulumi", "bundle", "lab"],
        fullSetUp: ["tacker-samples", "add-ons"],
    },
    {
        name: "openstack",
        budgetMinutes: 13,
        title: "end to end: clusters on the servers of a real OpenStack",
        folders: ["openstack"],
        sideBySide: ["openstack/stories"],
        needsRoot: true,
        setUp: ["pulumi", "bundle", "lab", "cloud"],
        fullSetUp: ["add-ons"],
    },
    {
        name: "closed",
        budgetMinutes: 30,
        title: "without mirror and downloads",
        folders: ["closed"],
        onRequest: true,
        needsRoot: true,
    },
];

/** The mocha processes of a level, one after another, each with its files, in their order. `filesOf`: the test files of a folder. */
export function mochaRuns(
    { sideBySide = [], folders = [], jobs = 2 }: Level,
    filesOf: (folder: string) => string[],
): { files: string[]; jobs: number }[] {
    const together = sideBySide.flatMap(filesOf);
    const alone = folders.flatMap(filesOf).filter(file => !together.includes(file));
    return [
        { files: together, jobs },
        { files: alone, jobs: 1 },
    ].filter(({ files }) => files.length > 0);
}

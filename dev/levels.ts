import * as path from "node:path";
import { packageRoot } from "../tools/settings";
import type { SetUpName } from "./set-up";

/** The test levels, in the order in which they run. One row is one mocha process, or one plain command that counts as a test. */
export interface Level {
    name: string;
    title: string;
    /** Folders of test files below test/, or the command to run. */
    folders?: string[];
    command?: { title: string; argv: string[] }[];
    /** Minutes that the level may take on two cores with warm caches, without the long stories. The closing lines name a level that takes longer. */
    budgetMinutes: number;
    /** How many test files run at a time: for levels that wait more than they compute. @default 1 */
    jobs?: number;
    /** Runs only when the command line names it. */
    onRequest?: boolean;
    needsRoot?: boolean;
    /** What is made before the first test, in this order. `lab` is left out without root, because the tests that need it skip themselves. */
    setUp?: SetUpName[];
}

/** The package's folder, whether this runs from its source or from dist/. */
export const projectRoot = packageRoot();

const bin = (name: string) => path.join(projectRoot, "node_modules", ".bin", name);

const sourceFolders = ["provider", "components", "examples", "testing", "tools", "lab", "dev", "bench", "test"];

export const levels: Level[] = [
    {
        name: "lint",
        budgetMinutes: 1,
        title: "lint and format",
        setUp: ["shellcheck"],
        // the same as `npm run lint`
        command: [
            { title: "biome finds nothing", argv: [bin("biome"), "check", "."] },
            {
                title: "every import is one that .dependency-cruiser.cjs allows",
                argv: [bin("depcruise"), ...sourceFolders],
            },
            {
                title: "shellcheck finds nothing in the shell scripts",
                argv: [process.execPath, "dev/shellcheck.mjs"],
            },
        ],
    },
    { name: "unit", budgetMinutes: 4, title: "unit: pure logic, Pulumi mocks", folders: ["unit"], jobs: 2 },
    {
        name: "integration",
        budgetMinutes: 9,
        title: "integration: real sshd, engine, lab nodes",
        folders: ["integration"],
        setUp: ["pulumi", "bundle", "lab"],
    },
    {
        name: "node24",
        budgetMinutes: 3,
        title: "integration of the engine on Node 24 with the newest SDK",
        folders: ["integration/provider/dynamic"],
        setUp: ["pulumi"],
    },
    {
        name: "e2e",
        budgetMinutes: 9,
        title: "end to end: real kubeadm clusters on lab nodes",
        folders: ["e2e"],
        needsRoot: true,
        setUp: ["pulumi", "bundle", "lab"],
    },
    {
        name: "openstack",
        budgetMinutes: 15,
        title: "end to end: clusters on the servers of a real OpenStack",
        folders: ["openstack"],
        needsRoot: true,
        setUp: ["pulumi", "bundle", "lab", "cloud"],
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

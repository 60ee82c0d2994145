import * as path from "node:path";

/** The test levels, in the order in which they run. One row is one mocha process, or one plain command that counts as a test. */
export interface Level {
    name: string;
    title: string;
    /** Folder of test files below test/, or the command to run. */
    folder?: string;
    command?: { title: string; argv: string[] }[];
    /** Runs only when asked for by name. */
    onRequest?: boolean;
    needsRoot?: boolean;
}

export const projectRoot = findRoot(__dirname);

function findRoot(folder: string): string {
    return path.basename(folder) === "dist" ? path.dirname(folder) : findRoot(path.dirname(folder));
}

const bin = (name: string) => path.join(projectRoot, "node_modules", ".bin", name);

export const levels: Level[] = [
    {
        name: "lint",
        title: "lint and format",
        command: [{ title: "biome finds nothing", argv: [bin("biome"), "check", "."] }],
    },
    { name: "unit", title: "unit: pure logic, Pulumi mocks", folder: "unit" },
    { name: "integration", title: "integration: real sshd, engine, lab nodes", folder: "integration" },
    {
        name: "node24",
        title: "integration of the engine on Node 24 with the newest SDK",
        folder: "integration/provider",
        onRequest: false,
    },
    { name: "e2e", title: "end to end: real kubeadm clusters on lab nodes", folder: "e2e", needsRoot: true },
    { name: "closed", title: "without mirror and downloads", folder: "closed", onRequest: true, needsRoot: true },
];

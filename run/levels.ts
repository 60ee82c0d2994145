import * as path from "node:path";
import { packageRoot } from "../tools/settings";

/** The test levels, in the order in which they run. One row is one mocha process, or one plain command that counts as a test. */
export interface Level {
    name: string;
    title: string;
    /** Folders of test files below test/, or the command to run. */
    folders?: string[];
    command?: { title: string; argv: string[] }[];
    /** Runs only when asked for by name. */
    onRequest?: boolean;
    needsRoot?: boolean;
}

/** The package's folder, whether this runs from its source or from dist/. */
export const projectRoot = packageRoot();

const bin = (name: string) => path.join(projectRoot, "node_modules", ".bin", name);

export const levels: Level[] = [
    {
        name: "lint",
        title: "lint and format",
        command: [{ title: "biome finds nothing", argv: [bin("biome"), "check", "."] }],
    },
    { name: "unit", title: "unit: pure logic, Pulumi mocks", folders: ["unit"] },
    { name: "integration", title: "integration: real sshd, engine, lab nodes", folders: ["integration"] },
    {
        name: "node24",
        title: "integration of the engine on Node 24 with the newest SDK",
        folders: ["integration/provider/dynamic"],
    },
    { name: "e2e", title: "end to end: real kubeadm clusters on lab nodes", folders: ["e2e"], needsRoot: true },
    {
        name: "openstack",
        title: "end to end: clusters on the servers of a real OpenStack",
        folders: ["openstack"],
        needsRoot: true,
    },
    { name: "closed", title: "without mirror and downloads", folders: ["closed"], onRequest: true, needsRoot: true },
];

import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { projectRoot } from "../levels";

/** Source files and the unit tests that must notice a mistake in them. */
interface Subjects {
    /** A file, or a folder without its subfolders. */
    source: string;
    /** Test files or folders. @default the test beside which the source would be */
    tests?: string[];
}

/** The pure parts. */
const subjects: Subjects[] = [
    { source: "provider/kubeadm/membership.ts" },
    { source: "provider/kubeadm/ownership.ts" },
    { source: "provider/kubeadm/etcd-members.ts" },
    { source: "provider/member/leave/leave.ts" },
    { source: "provider/operation/classify.ts" },
    { source: "provider/operation/differences.ts", tests: ["test/unit/provider/operation/classify.test.ts"] },
    { source: "provider/cloud/heat/stack-servers.ts", tests: ["test/unit/provider/cloud/live-stack.test.ts"] },
    { source: "provider/steps/plan.ts" },
    { source: "provider/steps/batch.ts" },
    { source: "provider/steps/protocol.ts" },
    { source: "provider/steps/fingerprint.ts", tests: ["test/unit/provider/steps/plan.test.ts"] },
    { source: "provider/steps/runner.ts" },
    { source: "provider/openstack/checks", tests: ["test/unit/provider/openstack/checks"] },
    { source: "components/infrastructure/openstack/hot", tests: ["test/unit/components/infrastructure/openstack/hot"] },
];

export interface Subject {
    /** Relative to the project, as the tests are. */
    source: string;
    tests: string[];
}

const typescript = (folder: string, ending: string) =>
    readdirSync(join(projectRoot, folder))
        .filter(name => name.endsWith(ending))
        .map(name => `${folder}/${name}`);

/** Those whose path contains one of the words; no words: all. */
export function subjectsFor(words: string[]): Subject[] {
    return subjects
        .flatMap(({ source, tests }) => {
            const sources = source.endsWith(".ts") ? [source] : typescript(source, ".ts");
            return sources.map(file => ({ source: file, tests: tests?.flatMap(filesOf) ?? [testOf(file)] }));
        })
        .filter(({ source }) => words.length === 0 || words.some(word => source.includes(word)));
}

const filesOf = (test: string) => (test.endsWith(".ts") ? [test] : typescript(test, ".test.ts"));

function testOf(source: string): string {
    return join("test/unit", dirname(source), `${basename(source, ".ts")}.test.ts`);
}

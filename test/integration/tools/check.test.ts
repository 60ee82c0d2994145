import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { healthArgv } from "../../../provider/health/look";
import { certificatesArgv } from "../../../provider/kubeadm/certificate-query";
import { kubeletStep } from "../../../provider/machine/health";
import { printedJournalArgv } from "../../../provider/steps/print-journal";
import { queriesArgv } from "../../../provider/steps/queries";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt, projectRoot } from "../../support/user-project";
import { type Fixture, openFixture } from "../components/fleet-fixture";

/** Real engine, SSH and command line; the machines are simulated. */
describe("nfv check on a stack", function () {
    asStory(this);
    let fixture: Fixture;
    let state: string;

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture(3, 3, () => 0.02);
        await fixture.project.pulumi.up();
        state = join(fixture.project.folder, "export.json");
        const exported = await fixture.project.pulumi.run(["stack", "export", "--show-secrets"]);
        writeFileSync(state, exported, { mode: 0o600 });
    });
    after(() => fixture?.close());

    // The fleet answers in this process, so it must not wait for the command.
    const check = async (...argv: string[]) => {
        const nfv = [join(projectRoot, "dist/tools/nfv.js"), "check", "--state", state, ...argv];
        const { code, stdout, stderr } = await outcomeOf(process.execPath, nfv);
        return { code, output: code === 2 ? stderr : stdout };
    };
    const is = (name: string, facts: Record<string, string>) => {
        const well = { uptime: "86400", joined: "yes", kubelet: "active", runtime: "active", runtimeAnswers: "yes" };
        const lines = Object.entries({ ...well, ...facts }).map(([key, value]) => `${key}=${value}\n`);
        fixture.cluster.fleet.node(name).on({ startsWith: [...healthArgv] }, { stdout: lines.join("") });
    };

    it("finds nothing on a cluster that is well, and changes nothing", async () => {
        const before = fixture.cluster.fleet.begun().length;
        const { code, output } = await check();
        assert.deepEqual([code, output.trim()], [0, "6 nodes: healthy: nothing was found"]);
        assert.equal(fixture.cluster.fleet.begun().length, before);
    });

    it("costs one round trip for each machine; what is asked of the cluster, its control-plane nodes answer", async () => {
        const { nodes } = fixture.cluster.fleet;
        for (const { commands } of nodes.values()) commands.length = 0;
        assert.equal((await check()).code, 0);
        const asked = (name: string) => nodes.get(name)!.commands.map(({ argv }) => argv.slice(1, 3).join(" "));
        const whole = [queriesArgv, printedJournalArgv, healthArgv, certificatesArgv];
        const look = whole.map(argv => argv.slice(1, 3).join(" "));
        for (const name of ["w1", "w2", "w3"]) assert.deepEqual(asked(name), look, name);
        const ofCluster = ["m1", "m2", "m3"].flatMap(asked).filter(each => each.startsWith("-c"));
        assert.equal(ofCluster.length, 1, "all nodes by one question");
        for (const name of ["m1", "m2", "m3"])
            assert.deepEqual(
                asked(name).filter(each => look.includes(each)),
                look,
                name,
            );
    });

    it("says what up heals, within limits, as text and as JSON", async () => {
        is("w1", { kubelet: "inactive" });
        const { code, output } = await check();
        assert.equal(code, 20, output);
        assert.match(output, /^w1: the kubelet is not running; pulumi up --refresh starts it again$/m);
        is("w2", { kubelet: "inactive" });
        const many = await check("--json");
        assert.equal(many.code, 21, many.output);
        const { verdict, found, limits } = JSON.parse(many.output);
        assert.deepEqual([verdict, limits], ["too many", { atMost: 1, share: 0.34 }]);
        assert.deepEqual(found.map(({ node, code: each }: { node: string; code: string }) => [node, each]).sort(), [
            ["w1", "kubelet-stopped"],
            ["w2", "kubelet-stopped"],
        ]);
        assert.equal((await check("--at-most", "2", "--share", "0.5")).code, 20);
    });

    it("and up --refresh does just that", async () => {
        const before = fixture.cluster.fleet.begun().length;
        await fixture.project.pulumi.up({ refresh: true });
        const ran = fixture.cluster.fleet
            .begun()
            .slice(before)
            .filter(step => !/ cluster\./.test(step));
        assert.deepEqual(
            ran.sort(),
            ["w1", "w2"].map(name => `${name} ${kubeletStep}`),
        );
        for (const name of ["w1", "w2"]) is(name, {});
        assert.equal((await check()).code, 0);
    });

    it("calls a person where up heals nothing", async () => {
        is("w3", { disk: "/ 4096 1000 1 500 400" });
        const { code, output } = await check();
        assert.equal(code, 22, output);
        assert.match(output, /^w3: 99 % of the space of \/ is used; find what fills it: du /m);
    });

    it("refuses nonsense before it looks", async () => {
        for (const [argv, words] of [
            [["--at-most", "many"], /--at-most many/],
            [["--at-most", ""], /--at-most: a value is expected, it is empty/],
            [["--share", "2"], /--share 2/],
            [["--share", ""], /--share: a value is expected, it is empty/],
            [["--stack", "dev"], /--stack and --state: give one of them/],
        ] as const) {
            const { code, output } = await check(...argv);
            assert.equal(code, 2);
            assert.match(output, words);
        }
    });
});

function outcomeOf(program: string, argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return new Promise(resolve => {
        const child = execFile(program, argv, (_error, stdout, stderr) =>
            resolve({ code: child.exitCode ?? 1, stdout, stderr }),
        );
    });
}

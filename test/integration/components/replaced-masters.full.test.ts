import assert from "node:assert/strict";
import { type SimulatedCluster, simulatedCluster } from "../../../bench/simulation/simulated-cluster";
import { skipIf } from "../../support/skip";
import { notBuilt, UserProject } from "../../support/user-project";

const masters = ["m1", "m2", "m3"];

/** Real engine, simulated machines and a simulated etcd: voters, and members with data. */
describe("all masters of a cluster that are replaced by one command", () => {
    let cluster: SimulatedCluster;
    let project: UserProject;
    let voters: Set<string>;

    before(async function () {
        skipIf(this, notBuilt());
        cluster = await simulatedCluster(3, 1, () => 0);
        project = await UserProject.make("replaced", "test/integration/components/cluster-program.js");
        project.give(cluster.args);
        await project.pulumi.up();
        voters = new Set(masters);
        for (const name of masters) pretendEtcd(name);
    });
    after(async () => {
        await cluster?.stop();
        project?.remove();
    });

    /** The ids of members are a1, a2, a3. */
    function pretendEtcd(name: string): void {
        cluster.fleet.node(name).onScript(({ stdin }) => {
            const script = stdin.toString();
            if (script.includes("member list -w json")) {
                if (!voters.has(name)) return { code: 1, stderr: "etcd is not there\n" };
                const list = [...voters].map(one => ({
                    ...{ ID: Number.parseInt(one.replace("m", "a"), 16), name: one },
                    clientURLs: [one],
                }));
                const health = [...voters].map(endpoint => ({ endpoint, health: true }));
                return { stdout: `${JSON.stringify({ members: list })}\n${JSON.stringify(health)}\n` };
            }
            if (script.includes('member remove "$MEMBER"')) {
                const leaving = /MEMBER='?a(\d)/.exec(script)![1];
                if (!voters.has(name) || voters.size === 1) return { code: 1, stderr: "etcd refuses\n" };
                voters.delete(`m${leaving}`);
                return { delaySeconds: 0.1 };
            }
            if (script.includes("kubectl drain")) return { delaySeconds: 1 };
            if (script.includes("kubeadm reset -f --skip-phases")) voters.delete(name);
            return {};
        });
    }
    const joins = () =>
        masters.map(name => {
            const script = cluster.fleet.node(name).agent.scripts["cluster.join"] ?? "";
            return /kubeadm (init|join) --config/.exec(script)?.[1] ?? "stays";
        });

    it("leave but for one, which is refused; the next plain `up` brings the others back into the same cluster", async () => {
        const { resources } = JSON.parse(await project.pulumi.exportStack()).deployment;
        const urns = masters.map(
            name =>
                resources.find((each: { urn: string }) => each.urn.includes(`nfv:Host::core-${name}`)).urn as string,
        );
        for (const name of masters) delete cluster.fleet.node(name).agent.scripts["cluster.join"];
        const words = ["up", "--yes", "--skip-preview", "--non-interactive"];
        const replace = urns.flatMap(urn => ["--replace", urn]);
        const { code, output } = await project.pulumi.start([...words, ...replace]).done;
        assert.notEqual(code, 0, output);
        assert.match(output, /leave: QUORUM_AT_RISK/);
        assert.equal(voters.size, 1);
        const [last] = voters;
        await project.pulumi.up();
        assert.deepEqual(
            joins(),
            masters.map(name => (name === last ? "stays" : "join")),
        );
        assert.deepEqual([...voters], [last]);
    });
});

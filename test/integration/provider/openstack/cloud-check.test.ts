import assert from "node:assert/strict";
import type { CloudRequirements } from "../../../../provider/openstack/requirements";
import { skipIf } from "../../../support/skip";
import { notBuilt, projectRoot, type UserProject } from "../../../support/user-project";
import { FakeCloud } from "../../../unit/provider/openstack/fake-cloud";
import { sampleRequirements, serve } from "../../../unit/provider/openstack/sample-cloud";
import { cloudProject, password } from "./cloud-project";

/** The real engine, the dynamic resource in its own process, and a simulated cloud. */
describe("CloudCheck in the real engine", () => {
    let cloud: FakeCloud;
    let project: UserProject;

    before(async function () {
        skipIf(this, notBuilt());
        cloud = await FakeCloud.start();
        serve(cloud);
        project = await cloudProject("cloud-check", "program.js", cloud);
    });
    after(async () => {
        await cloud?.stop();
        project?.remove();
    });

    const pulumi = async (command: string[], change: (needs: CloudRequirements) => void = () => {}, late = false) => {
        const needs = sampleRequirements();
        change(needs);
        project.give({ package: projectRoot, needs, cloud: { cloud: "lab" }, late });
        return await project.pulumi.start([...command, "--non-interactive"]).done;
    };
    const up = ["up", "--yes", "--skip-preview"];
    const stored = async (): Promise<{ type: string; inputs: Record<string, unknown>; outputs: object }[]> =>
        JSON.parse(await project.pulumi.exportStack()).deployment.resources ?? [];

    it("fails a preview with all problems, in the words of the inputs and nothing else", async () => {
        const { code, output } = await pulumi(["preview"], needs => {
            needs.servers[0]!.flavor.name = "m9";
            needs.keyPair!.name = "mine";
        });
        assert.notEqual(code, 0);
        assert.match(output, /controlPlane\.flavor: there is no flavor "m9" in this project/);
        assert.match(output, /keyPair: this user has no key pair "mine"/);
        assert.ok(!output.includes("securityGroupsMade"), "the inputs are printed");
    });

    it("fails an `up` before anything is made", async () => {
        const { code, output } = await pulumi(up, needs => {
            needs.servers[0]!.image!.name = "debain-12";
        });
        assert.notEqual(code, 0);
        assert.match(output, /Did you mean "debian-12"\?/);
        assert.deepEqual(
            (await stored()).filter(each => each.type.includes("ClusterId")),
            [],
        );
    });

    it("leaves to `up` what a preview cannot know", async () => {
        const preview = await pulumi(["preview"], () => {}, true);
        assert.equal(preview.code, 0, preview.output);
        const { code, output } = await pulumi(up, () => {}, true);
        assert.notEqual(code, 0);
        assert.match(output, /network.podCidr: the pods' network 10.20.0.0\/16 overlaps/);
        assert.deepEqual(
            (await stored()).filter(each => each.type.endsWith("CloudCheck")),
            [],
        );
    });

    it("lets everything pass, keeps of its needs a fingerprint and no secret, and a second `up` changes nothing", async () => {
        const first = await pulumi(up);
        assert.equal(first.code, 0, first.output);
        const [check] = (await stored()).filter(each => each.type.endsWith("CloudCheck"));
        const { fingerprint, ...seen } = check!.inputs["needs"] as Record<string, unknown>;
        assert.match(String(fingerprint), /^[0-9a-f]{12}$/);
        const owner = { "pulumi-nfv.cluster": "core", "pulumi-nfv.stack": "project/dev" };
        assert.deepEqual(seen, { backEnd: "nova", clusterName: "core", owner, servers: 2 });
        assert.ok(!JSON.stringify(check).includes(password));
        const second = await pulumi(["preview", "--expect-no-changes"]);
        assert.equal(second.code, 0, second.output);
    });

    it("shows of other needs how many servers there are and that they are others", async () => {
        const { code, output } = await pulumi(["preview", "--diff"], needs => void needs.servers.pop());
        assert.equal(code, 0, output);
        assert.match(output, /~ servers +: 2 => 1/);
        assert.match(output, /~ fingerprint: "[0-9a-f]{12}" => "[0-9a-f]{12}"/);
        assert.ok(!output.includes("securityGroupsMade"), output);
    });
});

import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import { parse, stringify } from "yaml";
import { labKubeadm } from "../../dev/lab-kubeadm";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { ensureBundle } from "../../tools/bundle";
import { eventually } from "../e2e/cluster-fixture";
import { needsTool } from "../support/needs-tool";
import { firstPlanCanBeApproved } from "../support/plan-hash";
import { asStory } from "../support/story";
import {
    type CloudFixture,
    destroyOrSay,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    readyNodes,
} from "./cloud-fixture";

/** One program, four layers: a cluster on the cloud, Cluster API on it, a workload cluster in the same cloud, a network function on that. */
describe("Cluster API on the cloud", function () {
    this.timeout("40m");
    asStory(this);
    let fixture: CloudFixture;
    let untouched: Record<string, string[]>;

    interface Seen {
        name: string;
        role: string;
        serverId: string;
        ready: boolean;
    }
    const machines = async () =>
        (JSON.parse(await fixture.project.output("machines")) as Seen[]).filter(({ role }) => role !== "control-plane");
    const fails = async () => {
        const { code, output } = await fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"])
            .done;
        assert.notEqual(code, 0, output);
        return output;
    };
    const workers = async () => (await readyNodes(fixture)).filter(name => !name.includes("control-plane"));

    before(async function () {
        await needsTool(this, "cluster-api-openstack");
        const say = (text: string) => console.log(`      ${text}`);
        const bundle = await ensureBundle({ addOns: ["cluster-api", "cluster-api-openstack"], onProgress: say });
        fixture = await openCloudFixture("cluster-api", "e2e-cluster-api", { login: "lab-3" });
        untouched = await footprint(fixture);
        const { OS_CLIENT_CONFIG_FILE: file, OS_CLOUD: cloud } = fixture.project.env as Record<string, string>;
        const login = parse(fs.readFileSync(file!, "utf8")).clouds[cloud!];
        const values = {
            bundle,
            externalNetwork: fixture.cloud.publicNetwork,
            workloadImage: fixture.cloud.images.kubernetes,
            kubeadm: JSON.stringify(labKubeadm),
            workers: 2,
            notReadySeconds: 30,
        };
        const settings = {
            image: fixture.cloud.images.kubernetes,
            flavor: "m1.medium",
            kubelet: JSON.stringify(labKubelet),
            kubeProxy: JSON.stringify(labKubeProxy),
            ...values,
        };
        await fixture.project.setConfig(
            Object.fromEntries(Object.entries(settings).map(([key, value]) => [`nfv:${key}`, String(value)])),
            { "nfv:cloudsYaml": stringify({ clouds: { openstack: login } }) },
        );
    });
    after(async () => {
        await destroyOrSay(fixture);
        await fixture?.close();
    });

    it("makes all four layers in one `up`: the function answers on the workload cluster", async () => {
        firstPlanCanBeApproved(fixture.firstPlan);
        await fixture.project.up();
        assert.equal((await workers()).length, 2);
        await eventually(120, async () => {
            const said = await fixture.kubectl("get", "--raw", "/api/v1/namespaces/nfv/services/web:80/proxy/");
            assert.match(said, /a network function answers/);
        });
    });

    it("changes nothing when `up` runs again, and after a refresh", async () => {
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("adds a machine, and takes it away again", async () => {
        const before = (await machines()).map(({ name }) => name);
        await fixture.project.setConfig({ "nfv:workers": "3" });
        assert.match(await fixture.project.preview(), /site: pool md: 1 machine will be added/);
        await fixture.project.up();
        assert.equal((await workers()).length, 3);
        const more = (await machines()).map(({ name }) => name);
        for (const name of before) assert.ok(more.includes(name), name);
        await fixture.project.setConfig({ "nfv:workers": "2" });
        await fixture.project.up();
        assert.equal((await workers()).length, 2);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("says in the cloud's own words why a machine does not come about, and goes on when that is corrected", async () => {
        await fixture.project.setConfig({ "nfv:workloadFlavor": "m1.nothing", "nfv:timeoutSeconds": "150" });
        const output = await fails();
        console.log(
            output
                .split("\n")
                .filter(line => /m1\.nothing/.test(line))
                .slice(0, 3)
                .join("\n"),
        );
        assert.match(output, /m1\.nothing/);
        await fixture.project.setConfig({ "nfv:workloadFlavor": "m1.medium", "nfv:timeoutSeconds": "1500" });
        await fixture.project.up();
        assert.equal((await workers()).length, 2);
    });

    it("replaces a machine whose server was deleted in the cloud", async () => {
        const [lost, kept] = await machines();
        await fixture.cloud.openstack(["server", "delete", "--wait", lost!.serverId]);
        await eventually(900, async () => {
            // Refreshes the outputs, too: `pulumi refresh` alone leaves them.
            await fixture.project.up({ refresh: true });
            const now = await machines();
            assert.ok(now.every(({ ready }) => ready) && now.length === 2, JSON.stringify(now));
            assert.ok(!now.some(({ serverId }) => serverId === lost!.serverId), JSON.stringify(now));
            assert.ok(now.some(({ name }) => name === kept!.name));
        });
    });

    it("leaves nothing in the cloud after `pulumi destroy`", () => destroyWithoutTrace(fixture, untouched));
});

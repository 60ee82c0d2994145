import { strict as assert } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import type { LabWorkloadOptions } from "../../dev/lab-workload";
import { versions } from "../../tools/versions";
import { needsTool } from "../support/needs-tool";
import { asStory } from "../support/story";
import { startBalancedClient } from "./balanced-client";
import { eventually, webObjects } from "./cluster-fixture";
import { Clusterctl } from "./clusterctl";
import type { RequestClient } from "./request-client";
import { WorkloadOnNodes } from "./workload-on-nodes";

const older: string = "1.36.2";
const newer: string = versions.kubernetes;
const port = 30081;

/** The web server twice, as one that is in use: its pods end what they have begun, and one always answers. */
const twoWebs = [
    ...structuredClone(webObjects).map((object: any) => {
        if (object.kind === "Service") {
            const [only] = object.spec.ports;
            return { ...object, spec: { ...object.spec, type: "NodePort", ports: [{ ...only, nodePort: port }] } };
        }
        const { spec } = object.spec.template;
        spec.terminationGracePeriodSeconds = 10;
        spec.containers[0].lifecycle = { preStop: { sleep: { seconds: 3 } } };
        object.spec.replicas = 2;
        return object;
    }),
    {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "web" },
        spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
    },
];

/** Machines that follow a version, a number and an autoscaler, while the cluster is in use. Two patch releases: the same programs under two numbers. */
describe("Cluster API with nodes of the lab: machines that are replaced and counted", function () {
    this.timeout("25m");
    asStory(this);
    let site: WorkloadOnNodes;
    let clusterctl: Clusterctl;
    let client: RequestClient | undefined;

    const give = (options: LabWorkloadOptions, workers = 2) =>
        site.give({ workers, objects: twoWebs, site: { kubernetes: older, ...options } });

    /** `clusterctl describe` and the output have the same machines, below the same owners, and say the same of each. */
    async function describedAlike(): Promise<void> {
        const said = await clusterctl.run("describe", "cluster", "site", "-n", "default", "--grouping=false");
        let role = "";
        const described = said.split("\n").flatMap(line => {
            if (/KubeadmControlPlane\//.test(line)) role = "control-plane";
            role = /MachineDeployment\/(\S+)/.exec(line)?.[1] ?? role;
            const [, name, ready] = /Machine\/(\S+)\s+1\s+[01]\s+([01])/.exec(line) ?? [];
            return name === undefined ? [] : [{ name, role, ready: ready === "1" }];
        });
        const output = (await site.machines()).map(({ name, role: of, ready }) => ({ name, role: of, ready }));
        const sorted = (all: typeof output) => all.sort((a, b) => (a.name < b.name ? -1 : 1));
        assert.deepEqual(sorted(described), sorted(output), said);
        assert.match(said, /^Cluster\/site\s.*\sTrue\s+Available\s/m);
    }

    /** Versions of the machines that are there now. */
    async function versionsNow(): Promise<{ controlPlane: string[]; workers: string[] }> {
        const { items } = JSON.parse(await site.fixture.kubectl("get", "machines", "-o", "json"));
        const of = (isWanted: (labels: object) => boolean) =>
            items.filter((each: any) => isWanted(each.metadata.labels)).map((each: any) => each.spec.version);
        const isFirst = (labels: object) => "cluster.x-k8s.io/control-plane" in labels;
        return { controlPlane: of(isFirst), workers: of(labels => !isFirst(labels)) };
    }

    const etcdMembers = async () => {
        // the pod of a machine that has just gone is listed for a moment
        const [living] = await site.controlPlane();
        const files = ["cacert=/etc/kubernetes/pki/etcd/ca.crt", "cert=/etc/kubernetes/pki/etcd/server.crt"];
        const flags = [...files, "key=/etc/kubernetes/pki/etcd/server.key"].map(each => `--${each}`);
        const list = ["etcdctl", ...flags, "member", "list"];
        return (await site.onSite("-n", "kube-system", "exec", `etcd-${living!.name}`, "--", ...list))
            .trim()
            .split("\n").length;
    };

    before(async function () {
        const { programs } = await needsTool(this, "cluster-api");
        site = await WorkloadOnNodes.open("capirolls", { kubernetes: [newer, older] });
        clusterctl = new Clusterctl(site.fixture, programs["clusterctl"]!, {});
        clusterctl.offer([]);
    });
    after(async () => {
        client?.stop();
        await site?.close();
    });

    it("are made, and clusterctl describes what the outputs say", async () => {
        await give({});
        await site.fixture.project.up();
        await site.settled(2);
        await site.answers();
        const old = `v${older}`;
        assert.deepEqual(await versionsNow(), { controlPlane: [old], workers: [old, old] });
        await describedAlike();
    });

    it("are counted by an autoscaler within its range, and no `up` sets its number back", async () => {
        const { project, kubectl } = site.fixture;
        await give({ autoscale: { min: 1, max: 4 } });
        assert.match(await project.preview(), /site: pool md: an autoscaler may change the number of machines/);
        await project.up();
        await site.settled(2);
        await kubectl("scale", "machinedeployment", "site-md", "--replicas=3");
        await eventually(300, async () => {
            const ready = "jsonpath={.status.readyReplicas}";
            assert.equal(await kubectl("get", "machinedeployment", "site-md", "-o", ready), "3");
        });
        await project.up({ expectNoChanges: true });
        // A change of the same object.
        await give({ autoscale: { min: 1, max: 5 } });
        await project.up();
        assert.equal(await kubectl("get", "machinedeployment", "site-md", "-o", "jsonpath={.spec.replicas}"), "3");
        await project.up({ refresh: true });
        await site.settled(3);
        await describedAlike();
        await project.up({ refresh: true, expectNoChanges: true });
        await give({});
        assert.match(await project.preview(), /site: pool md: 2 machines, whatever an autoscaler has set/);
        await project.up();
        await site.settled(2);
    });

    it("move to another version, the control plane first, while the function answers", async () => {
        client = startBalancedClient(site.fixture.lab, await site.kubeconfig(), port);
        await eventually(30, async () => assert.ok(client!.since().requests > 0));
        await give({ kubernetes: newer });
        const preview = await site.fixture.project.preview();
        const what = `, one after the other: Kubernetes v${older} → v${newer}`;
        assert.ok(preview.includes(`site: control plane: 1 machine will be replaced${what}`), preview);
        assert.ok(preview.includes(`site: pool md: 2 machines will be replaced${what}`), preview);
        const began = Date.now();
        const { done } = site.start();
        let isDone = false;
        void done.then(() => (isDone = true));
        const tooEarly: object[] = [];
        while (!isDone) {
            const now = await versionsNow();
            if (now.controlPlane.includes(`v${older}`) && now.workers.includes(`v${newer}`)) tooEarly.push(now);
            await sleep(2000);
        }
        const { code, output } = await done;
        assert.equal(code, 0, output);
        const { requests, failures } = client.since();
        const seconds = Math.round((Date.now() - began) / 1000);
        console.log(`        moved in ${seconds} s; ${requests} requests, ${failures.length} failed`);
        for (const failure of failures) console.log(`        ${failure}`);
        assert.deepEqual(tooEarly, []);
        await site.settled(2);
        const kubelets = await site.onSite("get", "nodes", "-o", "jsonpath={.items[*].status.nodeInfo.kubeletVersion}");
        assert.equal(kubelets, [newer, newer, newer].map(each => `v${each}`).join(" "));
        assert.deepEqual([...new Set((await site.machines()).map(({ version }) => version))], [`v${newer}`]);
        await describedAlike();
        assert.ok(requests > 0 && failures.length <= requests / 200, `${failures.length} of ${requests}`);
        await site.fixture.project.up({ expectNoChanges: true });
    });

    it("cannot go back to the former version: preview refuses it", async () => {
        await give({});
        const refused = await site.fixture.project.start(["preview", "--non-interactive"]).done;
        assert.notEqual(refused.code, 0);
        assert.match(refused.output, /its control plane has \S+, and cannot go back to 1\.36\.2/);
    });

    it("are three in the control plane, of which one may lose power, and one again", async () => {
        const { project, lab } = site.fixture;
        await give({ kubernetes: newer, controlPlane: 3 });
        assert.match(await project.preview(), /site: control plane: 2 machines will be added/);
        await project.up();
        await site.settled(2);
        const three = await site.controlPlane();
        assert.deepEqual([three.length, await etcdMembers()], [3, 3]);
        await describedAlike();
        await lab.powerOff(three[0]!.name);
        await eventually(60, async () => assert.match(await site.onSite("create", "ns", `n${Date.now()}`), /created/));
        await lab.powerOn(three[0]!.name);
        await project.up({ refresh: true });
        client!.since();
        await give({ kubernetes: newer });
        assert.match(await project.preview(), /site: control plane: 2 machines will be removed/);
        await project.up();
        await site.settled(2);
        assert.deepEqual([(await site.controlPlane()).length, await etcdMembers()], [1, 1]);
        await site.answers();
        const { requests, failures } = client!.since();
        console.log(`        ${requests} requests while two left, ${failures.length} failed`);
        assert.ok(requests > 0 && failures.length <= requests / 200, failures.join("\n"));
        await project.up({ expectNoChanges: true });
    });

    it("are gone after `pulumi destroy`", async () => {
        client?.stop();
        await site.fixture.project.destroy();
        assert.deepEqual(site.nodes(), ["m1"]);
        assert.deepEqual(JSON.parse(await site.fixture.project.exportStack()).deployment.resources ?? [], []);
    });
});

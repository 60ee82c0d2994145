import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import { parse, stringify } from "yaml";
import { machineSetUp } from "../../components/cluster-api/kubeadm-config";
import { labKubeadm } from "../../dev/lab-kubeadm";
import { projectRoot } from "../../dev/levels";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { networkManifest } from "../../provider/network/manifests";
import { ensureBundle } from "../../tools/bundle";
import { eventually } from "../e2e/cluster-fixture";
import { killTree } from "../support/kill-tree";
import { needsTool } from "../support/needs-tool";
import { asStory } from "../support/story";
import {
    type CloudFixture,
    destroyOrSay,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    readyNodes,
} from "./cloud-fixture";

const podCidr = "10.246.0.0/16";

/** A template as clusterctl has them, with variables, on a real cloud; and a network that the cloud does not give up. */
describe("a template of one's own for a workload cluster, on the cloud", function () {
    this.timeout("30m");
    asStory(this);
    let fixture: CloudFixture;
    let untouched: Record<string, string[]>;
    let folder: string;

    const give = async ({ workers = 1, timeoutSeconds = 1500, isGone = false } = {}) => {
        const { files, preKubeadmCommands } = machineSetUp(labKubeadm) as Record<string, object>;
        const { OS_CLIENT_CONFIG_FILE: file, OS_CLOUD: cloud } = fixture.project.env as Record<string, string>;
        const login = parse(fs.readFileSync(file!, "utf8")).clouds[cloud!];
        const yaml = stringify({ clouds: { openstack: login } });
        const [external] = JSON.parse(
            await fixture.cloud.openstack(["network", "list", "--external", "-f", "json"]),
        ) as { ID: string }[];
        const cluster = {
            infrastructure: {
                nova: {
                    image: fixture.cloud.images.kubernetes,
                    flavor: "m1.medium",
                    externalNetwork: fixture.cloud.publicNetwork,
                },
            },
            kubernetes: { version: "1.36.3", source: { bundle: { path: await bundle() } } },
            controlPlane: { count: 1, taints: [] },
            kubelet: labKubelet,
            kubeProxy: labKubeProxy,
        };
        const workload = {
            bundle: await bundle(),
            manifests: [path.join(projectRoot, "test/openstack/own-cluster-template.yaml")],
            variables: {
                CLUSTER_NAME: "own",
                KUBERNETES_VERSION: "v1.36.3",
                POD_CIDR: podCidr,
                WORKER_MACHINE_COUNT: `${workers}`,
                OPENSTACK_EXTERNAL_NETWORK_ID: external!.ID,
                OPENSTACK_IMAGE_NAME: fixture.cloud.images.kubernetes,
                OPENSTACK_CONTROL_PLANE_MACHINE_FLAVOR: "m1.medium",
                OPENSTACK_NODE_MACHINE_FLAVOR: "m1.medium",
                KUBEADM_FILES: JSON.stringify(files),
                PRE_KUBEADM_COMMANDS: JSON.stringify(preKubeadmCommands),
            },
            addOns: [folder],
            timeoutSeconds,
        };
        await fixture.project.setConfig(
            {
                cluster: JSON.stringify(cluster),
                workload: JSON.stringify(isGone ? { bundle: workload.bundle } : workload),
            },
            { cloudYaml: Buffer.from(yaml).toString("base64") },
        );
    };
    const bundle = () =>
        ensureBundle({
            addOns: ["cluster-api", "cluster-api-openstack"],
            onProgress: text => console.log(`      ${text}`),
        });
    const workers = async () => (await readyNodes(fixture)).filter(name => !name.includes("control-plane"));

    before(async function () {
        await needsTool(this, "cluster-api-openstack");
        await bundle();
        fixture = await openCloudFixture("program", "own-workload", { programs: "test/openstack", login: "lab-2" });
        folder = fs.mkdtempSync("/tmp/nfv-add-ons-");
        fs.writeFileSync(
            path.join(folder, "network.yaml"),
            networkManifest({ cni: "bridge", podCidr, kubectlPath: "/usr/bin/kubectl" }),
        );
        untouched = await footprint(fixture);
        await give();
    });
    after(async () => {
        await destroyOrSay(fixture);
        await fixture?.close();
        if (folder) fs.rmSync(folder, { recursive: true, force: true });
    });

    /** Starts `up` and kills it, as a lost terminal does, when its output or the cloud shows the moment. */
    const killed = async (isTime: (output: string) => Promise<boolean>) => {
        let said = "";
        let ended = false;
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--json"], text => {
            said += text;
        });
        const end = run.done.then(() => {
            ended = true;
        });
        await eventually(900, async () => assert.ok(ended || (await isTime(said))));
        assert.equal(ended, false, said.slice(-2000));
        killTree(run.pid);
        await end;
        await fixture.project.stack.cancel();
    };
    const serversOf = async (cluster: string) =>
        (await fixture.list("servers")).filter(({ name }) => name.startsWith(`${cluster}-`)).map(({ name }) => name);

    it("is removed whole when its first `up` was killed twice: as controllers start, and as the first server is made", async () => {
        await killed(async output => /control-plane-kubeadm: wait for its pods/.test(output));
        await killed(async () => (await serversOf("own")).length > 0);
        await give({ isGone: true });
        await fixture.project.up();
        assert.deepEqual(await serversOf("own"), []);
        const networks = (await fixture.list("networks")).map(({ name }) => name);
        assert.deepEqual(
            networks.filter(name => name.includes("clusterapi")),
            [],
        );
        await give();
    });

    it("becomes a cluster in one `up`, with the pod network that the program adds; its login is in the state as a secret only", async () => {
        await fixture.project.up();
        assert.equal((await workers()).length, 1);
        assert.equal((await readyNodes(fixture)).length, 2);
        const state = await fixture.project.exportStack();
        for (const secret of fixture.cloudSecrets) assert.equal(state.includes(secret), false);
    });

    it("changes nothing when `up` runs again, and after a refresh", async () => {
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("says that another number of workers adds a machine, and adds it", async () => {
        const before = await workers();
        await give({ workers: 2, timeoutSeconds: 300 });
        assert.match(await fixture.project.preview(), /own: pool md-0: 1 machine will be added/);
        await fixture.project.up();
        const now = await workers();
        assert.equal(now.length, 2);
        assert.ok(now.includes(before[0]!), now.join(" "));
    });

    it("names what the cloud does not give up when it is destroyed, ends, and goes on when that is gone", async () => {
        const network = "k8s-clusterapi-cluster-default-own";
        const made = JSON.parse(
            await fixture.cloud.openstack(["port", "create", "--network", network, "in-the-way", "-f", "json"]),
        ) as { id: string };
        const destroyed = async () => {
            const start = Date.now();
            const { code, output } = await fixture.project.start([
                ...["destroy", "--yes", "--skip-preview", "--non-interactive"],
            ]).done;
            console.log(`      ended with ${code} after ${Math.round((Date.now() - start) / 1000)} s`);
            assert.notEqual(code, 0);
            assert.match(output, /workload cluster "own": remove the cluster: WORKLOAD_NOT_READY/);
            return output;
        };
        let output = await destroyed();
        // On a loaded machine the time may be up while machines still leave.
        for (let more = 2; more > 0 && !output.includes(made.id); more--) output = await destroyed();
        console.log(
            output
                .split("\n")
                .filter(line => line.includes(made.id))
                .slice(0, 2)
                .join("\n"),
        );
        assert.ok(output.includes(made.id), "the error names the port");
        // Cluster API is still there, so it can go on.
        assert.match(output, /workload:own/);
        await fixture.cloud.openstack(["port", "delete", made.id]);
        await eventually(900, () => destroyWithoutTrace(fixture, untouched));
    });
});

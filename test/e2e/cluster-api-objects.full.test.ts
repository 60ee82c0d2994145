import { strict as assert } from "node:assert";
import { X509Certificate } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import {
    clusterApiReleases,
    componentsPath,
    infrastructureReleases,
    inventoryDefinition,
    newWebhookKeys,
    type ProviderName,
    type ProviderSpec,
    providerObjects,
    renewedWebhookKeys,
    type WebhookKeys,
} from "../../provider/cluster-api";
import { readManifest } from "../../provider/common/bundle";
import { ensureBundle } from "../../tools/bundle";
import { needsTool } from "../support/needs-tool";
import { skipIf } from "../support/skip";
import { asStory } from "../support/story";
import { notBuilt } from "../support/user-project";
import {
    cluster,
    controlPlane,
    credentials,
    machineDeployment,
    machineTemplate,
    openstackCluster,
    refused,
} from "./cluster-api-samples";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { Clusterctl } from "./clusterctl";

const addOns = ["cluster-api", "cluster-api-openstack"] as const;

const names: Pick<ProviderName, "type" | "name">[] = [
    { type: "core", name: "cluster-api" },
    { type: "bootstrap", name: "kubeadm" },
    { type: "controlPlane", name: "kubeadm" },
    { type: "infrastructure", name: "openstack" },
];

/** The real managers with the objects of provider/cluster-api on a real cluster without Internet. */
describe("the objects of a management cluster, applied by hand", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: Fixture;
    let providers: ProviderSpec[];
    let keys: WebhookKeys;
    let clusterctl: Clusterctl;

    /** Server-side, as an operator would apply them. */
    const apply = async (objects: object[], ...flags: string[]) => {
        const file = path.join(fixture.folder, "objects.json");
        fs.writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
        return fixture.kubectl("apply", "--server-side", "-f", file, ...flags);
    };
    const installAll = async () => {
        for (const { namespace, objects } of providerObjects({ providers, keys })) {
            await apply(objects);
            const available = ["--for=condition=Available", "--timeout=240s"];
            await fixture.kubectl("-n", namespace, "wait", "deployment", "--all", ...available);
        }
    };
    /** The certificate that the webhook of a provider serves, as seen from a node. */
    const served = async (namespace: string) => {
        const [service] = JSON.parse(await fixture.kubectl("-n", namespace, "get", "service", "-o", "json")).items;
        const address = `${service.spec.clusterIP}:443`;
        const pem = await fixture.lab.mustSsh(
            "m1",
            `openssl s_client -connect ${address} </dev/null 2>/dev/null | openssl x509`,
        );
        return new X509Certificate(pem).fingerprint256;
    };
    const fingerprint = (name: string) => new X509Certificate(keys.serving[name]!.certificate).fingerprint256;
    const secretOf: Record<string, string> = {
        "capi-system": "capi-system/capi-webhook-service-cert",
        "capo-system": "capo-system/capo-webhook-service-cert",
    };

    before(async function () {
        skipIf(this, notBuilt());
        const say = (text: string) => console.log(`      ${text}`);
        await needsTool(this, "cluster-api-openstack");
        const { programs } = await needsTool(this, "cluster-api");
        const bundle = await ensureBundle({ addOns, onProgress: say });
        const { files } = await readManifest(bundle);
        providers = names.map(name => {
            const { path: file, version } = files.find(each => each.path === componentsPath(name))!;
            return { ...name, version: version!, components: fs.readFileSync(path.join(bundle, file), "utf8") };
        });
        keys = await newWebhookKeys(providers);
        fixture = await openFixture({ name: "mgmt", nodes: ["m1", "w1"], addOns });
        const args = { ...clusterArguments(fixture.lab, { masters: ["m1"], workers: ["w1"] }), registries: {} };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
        await fixture.project.up();
        const ours = clusterApiReleases[providers[0]!.version.slice(1).replace(/\.\d+$/, "")]!.contract;
        const openstack = infrastructureReleases["openstack"]![providers[3]!.version.slice(1).replace(/\.\d+$/, "")]!;
        clusterctl = new Clusterctl(fixture, programs["clusterctl"]!, {
            ...{ "cluster-api": ours, "bootstrap-kubeadm": ours, "control-plane-kubeadm": ours },
            "infrastructure-openstack": openstack,
        });
        clusterctl.offer(providers);
    });
    after(() => fixture?.close());

    it("has its four managers Available, from the images on the nodes", async () => {
        await apply([inventoryDefinition()]);
        await fixture.kubectl("wait", "crd", inventoryDefinition().metadata.name, "--for=condition=Established");
        await installAll();
    });

    it("takes objects of all providers, which its webhooks complete", async () => {
        await apply([credentials, machineTemplate, openstackCluster, controlPlane, cluster, machineDeployment]);
        const workers = JSON.parse(await fixture.kubectl("get", "machinedeployments", "c1-workers", "-o", "json"));
        assert.match(workers.apiVersion, /v1beta2$/);
        assert.equal(workers.spec.selector.matchLabels["cluster.x-k8s.io/deployment-name"], "c1-workers");
        const old = JSON.parse(await fixture.kubectl("get", "clusters.v1beta1.cluster.x-k8s.io", "c1", "-o", "json"));
        assert.equal(old.spec.infrastructureRef.apiVersion, "infrastructure.cluster.x-k8s.io/v1beta1");
    });

    for (const [what, object, words] of refused) {
        it(`refuses by its webhooks for ${what}`, async () => {
            await assert.rejects(apply([object], "--dry-run=server", "--force-conflicts"), words);
        });
    }

    it("has controllers at work: the Cluster is Provisioning and says what it waits for", async () => {
        await eventually(60, async () => {
            const { status } = JSON.parse(await fixture.kubectl("get", "cluster", "c1", "-o", "json"));
            assert.equal(status.phase, "Provisioning");
            const ready = status.conditions.find((each: any) => each.type === "InfrastructureReady");
            assert.deepEqual([ready.status, ready.reason], ["False", "NotReady"]);
        });
    });

    it("has the rights that its managers need", async () => {
        for (const { namespace } of providerObjects({ providers, keys })) {
            await eventually(60, async () => {
                const log = await fixture.kubectl(
                    "-n",
                    namespace,
                    "logs",
                    "-l",
                    "cluster.x-k8s.io/provider",
                    "--since=20s",
                );
                assert.doesNotMatch(log, /is forbidden|Unauthorized/);
            });
        }
    });

    it("is read by clusterctl: the tree of a cluster, and what is installed and could be upgraded", async () => {
        const parts = [
            /Cluster\/c1/,
            /OpenStackCluster\/c1/,
            /KubeadmControlPlane\/c1/,
            /MachineDeployment c1-workers: 0 available/,
        ];
        await eventually(60, async () => {
            const tree = await clusterctl.run("describe", "cluster", "c1");
            for (const each of parts) assert.match(tree, each);
        });
        const current = await clusterctl.run("upgrade", "plan");
        for (const { name, version } of providers)
            assert.match(current, new RegExp(`${name} .*${version.replaceAll(".", "\\.")}`));
        assert.match(current, /You are already up to date/);
        const core = { ...providers[0]!, version: "v1.13.99" };
        clusterctl.offer([...providers.slice(1), core]);
        assert.match(
            await clusterctl.run("upgrade", "plan"),
            /cluster-api +capi-system +CoreProvider +v[\d.]+ +v1\.13\.99/,
        );
        clusterctl.offer(providers);
    });

    it("changes certificates and their authority while its webhooks answer all the time", async () => {
        const start = Date.now();
        const before = keys;
        keys = await renewedWebhookKeys(before, providers, {}, Date.parse("2999-01-01"));
        assert.equal(keys.formerAuthorities, before.authority.certificate);
        await installAll();
        for (const [namespace, name] of Object.entries(secretOf)) {
            await eventually(180, async () => {
                await apply([cluster, machineTemplate], "--dry-run=server");
                assert.equal(await served(namespace), fingerprint(name));
            });
        }
        console.log(`      the pods served the new certificates after ${Math.round((Date.now() - start) / 1000)} s`);
        keys = { ...keys, formerAuthorities: "" };
        await installAll();
        await apply([cluster, machineTemplate], "--dry-run=server");
        for (const [, object, words] of refused)
            await assert.rejects(apply([object], "--dry-run=server", "--force-conflicts"), words);
    });

    it("leaves nothing of a Cluster whose cloud was never reached", async () => {
        await fixture.kubectl("delete", "machinedeployment", "c1-workers", "--timeout=60s");
        await fixture.kubectl("delete", "cluster", "c1", "--timeout=120s");
        const rest = await fixture.kubectl(
            "get",
            "cluster,kcp,openstackcluster,machine,machinedeployment",
            "-o",
            "name",
        );
        assert.equal(rest.trim(), "");
    });
});

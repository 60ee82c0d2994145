import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { Vim, WorkloadCluster, type WorkloadClusterArgs } from "../../../../components";
import { unknownValue } from "../../../../provider/common/unknown-value";
import { isSecret, record, registered } from "../recorder";
import { sampleCertificate } from "../sample-args";

const access = { endpoint: "https://10.0.0.9:6443", caCertificate: sampleCertificate };
const ofTypes: Record<string, object> = {
    WorkloadRollout: { ...access, clientCertificate: "a", clientKey: "b", uid: "0b9d4c4e-6a1b", machines: [] },
    VimRegistration: { kubeconfig: "kind: Config", vimConnectionInfo: { vimId: "site" }, clusterId: "site-1" },
};

async function made(args: Partial<WorkloadClusterArgs>) {
    const program = () =>
        new WorkloadCluster("site", {
            managementVim: new Vim("management", { ...access, auth: { bearerToken: "token" } }),
            ...args,
        });
    const outputs = (type: string) => (ofTypes[type.split(":").at(-1)!] ?? {}) as Record<string, unknown>;
    return (await record("up", program, { outputs })).resources;
}

const typed = {
    version: "1.34.4",
    openstack: { identity: { secretName: "cloud" } },
    controlPlane: { flavor: "m1.medium", image: "k8s" },
};
const cloudsYaml = "clouds: {openstack: {}}";
const own = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: { name: own }\nspec: {}\n";

describe("WorkloadCluster", () => {
    it("notes what of it cannot change: what CAPO's webhooks keep, and its pod network", async () => {
        const { fixed, kept } = registered(await made(typed), "WorkloadRollout site").inputs as {
            fixed: Record<string, string>;
            kept: { cni?: string };
        };
        strictEqual(fixed["OpenStackCluster site: managedSubnets"], '[{"cidr":"10.6.0.0/24"}]');
        strictEqual(kept.cni, "bridge");
        const others = await made({ ...typed, network: { cni: "none" } });
        const { cni } = registered(others, "WorkloadRollout site").inputs["kept"] as { cni?: string };
        strictEqual(cni, "your own");
    });

    it("refuses a Vim in place of a ManagementCluster and the other way round, by the input's name", async () => {
        const vim = () => new Vim("other", { ...access, auth: { bearerToken: "token" } });
        const rows: [() => object, RegExp][] = [
            [() => ({ managementVim: undefined, management: vim() }), /management: is no ManagementCluster/],
            [() => ({ managementVim: {} }), /managementVim: is no Vim/],
        ];
        for (const [wrong, words] of rows)
            await rejects(
                record("preview", () => new WorkloadCluster("site", { ...typed, ...wrong() })),
                words,
            );
    });

    it("names the variables of manifests that have no value, and says one time that it is a wrong input", async () => {
        const program = () => made({ manifests: [own.replace("own }", "${SITE} }")] });
        await rejects(program(), ({ message }: Error) => {
            match(
                message,
                /^WorkloadCluster "site": INVALID_INPUT\n {4}manifests\.0: variables without a value: SITE\n/,
            );
            strictEqual(message.split("INVALID_INPUT").length, 2);
            return true;
        });
    });

    it("refuses add-ons and a pod network that are no YAML: Cluster API would wait for them without a word", async () => {
        const broken = "kind: A\nmetadata: {\n";
        await rejects(made({ manifests: [own], addOns: ["kind: A\n", broken] }), /INVALID_INPUT\n {4}addOns\.1: /);
        const network = { cni: "manifests", cniManifests: [broken] };
        await rejects(made({ ...typed, network }), /INVALID_INPUT\n {4}network\.cniManifests\.0: /);
    });

    it("refuses another name or namespace than its own Cluster has", async () => {
        const elsewhere = own.replace("name: own", "name: own, namespace: a");
        await rejects(made({ manifests: [own], clusterName: "site" }), /clusterName: is "site", and .* has "own"/);
        await rejects(made({ manifests: [elsewhere], namespace: "b" }), /namespace: is "b", and .* has "a"/);
        await made({ manifests: [own], clusterName: "own", namespace: "a" });
    });

    it("brings add-ons to a cluster of the user's own manifests, which it finds by a label", async () => {
        const resources = await made({
            manifests: [own],
            addOns: ['apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { a: "${a}" }\n'],
        });
        const kinds = resources.map(({ label }) => label).filter(label => /own/.test(label));
        match(kinds.join(), /ConfigMap site\/ConfigMap\/default\/own-add-on-1/);
        const { inputs } = registered(resources, "Cluster site/Cluster.cluster.x-k8s.io/default/own");
        const { labels } = inputs["metadata"] as { labels: object };
        deepStrictEqual(labels, { "pulumi-nfv.dev/workload-cluster": "own" });
        const { cni } = registered(resources, "WorkloadRollout site").inputs["kept"] as { cni?: string };
        strictEqual(cni, undefined);
    });

    it("that can move has no objects of Pulumi's plugin: the rollout holds them, as secrets, after their names are claimed", async () => {
        const resources = await made({
            ...typed,
            openstack: { identity: { cloudsYaml } },
            movable: true,
        });
        deepStrictEqual(
            resources.filter(({ type }) => /^kubernetes:|Cnf/.test(type)),
            [],
        );
        const { inputs, raw, after } = registered(resources, "WorkloadRollout site");
        ok(isSecret(raw["held"]));
        ok(after.includes("WorkloadClaim site"), after.join());
        const { owner, objects } = inputs["held"] as { owner: string; objects: { kind: string; metadata: object }[] };
        const claim = registered(resources, "WorkloadClaim site").inputs as { owner: string; objects: object[] };
        strictEqual(claim.owner, owner);
        deepStrictEqual(
            claim.objects.map(each => (each as { kind: string }).kind),
            objects.map(({ kind }) => kind),
        );
        match(JSON.stringify(objects), /"clouds\.yaml":"clouds: \{openstack: \{\}\}"/);
        strictEqual("held" in registered(await made(typed), "WorkloadRollout site").inputs, false);
    });

    describe("whose machines a run changes, at preview", () => {
        const before = {
            ...{ ...access, clientCertificate: "a", clientKey: "b", uid: "0b9d4c4e-6a1b", machines: [] },
            ...{ namespace: "default", clusterName: "site", clusterId: "site-1" },
        };
        const previewed = async (state: object | undefined, args: Partial<WorkloadClusterArgs> = {}) => {
            const program = () =>
                new WorkloadCluster("site", {
                    managementVim: new Vim("management", { ...access, auth: { bearerToken: "token" } }),
                    ...typed,
                    ...args,
                });
            const urn =
                "urn:pulumi:test::test::pulumi-nfv:index:WorkloadCluster$pulumi-nodejs:dynamic/nfv:WorkloadRollout::site";
            const { resources } = await record("preview", program, {
                outputs: type => (ofTypes[type.split(":").at(-1)!] ?? {}) as Record<string, unknown>,
                updated: ["WorkloadRollout"],
                call: token =>
                    /readStackResourceOutputs/.test(token) && state ? { outputs: { [urn]: { outputs: state } } } : {},
            });
            return registered(resources, "VimRegistration site").inputs;
        };

        it("keeps the access that the state has, so nothing that uses it looks replaced", async () => {
            const { clusterId, endpoint, auth } = await previewed(before);
            deepStrictEqual(
                [clusterId, endpoint, auth],
                ["site-0b9d4c4e", access.endpoint, { clientCertificate: "a", clientKey: "b" }],
            );
        });

        it("keeps it also where a cluster that can move is given another management cluster", async () => {
            const { clusterId } = await previewed({ ...before, clusterId: "first" }, { movable: true });
            strictEqual(clusterId, "site-0b9d4c4e");
        });

        it("knows none of another cluster, of one that has not come about, and of one that is not in the state", async () => {
            for (const state of [
                { ...before, clusterId: "first" },
                { ...before, clusterName: "a" },
                { ...before, uid: "" },
                undefined,
            ])
                strictEqual((await previewed(state))["endpoint"], unknownValue, JSON.stringify(state));
        });
    });

    it("that can move has no objects that would stay behind", async () => {
        const manifest = (kind: string, more = "") =>
            `---\napiVersion: v1\nkind: ${kind}\nmetadata: { name: x${more} }\n`;
        for (const [manifests, words] of [
            [manifest("Service"), /movable: Service x cannot move: apply it with a Cnf/],
            [manifest("Secret", ", namespace: other"), /movable: Secret x must be in the namespace default/],
        ] as const)
            await rejects(made({ manifests: [own + manifests], movable: true }), words);
        const identity = { cloudsYaml, clusterIdentity: "cloud" };
        await rejects(
            made({ ...typed, openstack: { identity }, movable: true }),
            /openstack\.identity\.clusterIdentity: is for several clusters/,
        );
    });

    it("refuses a pod network that its machines would not fit into", async () => {
        await rejects(
            made({ ...typed, network: { podCidr: "10.9.0.0/26" } }),
            /network\.podCidr: 10\.9\.0\.0\/26 is smaller/,
        );
    });
});

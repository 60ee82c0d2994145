import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { KubernetesCluster } from "../../../../components";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { hostNodes } from "../../../../components/infrastructure/hosts/hosts";
import { planServers } from "../../../../components/infrastructure/openstack/plan/plan-servers";
import type { CloudPlan } from "../../../../components/infrastructure/openstack/plan-cloud";
import { startNodes } from "../../../../components/infrastructure/openstack/start-nodes";
import { comparedInputs, settingsOf } from "../../../../components/kubernetes-cluster/operation";
import { check } from "../../../../provider";
import { classify } from "../../../../provider/operation/classify";
import type { ClusterDescription, OperationKind } from "../../../../provider/operation/operation";
import { canonicalJson } from "../../../../provider/steps/fingerprint";
import { record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";
import { triedChanges } from "../schema/tried-changes";

/** The cluster as OperationStart sees it, with the values themselves instead of their hashes. */
function described(args: KubernetesClusterArgs): ClusterDescription {
    const { heat, nova } = args.infrastructure;
    const plan = (heat || nova) && planServers(args, "core", { project: "p", stack: "s" });
    const nodes = plan ? startNodes({ backEnd: "nova", plan } as CloudPlan).nodes : hostNodes(args);
    const settings = Object.entries(settingsOf(args, {})).map(([name, value]) => [name, canonicalJson(value)]);
    return {
        nodes: nodes as ClusterDescription["nodes"],
        kubernetesVersion: args.kubernetes.version,
        settings: Object.fromEntries(settings),
    };
}

/** Inputs by the beginnings of their names → operations; all others are information. */
const kinds: Record<string, OperationKind[]> = {
    "infrastructure.hosts.controlPlane.NAME.address": ["heal"],
    "infrastructure.hosts.controlPlane": ["scale", "scale"],
    "infrastructure.hosts.pools": ["scale"],
    "controlPlane.count": ["scale"],
    "pools.NAME.count": ["scale"],
    "pools.NAME.remove": ["scale"],
    // another joins in its place
    "controlPlane.remove": ["scale", "scale"],
    "kubernetes.allowUnsupportedVersion": [],
    "kubernetes.": ["change_current_package"],
    "controlPlane.endpoint.": ["change_external_connectivity"],
    "infrastructure.heat.network.": ["change_external_connectivity"],
    "infrastructure.heat.access.": ["change_external_connectivity"],
    "infrastructure.heat.externalNetwork": ["change_external_connectivity"],
    "infrastructure.nova.externalNetwork": ["change_external_connectivity"],
    "infrastructure.heat.template.file": ["modify_information", "change_external_connectivity"],
    "infrastructure.hosts.ssh.hostKey": ["modify_information"],
    // Another name is another cluster; a machine's own login is no input of the cluster.
    clusterName: [],
    "infrastructure.hosts.ssh.host": [],
};

describe("the operation that a change of each input is", () => {
    for (const [row, { before, after }] of Object.entries(triedChanges)) {
        const beginning = Object.keys(kinds).find(each => row.startsWith(each));
        const expected = beginning === undefined ? ["modify_information"] : kinds[beginning]!;
        it(`${row}: ${expected.join(", ") || "none"}`, () => {
            const found = classify(described(before), described(after));
            assert.deepEqual(
                found.map(({ kind }) => kind),
                expected,
                JSON.stringify(found),
            );
            assert.deepEqual(classify(described(after), described(after)), []);
        });
    }
});

describe("inputs that an operation is recognised by", () => {
    const args = (password: unknown) =>
        clusterArgs(3, { a: 1 }, { registries: { "*": { endpoints: ["https://m"], password: password as string } } });
    const compared = async (password: unknown, key = "key", contents = {}) => {
        const { settings } = comparedInputs(args(password), "core", contents, pulumi.output(key));
        const output = pulumi.output(settings) as pulumi.Output<Record<string, string>>;
        assert.equal(await pulumi.isSecret(output), false);
        return new Promise<Record<string, string>>(resolve => output.apply(resolve));
    };

    it("are keyed hashes: no secret goes with them, and none can be tried out", async () => {
        const [one, other] = [await compared(pulumi.secret("canary")), await compared(pulumi.secret("other"))];
        assert.match(one["registries"]!, /^[0-9a-f]{12}$/);
        assert.notEqual(one["registries"], other["registries"]);
        assert.notEqual(one["registries"], (await compared("canary", "other key"))["registries"]);
        assert.deepEqual(one, await compared("canary"));
    });

    it("say of a value that is not known yet that it is so, and of the others what they are", async () => {
        const known = await compared("canary");
        const open = await compared(pulumi.output(pulumi.unknown));
        assert.deepEqual(open, { ...known, registries: "unknown" });
    });

    it("count with what the files hold that they name", async () => {
        const hashOf = async (contents: object) => (await compared("x", "key", contents))["infrastructure.hosts.ssh"];
        assert.notEqual(
            await hashOf({ "infrastructure.hosts.ssh": "one" }),
            await hashOf({ "infrastructure.hosts.ssh": "other" }),
        );
    });
});

describe("the start of an operation of a cluster", () => {
    const inputsOf = async (program: KubernetesClusterArgs) => {
        // No day may refuse what is new here.
        const kubernetes = { ...program.kubernetes, allowUnsupportedVersion: true };
        const { resources } = await record("up", () => new KubernetesCluster("core", { ...program, kubernetes }));
        return registered(resources, "OperationStart core").inputs;
    };
    const checked = async (olds: object, program: KubernetesClusterArgs) =>
        (await check("OperationStart", olds as never, await inputsOf(program))).inputs as Record<string, unknown>;

    it("knows nodes and inputs of machines that exist, and tells what changes", async () => {
        const first = await checked({}, clusterArgs(3, { a: 1 }));
        assert.equal(first["operation"], "instantiate control plane +3 (m1, m2, m3), a +1 (a-1)");
        const again = await checked(first, clusterArgs(3, { a: 1 }));
        assert.deepEqual(again, first);
        const next = await checked(again, clusterArgs(3, { a: 2 }, { sysctls: { "vm.swappiness": "1" } }));
        assert.equal(next["operation"], "modify information: sysctls; scale out a +1 (a-2)");
        const moved = clusterArgs(3, { a: 2 }, { controlPlane: { endpoint: { external: { host: "api.site" } } } });
        assert.equal(
            (await checked(next, { ...moved, sysctls: { "vm.swappiness": "1" } }))["operation"],
            "change external connectivity: endpoint vip 10.99.0.100:16443 to external api.site:6443",
        );
    });

    it("is what the output of the cluster says", async () => {
        const answers = {
            outputs: (type: string) => (type.endsWith(":OperationStart") ? { operation: "heal w1" } : {}),
        };
        const { result } = await record("up", () => new KubernetesCluster("core", clusterArgs(1)), answers);
        assert.equal(await new Promise(resolve => result.operation.apply(resolve)), "heal w1");
    });
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { removeFormerPoliciesScript, virtualAddressPolicy } from "../../../../provider/admission/virtual-address";
import { networkSteps } from "../../../../provider/cluster/cluster-network";
import type { EndpointSpec } from "../../../../provider/common/model";
import { formersFile, formersText } from "../../../../provider/endpoint/side-by-side";
import { plan } from "../../../../provider/steps";
import { runWithKubectl } from "../network/fake-kubectl";
import { plainTenants, vipEndpoint } from "../sample-specs";

const objects = (address: string) =>
    parseAllDocuments(virtualAddressPolicy(address)).map(document => {
        assert.deepEqual(document.errors, []);
        return document.toJS();
    });

const specWith = (virtualAddress?: string) => ({
    clusterId: "core-1",
    cni: "none" as const,
    podCidr: "10.7.0.0/16",
    kubectlPath: "/k",
    virtualAddress,
    tenants: plainTenants,
});

/** What is applied on a control-plane node that has recorded these former endpoints. */
function runStep(script: string, env: Record<string, string>, formers: EndpointSpec[] | undefined): string {
    const folder = mkdtempSync(join(tmpdir(), "nfv-policy-"));
    try {
        const noted = join(folder, "former-endpoints");
        if (formers !== undefined) writeFileSync(noted, `${formersText(formers)}\n`);
        const kubectl = 'kubectl() { for file; do :; done; cat "$file"; }\n';
        const input = kubectl + script.replaceAll(formersFile, noted);
        const { status, stdout, stderr } = spawnSync("sh", ["-eu"], { input, encoding: "utf8", env });
        assert.equal(status, 0, stderr);
        return stdout;
    } finally {
        rmSync(folder, { recursive: true });
    }
}

describe("the virtual address", () => {
    it("is refused to Services by a policy that its binding makes deny", () => {
        const [policy, binding] = objects("10.0.0.100");
        assert.deepEqual(
            [policy.kind, binding.kind],
            ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"],
        );
        assert.deepEqual([binding.spec.policyName, binding.spec.validationActions], [policy.metadata.name, ["Deny"]]);
        const [{ operations, resources }] = policy.spec.matchConstraints.resourceRules;
        assert.deepEqual(
            [operations, resources],
            [
                ["CREATE", "UPDATE"],
                ["services", "services/status"],
            ],
        );
        for (const { expression, message } of policy.spec.validations) {
            assert.match(expression, /ip\('10\.0\.0\.100'\)/);
            assert.match(message, /10\.0\.0\.100 is the virtual address/);
        }
    });

    it("is compared as an address, not as a text", () => {
        for (const { expression } of objects("fd00::1")[0].spec.validations)
            assert.match(expression, /ip\(each(\.ip)?\) == ip\('fd00::1'\)/);
    });

    it("is kept from Services together with former ones, as long as a node may use them", () => {
        const [step] = plan(networkSteps, specWith("10.0.0.100"), "key");
        const first = { host: "api.site", port: 6443 };
        const second = { ...vipEndpoint, host: "10.0.0.90", vip: { ...vipEndpoint.vip!, address: "10.0.0.90" } };
        const applied = runStep(step!.run!, step!.env!, [first, vipEndpoint, second]);
        const wanted = virtualAddressPolicy("10.0.0.100");
        const [policy, binding, former, formerBinding, ...others] = parseAllDocuments(applied).map(each => each.toJS());
        assert.deepEqual([policy, binding], objects("10.0.0.100"));
        assert.deepEqual(others, []);
        const name = "pulumi-nfv-virtual-address-former-10-0-0-90";
        assert.deepEqual(
            [former.metadata.name, formerBinding.metadata.name, formerBinding.spec.policyName],
            [name, name, name],
        );
        assert.deepEqual(former.spec, objects("10.0.0.90")[0].spec);
        assert.deepEqual(runStep(step!.run!, step!.env!, undefined).trim(), wanted.trim());
    });

    it("of a former endpoint is free again by a script that takes away no other policy", () => {
        const listed = [
            "validatingadmissionpolicy.admissionregistration.k8s.io/pulumi-nfv-virtual-address",
            "validatingadmissionpolicy.admissionregistration.k8s.io/pulumi-nfv-virtual-address-former-10-0-0-90",
            "validatingadmissionpolicybinding.admissionregistration.k8s.io/pulumi-nfv-virtual-address-former-10-0-0-90",
            "validatingadmissionpolicy.admissionregistration.k8s.io/others",
        ];
        const deletions = (stdout: string) => {
            const { code, stderr, calls } = runWithKubectl(removeFormerPoliciesScript, {}, [
                { when: /^\S* ?get /, stdout },
            ]);
            assert.equal(code, 0, stderr);
            return calls.filter(call => / delete |^delete /.test(call));
        };
        const [call, ...more] = deletions(`${listed.join("\n")}\n`);
        assert.ok(call!.endsWith(` ${listed[1]} ${listed[2]}`), call);
        assert.deepEqual(more, []);
        assert.deepEqual(deletions(`${listed[0]}\n`), []);
    });

    it("has a step of its own, also where the pod network is none of ours; a cluster without one has none", () => {
        const ids = (virtualAddress?: string) =>
            plan(networkSteps, specWith(virtualAddress), "key").map(({ id }) => id);
        assert.deepEqual(
            [ids("10.0.0.100"), ids()],
            [["cluster.virtual-address", "cluster.tenants"], ["cluster.tenants"]],
        );
    });
});

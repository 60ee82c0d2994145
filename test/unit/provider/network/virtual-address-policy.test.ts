import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import { virtualAddressPolicy } from "../../../../provider/network/virtual-address-policy";
import { networkSteps } from "../../../../provider/resources/cluster-network";
import { plan } from "../../../../provider/steps";

const objects = (address: string) =>
    parseAllDocuments(virtualAddressPolicy(address)).map(document => {
        assert.deepEqual(document.errors, []);
        return document.toJS();
    });

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

    it("has a step of its own, also where the pod network is none of ours; a cluster without one has none", () => {
        const ids = (virtualAddress?: string) => {
            const spec = {
                clusterId: "core-1",
                cni: "none" as const,
                podCidr: "10.7.0.0/16",
                kubectlPath: "/k",
                virtualAddress,
            };
            return plan(networkSteps, spec, "key").map(({ id }) => id);
        };
        assert.deepEqual([ids("10.0.0.100"), ids()], [["cluster.virtual-address"], []]);
    });
});

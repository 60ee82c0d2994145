import { deepStrictEqual, ok } from "node:assert/strict";
import { parse } from "yaml";
import { heatStack } from "../../../../../../components/infrastructure/openstack/heat/heat-stack";
import { heatTemplate } from "../../../../../../components/infrastructure/openstack/heat/heat-template";
import { planOf } from "../sample-cloud-args";

const storage = { server: { flavor: "m1.small" }, volumes: { data: { sizeGiB: 5 } } };
const outputsOf = (plan: ReturnType<typeof planOf>) =>
    (parse(heatTemplate(plan).template) as { outputs: Record<string, { value: unknown }> }).outputs;

describe("the place of a server beside our stack", () => {
    it("is the network of the nodes and the cluster's own security group, as texts", () => {
        const outputs = outputsOf(planOf({ server: { securityGroups: ["monitoring"] } }, { storage }));
        const port = "control-plane-1_port_1";
        deepStrictEqual(outputs["storage_network_id"]!.value, { get_attr: [port, "network_id"] });
        deepStrictEqual(outputs["storage_subnet_id"]!.value, { get_attr: [port, "fixed_ips", 0, "subnet_id"] });
        deepStrictEqual(outputs["storage_security_group_ids"]!.value, { get_resource: "security_group" });
    });

    it("is all that storage changes in the stack: no resource and no parameter", () => {
        const [without, withStorage] = [{}, { storage }].map(more => parse(heatTemplate(planOf({}, more)).template));
        deepStrictEqual(withStorage.resources, without.resources);
        deepStrictEqual(withStorage.parameters, without.parameters);
        const added = Object.keys(withStorage.outputs).filter(name => !(name in without.outputs));
        deepStrictEqual(added.sort(), ["storage_network_id", "storage_security_group_ids", "storage_subnet_id"]);
    });

    it("has an output in the template for each of its names, and none without storage", () => {
        const { place } = heatStack(planOf({}, { storage }));
        const outputs = outputsOf(planOf({}, { storage }));
        for (const name of Object.values(place!)) ok(name in outputs, name);
        deepStrictEqual(heatStack(planOf()).place, undefined);
    });
});

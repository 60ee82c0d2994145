import { deepStrictEqual } from "node:assert/strict";
import { fixedIds } from "../../../../../../components/infrastructure/openstack/plan/fixed-cloud-values";
import { cloudArgs } from "../sample-cloud-args";

describe("ids of inputs that cannot be changed", () => {
    const ids = (network: object, names: Record<string, string>) => fixedIds(cloudArgs({ network }), names);

    it("are those of the network and the subnet that are named, by name or id", () => {
        const names = { "network:lan": "n1", "network:n1": "n1", "subnet:v4": "s1", "only-subnet:lan": "s1" };
        const network = "infrastructure.nova.network.network";
        deepStrictEqual(ids({ network: "lan", subnet: "v4" }, names), {
            [network]: "n1",
            "infrastructure.nova.network.subnet": "s1",
        });
        deepStrictEqual(ids({ network: "n1" }, names), { [network]: "n1" });
    });

    it("are none where nothing is named, or the cloud was not asked", () => {
        deepStrictEqual(ids({}, { "network:lan": "n1" }), {});
        deepStrictEqual(ids({ network: "lan" }, {}), {});
    });
});

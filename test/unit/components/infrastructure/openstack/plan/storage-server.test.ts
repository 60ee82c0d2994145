import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { planServers } from "../../../../../../components/infrastructure/openstack/plan/plan-servers";
import { cloudArgs, planOf } from "../sample-cloud-args";

const storage = (server: object = {}) => ({
    storage: { server: { flavor: "small", ...server }, volumes: { data: { sizeGiB: 5 } } },
});

describe("the plan of a storage server", () => {
    it("is the same with each back end: only the parent of its resources differs", () => {
        const { infrastructure, ...args } = cloudArgs({}, storage());
        const program = { project: "shop", stack: "dev" };
        const heat = planServers({ ...args, infrastructure: { heat: infrastructure.nova! } }, "core", program);
        deepStrictEqual(heat.storage, planServers({ ...args, infrastructure }, "core", program).storage);
        strictEqual(heat.storage!.name, "core-storage");
    });

    it("is none where the server exists already, or no storage is wanted", () => {
        strictEqual(planOf().storage, undefined);
        strictEqual(planOf({}, { storage: { server: { address: "10.0.0.31" } } }).storage, undefined);
    });

    it("has a port like the nodes': one without port security is in no group, and would be kept out by the group's rules", () => {
        const open = { server: { port: { portSecurity: false } } };
        const secured = (cloud: object, server: object = {}) =>
            planOf(cloud, storage(server)).storage!.port.portSecurity;
        deepStrictEqual([secured({}), secured(open)], [true, false]);
        strictEqual(secured(open, { securityGroups: ["clients"] }), true, "the user says who may reach it");
    });
});

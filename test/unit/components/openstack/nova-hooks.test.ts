import { rejects } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { novaHooks } from "../../../../components/openstack/nova-hooks";
import { cloudOfEnvironment } from "../../provider/resources/cloud";

describe("what is looked at before servers are made one by one", () => {
    it("is the name of the server that the engine makes, and for the network all names, by the mark of this state", async () => {
        const { cloud, leave } = await cloudOfEnvironment();
        try {
            await pulumi.runtime.setMocks({
                call: () => ({}),
                newResource: ({ inputs }) => ({ id: "i", state: inputs }),
            });
            const registerResourceHook = (_request: unknown, done: (error: null) => void) => done(null);
            Object.assign(pulumi.runtime.getMonitor()!, { registerResourceHook });
            const mark = {
                "pulumi-nfv.cluster": "core",
                "pulumi-nfv.stack": "shop/dev",
                "pulumi-nfv.owner": pulumi.output("abc"),
            };
            const owner = { clusterId: "core-1a2b3c4d", cloud: {}, project: pulumi.output("p1"), mark, ssh: {} };
            const hooks = novaHooks("core", owner, ["core-m1", "core-w1"], undefined as never);
            const metadata = { ...mark, "pulumi-nfv.owner": "abc" };
            const server = { id: "s1", name: "core-w1", status: "SHUTOFF", metadata };
            cloud.routes["GET /compute/servers/detail"] = { servers: [server] };
            const run = (hook: pulumi.ResourceHook, name: string) =>
                Promise.resolve(hook.callback({ newInputs: { name } } as never));
            await run(hooks.server, "core-m1");
            await rejects(run(hooks.server, "core-w1"), /"core-w1" \(s1, SHUTOFF\) is not in Pulumi's state/);
            await rejects(
                run(hooks.network, "core"),
                /"core-w1" \(s1, SHUTOFF\) lives, and Pulumi's state does not know it/,
            );
        } finally {
            await leave();
        }
    });
});

import assert from "node:assert/strict";
import { operationEnd } from "../../../../provider/cluster/operation-end";
import { cnfObjects } from "../../../../provider/cnf/cnf-objects";
import { runClockFast } from "../../../support/fast-clock";
import { checked, endRun, listener, withGivenUp } from "../support/cluster";
import { FakeApi } from "../vim/fake-api";

const clusterId = "core-1a2b3c4d";
const upf = "upf-0123456789ab";

const object = (name: string, owner?: string, status?: object) => ({
    metadata: { name, namespace: "core", ...(owner && { annotations: { "pulumi-nfv.dev/owner": owner } }) },
    ...(status && { status }),
});

describe("a destroy of a cluster", () => {
    runClockFast();
    let api: FakeApi;
    let context: ReturnType<typeof listener>;
    const paths = {
        deployments: "/apis/apps/v1/deployments",
        statefulsets: "/apis/apps/v1/statefulsets",
        daemonsets: "/apis/apps/v1/daemonsets",
        cronjobs: "/apis/batch/v1/cronjobs",
        jobs: "/apis/batch/v1/jobs",
        pods: "/api/v1/pods",
    };
    const has = (kind: keyof typeof paths, ...items: object[]) => api.objects.set(paths[kind], { items });
    const access = () => ({ endpoint: api.endpoint, caCertificate: api.ca, auth: { bearerToken: "admin-token" } });
    type State = Parameters<typeof operationEnd.delete>[1];
    const state = (): State =>
        ({
            spec: { clusterId, nodes: { m1: "1.34.4" } },
            access: access(),
            resourceUrn: "urn:end",
        }) as unknown as State;
    const destroy = () => operationEnd.delete("end", state(), context);

    beforeEach(async () => {
        api = await FakeApi.start();
        context = listener();
        for (const kind of Object.keys(paths) as (keyof typeof paths)[]) has(kind);
    });
    afterEach(async () => {
        await endRun();
        await api.stop();
    });

    it("is refused while network functions of other stacks run on it, with their names and the way out", async () => {
        has("deployments", object("upf", upf), object("web"));
        has("pods", object("probe", "smf-0123456789cd", { phase: "Running" }));
        await assert.rejects(destroy(), ({ code, message }: { code: string; message: string }) => {
            assert.equal(code, "CLUSTER_IN_USE");
            assert.match(message, /^ *upf: Deployment core\/upf$/m);
            assert.match(message, /^ *smf: Pod core\/probe$/m);
            assert.doesNotMatch(message, /core\/web/);
            assert.match(message, /NFV_GIVE_UP=core-1a2b3c4d\/cnf:smf,core-1a2b3c4d\/cnf:upf pulumi destroy/);
            return true;
        });
        assert.doesNotMatch(context.noted.join("\n"), /terminate/);
    });

    it("goes on where only its own parts are left, or what has ended", async () => {
        has("deployments", object("csi-nfs-controller", clusterId), object("coredns"));
        has("jobs", object("migrate", upf, { conditions: [{ type: "Complete", status: "True" }] }));
        has("pods", object("probe", upf, { phase: "Succeeded" }));
        await destroy();
        assert.deepEqual(context.warned, []);
        assert.match(context.noted.join("\n"), /operation: terminate \(m1\)/);
    });

    it("goes on over what this stack itself leaves there: its Cnf went before", async () => {
        has("statefulsets", object("upf", upf));
        await cnfObjects.delete(upf, { owner: upf } as never, context);
        await destroy();
    });

    it("ends those that are given up by their whole names, and says so", async () => {
        has("daemonsets", object("upf", upf));
        has("jobs", object("smf", "smf-0123456789cd"));
        await withGivenUp(`${clusterId}/cnf:upf`, () => assert.rejects(destroy(), /^ *smf: Job core\/smf$/m));
        await withGivenUp(`${clusterId}/cnf:upf,${clusterId}/cnf:smf`, destroy);
        assert.match(context.warned.join("\n"), /these end with it, as you gave them up:\nsmf: Job core\/smf\nupf: /);
    });

    it("goes on with a warning where the cluster cannot be asked: one that is lost for good must be able to go", async () => {
        const former = state();
        await api.stop();
        await operationEnd.delete("end", former, context);
        assert.match(
            context.warned.join("\n"),
            /whether network functions of other stacks run on core-1a2b3c4d cannot/,
        );
    });

    it("asks nothing where the cluster goes on: its end is replaced by name", async () => {
        has("deployments", object("upf", upf));
        checked(context, "OperationEnd", { resourceUrn: "urn:end" });
        await destroy();
    });
});

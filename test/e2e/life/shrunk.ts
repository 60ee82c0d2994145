import { strict as assert } from "node:assert";
import { servedCertificates } from "../certificates-on-nodes";
import { guardedBudget, guardedDeployment } from "../cluster-fixture";
import { apply, guardedPlaces, watchAvailable } from "../cluster-observed";
import type { Life } from "./life";

/** A certificate of m2 that ends in 20 days, in the place of the one that kubeadm made. */
const shorten = `cd /etc/kubernetes/pki
openssl x509 -x509toreq -in front-proxy-client.crt -signkey front-proxy-client.key -out /tmp/short.csr
echo extendedKeyUsage=clientAuth > /tmp/short.ext
openssl x509 -req -in /tmp/short.csr -CA front-proxy-ca.crt -CAkey front-proxy-ca.key -CAserial /tmp/short.srl -CAcreateserial \\
    -days 20 -extfile /tmp/short.ext -out front-proxy-client.crt; rm -f /tmp/short.*`;

const restarted = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];

export function isShrunk(life: Life): void {
    const served = () => Promise.all(["m1", "m2"].map(name => servedCertificates(life.fixture.lab, name)));
    let before: Record<string, string>[];

    it("stops before a worker leaves whose pods a PodDisruptionBudget holds for ever, and keeps it as it was", async () => {
        const { fixture } = life;
        // both pods on w2
        await fixture.kubectl("cordon", "w1");
        await apply(fixture, guardedDeployment, guardedBudget(2));
        await life.settles(async () => assert.deepEqual(await guardedPlaces(fixture), ["w2", "w2"]));
        await fixture.kubectl("uncordon", "w1");
        await life.give(wish => {
            delete wish.cluster.infrastructure.hosts.pools.workers.w2;
            wish.cluster.drain.timeoutSeconds = 900;
            wish.replicas = 1;
        });
        const said = await life.fails("up", "--yes", "--skip-preview");
        assert.match(said, /w2: drain: DRAIN_FAILED/);
        assert.match(said, /pods are still on w2 after 10 s:[\s\S]*default\/guarded-/);
        assert.match(said, /PodDisruptionBudgets that allow no disruption now:\s+default\/guarded\n/);
        assert.equal(Object.keys(await life.ready()).length, 5);
        assert.deepEqual(await guardedPlaces(fixture), ["w2", "w2"]);
    });

    it("says which certificate ends first, on which node, when; preview names what will be renewed", async () => {
        before = await served();
        await life.fixture.lab.mustSsh("m2", shorten);
        await life.fixture.project.refresh();
        const preview = await life.fixture.project.preview();
        assert.match(preview, /front-proxy-client\.crt on m2 ends on \d{4}-.*, in (19|20) days\. pulumi up renews it/);
        assert.match(preview, /m2: renew certificates: front-proxy-client ends in (19|20) days/);
        assert.doesNotMatch(preview, /(m1|m3|w1|w2): renew|replace/);
    });

    it("loses the worker when the budget allows it, one pod after the other: the workload never is without one", async () => {
        const { fixture } = life;
        await apply(fixture, guardedBudget(1));
        const { samples, stop } = watchAvailable(fixture);
        // On a slow machine its ten seconds may be over before the pods are elsewhere: as long as they move, the next `up` goes on.
        await life.settles(() => fixture.project.up());
        await life.settles(async () => assert.deepEqual(await guardedPlaces(fixture), ["w1", "w1"]));
        stop();
        assert.deepEqual([...new Set(samples())].sort(), ["1", "2"], "how many were available");
        assert.equal(Object.keys(await life.ready()).length, 4);
    });

    it("has renewed that certificate in the same run, there and nowhere else", async () => {
        const after = await served();
        // On a machine under load the others lose their lease, start again and make themselves new ones.
        for (const component of ["etcd", "kube-apiserver", "kubelet"])
            assert.equal(after[0]![component], before[0]![component], component);
        for (const component of restarted) assert.notEqual(after[1]![component], before[1]![component], component);
        const { expires } = JSON.parse(await life.fixture.project.output("earliestExpiry")) as { expires: string };
        assert.ok(Date.parse(expires) > Date.now() + 300 * 86_400_000, expires);
    });

    it("is not destroyed under a network function of another stack, and says which", async () => {
        const { fixture } = life;
        await fixture.kubectl("annotate", "deployment", "guarded", "pulumi-nfv.dev/owner=upf-0123456789ab");
        const said = await life.fails("destroy", "--yes", "--skip-preview");
        assert.match(said, /CLUSTER_IN_USE[\s\S]*upf: Deployment default\/guarded/);
        assert.match(said, /NFV_GIVE_UP=\S+\/cnf:upf pulumi destroy/);
        assert.deepEqual(await guardedPlaces(fixture), ["w1", "w1"]);
        await fixture.kubectl("delete", "deployment,poddisruptionbudget", "guarded");
    });
}

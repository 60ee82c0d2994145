import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import type { KubernetesClusterArgs } from "../../components/args";
import { run } from "../../lab/process";
import { asStory } from "../support/story";
import { servedCertificates } from "./certificates-on-nodes";
import { claimingPod, podThatTakesItsNode, readAll, toolsByDigest } from "./cluster-attacks";
import {
    canaries,
    clusterArguments,
    command,
    eventually,
    type Fixture,
    guardedBudget,
    guardedDeployment,
    openFixture,
    webObjects,
} from "./cluster-fixture";
import { apply, footprints, guardedPlaces, holderOf, stepChanges, watchAvailable } from "./cluster-observed";
import { filesBelow, secretsOf, stored } from "./cluster-secrets";
import { observed, stepsOf } from "./observed-steps";
import { sampleProcesses } from "./process-sampler";

const masters = ["m1", "m2", "m3"];
const workers = ["w1", "w2"];

describe("a cluster of three masters and two workers", function () {
    this.timeout("15m");
    asStory(this);
    let fixture: Fixture;
    let untouched: Record<string, string>;
    let secretsSeen: Promise<Record<string, string>> | undefined;
    const knownSecrets = () => {
        secretsSeen ??= secretsOf(fixture);
        return secretsSeen;
    };
    const processes = sampleProcesses();
    /** Of the program now. */
    let current: KubernetesClusterArgs;

    const configure = (change: (args: any) => void = () => {}) => {
        const args = {
            ...clusterArguments(fixture.lab, { masters, workers }),
            drain: { timeoutSeconds: 20 },
            proxy: {},
        };
        change(args);
        current = args as unknown as KubernetesClusterArgs;
        const secrets = { privateKey: fixture.lab.node("m1").privateKey, ...canaries };
        return fixture.project.setConfig(
            {
                cluster: JSON.stringify(args),
                objects: JSON.stringify(webObjects),
                replicas: JSON.stringify({ web: 2 }),
            },
            { secrets: JSON.stringify(secrets) },
        );
    };

    before(async () => {
        fixture = await openFixture({ name: "e2e", nodes: [...masters, ...workers] });
        untouched = await footprints(fixture);
        await configure();
    });

    after(async () => {
        processes.stop();
        await fixture?.close();
    });

    it("shows before the first run which steps will run on which node", async () => {
        const text = await fixture.project.preview("--diff");
        for (const node of [...masters, ...workers]) assert.match(text, new RegExp(`core-${node}`));
        assert.match(text, /initialise or join the cluster"?\s*: "to do"/);
    });

    it("stands after one `pulumi up`: all nodes Ready, the network function answers", async () => {
        await fixture.project.up();
        const nodes = JSON.parse(await fixture.kubectl("get", "nodes", "-o", "json")).items;
        const ready = nodes.filter((n: any) =>
            n.status.conditions.some((c: any) => c.type === "Ready" && c.status === "True"),
        );
        assert.deepEqual(ready.map((n: any) => n.metadata.name).sort(), [...masters, ...workers]);
    });

    it("runs the replicas of the network function on different workers, which answer by Service and by DNS name", async () => {
        const pods = JSON.parse(await fixture.kubectl("-n", "web", "get", "pods", "-o", "json")).items;
        assert.deepEqual(pods.map((pod: any) => pod.spec.nodeName).sort(), workers);
        const address = await fixture.kubectl("-n", "web", "get", "service", "web", "-o", "jsonpath={.spec.clusterIP}");
        const from = pods[0].metadata.name;
        for (const host of [address, "web", "web.web.svc.cluster.local"]) {
            const seen = new Set<string>();
            await eventually(60, async () => {
                seen.add(
                    (
                        await fixture.kubectl(
                            "-n",
                            "web",
                            "exec",
                            from,
                            "--",
                            "timeout",
                            "5",
                            "wget",
                            "-qO-",
                            `http://${host}/`,
                        )
                    ).trim(),
                );
                assert.deepEqual(
                    [...seen].sort(),
                    workers.map(name => `web on ${name}`),
                    `through ${host}`,
                );
            });
        }
    });

    it("keeps two CoreDNS replicas on two machines", async () => {
        await eventually(90, async () => {
            const pods = JSON.parse(
                await fixture.kubectl("-n", "kube-system", "get", "pods", "-l", "k8s-app=kube-dns", "-o", "json"),
            ).items;
            const running = pods.filter(
                (pod: any) => !pod.metadata.deletionTimestamp && pod.status.phase === "Running",
            );
            assert.equal(new Set(running.map((pod: any) => pod.spec.nodeName)).size, 2);
        });
    });

    it("changes nothing when `up` runs again", async () => {
        await fixture.project.up({ expectNoChanges: true });
    });

    const settings = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "1" } });
    const functions = (cnfs: object) => fixture.project.setConfig({ cnfs: JSON.stringify(cnfs) });

    it("refuses at preview what others made, by name, and leaves it as it is", async () => {
        await fixture.kubectl("create", "namespace", "theirs");
        await fixture.kubectl("-n", "theirs", "create", "configmap", "precious", "--from-literal=a=theirs");
        await functions({ taker: { namespace: "theirs", objects: [settings("precious"), settings("free")] } });
        for (const command of [["preview"], ["up", "--yes", "--skip-preview"]]) {
            const { code, output } = await fixture.project.start([...command, "--non-interactive"]).done;
            assert.notEqual(code, 0, output);
            assert.match(output, /NOT_OURS[\s\S]*ConfigMap theirs\/precious exists already: not made by pulumi-nfv/);
        }
        const left = await fixture.kubectl("-n", "theirs", "get", "configmaps", "-o", "name");
        assert.doesNotMatch(left, /free/);
        const value = await fixture.kubectl("-n", "theirs", "get", "configmap", "precious", "-o", "jsonpath={.data.a}");
        assert.equal(value, "theirs");
    });

    it("loses nothing of the other when one of two network functions in a namespace leaves that made it", async () => {
        const binding = (role: string) => ({
            ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: "two" } },
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
            subjects: [{ kind: "ServiceAccount", name: "default", namespace: "shared" }],
        });
        const two = { two: { namespace: "shared", objects: [settings("two"), binding("view")] } };
        await functions({ one: { namespace: "shared", objects: [settings("one")] } });
        await fixture.project.up();
        await functions({ one: { namespace: "shared", objects: [settings("one")] }, ...two });
        await fixture.project.up();
        await functions(two);
        assert.match(await fixture.project.up(), /namespace shared stays: ConfigMap\/two.* would go with it/);
        assert.match(await fixture.kubectl("-n", "shared", "get", "configmaps", "-o", "name"), /configmap\/two\n/);
        const uid = () => fixture.kubectl("-n", "shared", "get", "configmap", "two", "-o", "jsonpath={.metadata.uid}");
        const before = await uid();
        const { resources } = JSON.parse(await fixture.project.exportStack()).deployment as {
            resources: { urn: string }[];
        };
        const { urn } = resources.find(each => each.urn.endsWith("v1:ConfigMap::two/ConfigMap/shared/two"))!;
        const replace = ["up", "--yes", "--skip-preview", "--non-interactive", "--replace", urn];
        const { code, output } = await fixture.project.start(replace).done;
        assert.notEqual(code, 0, output);
        assert.match(output, /ConfigMap two: INVALID_INPUT/);
        await fixture.project.up({ expectNoChanges: true });
        assert.equal(await uid(), before, "what --replace names is not deleted");
        // The API refuses a change of this field, so the plugin itself deletes the object and makes it again.
        const edited = { ...two.two, objects: [settings("two"), binding("edit")] };
        await functions({ two: edited });
        // The plugin's own preview fails: it tries the change in a dry run, on the existing object.
        await fixture.project.up();
        const role = ["get", "rolebinding", "two", "-o", "jsonpath={.roleRef.name}"];
        assert.equal(await fixture.kubectl("-n", "shared", ...role), "edit");
        await functions({ renamed: { ...edited, aliases: [{ name: "two" }] } });
        await fixture.project.up();
        assert.equal(await uid(), before, "another name with an alias touches nothing");
        await functions({});
        await fixture.project.up();
        assert.equal(
            await fixture.kubectl("-n", "theirs", "get", "configmaps", "precious", "-o", "name"),
            "configmap/precious\n",
        );
    });

    it("hands out an account that may work in its namespaces, and is refused each way to more", async () => {
        const kubeconfig = path.join(fixture.folder, "vim-kubeconfig");
        fs.writeFileSync(kubeconfig, await fixture.project.output("vimKubeconfig"), { mode: 0o600 });
        const kubectl = path.join(fixture.bundle, "bin", "kubectl");
        const asAccount = (...args: string[]) =>
            command(fixture.lab.enter([kubectl, "--kubeconfig", kubeconfig, ...args]));
        const rootPod = path.join(fixture.folder, "root-pod.json");
        fs.writeFileSync(rootPod, JSON.stringify(podThatTakesItsNode(toolsByDigest(fixture))));
        const mine = "--serviceaccount=kube-system:nfv-vim";
        await eventually(30, () => asAccount("-n", "nfv", "get", "secrets,pods,deployments"));
        await eventually(30, () => asAccount("-n", "nfv", "create", "configmap", "allowed"));
        await eventually(30, () => asAccount("get", "nodes"));
        const ways = [
            ["-n", "kube-system", "get", "secrets"],
            ["-n", "kube-system", "get", "pods"],
            ["get", "secrets", "--all-namespaces"],
            ["-n", "kube-system", "exec", "etcd-m1", "--", "true"],
            ["get", "nodes", "--as=kubernetes-admin", "--as-group=system:masters"],
            ["-n", "nfv", "get", "pods", "--as=system:serviceaccount:kube-system:generic-garbage-collector"],
            ["create", "clusterrolebinding", "more", "--clusterrole=cluster-admin", mine],
            ["-n", "nfv", "create", "rolebinding", "more", "--clusterrole=cluster-admin", mine],
            ["-n", "kube-system", "create", "rolebinding", "more", "--clusterrole=view", mine],
            ["-n", "nfv", "create", "role", "more", "--verb=*", "--resource=*"],
            ["-n", "kube-system", "create", "token", "generic-garbage-collector"],
            ["label", "namespace", "nfv", "pod-security.kubernetes.io/enforce=privileged", "--overwrite"],
            ["create", "namespace", "unguarded"],
            ["apply", "--validate=false", "-f", rootPod],
            ["get", "--raw", "/api/v1/nodes/m1/proxy/pods"],
        ];
        for (const way of ways) {
            await eventually(30, async () => {
                const said = await asAccount(...way).then(
                    output => assert.fail(`allowed: ${way.join(" ")}\n${output}`),
                    error => String(error),
                );
                assert.match(said, /forbidden/i, way.join(" "));
            });
        }
    });

    it("says which certificate ends first, on which node, when; preview names what will be renewed, and up renews it there", async () => {
        const pki = "/etc/kubernetes/pki";
        const before = await Promise.all(["m1", "m2"].map(master => servedCertificates(fixture.lab, master)));
        await fixture.lab.mustSsh(
            "m2",
            `cd ${pki}
            sudo openssl x509 -x509toreq -in front-proxy-client.crt -signkey front-proxy-client.key -out /tmp/short.csr
            echo extendedKeyUsage=clientAuth > /tmp/short.ext
            sudo openssl x509 -req -in /tmp/short.csr -CA front-proxy-ca.crt -CAkey front-proxy-ca.key -CAserial /tmp/short.srl -CAcreateserial \
                -days 20 -extfile /tmp/short.ext -out front-proxy-client.crt; sudo rm -f /tmp/short.*`,
        );
        await fixture.project.refresh();
        const preview = await fixture.project.preview();
        assert.match(preview, /front-proxy-client\.crt on m2 ends on \d{4}-.*, in (19|20) days\. pulumi up renews it/);
        assert.match(preview, /m2: renew certificates: front-proxy-client ends in (19|20) days/);
        assert.doesNotMatch(preview, /(m1|m3|w1|w2): renew|replace/);
        await fixture.project.up();
        const after = await Promise.all(["m1", "m2"].map(master => servedCertificates(fixture.lab, master)));
        assert.deepEqual(after[0], before[0]);
        for (const component of ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"])
            assert.notEqual(after[1]![component], before[1]![component], component);
        const { expires } = JSON.parse(await fixture.project.output("earliestExpiry")) as { expires: string };
        assert.ok(Date.parse(expires) > Date.now() + 300 * 86_400_000, expires);
        assert.doesNotMatch(await fixture.project.preview("--expect-no-changes"), /ends on|renew/);
    });

    it("keeps in the audit log who read a Secret, nodes included", async () => {
        // A node's kubelet does the same for a pod that mounts a secret.
        await fixture.kubectl("-n", "nfv", "create", "secret", "generic", "read-me", "--from-literal=a=b");
        const by = ["--as=system:node:w1", "--as-group=system:nodes", "--as-group=system:authenticated"];
        await fixture.kubectl("-n", "nfv", "get", "secret", "read-me", ...by).catch(() => {});
        await eventually(30, async () => {
            const logs = await Promise.all(
                masters.map(name =>
                    fixture.lab.mustSsh(name, 'sudo grep -rh \'"name":"read-me"\' /var/log/kubernetes || true'),
                ),
            );
            assert.match(logs.join(), /system:node:w1/);
        });
    });

    it("shows in preview exactly one step of one node when one label changes, and makes that change", async () => {
        await configure(args => {
            args.infrastructure.hosts.pools.special = { w2: args.infrastructure.hosts.pools.workers.w2 };
            delete args.infrastructure.hosts.pools.workers.w2;
            args.pools.special = { labels: { tier: "packet-core", site: "north" } };
        });
        const changed = stepChanges(await fixture.project.events(["preview"]));
        assert.deepEqual(Object.keys(changed).sort(), ["core", "core-w2"], JSON.stringify(changed));
        const text = await fixture.project.preview("--diff");
        const lines = text
            .split("\n")
            .filter(line => /^\s*~ .+: "[0-9a-f]{12}" => "[0-9a-f]{12}"/.test(line))
            // what OperationStart keeps of each machine's steps
            .filter(line => !/^\s*~ (host|node) /.test(line));
        assert.equal(lines.length, 1, text);
        assert.match(lines[0]!, /labels/);
        assert.match(text, /operation: modify information: pools \(w2 in another pool\)/);
        await fixture.project.up();
        assert.equal(await fixture.kubectl("get", "node", "w2", "-o", "jsonpath={.metadata.labels.site}"), "north");
        await fixture.project.up({ expectNoChanges: true });
    });

    it("keeps the virtual address where it is while pods claim it, with the host's network, too", async () => {
        const state = async () => {
            const changes = masters.map(name =>
                fixture.lab.mustSsh(name, "journalctl -u keepalived -o cat | grep -c Entering"),
            );
            return [await holderOf(fixture), ...(await Promise.all(changes))];
        };
        const before = await state();
        const [, router] = /virtual_router_id (\d+)/.exec(
            await fixture.lab.mustSsh("m1", "cat /etc/keepalived/keepalived.conf"),
        )!;
        const names = ["claims", "claims-by-host"];
        await apply(fixture, ...names.map(name => claimingPod(fixture, masters, name, router!)));
        const finished = "--for=jsonpath={.status.phase}=Succeeded";
        await fixture.kubectl("-n", "default", "wait", finished, ...names.map(name => `pod/${name}`), "--timeout=90s");
        for (const name of names) {
            const said = await fixture.kubectl("-n", "default", "logs", name);
            assert.match(said, /^sent \d+ refused \d+\n$/);
            assert.doesNotMatch(said, /sent 0 refused 0/);
        }
        assert.deepEqual(await state(), before);
        await fixture.kubectl("-n", "default", "delete", "pod", ...names);
    });

    it("answers through the virtual address while the master that holds it is powered off", async () => {
        const holder = await eventually(30, () => holderOf(fixture));
        await fixture.lab.powerOff(holder);
        const nodes = await eventually(60, () => fixture.kubectl("get", "nodes", "--request-timeout=5s", "-o", "name"));
        assert.equal(nodes.trim().split("\n").length, 5);
        // Writes wait for etcd's new leader if the old one was on the removed machine.
        const written = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "written-meanwhile" } };
        await eventually(60, () => apply(fixture, written));
        await eventually(30, async () => assert.notEqual(await holderOf(fixture), holder));
        await fixture.lab.powerOn(holder);
        await eventually(180, async () => {
            await fixture.kubectl("wait", "--for=condition=Ready", "node", holder, "--timeout=5s");
        });
    });

    it("finds nothing to do after `pulumi refresh`", async () => {
        const output = await fixture.project.refresh({ expectNoChanges: true });
        assert.doesNotMatch(output, /deleted|updated/);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("is observed step by step, one round trip a machine: nothing differs; then exactly what somebody changed", async () => {
        const steps = await stepsOf(fixture, current);
        const places = [...[...masters, ...workers].map(name => [name, name]), ["cluster", "m1"]] as [string, string][];
        const differences = async () => {
            const found: string[] = [];
            for (const [place, on] of places) {
                for (const [id, seen] of Object.entries(await observed(fixture, steps, place, on))) {
                    if (seen.state === "differs") found.push(`${place} ${id}: ${seen.lines.join("; ")}`);
                    if (seen.state === "unknown")
                        assert.match(seen.why, /^it looks at other machines/, `${place} ${id}`);
                }
            }
            return found;
        };
        for (const [name, journal] of await Promise.all(
            [...masters, ...workers].map(async name => [
                name,
                await fixture.lab.mustSsh(name, "cd /var/lib/pulumi-nfv/journal && grep -H . *"),
            ]),
        )) {
            const done = new Set(journal!.split("\n").map(line => line.replace(/^([^:]+):(\S+).*/, "$1 $2")));
            for (const { id, fingerprint } of steps[name!]!)
                assert.ok(done.has(`${id} ${fingerprint}`), `${name}: the steps are those of the run: ${id}`);
        }
        assert.deepEqual(await differences(), []);
        const change = async (m2: string, w1: string, label: string, action: string) => {
            const patch = JSON.stringify({ spec: { validationActions: [action] } });
            const binding = ["validatingadmissionpolicybinding", "pulumi-nfv-virtual-address"];
            // The virtual address may still be on its way from or to m2.
            await eventually(30, () => fixture.kubectl("label", "node", "w2", "--overwrite", label));
            await eventually(30, () => fixture.kubectl("patch", ...binding, "--type=merge", "-p", patch));
            await fixture.lab.mustSsh("m2", m2);
            await fixture.lab.mustSsh("w1", w1);
        };
        const config = "/etc/containerd/config.toml";
        const hosts = "/etc/hosts /root/hosts-before";
        await change(
            `systemctl stop haproxy; echo '# x' >>${config}`,
            `cp ${hosts}; sysctl -q net.ipv4.ip_forward=0; sed -i '/ w1$/d' /etc/hosts; chmod 644 /etc/pulumi-nfv/proxy.env`,
            "tier-",
            "Audit",
        );
        const found = await differences();
        await change(
            `systemctl start haproxy; sed -i '$d' ${config}`,
            "cat /root/hosts-before >/etc/hosts; sysctl -q net.ipv4.ip_forward=1; chmod 600 /etc/pulumi-nfv/proxy.env",
            "tier=packet-core",
            "Deny",
        );
        const policy = "admissionregistration.k8s.io.v1.ValidatingAdmissionPolicyBinding..pulumi-nfv-virtual-address";
        assert.deepEqual(found, [
            "m2 host.container-runtime-config: /etc/containerd/config.toml has changed",
            "m2 host.haproxy: haproxy.service does not run",
            "w1 host.hosts-file: our lines in /etc/hosts have changed",
            "w1 host.sysctls: net.ipv4.ip_forward is 0, it was set to 1",
            "w1 host.proxy: /etc/pulumi-nfv/proxy.env is 644 root:root, it was made 600 root:root",
            'w2 node.labels: the node does not have "tier":"packet-core"',
            `cluster cluster.virtual-address: ${policy} is not as we applied it`,
        ]);
        assert.deepEqual(await differences(), []);
    });

    it("keeps secrets out of state, events, journals and process lists", async () => {
        const secrets = await knownSecrets();
        assert.ok(Object.keys(secrets).length >= 8, "the scan knows the secrets it looks for");
        const places: Record<string, string> = {
            "exported stack": await fixture.project.exportStack(),
            "process lists": processes.text(),
        };
        for (const file of filesBelow(fixture.project.stateFolder)) places[file] = fs.readFileSync(file, "utf8");
        const events = await fixture.project.events(["preview"]);
        // The SDK's type of the severity lacks this one.
        const isDebug = (event: EngineEvent) => (event.diagnosticEvent?.severity as string) === "debug";
        assert.ok(events.some(isDebug), "the SDK's debug messages are looked at, too");
        places["events"] = JSON.stringify(events);
        assert.doesNotMatch(places["events"], /PRIVATE KEY/);
        for (const node of [...masters, ...workers]) {
            places[`journal of ${node}`] = await fixture.lab.mustSsh(
                node,
                // A machine that has booted has nothing of ours in /run until its next step.
                "journalctl --no-pager -o cat; mkdir -p /run/pulumi-nfv && find /var/lib/pulumi-nfv /run/pulumi-nfv -type f -exec cat {} +",
            );
        }
        assert.ok(processes.count() > 20, "process lists were sampled");
        for (const [place, text] of Object.entries(places)) {
            for (const [name, value] of Object.entries(secrets))
                assert.ok(!text.includes(value), `${name} is in the ${place}`);
        }
    });

    it("gives no user of a node a secret to read: in files, units, environments, process lists", async () => {
        const patterns = Object.values(await knownSecrets()).join("\n");
        for (const node of [...masters.slice(0, 1), ...workers.slice(0, 1)]) {
            const argv = [...fixture.lab.sshArgv(node, "root"), `runuser -u nobody -- sh -c '${readAll}'`];
            const { stdout } = await run(argv, { stdin: `${patterns}\ncanary-for-all\n` });
            assert.equal(stdout, "/run/lock/canary\nunit canary-for-all\n", `readable on ${node}`);
        }
    });

    it("keeps secrets in etcd as ciphertext only", async () => {
        const canary = "canary-at-rest-91c7e4";
        await fixture.kubectl(
            "-n",
            "default",
            "create",
            "secret",
            "generic",
            "at-rest",
            `--from-literal=word=${canary}`,
        );
        await fixture.kubectl("-n", "default", "create", "configmap", "at-rest", `--from-literal=word=${canary}`);
        assert.match(
            await stored(fixture, "configmaps/default/at-rest"),
            new RegExp(canary),
            "what is not secret is read",
        );
        const raw = await stored(fixture, "secrets/default/at-rest");
        assert.match(raw, /^k8s:enc:[a-z]+:v\d:/);
        assert.ok(!raw.includes(canary) && !raw.includes(Buffer.from(canary).toString("base64")));
        const read = await fixture.kubectl("-n", "default", "get", "secret", "at-rest", "-o", "jsonpath={.data.word}");
        assert.equal(Buffer.from(read, "base64").toString(), canary, "the API gives it in clear");
    });

    it("stops before a worker leaves whose pods a PodDisruptionBudget holds for ever, and keeps it as it was", async () => {
        // both pods on w2
        await fixture.kubectl("cordon", "w1");
        await apply(fixture, guardedDeployment, guardedBudget(2));
        await fixture.kubectl("rollout", "status", "deployment/guarded", "--timeout=120s");
        await fixture.kubectl("uncordon", "w1");
        await configure(args => delete args.infrastructure.hosts.pools.workers.w2);
        const said = await fixture.project.up().then(
            () => assert.fail("w2 left"),
            error => String(error),
        );
        assert.match(said, /w2: drain: DRAIN_FAILED/);
        assert.match(said, /pods are still on w2 after 20 s:[\s\S]*default\/guarded-/);
        assert.match(said, /PodDisruptionBudgets that allow no disruption now:\s+default\/guarded\n/);
        await fixture.kubectl("wait", "--for=condition=Ready", "node", "w2", "--timeout=30s");
        assert.equal(await fixture.kubectl("get", "node", "w2", "-o", "jsonpath={.spec.unschedulable}"), "");
        assert.deepEqual(await guardedPlaces(fixture), ["w2", "w2"]);
    });

    it("takes that worker away when the budget allows it, one pod after the other: the workload never is without one", async () => {
        await apply(fixture, guardedBudget(1));
        const { samples, stop } = watchAvailable(fixture);
        // on a slow machine the first `up` may fail; the next one tries again
        await eventually(60, () => fixture.project.up());
        await eventually(60, async () => assert.deepEqual(await guardedPlaces(fixture), ["w1", "w1"]));
        stop();
        assert.deepEqual([...new Set(samples())].sort(), ["1", "2"], "how many were available");
        assert.equal(await fixture.kubectl("get", "node", "w2", "--ignore-not-found", "-o", "name"), "");
    });

    it("is not destroyed under a network function of another stack, and says which", async () => {
        await fixture.kubectl("annotate", "deployment", "guarded", "pulumi-nfv.dev/owner=upf-0123456789ab");
        await assert.rejects(
            fixture.project.destroy(),
            /CLUSTER_IN_USE[\s\S]*upf: Deployment default\/guarded[\s\S]*NFV_GIVE_UP=\S+\/cnf:upf pulumi destroy/,
        );
        assert.deepEqual(await guardedPlaces(fixture), ["w1", "w1"]);
        await fixture.kubectl("delete", "deployment", "guarded");
    });

    it("leaves the machines as they were after `pulumi destroy`", async () => {
        await fixture.project.destroy();
        // ended processes and their mounts may take a moment to disappear
        await eventually(30, async () => assert.deepEqual(await footprints(fixture), untouched));
        const left = JSON.parse(await fixture.project.exportStack()).deployment.resources ?? [];
        assert.deepEqual(
            left.filter((resource: any) => resource.custom),
            [],
        );
    });
});

import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import { claimingPod, podThatTakesItsNode, toolsByDigest } from "../cluster-attacks";
import { command } from "../cluster-fixture";
import { apply, holderOf } from "../cluster-observed";
import { stored } from "../cluster-secrets";
import type { Life } from "./life";

const settings = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "1" } });

/** Each is a way of the VIM's account to more than its namespaces. */
const waysToMore = (rootPod: string) => {
    const mine = "--serviceaccount=kube-system:nfv-vim";
    return [
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
};

export function isGuarded(life: Life): void {
    it("refuses at preview what others made, by name, and leaves it as it is", async () => {
        const { kubectl } = life.fixture;
        await kubectl("create", "namespace", "theirs");
        await kubectl("-n", "theirs", "create", "configmap", "precious", "--from-literal=a=theirs");
        const objects = [settings("precious"), settings("free")];
        await life.give(wish => (wish.cnfs = { taker: { namespace: "theirs", objects } }));
        const said = await life.fails("preview");
        assert.match(said, /NOT_OURS[\s\S]*ConfigMap theirs\/precious exists already: not made by pulumi-nfv/);
        const data = [
            "-n",
            "theirs",
            "get",
            "configmaps",
            "-o",
            "jsonpath={.items[*].metadata.name} {.items[*].data.a}",
        ];
        assert.match(await kubectl(...data), /^(kube-root-ca.crt )?precious theirs$/);
        await life.give(wish => (wish.cnfs = {}));
    });

    it("hands out an account that may work in its namespaces, and is refused each way to more", async () => {
        const { fixture } = life;
        const kubeconfig = path.join(fixture.folder, "vim-kubeconfig");
        fs.writeFileSync(kubeconfig, await fixture.project.output("vimKubeconfig"), { mode: 0o600 });
        const kubectl = path.join(fixture.bundle, "bin", "kubectl");
        const asAccount = (...args: string[]) =>
            life.settles(() => command(fixture.lab.enter([kubectl, "--kubeconfig", kubeconfig, ...args])));
        const rootPod = path.join(fixture.folder, "root-pod.json");
        fs.writeFileSync(rootPod, JSON.stringify(podThatTakesItsNode(toolsByDigest(fixture))));
        await asAccount("-n", "nfv", "get", "secrets,pods,deployments");
        await asAccount("-n", "nfv", "create", "configmap", "allowed");
        await asAccount("get", "nodes");
        for (const way of waysToMore(rootPod)) {
            const said = await command(fixture.lab.enter([kubectl, "--kubeconfig", kubeconfig, ...way])).then(
                output => assert.fail(`allowed: ${way.join(" ")}\n${output}`),
                error => String(error),
            );
            assert.match(said, /forbidden/i, way.join(" "));
        }
    });

    it("keeps in the audit log who read a Secret, nodes included", async () => {
        const { kubectl, lab } = life.fixture;
        // A node's kubelet does the same for a pod that mounts a secret.
        await kubectl("-n", "nfv", "create", "secret", "generic", "read-me", "--from-literal=a=b");
        const by = ["--as=system:node:w1", "--as-group=system:nodes", "--as-group=system:authenticated"];
        await kubectl("-n", "nfv", "get", "secret", "read-me", ...by).catch(() => {});
        await life.settles(async () => {
            const look = 'grep -rh \'"name":"read-me"\' /var/log/kubernetes || true';
            const logs = await Promise.all(life.controlPlaneNodes.map(name => lab.mustSsh(name, look)));
            assert.match(logs.join(), /system:node:w1/);
        });
    });

    it("keeps secrets in etcd as ciphertext only", async () => {
        const { fixture } = life;
        const canary = "canary-at-rest-91c7e4";
        const make = ["-n", "default", "create"];
        await fixture.kubectl(...make, "secret", "generic", "at-rest", `--from-literal=word=${canary}`);
        await fixture.kubectl(...make, "configmap", "at-rest", `--from-literal=word=${canary}`);
        const open = await stored(fixture, "configmaps/default/at-rest");
        assert.match(open, new RegExp(canary), "what is not secret is read");
        const raw = await stored(fixture, "secrets/default/at-rest");
        assert.match(raw, /^k8s:enc:[a-z]+:v\d:/);
        assert.ok(!raw.includes(canary) && !raw.includes(Buffer.from(canary).toString("base64")));
        const read = await fixture.kubectl("-n", "default", "get", "secret", "at-rest", "-o", "jsonpath={.data.word}");
        assert.equal(Buffer.from(read, "base64").toString(), canary, "the API gives it in clear");
    });

    it("keeps the virtual address where it is while pods claim it, with the host's network, too", async () => {
        const { fixture } = life;
        const moves = "journalctl -u keepalived -o cat | grep -c Entering";
        const state = async () => [
            await holderOf(fixture),
            ...(await Promise.all(life.controlPlaneNodes.map(name => fixture.lab.mustSsh(name, moves)))),
        ];
        const before = await state();
        const config = await fixture.lab.mustSsh("m1", "cat /etc/keepalived/keepalived.conf");
        const [, router] = /virtual_router_id (\d+)/.exec(config)!;
        const names = ["claims", "claims-by-host"];
        await apply(fixture, ...names.map(name => claimingPod(fixture, life.controlPlaneNodes, name, router!)));
        for (const name of names) {
            const pod = ["-n", "default", "get", "pod", name, "-o", "jsonpath={.status.phase}"];
            await life.settles(async () => assert.equal(await fixture.kubectl(...pod), "Succeeded"));
            const said = await fixture.kubectl("-n", "default", "logs", name);
            assert.match(said, /^sent \d+ refused \d+\n$/);
            assert.doesNotMatch(said, /sent 0 refused 0/);
        }
        assert.deepEqual(await state(), before);
        await fixture.kubectl("-n", "default", "delete", "pod", ...names);
    });
}

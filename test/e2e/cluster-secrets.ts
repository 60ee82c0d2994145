import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import { canaries, type Fixture } from "./cluster-fixture";

/** What etcd stores under a key, read without the API. */
export function stored(fixture: Fixture, key: string): Promise<string> {
    const pki = "/etc/kubernetes/pki/etcd";
    const login = [`--cacert=${pki}/ca.crt`, `--cert=${pki}/server.crt`, `--key=${pki}/server.key`];
    const etcdctl = ["etcdctl", "--endpoints=https://127.0.0.1:2379", ...login];
    const read = [...etcdctl, "get", `/registry/${key}`, "--print-value-only"];
    return fixture.kubectl("-n", "kube-system", "exec", "etcd-m1", "-c", "etcd", "--", ...read);
}

/** Every secret among the inputs and outputs: name → a unique part of it on one line. */
export async function secretsOf(fixture: Fixture): Promise<Record<string, string>> {
    const middle = (pem: string) => pem.trim().split("\n").slice(1, -1).join("\n").split("\n")[1] ?? "";
    const found: Record<string, string> = {
        "registry password": canaries.registryPassword,
        "proxy login": "canary-proxy-80b2e7",
        "registry login": Buffer.from(`nfv:${canaries.registryPassword}`).toString("base64"),
        "SSH key": middle(fixture.lab.node("m1").privateKey),
        "token of the VIM": await fixture.project.output("token"),
    };
    const kubeconfig = await fixture.project.output("kubeconfig");
    found["admin key"] = /client-key-data: (\S+)/.exec(kubeconfig)![1]!;
    for (const name of ["ca", "etcd/ca", "front-proxy-ca", "sa"]) {
        found[`${name}.key`] = middle(await fixture.lab.mustSsh("m1", `cat /etc/kubernetes/pki/${name}.key`));
    }
    const encryption = await fixture.lab.mustSsh("m1", "grep -rhoE 'secret: \\S+' /etc/kubernetes | head -1");
    found["encryption key"] = encryption.replace("secret: ", "").replace(/"/g, "").trim();
    for (const [name, value] of Object.entries(found)) assert.ok(value.length >= 16, `${name} was found`);
    return found;
}

export function filesBelow(folder: string): string[] {
    return fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => path.join(entry.parentPath, entry.name));
}

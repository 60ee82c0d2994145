import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { type Fixture, vip } from "./cluster-fixture";

export async function apply(fixture: Fixture, ...items: object[]): Promise<void> {
    const file = path.join(fixture.folder, "objects.json");
    fs.writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    await fixture.kubectl("-n", "default", "apply", "-f", file);
}

/** Name of each node → a field of its status.nodeInfo. */
export async function nodeInfo(fixture: Pick<Fixture, "kubectl">, field: string): Promise<Record<string, string>> {
    const { items } = JSON.parse(await fixture.kubectl("get", "nodes", "-o", "json"));
    return Object.fromEntries(items.map(({ metadata, status }: any) => [metadata.name, status.nodeInfo[field]]));
}

/** Nodes that run the protected workload's pods. */
export async function guardedPlaces(fixture: Fixture): Promise<string[]> {
    const { items } = JSON.parse(
        await fixture.kubectl("-n", "default", "get", "pods", "-l", "app=guarded", "-o", "json"),
    );
    const ready = items.filter((pod: any) => pod.status.containerStatuses?.every((container: any) => container.ready));
    return ready.map((pod: any) => pod.spec.nodeName).sort();
}

/** Records the available replicas of the protected workload at each change; also after the API server that is asked has restarted. */
export function watchAvailable(fixture: Fixture): { samples(): string[]; stop(): void } {
    const format = 'jsonpath={.status.availableReplicas}{"\\n"}';
    const said: string[] = [];
    let stopped = false;
    let kill = () => {};
    const watch = () => {
        const child = fixture.start("-n", "default", "get", "deployment", "guarded", "--watch", "-o", format);
        createInterface({ input: child.stdout! }).on("line", line => said.push(line));
        child.once("exit", () => stopped || setTimeout(watch, 100));
        kill = () => void child.kill();
    };
    watch();
    return {
        samples: () => [...said],
        stop: () => {
            stopped = true;
            kill();
        },
    };
}

export async function holderOf(fixture: Fixture): Promise<string> {
    const holders: string[] = [];
    for (const { name, state } of fixture.lab.status().filter(node => node.name.startsWith("m"))) {
        if (state !== "on") continue;
        if ((await fixture.lab.ssh(name, `ip -o address show to ${vip}`)).stdout.trim()) holders.push(name);
    }
    assert.equal(holders.length, 1, `the virtual address is on ${holders.join(", ") || "no master"}`);
    return holders[0]!;
}

/** What a cluster could leave on each machine. */
export async function footprints(fixture: Fixture): Promise<Record<string, string>> {
    const look = `
        ps -eo comm= | grep -E 'kube|etcd|containerd|haproxy|keepalived|coredns|pause' | sort | uniq -c || true
        findmnt -rno TARGET | grep -E 'kubelet/|/run/containerd|netns' | sort || true
        ip -o link | cut -d: -f2 | cut -d@ -f1 | sort
        ip netns list
        find /etc/kubernetes /var/lib/pulumi-nfv /run/pulumi-nfv /etc/cni/net.d /var/lib/etcd /etc/haproxy /etc/keepalived /etc/containerd \
            /etc/sysctl.d /etc/modules-load.d /etc/pulumi-nfv /usr/local/bin /opt/cni -mindepth 1 2>/dev/null | sort
        iptables-save 2>/dev/null | grep -cE 'KUBE|CNI' || true
        nft list tables | grep pulumi || true
        dpkg-query -W -f '\${Package}\n' | sort | sha256sum
        cat /etc/hosts; hostname
        systemctl list-unit-files --state=enabled --no-legend | cut -d' ' -f1 | sort`;
    const found: Record<string, string> = {};
    for (const { name } of fixture.lab.status()) found[name] = await fixture.lab.mustSsh(name, look);
    return found;
}

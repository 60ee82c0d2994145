import assert from "node:assert/strict";
import { disruptionOf } from "../../../../provider/cluster/known-steps";
import type { StepBody } from "../../../../provider/steps/types";
import { stepLists } from "./step-lists";

/** Steps that interrupt something on a running node, and what their text must name. */
const disruptive: Record<string, RegExp> = {
    "cluster.kube-proxy": /kube-proxy's pods restart/,
    "host.container-runtime-config": /containerd restarts/,
    "host.proxy": /containerd and kubelet restart/,
    "host.runtime-switch": /containerd restarts/,
    "node.api-server-files": /API server .* restarts/,
    "node.certificate-of-new-authority": /kubelet restarts; pods go on/,
    "node.certificates": /where one is due, kubelet restarts, .*static pods one after another/,
    "node.certificates-of-new-authorities": /etcd, API server, .* restart, one after another/,
    "node.control-plane-settings": /static pods .* restart.*etcd.*kube-proxy/,
    "node.kubelet-settings": /kubelet restarts/,
    "node.service-account-key-alone": /API server .* restarts, and its controller manager/,
    "node.service-account-key-known": /API server .* restarts, and its controller manager/,
    "node.service-account-key-sign": /API server .* restarts, and its controller manager/,
    "node.trust-new-authorities": /etcd, API server, .* restart, one after another/,
    "node.trust-new-authority": /kubelet restarts; pods go on/,
    "storage.settings": /NFS server restarts/,
};

/** Steps whose scripts seem to interrupt something → why they do not. */
const harmless: Record<string, string> = {
    "cluster.cloud-credentials":
        "DaemonSets and the Deployment of the cloud's parts replace their pods one after another",
    "cluster.coredns": "one pod stays and answers",
    "cluster.join": "a member's probe finds it done; on a machine that is none nothing of the cluster runs",
    "host.container-runtime": "only missing packages are installed; a containerd that runs is left alone",
    "host.haproxy": "a reload: the former process keeps its connections until they end",
    "host.keepalived":
        "another router id moves the address within seconds, and only if all masters have it at once: in turn there would be two holders",
    "host.kubernetes-packages": "what is there in this version stays; kubelet's package restarts nothing",
    "host.nfs-client": "only missing packages are installed",
    "host.load-balancer": "only missing packages are installed",
    "host.virtual-address-guard": "a reload replaces the rules at once",
    "host.storage-guard": "the same",
    "host.metadata-guard": "the same",
    "node.api-server-ready": "kubelet restarts only where this machine's API server does not answer; pods go on",
    "node.encryption-key-alone": "the API server reloads its settings; only one that does not is restarted",
    "node.encryption-key-read": "the same",
    "node.encryption-key-read-placed": "it ends when the keys are in their file",
    "node.encryption-key-write-placed": "the same",
    "node.encryption-key-alone-placed": "the same",
    "node.encryption-key-write": "the same",
    "node.keys": "only an error names a restart",
    "node.backup-programs": "only missing packages are installed",
    "storage.folders":
        "the NFS server stops for a moment only where clients have files of an export open that moves to another folder; they wait",
    "storage.unused": "the same, for an export that goes although clients have files open: force allows that",
    "storage.backups": "a backup is stopped that the program has no longer",
    "storage.server": "only missing packages are installed; a server that runs is left alone",
};

const interrupts = /restart|reload|pkill|systemctl (-q )?stop|delete pod|kubeadm (init|join|reset)|apt-get|dnf /;

async function bodies(): Promise<StepBody[]> {
    const lists = Object.values(await stepLists());
    return lists.flatMap(({ specs, bodiesOf }) => specs.flatMap(bodiesOf));
}

const idsOf = (some: StepBody[]) => [...new Set(some.map(({ id }) => id))].sort();

describe("what a step interrupts", () => {
    it("is said by exactly these steps, for each input alike", async () => {
        const all = await bodies();
        const saying = all.filter(body => body.disruptive !== undefined);
        assert.deepEqual(idsOf(saying), Object.keys(disruptive));
        for (const { id, disruptive: words } of all) {
            if (id in disruptive) assert.match(words ?? "", disruptive[id]!);
        }
    });

    it("is known by the step's title, for previews", async () => {
        for (const { title, disruptive: words } of await bodies())
            if (words !== undefined) assert.equal(disruptionOf({ title }), words);
    });

    it("is said wherever a script ends or starts something that runs, or it is known why not", async () => {
        const ending = (await bodies()).filter(({ run = "", preparation }) =>
            interrupts.test(
                run.replaceAll("daemon-reload", "").replaceAll("--no-reload", "") + (preparation?.run ?? ""),
            ),
        );
        const known = [...Object.keys(disruptive), ...Object.keys(harmless)].sort();
        assert.deepEqual(idsOf(ending), known);
    });
});

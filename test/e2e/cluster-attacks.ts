import * as fs from "node:fs";
import * as path from "node:path";
import { type BundleManifest, byDigest, ownImages } from "../../provider/common/bundle";
import { vrrpAttack } from "../support/vrrp-attack";
import { type Fixture, vip } from "./cluster-fixture";

/** The image's name with its digest, which the nodes have, too. */
export function toolsByDigest(fixture: Fixture): string {
    const { files } = JSON.parse(fs.readFileSync(path.join(fixture.bundle, "manifest.json"), "utf8")) as BundleManifest;
    return byDigest(ownImages.tools, files.find(({ image }) => image === ownImages.tools)!.digest!);
}

/** An ordinary pod that sends VRRP adverts, from its own address and from each control-plane node's. Only its program comes from the node. */
export function claimingPod(fixture: Fixture, masters: readonly string[], name: string, router: string): object {
    const addresses = masters.map(master => fixture.lab.node(master).address);
    const command = ["chroot", "/node", "python3", "-c", vrrpAttack, ["-", ...addresses].join(","), router, vip, "2"];
    return {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name },
        spec: {
            nodeName: "w1",
            hostNetwork: name === "claims-by-host",
            restartPolicy: "Never",
            terminationGracePeriodSeconds: 1,
            containers: [
                {
                    name,
                    image: toolsByDigest(fixture),
                    command: [...command, ...addresses, vip],
                    volumeMounts: [{ name: "node", mountPath: "/node", readOnly: true }],
                },
            ],
            volumes: [{ name: "node", hostPath: { path: "/" } }],
        },
    };
}

/** A pod that becomes root on its node if the cluster allows it. */
export const podThatTakesItsNode = (image: string) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "root", namespace: "nfv" },
    spec: {
        hostPID: true,
        volumes: [{ name: "node", hostPath: { path: "/" } }],
        containers: [
            {
                name: "root",
                image,
                securityContext: { privileged: true },
                volumeMounts: [{ name: "node", mountPath: "/node" }],
            },
        ],
    },
});

/** Shell for a user without rights: prints where it can read a line of its input. It plants the last line itself, to prove that it can find it. */
export const readAll = `
    patterns=$(mktemp -p /dev/shm); cat >"$patterns"; tail -n 1 "$patterns" >/run/lock/canary
    grep -rlsF -f "$patterns" /etc /home /opt /root /run /srv /tmp /usr/lib/systemd /usr/local /var --devices=skip
    for unit in $(systemctl list-units --all --plain --no-legend "*.service" | cut -d " " -f 1); do
        { systemctl show "$unit"; systemctl cat "$unit"; } 2>/dev/null | grep -qF -f "$patterns" && echo "unit $unit"
    done
    tail -n 1 "$patterns" | grep -F -f "$patterns" | sed "s/^/unit /"
    cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n" | grep -F -f "$patterns"
    apt-cache policy >/dev/null || echo "apt-cache does not work"
    rm -f "$patterns" /run/lock/canary`;

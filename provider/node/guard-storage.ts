import type { HostSpec } from "../common/model";
import { installErrors } from "../shell/exit-codes";
import { dropInOf, type NftRules, replaced, unitOf, unitPath } from "../shell/nft-rules";
import { script } from "../shell/script-file";
import { step } from "../steps/step";

const name = "pulumi-nfv-storage";

const rules: NftRules = {
    table: `inet ${name}`,
    description: "Pods reach the storage server by their volumes only",
    rules: "/etc/pulumi-nfv/storage.nft",
    service: `${name}.service`,
    dropIn: `/etc/systemd/system/nftables.service.d/${name}.conf`,
};

/** Constants of guard-storage.sh and of reset-host.sh. */
export const storageGuardConstants = {
    STORAGE_RULES: rules.rules,
    STORAGE_SERVICE: rules.service,
    STORAGE_UNIT: unitPath(rules),
    STORAGE_DROP_IN: rules.dropIn,
};

/**
 * A pod reaches the world as its node, and the storage server lets nodes in: with an NFS client of its own a pod would have all exports. Kubelets and the CSI
 * driver mount from the network of the node itself, so no packet of NFS or of rpcbind that a node forwards is theirs.
 */
export function storageRules(address: string): string {
    const family = address.includes(":") ? "ip6" : "ip";
    return replaced(
        rules.table,
        `
    chain forwarded {
        type filter hook forward priority -350; policy accept;
        ${family} daddr ${address} meta l4proto { tcp, udp } th dport { 111, 2049 } counter drop
    }
`,
    );
}

/** On every node of a cluster with a storage server. */
export const guardStorage = step<HostSpec>({ id: "host.storage-guard", title: "close the storage server to pods" })(
    ({ storageServer }) => {
        if (storageServer === undefined) return undefined;
        return {
            revision: 1,
            files: [
                { path: unitPath(rules), content: unitOf(rules) },
                { path: rules.dropIn, content: dropInOf(rules) },
            ],
            env: { APT_PACKAGES: "nftables", DNF_PACKAGES: "nftables", RULES: storageRules(storageServer).trimEnd() },
            run: script("node/guard-storage.sh", { STORAGE_RULES: rules.rules, STORAGE_SERVICE: rules.service }),
            observe: {
                script: script("node/observe-storage-guard.sh", {
                    STORAGE_RULES: rules.rules,
                    STORAGE_SERVICE: rules.service,
                    STORAGE_TABLE: name,
                }),
            },
            errors: installErrors,
            timeoutSeconds: 300,
            retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
        };
    },
);

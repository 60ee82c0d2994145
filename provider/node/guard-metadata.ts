import type { HostSpec } from "../common/model";
import { installErrors } from "../shell/exit-codes";
import { dropInOf, type NftRules, replaced, unitOf, unitPath } from "../shell/nft-rules";
import { script } from "../shell/script-file";
import { step } from "../steps/step";

const name = "pulumi-nfv-metadata";

const rules: NftRules = {
    table: `inet ${name}`,
    description: "Pods do not reach the cloud's metadata service",
    rules: "/etc/pulumi-nfv/metadata.nft",
    service: `${name}.service`,
    dropIn: `/etc/systemd/system/nftables.service.d/${name}.conf`,
};

/** Constants of guard-metadata.sh and of reset-host.sh. */
export const metadataConstants = {
    METADATA_RULES: rules.rules,
    METADATA_SERVICE: rules.service,
    METADATA_UNIT: unitPath(rules),
    METADATA_DROP_IN: rules.dropIn,
};

const refused = ["ip daddr 169.254.169.254", "ip6 daddr fe80::a9fe:a9fe"].map(
    daddr => `        ${daddr} tcp dport 80 counter reject with tcp reset\n`,
);
const chain = (title: string, hook: string, first = "") => `
    chain ${title} {
        type filter hook ${hook} priority -350; policy accept;
${first}${refused.join("")}    }
`;

/**
 * Whoever reaches the metadata service reads the server's user data, with the SSH host key that the server got at its first boot.
 *
 * - A pod's packets pass `forward`. kube-proxy has exchanged the address of a Service for that of its endpoint before, so
 *   a Service with the metadata service as endpoint is refused, too.
 * - In its mode ipvs kube-proxy sends such packets itself: they pass `output` with the pod's address as source.
 * - Processes of the node, with its own addresses as source, go on: cloud-init, the kubelet, pods with the host's network.
 *
 * Other ports stay open: some clouds have a name server at this address.
 */
export const metadataRules = replaced(
    rules.table,
    chain("forwarded", "forward") + chain("leaving", "output", "        fib saddr type local accept\n"),
);

/** What loads the rules, but for themselves. */
const unitFiles = [
    { path: unitPath(rules), content: unitOf(rules) },
    { path: rules.dropIn, content: dropInOf(rules) },
];

/** For machines that others make: their files, and a shell command that ends with 1 where the rules cannot be loaded. */
export const metadataGuard = {
    files: [{ path: rules.rules, content: metadataRules }, ...unitFiles],
    command: `systemctl daemon-reload && systemctl enable -q --now ${rules.service}`,
};

const [close, open] = ["close the metadata service to pods", "open the metadata service to pods"] as const;

/** On every node. "open" removes what "closed" made. */
export const guardMetadata = step<HostSpec>({ id: "host.metadata-guard", title: close, otherTitles: [open] })(
    ({ metadataService }) => {
        if (metadataService === undefined) return undefined;
        const isClosed = metadataService === "closed";
        return {
            title: isClosed ? close : open,
            revision: 1,
            files: isClosed ? unitFiles : [],
            env: {
                APT_PACKAGES: "nftables",
                DNF_PACKAGES: "nftables",
                RULES: isClosed ? metadataRules.trimEnd() : "",
            },
            run: script("node/guard-metadata.sh", metadataConstants),
            observe: {
                script: script("node/observe-metadata.sh", {
                    METADATA_RULES: rules.rules,
                    METADATA_SERVICE: rules.service,
                    METADATA_TABLE: name,
                }),
            },
            errors: installErrors,
            timeoutSeconds: 300,
            retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
        };
    },
);

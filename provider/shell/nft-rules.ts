/** A table of nftables that is ours alone: its service loads it at boot, before the network is up. */
export interface NftRules {
    /** "inet NAME". */
    table: string;
    /** Of the service. */
    description: string;
    /** Below /etc, because SELinux lets nft read there. */
    rules: string;
    service: string;
    dropIn: string;
}

/** Path of the service's unit. */
export const unitPath = ({ service }: NftRules) => `/etc/systemd/system/${service}`;

export const unitOf = ({ table, description, rules }: NftRules) => `[Unit]
Description=${description}
DefaultDependencies=no
RequiresMountsFor=${rules}
Wants=network-pre.target
After=nftables.service
Before=network-pre.target shutdown.target
Conflicts=shutdown.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/nft -f ${rules}
ExecReload=/usr/sbin/nft -f ${rules}
ExecStop=-/usr/sbin/nft delete table ${table}

[Install]
WantedBy=multi-user.target
`;

/**
 * The distribution's nftables service deletes all tables when it starts, reloads and stops, so ours is loaded again
 * afterwards.
 */
export const dropInOf = ({ rules }: NftRules) => `[Service]
ExecStartPost=-/usr/sbin/nft -f ${rules}
ExecReload=-/usr/sbin/nft -f ${rules}
ExecStopPost=-/usr/sbin/nft -f ${rules}
`;

/** The text that replaces the table as one transaction. The first line creates it if it is missing, so the second cannot fail. */
export const replaced = (table: string, chains: string) => `table ${table}
delete table ${table}
table ${table} {${chains}}
`;

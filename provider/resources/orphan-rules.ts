import { getRule, rulesOf, type SecurityGroupRule } from "../openstack/neutron";
import { clear, type PartsOwner, wasMadeAs } from "./orphans";
import type { Context } from "./types";

/** A rule that is to be made, in a security group that the state knows. */
export interface WantedRule {
    securityGroupId: string;
    direction: string;
    ethertype: string;
    protocol?: string;
    portRangeMin?: number;
    portRangeMax?: number;
    remoteIpPrefix?: string;
    remoteGroupId?: string;
    /** Names the rule: no two of a cluster have the same. */
    description?: string;
}

/** A security group has no two rules that say the same; their descriptions do not count. @throws NOT_OURS */
export function clearTheRule(wanted: WantedRule, owner: PartsOwner, context: Context) {
    const isOurs = (rule: SecurityGroupRule) => wasMadeAs(wanted.description, rule, owner);
    return clear<SecurityGroupRule>(
        {
            // One of ours may be written in another way by Neutron, and is in the way all the same.
            find: async cloud =>
                (await rulesOf(cloud, wanted.securityGroupId)).filter(
                    rule => isOurs(rule) || saysTheSame(rule, wanted),
                ),
            again: ({ id }, cloud) => getRule(cloud, id),
            isOrphan: rule => rule.security_group_id === wanted.securityGroupId && isOurs(rule),
            name: ({ id }) => `the rule ${id}`,
            how: () => `stands in the security group ${wanted.securityGroupId} already`,
            remove: ({ id }, cloud) =>
                cloud.change("network", "DELETE", `/security-group-rules/${encodeURIComponent(id)}`),
            hint: ({ id }) =>
                `It lets in the same as a rule of the cluster. Delete it (openstack security group rule delete ${id}) and run pulumi up again, which makes it.`,
        },
        owner,
        context,
    );
}

/** Neutron takes "from everywhere" and no word of it for the same. */
function saysTheSame(rule: SecurityGroupRule, wanted: WantedRule): boolean {
    const prefix = (text: string | null | undefined) => (text === "0.0.0.0/0" || text === "::/0" ? "" : (text ?? ""));
    const rows: [unknown, unknown][] = [
        [rule.direction, wanted.direction],
        [rule.ethertype, wanted.ethertype],
        [rule.protocol ?? "", wanted.protocol ?? ""],
        [rule.port_range_min ?? 0, wanted.portRangeMin ?? 0],
        [rule.port_range_max ?? 0, wanted.portRangeMax ?? 0],
        [rule.remote_group_id ?? "", wanted.remoteGroupId ?? ""],
        [prefix(rule.remote_ip_prefix), prefix(wanted.remoteIpPrefix)],
    ];
    return rows.every(([is, wished]) => is === wished);
}

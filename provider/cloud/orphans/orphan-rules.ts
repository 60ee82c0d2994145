import type { Context } from "../../contract/types";
import { getRule, rulesOf, type SecurityGroupRule } from "../../openstack/neutron";
import { clear, type PartsOwner, wasMadeAs } from "./orphans";

/** A rule that will be created, in a security group that the state has. */
export interface WantedRule {
    securityGroupId: string;
    direction: string;
    ethertype: string;
    protocol?: string;
    portRangeMin?: number;
    portRangeMax?: number;
    remoteIpPrefix?: string;
    remoteGroupId?: string;
    /** Identifies the rule: unique within a cluster. */
    description?: string;
}

/** A security group refuses a rule equal to an existing one; descriptions are not compared. @throws NOT_OURS */
export function clearTheRule(wanted: WantedRule, owner: PartsOwner, context: Context) {
    const isOurs = (rule: SecurityGroupRule) => wasMadeAs(wanted.description, rule, owner);
    return clear<SecurityGroupRule>(
        {
            // Neutron may store our rule in another form, and it still blocks the new one.
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

/** For Neutron, the prefix "everywhere" and no prefix are the same. */
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

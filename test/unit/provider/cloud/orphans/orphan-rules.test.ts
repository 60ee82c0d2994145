import assert from "node:assert/strict";
import { clearTheRule, type WantedRule } from "../../../../../provider/cloud/orphans/orphan-rules";
import { listener } from "../../support/cluster";
import { descriptionOf, mark, orphanCloud, others, owner } from "../../support/orphan-cloud";

describe("the rule that a security group is to have", () => {
    const { cloud, calls, changed, refusal } = orphanCloud();
    const description = descriptionOf(mark, "ssh-0-0-0-0-0");
    const wanted: WantedRule = {
        securityGroupId: "g1",
        direction: "ingress",
        ethertype: "IPv4",
        protocol: "tcp",
        portRangeMin: 22,
        portRangeMax: 22,
        remoteIpPrefix: "0.0.0.0/0",
        description,
    };
    const orphan = {
        id: "r1",
        security_group_id: "g1",
        direction: "ingress",
        ethertype: "IPv4",
        protocol: "tcp",
        port_range_min: 22,
        port_range_max: 22,
        remote_ip_prefix: "0.0.0.0/0" as string | null,
        remote_group_id: null,
        description,
    };
    const there = (changes: object = {}) => {
        const rule = { ...orphan, ...changes };
        cloud().routes["GET /network/v2.0/security-group-rules"] = { security_group_rules: [rule] };
        cloud().routes["GET /network/v2.0/security-group-rules/r1"] = { security_group_rule: rule };
        cloud().routes["DELETE /network/v2.0/security-group-rules/r1"] = () => ({ status: 204 });
    };
    const clear = (context = listener(), changes: object = {}) =>
        clearTheRule(wanted, { ...owner, ...changes }, context);

    it("has room where no other says the same: this is one question, about this group", async () => {
        const others = [
            ...[{ port_range_max: 23 }, { port_range_min: null }, { protocol: "udp" }, { ethertype: "IPv6" }],
            ...[{ direction: "egress" }, { remote_ip_prefix: "10.0.0.0/8" }, { remote_group_id: "g1" }],
        ];
        for (const other of others) {
            there({ description: "", ...other });
            await clear();
        }
        assert.equal(calls().length, others.length);
        assert.deepEqual(new Set(calls().map(({ query }) => query.get("security_group_id"))), new Set(["g1"]));
    });

    it("has room again where a killed run left it, in whichever words of Neutron's", async () => {
        for (const changes of [{}, { remote_ip_prefix: null }, { protocol: "6" }]) {
            there(changes);
            const context = listener();
            await clear(context);
            assert.match(context.warned[0], /rule r1 of this cluster stands in the security group g1 .* it is deleted/);
        }
        assert.deepEqual(changed(), Array(3).fill("DELETE /network/v2.0/security-group-rules/r1"));
    });

    it("does not replace one that says the same and was made by somebody else, by another state, or as another rule", async () => {
        const words = [
            ...others.map(other => descriptionOf(other, "ssh-0-0-0-0-0")),
            "",
            descriptionOf(mark, "api-6443"),
        ];
        for (const some of words) {
            for (const remote_ip_prefix of ["0.0.0.0/0", null]) {
                there({ description: some, remote_ip_prefix });
                assert.match(await refusal(clear()), /openstack security group rule delete r1/);
            }
        }
    });

    it("is looked at again at the moment of the deletion", async () => {
        there();
        cloud().routes["GET /network/v2.0/security-group-rules/r1"] = {
            security_group_rule: { ...orphan, security_group_id: "g2" },
        };
        await refusal(clear());
        delete cloud().routes["GET /network/v2.0/security-group-rules/r1"];
        await clear();
        assert.deepEqual(changed(), []);
    });

    it("is not asked for in another project", async () => {
        there();
        await assert.rejects(clear(listener(), { project: "p2" }), /lives in the project p2/);
        assert.deepEqual(calls(), []);
    });
});

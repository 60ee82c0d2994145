import assert from "node:assert/strict";
import { endWarning, isTimeUp } from "../../../../provider/adapters/end-warning";
import { earliest, expiryWarning, isRenewalDue } from "../../../../provider/common/expiry";
import { createAuthority, createClientCertificate } from "../../../../provider/identity/certificates";
import { earliestOfNode } from "../../../../provider/kubeadm/certificate-query";
import { tokenWarning } from "../../../../provider/vim/token-times";
import { jwt } from "../vim/fake-api";

const now = Date.now();
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString();
const expiry = (days: number, node = "m1") => ({
    certificate: "/etc/kubernetes/pki/x.crt",
    node,
    expires: inDays(days),
});

describe("the end of certificates", () => {
    it("is warned of from 90 days before, with which, where and when", () => {
        assert.equal(expiryWarning(expiry(91), now), undefined);
        assert.equal(expiryWarning(undefined, now), undefined);
        assert.match(expiryWarning(expiry(89.5), now)!, /x\.crt on m1 ends on .*, in 89 days/);
        assert.match(expiryWarning(expiry(-1), now)!, /x\.crt on m1 ended on/);
        assert.equal(expiryWarning(expiry(40), now, 30), undefined);
        assert.match(expiryWarning(expiry(29.5), now, 30)!, /in 29 days\. pulumi up renews it/);
        const authority = { ...expiry(40), certificate: "/etc/kubernetes/pki/ca.crt" };
        assert.match(expiryWarning(authority, now, 30)!, /ca\.crt on m1 ends on .*\. No operation renews it/);
        assert.equal(earliest([expiry(30), expiry(10, "w1"), expiry(20)])!.node, "w1");
    });

    it("makes an up look again once a node's certificate is due, and never for an authority or what is on no node", () => {
        const authority = { ...expiry(10), certificate: "/etc/kubernetes/pki/front-proxy-ca.crt" };
        assert.equal(isRenewalDue(expiry(91), 90, now), false);
        assert.equal(isRenewalDue(expiry(89), 90, now), true);
        assert.equal(isRenewalDue(expiry(89), 30, now), false);
        assert.equal(isRenewalDue(authority, 90, now), false);
        assert.equal(isRenewalDue({ ...expiry(10), node: "" }, 90, now), false);
        assert.equal(isRenewalDue(undefined), false);
        // kubelet makes it for a year: with a longer validity of the others it is not due as early as they are
        const ofKubelet = { ...expiry(200), certificate: "/var/lib/kubelet/pki/kubelet.crt" };
        assert.equal(isRenewalDue(ofKubelet, 300, now), false);
        assert.equal(expiryWarning(ofKubelet, now, 300), undefined);
        assert.equal(isRenewalDue({ ...ofKubelet, expires: inDays(89) }, 300, now), true);
        assert.equal(isTimeUp("OperationEnd", { earliestExpiry: expiry(10) }), true);
        assert.equal(isTimeUp("OperationEnd", { earliestExpiry: expiry(10), renewBeforeDays: 9 }), false);
        assert.equal(isTimeUp("Node", { earliestExpiry: expiry(10) }), false);
    });

    it("is the earliest of all that a node has; kubelet's, which renew themselves, only when that is overdue", async () => {
        const long = await createAuthority("long", 365);
        const short = await createClientCertificate(long, { commonName: "s", organization: "o", validDays: 20 });
        const text = (file: string) => `== /pki/ca.crt\n${long.certificate}== ${file}\n${short.certificate}`;
        assert.equal(earliestOfNode("w1", text("/pki/a.crt"))!.certificate, "/pki/a.crt");
        const own = "/var/lib/kubelet/pki/kubelet-client-current.pem";
        assert.equal(earliestOfNode("w1", text(own))!.certificate, "/pki/ca.crt");
        assert.equal(earliestOfNode("w1", text(own), now + 19 * 86_400_000)!.certificate, own);
        assert.equal(earliestOfNode("w1", ""), undefined);
    });

    it("is read from the states that know one: the end of an operation, the identity, the Vim", async () => {
        const authority = await createAuthority("short", 30);
        assert.match(endWarning("OperationEnd", { earliestExpiry: expiry(10) })!, /x\.crt on m1 ends on/);
        assert.match(
            endWarning("ClusterKeys", {
                certificates: { current: { adminCertificate: authority.certificate } },
            })!,
            /kubeconfig's client/,
        );
        assert.match(
            endWarning("VimRegistration", { bearerToken: jwt({ iat: 1, exp: 2 }) })!,
            /token that this Vim handed out ended/,
        );
        assert.equal(endWarning("Host", { earliestExpiry: expiry(10) }), undefined);
        assert.equal(endWarning("OperationEnd", {}), undefined);
    });

    it("of a token is warned of when no run has renewed it for long", () => {
        const seconds = now / 1000;
        const token = jwt({ iat: seconds, exp: seconds + 1000 });
        assert.equal(tokenWarning(token, seconds + 600), undefined);
        assert.match(tokenWarning(token, seconds + 800)!, /ends on .* pulumi up renews it/);
        assert.equal(tokenWarning("lasting"), undefined);
    });
});

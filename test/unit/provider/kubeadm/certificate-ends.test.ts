import assert from "node:assert/strict";
import { createAuthority, createClientCertificate } from "../../../../provider/identity/certificates";
import { dueCertificates, endsOf, renewBeforeDays } from "../../../../provider/kubeadm/certificate-ends";

const now = Date.parse("2026-11-26T12:00:00Z");
const inDays = (days: number) => new Date(now + days * 86_400_000).toISOString().replace(".000Z", "Z");

describe("the certificates of a node that are to be renewed", () => {
    it("are read from what the node prints: no authority, and none that kubelet renews itself", async () => {
        const authority = await createAuthority("a", 3650);
        const { certificate } = await createClientCertificate(authority, {
            commonName: "c",
            organization: "o",
            validDays: 365,
        });
        const files = [
            "/etc/kubernetes/pki/ca.crt",
            "/etc/kubernetes/pki/etcd/ca.crt",
            "/etc/kubernetes/pki/front-proxy-ca.crt",
            "/etc/kubernetes/pki/apiserver.crt",
            "/etc/kubernetes/pki/apiserver-kubelet-client.crt",
            "/etc/kubernetes/pki/etcd/peer.crt",
            "/etc/kubernetes/pki/front-proxy-client.crt",
            "/etc/kubernetes/admin.conf",
            "/etc/kubernetes/super-admin.conf",
            "/etc/kubernetes/kubelet.conf",
            "/etc/kubernetes/pki/of-a-user.crt",
            "/var/lib/kubelet/pki/kubelet-client-current.pem",
            "/var/lib/kubelet/pki/kubelet.crt",
        ];
        const text = files.map(file => `== ${file}\n${certificate}`).join("");
        const ends = endsOf(text);
        assert.deepEqual(Object.keys(ends).sort(), [
            "admin.conf",
            "apiserver",
            "apiserver-kubelet-client",
            "etcd/peer",
            "front-proxy-client",
            "kubelet.crt",
            "super-admin.conf",
        ]);
        assert.match(ends["apiserver"]!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        assert.deepEqual(endsOf("== /etc/kubernetes/pki/apiserver.crt\nnothing\n"), {});
        assert.deepEqual(endsOf(""), {});
    });

    it("are due when less than the threshold is left, and named with their end, the first ones first", () => {
        const ends = {
            apiserver: inDays(41),
            "etcd/peer": inDays(41.1),
            "admin.conf": inDays(-2),
            scheduler: inDays(200),
        };
        assert.equal(dueCertificates({ apiserver: inDays(91) }, 90, now), undefined);
        assert.equal(dueCertificates({}, 90, now), undefined);
        assert.equal(
            dueCertificates(ends, 90, now),
            "admin.conf ended on 2026-11-24; apiserver, etcd/peer end in 41 days (2027-01-06)",
        );
        assert.equal(dueCertificates(ends, 30, now), "admin.conf ended on 2026-11-24");
        assert.equal(dueCertificates({ apiserver: inDays(1.5) }, 90, now), "apiserver ends in 1 day (2026-11-28)");
    });

    it("of kubelet's own making are valid for a year, so a longer threshold does not hold for them", () => {
        const ends = { "kubelet.crt": inDays(300), apiserver: inDays(300) };
        assert.equal(dueCertificates(ends, 400, now), "apiserver ends in 300 days (2027-09-22)");
        assert.equal(
            dueCertificates({ "kubelet.crt": inDays(80) }, 400, now),
            "kubelet.crt ends in 80 days (2027-02-14)",
        );
    });

    it("have a threshold of 90 days, or of a third of a shorter validity", () => {
        assert.equal(renewBeforeDays({}), 90);
        assert.equal(renewBeforeDays({ certificates: { validityDays: 30 } }), 10);
        assert.equal(renewBeforeDays({ certificates: { validityDays: 730 } }), 90);
        assert.equal(renewBeforeDays({ certificates: { validityDays: 30, renewBeforeDays: 20 } }), 20);
    });
});

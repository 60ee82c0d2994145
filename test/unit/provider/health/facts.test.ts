import assert from "node:assert/strict";
import { parseHealth } from "../../../../provider/health/facts";
import { testIdentity } from "../support/cluster";

describe("the facts of a machine", () => {
    it("are read from the lines of the script", async () => {
        const { caCertificate } = await testIdentity();
        const facts = parseHealth(
            [
                "uptime=4711",
                "joined=yes",
                "kubelet=active",
                "runtime=failed",
                "runtimeAnswers=no",
                "disk=/ 4096 1000 100 500 5",
                "disk=/var/lib/etcd 4096 1000 100 0 0",
                "device=/ 27",
                "evictions=own",
                'eviction=nodefs.available "0%"',
                "eviction=imagefs.available 1Gi",
                `certificate=apiserver ${Buffer.from(caCertificate).toString("base64")}`,
                "pod=etcd running",
                "pod=kube-scheduler absent",
                'etcd={"health":"false","reason":"ALARM NOSPACE"}',
                "",
            ].join("\n"),
        );
        const { certificates, ...others } = facts;
        assert.deepEqual(others, {
            uptimeSeconds: 4711,
            joined: true,
            kubelet: "active",
            runtime: "failed",
            runtimeAnswers: false,
            disks: [
                { folder: "/", device: "27", size: 4096_000, free: 409_600, inodes: 500, freeInodes: 5 },
                {
                    folder: "/var/lib/etcd",
                    device: "/var/lib/etcd",
                    size: 4096_000,
                    free: 409_600,
                    inodes: 0,
                    freeInodes: 0,
                },
            ],
            evictions: { "nodefs.available": "0%", "imagefs.available": "1Gi" },
            pods: { etcd: "running", "kube-scheduler": "absent" },
            etcd: "ALARM NOSPACE",
        });
        assert.ok(certificates["apiserver"]! > Date.now());
    });

    it("say nothing about what the machine did not answer", () => {
        const nothing = { joined: false, disks: [], certificates: {}, pods: {} };
        for (const text of [
            "",
            "bash: warning\n",
            "uptime=\nkubelet=\ndisk=/ 4096\ndisk=/ a b c d e\ncertificate=kubelet AAAA\netcd=<html>\n",
        ])
            assert.deepEqual(parseHealth(text), nothing);
    });

    it("have the size of etcd's data, what of it is in use, and its quota, if all are known", () => {
        const text = "etcdSize=2.0971520e+07\netcdInUse=4096\netcdQuota=2.147483648e+09\n";
        assert.deepEqual(parseHealth(text).etcdSpace, { size: 20971520, inUse: 4096, quota: 2147483648 });
        assert.equal(parseHealth("etcdSize=1\netcdQuota=1\n").etcdSpace, undefined);
    });

    it("have etcd's own word: well, silent, or why not", () => {
        const said = (text: string) => parseHealth(`etcd=${text}`).etcd;
        assert.equal(said('{"health":"true","reason":""}'), "");
        assert.equal(said("silent"), "silent");
        assert.equal(said('{"health":"false"}'), "it does not say why");
        assert.equal(said('{"status":"ok"}'), undefined);
    });
});

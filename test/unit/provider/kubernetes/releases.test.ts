import assert from "node:assert/strict";
import {
    cloudProviderFor,
    ipvsWarning,
    kubernetesReleases,
    minorOf,
    nearestRelease,
    needsNewCgroups,
    releaseOf,
} from "../../../../provider/kubernetes/releases";
import { oldestMinor } from "../../../../provider/member/join/kubeadm-config";

describe("the table of Kubernetes releases", () => {
    it("has a row for each minor from the first one that kubeadm's configuration allows, in order, with rising ends", () => {
        assert.equal(minorOf(kubernetesReleases[0]!.minor), oldestMinor);
        kubernetesReleases.forEach(({ minor, end }, i) => {
            assert.equal(minor, `1.${oldestMinor + i}`);
            assert.match(end, /^20\d\d-\d\d-\d\d$/);
            assert.ok(i === 0 || end > kubernetesReleases[i - 1]!.end, minor);
        });
    });

    it("has an etcd of the minor that kubeadm wants", () => {
        for (const { etcd, kubeadm } of kubernetesReleases)
            if (kubeadm !== undefined) assert.equal(etcd.split(".", 2).join("."), kubeadm.etcd.split(".", 2).join("."));
    });

    it("has no row for another major version, nor for a minor with zeros before it", () => {
        assert.deepEqual(["v1.36", "1.36.3", "1.36.0-rc.1"].map(minorOf), [36, 36, 36]);
        for (const version of ["2.36.3", "11.36.3", "0.36.3", "1.036.3"])
            assert.equal(releaseOf(version), undefined, version);
    });

    it("takes a version that is newer than its last row for one like that", () => {
        assert.equal(nearestRelease("1.99.0"), kubernetesReleases.at(-1));
        assert.equal(nearestRelease("1.20.0"), kubernetesReleases[0]);
    });

    it("knows since when cgroups of version 1 are refused, and what upstream says of ipvs", () => {
        assert.deepEqual(["1.34.9", "1.35.0", "1.99.0"].map(needsNewCgroups), [false, true, true]);
        assert.equal(ipvsWarning("1.34.4"), undefined);
        assert.match(ipvsWarning("1.36.3")!, /ipvs: kube-proxy warns .* off by default in 1\.40/);
        assert.match(ipvsWarning("1.37.2")!, /deprecated since 1\.37/);
    });

    it("finds the newest cloud provider, and says how far it is behind", () => {
        assert.deepEqual(cloudProviderFor("1.35.4"), { version: "v1.35.0", minor: "1.35", behind: 0 });
        assert.deepEqual(cloudProviderFor("1.37.2"), { version: "v1.36.0", minor: "1.36", behind: 1 });
        assert.equal(cloudProviderFor("1.31.0"), undefined);
    });
});

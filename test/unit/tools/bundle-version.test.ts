import assert from "node:assert/strict";
import { kubernetesReleases, minorOf } from "../../../provider/kubernetes/releases";
import { refuseVersion, versionNote } from "../../../tools/bundle-version";
import { versions } from "../../../tools/versions";

const today = new Date("2026-11-30");
const next = `1.${minorOf(kubernetesReleases.at(-1)!.minor) + 1}.0`;
const refused = (version: string, allowed?: boolean) => () => refuseVersion(version, allowed, today);

describe("the version of a bundle", () => {
    it("is refused where this package does not know its minor, with the minors that it takes and the option", () => {
        assert.throws(refused(next), {
            code: "INVALID_INPUT",
            reason: `Kubernetes ${next} is newer than what this package knows, which ends with 1.37`,
            hint: /^Take a later release of this package.*, or a version of 1\.35, 1\.36, 1\.37, such.*--allow-unsupported-version/,
        });
        assert.throws(refused("1.30.4"), {
            code: "INVALID_INPUT",
            reason: "Kubernetes 1.30.4 is too old: 1.31.0 or later, whatever is allowed (kubeadm's configuration is v1beta4)",
            hint: /^Take a version of 1\.35, /,
        });
        assert.throws(() => refuseVersion(next, undefined, new Date("2040-01-01")), {
            hint: /^Take a later release of this package that knows it\. If it must/,
        });
    });

    it("may be of an unknown minor where the option says so, but needs the form of one", () => {
        assert.doesNotThrow(refused(next, true));
        for (const text of ["1.36.03", "1.036.3", "1.36", "latest", "9.99.0", "v1.36.3"])
            assert.throws(refused(text, true), { code: "INVALID_INPUT", reason: /is not a Kubernetes version/ });
        assert.match(versionNote(next, today)!, /is newer than what this package knows/);
    });

    it("may be of a minor that has ended, which is said with what the bundle is for", () => {
        for (const version of ["1.34.4", "1.32.1"]) {
            assert.doesNotThrow(refused(version));
            assert.match(versionNote(version, today)!, /support of Kubernetes \S+ ended on .*upgrades away from it/);
        }
        assert.doesNotMatch(
            versionNote(versions.kubernetes, new Date("2040-01-01"))!,
            /new cluster with it is refused/,
        );
    });

    it("is not commented on while upstream supports it, until it ends soon", () => {
        assert.equal(versionNote("1.37.2", today), undefined);
        assert.match(versionNote("1.35.4", new Date("2027-02-01"))!, /ends on 2027-02-28, in 27 days/);
    });
});

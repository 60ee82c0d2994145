import { NfvError } from "../provider/common/errors";
import { minorOf, releaseOf } from "../provider/kubernetes/releases";
import { supportedMinors, supportOf, supportWarning, whyRefused } from "../provider/kubernetes/support";
import { oldestMinor } from "../provider/member/join/kubeadm-config";
import { versions } from "./versions";

/** @throws INVALID_INPUT for a text that is no version, and for a minor that this package does not know unless `allowed` */
export function refuseVersion(version: string, allowed: boolean | undefined, today: Date): void {
    if (!/^1\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.test(version)) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `"${version}" is not a Kubernetes version: it has three parts, 1.MINOR.PATCH`,
            hint: `${versions.kubernetes} is known to this package. It also makes bundles of other versions, if a source has their files (nfv help).`,
        });
    }
    if (minorOf(version) < oldestMinor)
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `Kubernetes ${version} is too old: 1.${oldestMinor}.0 or later, whatever is allowed (kubeadm's configuration is v1beta4)`,
            hint: `Take ${aVersionOf(today)}.`,
        });
    if (allowed || releaseOf(version) !== undefined) return;
    const support = supportOf(version, today);
    const ways = [
        ...(support.state === "unknown" ? ["a later release of this package that knows it"] : []),
        ...(supportedMinors(today).length > 0 ? [`${aVersionOf(today)} (nfv versions)`] : []),
    ];
    const take = ways.length === 0 ? "If" : `Take ${ways.join(", or ")}. If`;
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: `Kubernetes ${version} ${whyRefused(support, false)}`,
        hint: `${take} it must be this one, give --allow-unsupported-version: its etcd may be another one than its kubeadm wants.`,
    });
}

const aVersionOf = (today: Date) => `a version of ${supportedMinors(today).join(", ")}, such as ${versions.kubernetes}`;

/** `why`: what a source says of this version. */
export function noSuchVersion(version: string, why: string): NfvError {
    return new NfvError({
        code: "INVALID_INPUT",
        cause: `there is no Kubernetes ${version} in any source: ${why}`,
        hint: `Give a patch release that upstream has made (https://kubernetes.io/releases), such as ${versions.kubernetes}, or a mirror folder that has its files (PULUMI_NFV_MIRROR).`,
    });
}

/** What to say of a version that is made all the same; undefined: nothing. Pure. */
export function versionNote(version: string, today: Date): string | undefined {
    const warning = supportWarning(version, today);
    const isEnded = ["ended", "too old"].includes(supportOf(version, today).state);
    if (!isEnded || releaseOf(version)?.pinned) return warning;
    return `${warning}. The bundle is for clusters that have this version, and for upgrades away from it: a new cluster with it is refused`;
}

import { oldestMinor, usualStart } from "../../provider/member/join/kubeadm-config";
import { atMostOne, type ClusterRule, oneOf, type Problem } from "./rule";

export const version: ClusterRule = ({ kubernetes }) => {
    const place = "kubernetes.version";
    const [, minor] = /^1\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/.exec(kubernetes.version) ?? [];
    if (minor === undefined) return [[place, `"${kubernetes.version}" is no full version: write it like "1.36.3"`]];
    if (Number(minor) >= oldestMinor) return [];
    return [
        [place, `${kubernetes.version} is too old: 1.${oldestMinor}.0 or later (kubeadm's configuration is v1beta4)`],
    ];
};

/** kubeadm's own limit; an hour. */
const start = { least: usualStart, most: 3600 };

export const startTimeout: ClusterRule = ({ kubernetes: { startTimeoutSeconds: seconds = usualStart } }) =>
    Number.isInteger(seconds) && seconds >= start.least && seconds <= start.most
        ? []
        : [
              [
                  "kubernetes.startTimeoutSeconds",
                  `${seconds} is not allowed: a whole number from ${start.least} to ${start.most}`,
              ],
          ];

export const source: ClusterRule = ({ kubernetes }) => atMostOne("kubernetes.source", kubernetes.source);

const runtimeOrigins = ["distribution", "bundle"];

export const containerRuntime: ClusterRule = ({
    kubernetes: { containerRuntime: { from = "distribution" } = {}, source = {} },
}) => {
    const place = "kubernetes.containerRuntime.from";
    if (!runtimeOrigins.includes(from)) return [oneOf(place, from, runtimeOrigins)];
    return from === "bundle" && source.bundle === undefined ? [[place, "bundle needs kubernetes.source.bundle"]] : [];
};

/** Without TLS, an attacker on the network could replace the packages and their signing key. */
export const packages: ClusterRule = ({ kubernetes }) =>
    (["apt", "dnf"] as const).flatMap(kind => {
        const place = `kubernetes.source.${kind}`;
        const { repository, key } = kubernetes.source?.[kind] ?? {};
        const problems: Problem[] = [];
        if (repository !== undefined && !/^https?:\/\/[^/\s]+\S*$/.test(repository)) {
            problems.push([`${place}.repository`, "must be a URL that begins with https:// or http://"]);
        } else if (repository !== undefined && /^https?:\/\/[^/]*@/.test(repository)) {
            problems.push([
                `${place}.repository`,
                "must be without user and password: every user of a node can read it",
            ]);
        } else if (repository?.startsWith("http://") && key === undefined) {
            const why = "with http:// anybody on the way can change packages and the key beside them";
            problems.push([`${place}.repository`, `${why}: use https://, or give the signing key as ${place}.key`]);
        }
        if (key !== undefined && !/^-----BEGIN PGP PUBLIC KEY BLOCK-----\r?$/m.test(key)) {
            problems.push([`${place}.key`, "must be the text of a public key, -----BEGIN PGP PUBLIC KEY BLOCK-----"]);
        }
        return problems;
    });

import { createPrivateKey, X509Certificate } from "node:crypto";
import type * as pulumi from "@pulumi/pulumi";
import { readKubeconfig, WrongKubeconfig } from "../../provider/identity/read-kubeconfig";
import type { VimArgs } from "../args/vim-args";
import { certificateProblem, certificateSign, endedCertificate, mapVimCertificates } from "../common/certificate-files";
import { textProblems } from "./credential-rules";
import { hasFormat } from "./formats";
import { atMostOne, dnsLabel, type Problem, type Rule } from "./rule";
import { choice } from "./server-rules";

type PlainVim = pulumi.Unwrap<VimArgs>;
type VimRule = Rule<PlainVim>;

/** Inputs that a kubeconfig has in it. */
const inKubeconfig = ["endpoint", "caCertificate", "sslCaCert", "auth"] as const;

const oneAccess: VimRule = args => {
    if ("kubeconfig" in args) {
        const twice = inKubeconfig.filter(input => input in args);
        return twice.map((input): Problem => [input, "the kubeconfig has it: give one of them"]);
    }
    return [
        ...(["endpoint", "auth"] as const)
            .filter(input => !(input in args))
            .map((input): Problem => [input, "is required, unless a kubeconfig is given"]),
        ...("context" in args ? [["context", "is one of a kubeconfig: give kubeconfig, too"] as Problem] : []),
    ];
};

/** What the kubeconfig gives is judged like the inputs in its place. */
const kubeconfig: VimRule = ({ kubeconfig: text, context }) => {
    if (typeof text !== "string") return [];
    try {
        const access = readKubeconfig(text, context) as PlainVim;
        return accessRules
            .flatMap(rule => rule(access))
            .map(([place, what]): Problem => ["kubeconfig", `${partOf[place] ?? place} ${what}`]);
    } catch (error) {
        if (error instanceof WrongKubeconfig) return [["kubeconfig", error.message]];
        throw error;
    }
};

/** Where a kubeconfig has an input. */
const partOf: Record<string, string> = {
    endpoint: "server",
    caCertificate: "certificate-authority-data",
    "auth.clientCertificate": "client-certificate-data",
    "auth.clientKey": "client-key-data",
};

const endpoint: VimRule = args =>
    args.endpoint === undefined || (/^https:\/\/[^/]+\/?$/.test(args.endpoint) && URL.canParse(args.endpoint))
        ? []
        : [["endpoint", 'must be an https URL without a path: "https://10.0.0.100:16443"']];

const verification: VimRule = args => {
    if ("kubeconfig" in args) return [];
    if (args.sslCaCert !== undefined && args.sslCaCert !== "none") {
        return [["sslCaCert", 'may only be the word "none"; a certificate goes into caCertificate']];
    }
    return "caCertificate" in args === "sslCaCert" in args
        ? [["caCertificate", 'give caCertificate (PEM), or sslCaCert: "none" to leave the server unverified']]
        : [];
};

const auth: VimRule = ({ auth: given }) => {
    if (given === undefined) return [];
    const ways = ["clientCertificate", "bearerToken", "oidc"].filter(way => way in given);
    if (ways.length !== 1)
        return [["auth", "set exactly one of: clientCertificate (with clientKey), bearerToken, oidc"]];
    return "clientCertificate" in given === "clientKey" in given
        ? []
        : [["auth.clientKey", "clientCertificate and clientKey go together"]];
};

const oidc: VimRule = ({ auth: { oidc: given } = {} }) =>
    given && "issuerUrl" in given === "tokenUrl" in given
        ? [["auth.oidc", "set exactly one of: issuerUrl, tokenUrl"] as Problem]
        : [];

const rights: VimRule = ({ serviceAccount }) => serviceAccountProblems("serviceAccount", serviceAccount);

const texts: VimRule = ({ auth: { clientCertificate, clientKey } = {} }) => [
    ...textProblems("auth.clientCertificate", clientCertificate, "certificate"),
    ...textProblems("auth.clientKey", clientKey, "tlsKey"),
    ...pairProblems(clientCertificate, clientKey),
    ...(typeof clientCertificate === "string" ? [endedCertificate(clientCertificate)] : [])
        .filter(problem => problem !== undefined)
        .map((problem): Problem => ["auth.clientCertificate", problem]),
];

/** Both can be read, and do not belong together. */
function pairProblems(certificate: unknown, key: unknown): Problem[] {
    if (typeof certificate !== "string" || typeof key !== "string") return [];
    try {
        if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return [];
    } catch {
        return [];
    }
    return [["auth.clientKey", "is not the key of auth.clientCertificate"]];
}

const certificates: VimRule = args => {
    const problems: Problem[] = [];
    mapVimCertificates(args, (value: string | undefined, place) => {
        const problem = value === undefined ? undefined : (certificateProblem(value) ?? ended(value));
        if (problem !== undefined) problems.push([place, problem]);
        return value;
    });
    return problems;
};

/** Of a text; a file is judged when the cluster is asked. */
function ended(value: string): string | undefined {
    return certificateSign.test(value) ? endedCertificate(value) : undefined;
}

const accessRules = [endpoint, certificates, texts];

export const vimRules: VimRule[] = [...[oneAccess, kubeconfig, verification, auth, oidc, rights], ...accessRules];

const podSecurities = ["baseline", "restricted", "privileged"];
const ofTheSystem = ["kube-system", "kube-public", "kube-node-lease"];

/** Kubernetes would say it too late, and of the whole object. */
function quantityProblems(place: string, quota: Record<string, number | string> = {}): Problem[] {
    return Object.entries(quota)
        .filter(([, value]) => !hasFormat("quantity", String(value)))
        .map(([name, value]) => [`${place}.${name}`, `"${value}" is no quantity: write it like 50, "500m", "64Gi"`]);
}

export function serviceAccountProblems(place: string, account: object | undefined): Problem[] {
    const given = (account ?? {}) as NonNullable<VimArgs["serviceAccount"]>;
    const { rules, clusterRole, clusterAdmin, namespaces, podSecurity, tokenLifeSeconds } = given;
    const everywhere = rules !== undefined || clusterRole !== undefined || clusterAdmin === true;
    const names = (namespaces ?? []).flatMap((name, i): Problem[] => {
        if (ofTheSystem.includes(name)) {
            return [
                [
                    `${place}.namespaces.${i}`,
                    `${name} is the system's: who may deploy there is an administrator in effect`,
                ],
            ];
        }
        return dnsLabel.test(name) ? [] : [[`${place}.namespaces.${i}`, `"${name}" is no DNS label (a-z, 0-9, -)`]];
    });
    return [
        ...atMostOne(place, { namespaces, rules, clusterRole, clusterAdmin }),
        ...names,
        ...(namespaces?.length === 0 ? [[`${place}.namespaces`, "names none"] as Problem] : []),
        ...["quota", "networkAttachments"]
            .filter(input => everywhere && given[input as "quota"] !== undefined)
            .map(
                (input): Problem => [
                    `${place}.${input}`,
                    "has no meaning for an account with rights in all namespaces",
                ],
            ),
        ...quantityProblems(`${place}.quota`, given.quota),
        ...choice(`${place}.podSecurity`, podSecurity, podSecurities),
        ...(tokenLifeSeconds === undefined || tokenLifeSeconds === 0 || tokenLifeSeconds >= 600
            ? []
            : [
                  [
                      `${place}.tokenLifeSeconds`,
                      `${tokenLifeSeconds} is not allowed: 600 or more, or 0 for no end`,
                  ] as Problem,
              ]),
    ];
}

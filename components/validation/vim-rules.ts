import type * as pulumi from "@pulumi/pulumi";
import type { VimArgs } from "../vim-args";
import { atMostOne, type Problem, type Rule } from "./cluster-rules";

type VimRule = Rule<pulumi.Unwrap<VimArgs>>;

const endpoint: VimRule = args =>
    args.endpoint === undefined || /^https:\/\/[^/]+\/?$/.test(args.endpoint)
        ? []
        : [["endpoint", 'must be an https URL without a path: "https://10.0.0.100:16443"']];

const verification: VimRule = args => {
    if (args.sslCaCert !== undefined && args.sslCaCert !== "none") {
        return [["sslCaCert", 'may only be the word "none"; a certificate goes into caCertificate']];
    }
    return "caCertificate" in args === "sslCaCert" in args
        ? [["caCertificate", 'give caCertificate (PEM), or sslCaCert: "none" to leave the server unverified']]
        : [];
};

const auth: VimRule = ({ auth: given }) => {
    const ways = ["clientCertificate", "bearerToken", "oidc"].filter(way => way in given);
    if (ways.length !== 1)
        return [["auth", "set exactly one of: clientCertificate (with clientKey), bearerToken, oidc"]];
    return "clientCertificate" in given === "clientKey" in given
        ? []
        : [["auth.clientKey", "clientCertificate and clientKey go together"]];
};

const oidc: VimRule = ({ auth: { oidc: given } }) =>
    given && "issuerUrl" in given === "tokenUrl" in given
        ? [["auth.oidc", "set exactly one of: issuerUrl, tokenUrl"] as Problem]
        : [];

const rights: VimRule = ({ serviceAccount }) => serviceAccountProblems("serviceAccount", serviceAccount);

export const vimRules: VimRule[] = [endpoint, verification, auth, oidc, rights];

export function serviceAccountProblems(place: string, account: object | undefined): Problem[] {
    const { rules, clusterRole, clusterAdmin } = (account ?? {}) as NonNullable<VimArgs["serviceAccount"]>;
    return atMostOne(place, { rules, clusterRole, clusterAdmin });
}

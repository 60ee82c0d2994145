import { isIP } from "node:net";
import { parseCidr } from "../../provider/common/cidr";
import type { WorkloadInputs } from "../args/workload-inputs";
import { labelProblems } from "./node-rules";
import { dnsName, type Problem, prefixed, type Rule } from "./rule";

/**
 * Values that Cluster API or kubeadm would refuse, or wait for without end, when other objects of the cluster, or its first machines, have been made.
 */

type Checked = Pick<WorkloadInputs, "openstack" | "controlPlane" | "pools" | "network" | "kubeadm" | "healthCheck">;
type ValueRule = Rule<Checked>;

const groupsOf = ({ controlPlane, pools }: Checked) =>
    Object.entries({ ...(controlPlane && { controlPlane }), ...prefixed("pools", pools) });

const servers: ValueRule = args =>
    groupsOf(args).flatMap(([at, { flavor, image, rootVolume }]): Problem[] => [
        ...(flavor === "" ? [[`${at}.flavor`, "is empty: give the name of a flavor"] as Problem] : []),
        ...(image === "" ? [[`${at}.image`, "is empty: give the name or the id of an image"] as Problem] : []),
        ...wholeFrom(1, { [`${at}.rootVolume.sizeGiB`]: rootVolume?.sizeGiB }),
    ]);

const labels: ValueRule = ({ pools = {} }) =>
    Object.entries(pools).flatMap(([name, pool]) => labelProblems(`pools.${name}`, pool.labels));

const numbers: ValueRule = ({ pools = {}, healthCheck }) => [
    ...wholeFrom(1, {
        "healthCheck.notReadySeconds": healthCheck?.notReadySeconds,
        "healthCheck.startupSeconds": healthCheck?.startupSeconds,
    }),
    ...Object.entries(pools).flatMap(([name, { drainTimeoutSeconds }]) =>
        wholeFrom(0, { [`pools.${name}.drainTimeoutSeconds`]: drainTimeoutSeconds }),
    ),
];

const login: ValueRule = ({ openstack }) => {
    const { secretName, applicationCredential } = openstack?.identity ?? {};
    const { roles, authUrl } = applicationCredential ?? {};
    const at = "openstack.identity";
    return [
        ...(secretName === undefined || dnsName.test(secretName)
            ? []
            : [[`${at}.secretName`, `"${secretName}" is no name of a Secret: a-z, 0-9, - and .`] as Problem]),
        ...(roles?.length === 0
            ? [[`${at}.applicationCredential.roles`, "is empty: leave it out for the role member"] as Problem]
            : []),
        // One that is not known yet is no text.
        ...(typeof authUrl !== "string" || (/^https?:\/\//.test(authUrl) && URL.canParse(authUrl))
            ? []
            : [
                  [
                      `${at}.applicationCredential.authUrl`,
                      `"${authUrl}" is no URL: write it like "https://cloud.site:5000/v3"`,
                  ] as Problem,
              ]),
    ];
};

const nameServers: ValueRule = ({ openstack }) =>
    (openstack?.dnsNameservers ?? []).flatMap((each, i): Problem[] =>
        isIP(each) === 0 ? [[`openstack.dnsNameservers.${i}`, `"${each}" is no IP address`]] : [],
    );

/** kubeadm refuses smaller ones; the API server larger ones: at most 20 bits of addresses. */
const fewestServices = 10;
const mostServiceBits = 20;

const services: ValueRule = ({ network }) => {
    const { serviceCidr = "" } = network ?? {};
    const cidr = parseCidr(serviceCidr);
    const bits = cidr === undefined ? mostServiceBits : (cidr.version === 4 ? 32 : 128) - cidr.prefix;
    const problem =
        bits > mostServiceBits
            ? `${serviceCidr} is too large for Services: at least a /${cidr!.prefix + bits - mostServiceBits}`
            : 2 ** bits < fewestServices
              ? `${serviceCidr} is too small for Services: kubeadm wants ${fewestServices} addresses`
              : undefined;
    return problem === undefined ? [] : [["network.serviceCidr", problem]];
};

const machines: ValueRule = ({ kubeadm = {}, network = {} }) => [
    ...Object.keys(kubeadm.files ?? {}).flatMap((file): Problem[] => absolute(`kubeadm.files.${file}`, file)),
    ...Object.keys(kubeadm.kubeletArgs ?? {}).flatMap((flag): Problem[] =>
        flag.startsWith("-") ? [[`kubeadm.kubeletArgs.${flag}`, "is written without dashes in front"]] : [],
    ),
    ...(network.kubectlPath === undefined ? [] : absolute("network.kubectlPath", network.kubectlPath)),
];

const absolute = (place: string, path: string): Problem[] =>
    path.startsWith("/") ? [] : [[place, "is a path on the machines: it must begin with /"]];

/** Kubernetes has no fractions of them. Other rules say what is wrong with numbers that are too small. */
const wholeFrom = (least: number, given: Record<string, number | undefined>): Problem[] =>
    Object.entries(given).flatMap(([place, value]): Problem[] =>
        value === undefined || value < least || Number.isInteger(value)
            ? []
            : [[place, `${value} is not allowed: a whole number`]],
    );

export const workloadValueRules: ValueRule[] = [
    servers,
    labels,
    numbers,
    login,
    nameServers,
    services,
    machines,
] as ValueRule[];

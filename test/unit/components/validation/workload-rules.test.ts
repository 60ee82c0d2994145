import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { problems } from "../../../../components/validation/validate";
import { sampleCertificate } from "../sample-args";

const management = {} as object;
const good = {
    managementVim: management,
    clusterName: "w1",
    version: "1.34.4",
    openstack: { identity: { cloudsYaml: "clouds: {openstack: {}}" } },
    controlPlane: { flavor: "m1.medium", image: "k8s" },
    pools: { md: { flavor: "m1.small", image: "k8s", replicas: 2 } },
};
const said = (changes: object) =>
    problems("WorkloadCluster", { ...good, ...changes }).filter(each => !each.startsWith("managementVim"));

describe("the arguments of a workload cluster", () => {
    it("may be as in the documentation", () => deepStrictEqual(said({}), []));

    for (const identity of [
        { secretName: "a" },
        { clusterIdentity: "site.a" },
        { cloudsYaml: "clouds: {openstack: {}}", clusterIdentity: "site", namespaceSelector: { team: "a" } },
        { applicationCredential: {}, caCertificate: sampleCertificate, region: "north" },
        { applicationCredential: { accessRules: [{ service: "image", method: "GET", path: "/v2/**" }] } },
    ])
        it(`may log in to the cloud by ${Object.keys(identity).join(" with ")}`, () =>
            deepStrictEqual(said({ openstack: { identity } }), []));

    for (const [title, changes, expected] of [
        ["no management cluster", { managementVim: undefined }, /^management: set exactly one of/],
        ["neither typed nor own", { openstack: undefined }, /^openstack: set exactly one of: openstack, manifests/],
        ["both ways", { manifests: ["a"] }, /^openstack: set exactly one of/],
        [
            "own manifests with typed pools",
            { openstack: undefined, manifests: ["a"], controlPlane: undefined, version: undefined },
            /^pools: is for openstack/,
        ],
        ["variables without manifests", { variables: { A: "b" } }, /^variables: is for manifests/],
        ["no version", { version: undefined }, /^version: is required/],
        ["no version of Kubernetes", { version: "34" }, /^version: "34" is no version of Kubernetes/],
        ["a long name", { clusterName: "a".repeat(31) }, /^clusterName: the name must begin/],
        [
            "a pool of the control plane's name",
            { pools: { "control-plane": { flavor: "f", image: "i" } } },
            /^pools\.control-plane: is the name/,
        ],
        [
            "two identities",
            { openstack: { identity: { cloudsYaml: "clouds: {openstack: {}}", secretName: "b" } } },
            /^openstack\.identity: set exactly one/,
        ],
        ["no identity", { openstack: { identity: {} } }, /^openstack\.identity: set exactly one/],
        [
            "a made identity of an existing Secret",
            { openstack: { identity: { secretName: "a", clusterIdentity: "site" } } },
            /^openstack\.identity\.clusterIdentity: says itself which Secret/,
        ],
        [
            "an identity that is no name",
            { openstack: { identity: { clusterIdentity: "Site A" } } },
            /^openstack\.identity\.clusterIdentity: "Site A" is no name/,
        ],
        [
            "namespaces of an identity that exists",
            { openstack: { identity: { clusterIdentity: "site", namespaceSelector: { a: "b" } } } },
            /^openstack\.identity\.namespaceSelector: is for a clusterIdentity that is made/,
        ],
        [
            "an authority for an existing Secret",
            { openstack: { identity: { secretName: "a", caCertificate: "x" } } },
            /^openstack\.identity\.caCertificate: is for/,
        ],
        [
            "a rule without a path",
            {
                openstack: {
                    identity: {
                        applicationCredential: { accessRules: [{ service: "compute", method: "GET", path: "" }] },
                    },
                },
            },
            /^openstack\.identity\.applicationCredential\.accessRules\.0: must have/,
        ],
        [
            "a receiver without TLS",
            { sendCredentials: { url: "http://a/b" } },
            /^sendCredentials\.url: must be an https/,
        ],
        [
            "a password in a URL",
            { sendCredentials: { url: "https://u:p@a/b" } },
            /^sendCredentials\.url: must be an https/,
        ],
        [
            "a token of two lines",
            { sendCredentials: { url: "https://a/b", token: "a\nb" } },
            /^sendCredentials\.token: must be one word/,
        ],
        [
            "an authority that is none",
            { sendCredentials: { url: "https://a/b", caCertificate: "/nowhere.pem" } },
            /^sendCredentials\.caCertificate: is neither/,
        ],
        [
            "unknown credentials",
            { sendCredentials: { url: "https://a/b", access: "root" } },
            /^sendCredentials\.access/,
        ],
        [
            "three masters behind a floating IP",
            { controlPlane: { flavor: "f", image: "i", replicas: 3 } },
            /^controlPlane\.replicas: more than one machine need an address that moves/,
        ],
        [
            "two masters",
            {
                controlPlane: { flavor: "f", image: "i", replicas: 2 },
                openstack: { identity: { secretName: "a" }, apiAccess: "octavia" },
            },
            /^controlPlane\.replicas: 2 is not allowed/,
        ],
        [
            "a network that exists and is made",
            { openstack: { identity: { secretName: "a" }, network: "n", nodeCidr: "10.0.0.0/24" } },
            /^openstack\.nodeCidr: is for a network that is made/,
        ],
        [
            "a wrong CIDR",
            { openstack: { identity: { secretName: "a" }, nodeCidr: "10.0.0.0" } },
            /^openstack\.nodeCidr/,
        ],
        [
            "an unknown way to the API",
            { openstack: { identity: { secretName: "a" }, apiAccess: "vip" } },
            /^openstack\.apiAccess/,
        ],
        [
            "an endpoint without a port",
            { openstack: { identity: { secretName: "a" }, apiEndpoint: "10.0.0.5" } },
            /^openstack\.apiEndpoint/,
        ],
        [
            "a number and an autoscaler",
            { pools: { md: { flavor: "f", image: "i", replicas: 1, autoscale: { min: 1, max: 2 } } } },
            /^pools\.md\.replicas: the autoscaler sets it/,
        ],
        [
            "a range that is none",
            { pools: { md: { flavor: "f", image: "i", autoscale: { min: 3, max: 2 } } } },
            /^pools\.md\.autoscale: min and max/,
        ],
        [
            "a taint that is none",
            { pools: { md: { flavor: "f", image: "i", taints: [{ key: "a", effect: "Never" }] } } },
            /^pools\.md\.taints\.0\.effect/,
        ],
        [
            "manifests of a network that is another",
            { network: { cniManifests: ["a"] } },
            /^network\.cniManifests: go together with cni: manifests/,
        ],
        [
            "pods in the machines' network",
            { network: { podCidr: "10.6.0.0/16" } },
            /^network\.podCidr: .* overlaps open/,
        ],
        ["pods and Services of two kinds", { network: { podCidr: "fd00::/56" } }, /^network\.serviceCidr: must be of/],
        [
            "a file's name in place of its text",
            { openstack: { identity: { cloudsYaml: "clouds.yaml" } } },
            /^openstack\.identity\.cloudsYaml: must be the text/,
        ],
        [
            "a login that is not in clouds.yaml, without showing it",
            { openstack: { identity: { cloudsYaml: "clouds: {lab: canary}", cloudName: "site" } } },
            /^openstack\.identity\.cloudsYaml: must be the text [^{]*"site" \(see cloudName\)$/,
        ],
        [
            "an authority of the cloud that is none",
            { openstack: { identity: { applicationCredential: {}, caCertificate: "/nowhere.pem" } } },
            /^openstack\.identity\.caCertificate: is neither/,
        ],
        [
            "a port that is none",
            { openstack: { identity: { secretName: "a" }, apiEndpoint: "10.0.0.5:99999" } },
            /^openstack\.apiEndpoint/,
        ],
        [
            "pods that have not one node's share",
            { network: { podCidr: "10.244.0.0/25" } },
            /^network\.podCidr: 10\.244\.0\.0\/25 is smaller than the share of one node, a \/24$/,
        ],
        [
            "pods of fewer nodes than there may be",
            { network: { podCidr: "10.244.0.0/23" }, pools: { md: { flavor: "f", image: "i", replicas: 1 } } },
            /^network\.podCidr: .* has room for 2 nodes, a \/24 each, and 4 may be there/,
        ],
        [
            "pods of more nodes than kubeadm allows",
            { network: { podCidr: "fd00::/40", serviceCidr: "fd01::/112" } },
            /^network\.podCidr: .* is too large for nodes with a \/64 each: at least a \/48/,
        ],
        ["a flavor without a name", { controlPlane: { flavor: "", image: "i" } }, /^controlPlane\.flavor: is empty/],
        ["an image without a name", { pools: { md: { flavor: "f", image: "" } } }, /^pools\.md\.image: is empty/],
        [
            "a label's value that no node can have",
            { pools: { md: { flavor: "f", image: "i", labels: { tier: "packet core" } } } },
            /^pools\.md\.labels\.tier: "packet core" is not allowed/,
        ],
        [
            "a fraction of a second",
            { pools: { md: { flavor: "f", image: "i", drainTimeoutSeconds: 1.5 } } },
            /^pools\.md\.drainTimeoutSeconds: 1\.5 is not allowed: a whole number/,
        ],
        [
            "a fraction of a GiB",
            { controlPlane: { flavor: "f", image: "i", rootVolume: { sizeGiB: 20.5 } } },
            /^controlPlane\.rootVolume\.sizeGiB: 20\.5 is not allowed/,
        ],
        [
            "a pool of no more than no machine",
            { pools: { md: { flavor: "f", image: "i", autoscale: { min: 0, max: 0 } } } },
            /^pools\.md\.autoscale: .*max at least 1/,
        ],
        [
            "a share of machines that is none, and names 0, too",
            { pools: { md: { flavor: "f", image: "i", maxUnavailable: "one" } } },
            /^pools\.md\.maxUnavailable: "one" is not allowed: .*, or 0: a new machine first$/,
        ],
        [
            "no machine in the control plane, for one reason",
            { controlPlane: { flavor: "f", image: "i", replicas: 0 } },
            /^controlPlane\.replicas: 0 is not allowed/,
        ],
        [
            "a Secret's name with capitals",
            { openstack: { identity: { secretName: "Cloud_A" } } },
            /^openstack\.identity\.secretName: "Cloud_A" is no name/,
        ],
        [
            "a credential without a role",
            { openstack: { identity: { applicationCredential: { roles: [] } } } },
            /^openstack\.identity\.applicationCredential\.roles: is empty/,
        ],
        [
            "an address of Keystone without https",
            { openstack: { identity: { applicationCredential: { authUrl: "cloud.site" } } } },
            /^openstack\.identity\.applicationCredential\.authUrl: "cloud\.site" is no URL/,
        ],
        [
            "a name server by its name",
            { openstack: { identity: { secretName: "a" }, dnsNameservers: ["10.0.0.1", "dns.site"] } },
            /^openstack\.dnsNameservers\.1: "dns\.site" is no IP address/,
        ],
        [
            "Services of more addresses than an API server takes",
            { network: { serviceCidr: "11.0.0.0/8" } },
            /^network\.serviceCidr: 11\.0\.0\.0\/8 is too large for Services: at least a \/12/,
        ],
        [
            "Services of fewer addresses than kubeadm takes",
            { network: { serviceCidr: "10.96.0.0/30" } },
            /^network\.serviceCidr: .* is too small/,
        ],
        [
            "a domain of two words",
            { network: { dnsDomain: "Cluster Local" } },
            /^network\.dnsDomain: must be a DNS name/,
        ],
        [
            "a file without a place",
            { kubeadm: { files: { "etc/a": "" } } },
            /^kubeadm\.files\.etc\/a: is a path on the machines: it must begin with \//,
        ],
        [
            "a flag with dashes",
            { kubeadm: { kubeletArgs: { "--max-pods": "10" } } },
            /^kubeadm\.kubeletArgs\.--max-pods: is written without dashes/,
        ],
        [
            "no manifests of a pod network",
            { network: { cni: "manifests", cniManifests: [] } },
            /^network\.cniManifests/,
        ],
        ["a misspelt name", { pool: {} }, /^pool: .*pools/],
    ] as [string, object, RegExp][]) {
        it(`refuse ${title}`, () => {
            const found = said(changes);
            match(found.join("\n"), expected);
            strictEqual(found.length, 1, found.join("\n"));
        });
    }
});

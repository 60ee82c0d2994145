import { isIP, isIPv4 } from "node:net";
import { parseCidr } from "../../provider/common/cidr";

/**
 * What texts may look like. An input names its format in its docstring: `@format` for values, `@keys` for the names in a map.
 * Texts without a tag have the format `line`.
 */
export interface Format {
    is: RegExp | ((text: string) => boolean);
    /** Follows "must be". */
    must: string;
    /** One that is right. */
    example: string;
    /** Messages do without the example. */
    isClear?: boolean;
}

const label = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
const dns = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
const anyDns = dns.replaceAll("a-z", "A-Za-z");
const isAnyDns = new RegExp(`^(?=.{1,253}$)${anyDns}(\\.${anyDns})*\\.?$`);
/** "10.0.0.300" has the characters of a name. */
const likeAnAddress = /^\d+(\.\d+)+\.?$/;
const wildcard = new RegExp(`^(?=.{1,253}$)(\\*\\.)?${anyDns}(\\.${anyDns})*$`);
const prefixed = (prefix: string) => new RegExp(`^((?=.{1,253}/)${prefix}(\\.${prefix})*/)?${label}$`);
/** The characters of RFC 3986. */
const inUrl = "[-A-Za-z0-9._~:/?#\\[\\]@!$&'()*+,;=%]";
const longestLine = 4096;
const pathWord = "[A-Za-z0-9][A-Za-z0-9._-]*";

const isLine = /^(?:\t|[^\p{Cc}\p{Zl}\p{Zp}])*$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for them
const hasControls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

export const formats = {
    line: {
        is: isLine,
        must: `one line without control characters, of at most ${longestLine} characters`,
        example: "any text",
        isClear: true,
    },
    text: {
        is: text => !hasControls.test(text),
        must: "text without control characters",
        example: "first\nsecond",
        isClear: true,
    },
    choice: {
        is: /^[A-Za-z0-9][-A-Za-z0-9_.]{0,62}$/,
        must: "one of the words that docs/inputs.md lists",
        example: "none",
    },
    word: {
        is: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
        must: "a word of 1 to 100 letters, digits, dots, - and _",
        example: "2026-11",
    },
    dnsLabel: {
        is: new RegExp(`^${dns}$`),
        must: "a DNS label (at most 63 of a-z, 0-9, -)",
        example: "w1",
    },
    nodeOrPool: {
        is: /^[A-Za-z0-9][-A-Za-z0-9]{0,62}$/,
        must: 'the name of a node or pool, or "controlPlane"',
        example: "workers",
    },
    dnsSubdomain: {
        is: /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/,
        must: "a DNS name (at most 253 of a-z, 0-9, -, .)",
        example: "fast.site",
    },
    dnsName: {
        is: new RegExp(`^(?=.{1,253}$)${dns}(\\.${dns})*$`),
        must: "a DNS name (a-z, 0-9, - and .)",
        example: "cluster.local",
    },
    host: {
        is: text => isIP(text) !== 0 || (isAnyDns.test(text) && !likeAnAddress.test(text)),
        must: "a DNS name or an IP address",
        example: "api.site",
    },
    certificateName: {
        is: text => (isIP(text) !== 0 && !text.includes("%")) || (wildcard.test(text) && !likeAnAddress.test(text)),
        must: "a DNS name or an IP address alone, without https:// and port",
        example: "*.api.site",
    },
    address: { is: text => isIP(text) !== 0, must: "an IP address", example: "10.0.0.11" },
    ipv4: { is: isIPv4, must: "an IPv4 address", example: "10.0.0.100" },
    cidr: { is: text => parseCidr(text) !== undefined, must: "a network", example: "10.0.0.0/24" },
    addressOrCidr: {
        is: text => isIP(text) !== 0 || parseCidr(text) !== undefined,
        must: "an IP address or a network",
        example: "10.0.0.0/24",
    },
    interfaceName: {
        // nft, keepalived and ip(8) get it. The kernel allows 15 characters, more of them than we do.
        is: /^[A-Za-z0-9][-A-Za-z0-9_.]{0,14}$/,
        must: "the name of a network interface: at most 15 letters, digits, dots, - and _",
        example: "eth0",
    },
    url: {
        // The characters alone would let a port of 99999 through.
        is: text => new RegExp(`^https?://(?![/?#])${inUrl}+$`).test(text) && URL.canParse(text),
        must: "a URL that begins with http:// or https://",
        example: "https://mirror.site:5000/path",
    },
    exceptions: {
        is: /^[-A-Za-z0-9.*:/[\]_, \t]*$/,
        must: "a name, an address or a network, or a list of them split by commas",
        example: ".site,10.0.0.0/8",
    },
    registry: {
        // The name of a folder in containerd's certs.d.
        is: /^(\*|(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9][-A-Za-z0-9.]*)(:\d{1,5})?)$/,
        must: 'a registry\'s name or address, with its port if it has one, or "*" for all',
        example: "registry.k8s.io",
    },
    repository: {
        is: /^(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9][-A-Za-z0-9.]*)(:\d{1,5})?(\/[a-z0-9][a-z0-9._-]*)*$/,
        must: "a registry and path",
        example: "registry.site:5000/mirror",
    },
    image: {
        is: text => /^[A-Za-z0-9[][-A-Za-z0-9._:/@[\]+]*$/.test(text) && !text.includes("/."),
        must: "the name of an image",
        example: "registry.k8s.io/pause:3.10.1",
    },
    version: {
        is: /^v?\d+\.\d+\.\d+([-.+][0-9A-Za-z.-]+)?$/,
        must: "a full version",
        example: "1.36.3",
    },
    cloudId: {
        is: /^[A-Za-z0-9][-A-Za-z0-9_.]{0,254}$/,
        must: "an id of the cloud: letters, digits, -, _ and .",
        example: "5c1de1f0-0000-4000-8000-000000000001",
    },
    stackName: {
        is: /^[A-Za-z][-A-Za-z0-9_.]{0,254}$/,
        must: "a name of a stack: a letter, then letters, digits, -, _ and .",
        example: "core",
    },
    userName: {
        is: /^[A-Za-z0-9_][-A-Za-z0-9_.@+\\]{0,63}\$?$/,
        must: "a name of a user",
        example: "ops",
    },
    labelKey: {
        is: prefixed(dns),
        must: "a key of Kubernetes: at most 63 of A-Z, a-z, 0-9, -, _ and ., with a letter or digit at both ends, after a DNS name and / if wanted",
        example: "example.com/tier",
    },
    claim: {
        is: new RegExp(`^${dns}/(?=.{1,253}$)${dns}(\\.${dns})*$`),
        must: "a namespace and the name of a claim",
        example: "nfv/data",
    },
    annotationKey: {
        is: prefixed(anyDns),
        must: "a key of Kubernetes: at most 63 of A-Z, a-z, 0-9, -, _ and ., with a letter or digit at both ends, after a DNS name and / if wanted",
        example: "example.com/Tier",
    },
    labelValue: {
        is: new RegExp(`^(${label})?$`),
        must: "a value of a label: at most 63 of A-Z, a-z, 0-9, -, _ and ., with a letter or digit at both ends",
        example: "edge",
    },
    field: {
        is: /^[A-Za-z][A-Za-z0-9]{0,127}$/,
        must: "the name of a field: letters and digits",
        example: "maxPods",
    },
    flag: {
        is: /^[A-Za-z0-9][-A-Za-z0-9_.]{0,127}$/,
        must: "the name of a flag, without dashes in front",
        example: "max-pods",
    },
    sysctl: {
        is: /^\w[-\w:@+]*([./]\w[-\w:@+]*)+$/,
        must: "the name of a kernel setting",
        example: "vm.max_map_count",
    },
    patch: {
        is: /^[a-z][-\w+]*(\.(json|yaml))?$/,
        must: "the name of a kubeadm patch",
        example: "kube-apiserver1+merge",
    },
    variable: {
        is: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
        must: "the name of a variable: letters, digits and _",
        example: "CLUSTER_NAME",
    },
    quantity: {
        is: /^(\d{1,20}\.?\d{0,20}|\.\d{1,20})([numkMGTPE]|[KMGTPE]i|[eE][-+]?\d{1,3})?$/,
        must: "a quantity of Kubernetes: a number, with m, k, M, G, Ki, Mi or Gi directly behind it",
        example: "512Mi",
    },
    share: { is: /^\d{1,9}%?$/, must: "a number or a share", example: "20%" },
    path: {
        is: new RegExp(`^(/${pathWord})+/?$`),
        must: "a path from / on, of letters, digits, dots, - and _",
        example: "/exports/data",
    },
    folder: {
        is: new RegExp(`^/?${pathWord}(/${pathWord})*/?$`),
        must: "a folder within a volume, of letters, digits, dots, - and _",
        example: "team/data",
    },
    filePath: {
        // Of the user's own files on machines: any names, but no way up.
        is: /^(?!.*\/\.\.(\/|$))(\/[A-Za-z0-9._][-A-Za-z0-9._@+,=:]*)+$/,
        must: "a path from / on, of letters, digits and . - _ @ + , = :",
        example: "/etc/site/settings.conf",
    },
    disk: {
        is: /^\/dev\/disk\/by-(id|path|partuuid)\/[A-Za-z0-9._:@+-]+$/,
        must: "a path below /dev/disk/by-id",
        example: "/dev/disk/by-id/virtio-data",
    },
    mode: { is: /^0?[0-7]{3}$/, must: "a mode in octal", example: "0770" },
    option: {
        is: /^(?!.*\.\.)[A-Za-z0-9_]+(=[A-Za-z0-9_.:@/-]+)?$/,
        must: "one option",
        example: "nfsvers=4.1",
    },
    schedule: {
        is: /^[A-Za-z0-9*][A-Za-z0-9*:,/.~+_ -]{0,255}$/,
        must: "a time that systemd knows",
        example: "Mon..Fri 22:00",
    },
    packages: {
        is: /^[A-Za-z0-9*?][A-Za-z0-9.+_*?-]{0,255}$/,
        must: "the name of a package, or a pattern with * and ?",
        example: "libssl*",
    },
    bucket: {
        is: /^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+\/?$/,
        must: "a URL of a bucket",
        example: "https://s3.example.org/bucket/folder",
    },
    hostKey: {
        is: /^(ssh|ecdsa|sk)-[-A-Za-z0-9@.]+ [A-Za-z0-9+/]+=*$/,
        must: "a host key, as ssh-keyscan prints it after the name",
        example: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5mNWtYmRzIrcfcUYRQbHqJwHvuqPHcvXDbEtzzmXeN",
    },
    snapshotId: {
        is: /^(latest|[0-9a-f]{8,64})$/,
        must: 'the id of a snapshot of restic, or "latest"',
        example: "0123abcd",
    },
    roleName: {
        is: /^[A-Za-z0-9][-A-Za-z0-9._:]{0,252}$/,
        must: "the name of a role",
        example: "system:node-reader",
    },
    key: {
        is: /^[\x21-\x7e]{1,4096}$/,
        must: "one word of printable ASCII characters",
        example: "Jv4s0",
    },
} satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

export function hasFormat(name: FormatName, text: string): boolean {
    if (name !== "text" && text.length > longestLine) return false;
    const { is } = formats[name] as Format;
    return typeof is === "function" ? is(text) : is.test(text);
}

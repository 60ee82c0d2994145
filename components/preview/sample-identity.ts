import type { ControlPlaneKeys, PublicIdentity } from "../../provider/common/model";

/**
 * Placeholder for an identity that does not exist yet, so that the first preview can name the steps of every node. Its private key
 * is unknown, and it never leaves the preview.
 */
export function sampleIdentity(clusterName: string, digit = "0"): PublicIdentity {
    return {
        clusterId: `${clusterName}-00000000`,
        caCertHash: `sha256:${digit.repeat(64)}`,
        fingerprint: digit.repeat(12),
    };
}

const caCertificate = `-----BEGIN CERTIFICATE-----
MIIBezCCASGgAwIBAgIUYJlp2J+IYYWtr5IVCVZXrgJ6rcMwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHcHJldmlldzAgFw0yNjExMjExMDQxMTJaGA8yMTI2MTAyODEw
NDExMlowEjEQMA4GA1UEAwwHcHJldmlldzBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABN3x0qV5LrywQBiUfFuwwdAnppvL0MeWXaUUJ966HIAR6E20BUCOrvOR9V+C
IpX6QhR2tm9JyF8XnB2QzfhwOwqjUzBRMB0GA1UdDgQWBBSmhUhcSG+He4aFip0n
fwLX4kI+GTAfBgNVHSMEGDAWgBSmhUhcSG+He4aFip0nfwLX4kI+GTAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQDOIUvhYdH7Mrc7pKmF6LsuaQKK
CPpRSWmbAaaHg7EB8wIgWVVoj/DkJ65PrZKMnTfaWG4pVYPstNQ87Wz8nHaGTcM=
-----END CERTIFICATE-----
`;

export const sampleKeys: ControlPlaneKeys = {
    caCertificate,
    caKey: "",
    etcdCaCertificate: caCertificate,
    etcdCaKey: "",
    frontProxyCaCertificate: caCertificate,
    frontProxyCaKey: "",
    serviceAccountKey: "",
    serviceAccountPublicKey: "",
    encryptionKey: "",
};

/** Other keys for each digit, to see which steps depend on keys. */
export function otherSampleKeys(digit: string): ControlPlaneKeys {
    const others = Object.entries(sampleKeys).map(([name, text]) => [name, `${text}${digit}`]);
    return Object.fromEntries(others) as unknown as ControlPlaneKeys;
}

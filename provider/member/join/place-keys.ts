import type { Authorities, ControlPlaneKeys, NodeSpec } from "../../common/model";
import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { pkiFolder } from "../../kubeadm/paths";
import { step } from "../../steps/step";
import type { Act, KnownStep, StepBody, StepFile } from "../../steps/types";
import type { Membership } from "./api-server-files";

type PlacedKey = keyof Authorities | "serviceAccountKey" | "serviceAccountPublicKey";

/**
 * Where kubeadm looks for existing keys. If they are there, init creates none and join needs no upload of certificates.
 */
const places: { key: PlacedKey; path: string; secret: boolean }[] = [
    { key: "caCertificate", path: "ca.crt", secret: false },
    { key: "caKey", path: "ca.key", secret: true },
    { key: "etcdCaCertificate", path: "etcd/ca.crt", secret: false },
    { key: "etcdCaKey", path: "etcd/ca.key", secret: true },
    { key: "frontProxyCaCertificate", path: "front-proxy-ca.crt", secret: false },
    { key: "frontProxyCaKey", path: "front-proxy-ca.key", secret: true },
    { key: "serviceAccountKey", path: "sa.key", secret: true },
    { key: "serviceAccountPublicKey", path: "sa.pub", secret: false },
];

function fileOf({ key, path, secret }: (typeof places)[number], keys: ControlPlaneKeys): StepFile {
    return { path: `${pkiFolder}/${path}`, content: keys[key], mode: secret ? 0o600 : 0o644, secret };
}

export function keyFiles(keys: ControlPlaneKeys): StepFile[] {
    return places.map(place => fileOf(place, keys));
}

const printKeys: Act = {
    id: "node.print-keys",
    title: "get the cluster's keys",
    target: "controlPlane",
    run: kubeadmScript("member/join/print-keys.sh"),
    timeoutSeconds: 60,
    answers: true,
};

/** What stands for a key in fingerprints after it was rotated: the first one, of a private key its keyed hash. */
type First = Partial<Record<PlacedKey, string>>;

function firstOf(keys: ControlPlaneKeys): First {
    const { firstAuthorities, firstServiceAccountKey = "", firstServiceAccountPublicKey } = keys;
    return {
        ...firstAuthorities,
        ...(keys.serviceAccountKeyName !== undefined && {
            serviceAccountKey: firstServiceAccountKey,
            serviceAccountPublicKey: firstServiceAccountPublicKey ?? keys.serviceAccountPublicKey,
        }),
    };
}

/** As print-keys.sh prints them. A machine knows its cluster by the first authority. */
function printed(rotated: typeof places, keys: ControlPlaneKeys): string {
    const { caCertificate, firstAuthorities } = keys;
    const files = Object.fromEntries(rotated.map(({ key, path }) => [path, keys[key]]));
    const note = firstAuthorities && { authority: caCertificate + firstAuthorities.caCertificate };
    return Object.entries({ ...files, ...note })
        .map(([path, content]) => `${path} ${Buffer.from(content).toString("base64")}\n`)
        .join("");
}

/**
 * A key that was never rotated is a file as any other. After that, those on the control-plane nodes are the truth: several may be valid, and only a rotation
 * changes them. The fingerprint stays the same.
 */
function kept(keys: ControlPlaneKeys, membership: Membership): Partial<StepBody> {
    const first = firstOf(keys);
    const rotated = places.filter(({ key }) => first[key] !== undefined);
    if (rotated.length === 0) return { files: keyFiles(keys) };
    const declared = (place: (typeof places)[number]): StepFile => {
        const file = fileOf(place, keys);
        const known = first[place.key];
        if (known === undefined) return file;
        if (!place.secret) return { ...file, content: known };
        return { ...file, content: "", ...(known !== "" && { sealed: known }) };
    };
    const paths = rotated.map(({ path }) => path).join(" ");
    return {
        files: places.filter(({ key }) => first[key] === undefined).map(place => fileOf(place, keys)),
        declaredFiles: places.map(declared),
        secrets: { program: printed(rotated, keys) },
        ...(membership === "join" && { preparation: { ...printKeys, env: { KEPT: paths } } }),
        run: kubeadmScript("member/join/keep-keys.sh"),
        observe: { script: kubeadmScript("member/join/observe-keys.sh"), env: { KEPT: paths } },
    };
}

export const keysStep = { id: "node.keys", title: "place the cluster's keys", only: "controlPlane" } as const;

/** Writes the cluster's authorities and service-account key on each control-plane node, before init or join. */
export const placeKeysBy = (membership: Membership): KnownStep<NodeSpec> =>
    step<NodeSpec>(keysStep)(spec =>
        spec.role === "controlPlane" && spec.keys
            ? { revision: 1, ...kept(spec.keys, membership), timeoutSeconds: 180 }
            : undefined,
    );

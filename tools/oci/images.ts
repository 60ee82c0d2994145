import { ownImages } from "../../provider/common/bundle";
import { NfvError } from "../../provider/common/errors";
import type { Role } from "../../provider/common/model";
import type { Image } from "./archive";
import type { LayerContent } from "./layer";

/** Where the parts of images are on this machine. */
export interface ImageParts {
    programs: Record<string, string>;
    pause: string;
    iptables: LayerContent;
    busybox: string;
    applets: string[];
}

export interface BundleImage extends Image {
    roles: Role[];
}

const everywhere: Role[] = ["controlPlane", "worker"];
const accounts = { "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n", "/etc/group": "root:x:0:\n" };

type Recipe = (parts: ImageParts) => Omit<BundleImage, "name">;

function kubernetesProgram(program: string): Recipe {
    return ({ programs }) => ({
        content: { programs: { [`/usr/local/bin/${program}`]: programs[program] }, folders: ["/tmp"] },
        roles: ["controlPlane"],
    });
}

/** By the last part of the image's name. kubeadm's manifests name the programs, so most images need no entry point. */
const recipes: Record<string, Recipe> = {
    "kube-apiserver": kubernetesProgram("kube-apiserver"),
    "kube-controller-manager": kubernetesProgram("kube-controller-manager"),
    "kube-scheduler": kubernetesProgram("kube-scheduler"),
    "kube-proxy": ({ programs, iptables }) => ({
        content: {
            ...iptables,
            programs: { ...iptables.programs, "/usr/local/bin/kube-proxy": programs["kube-proxy"] },
        },
        roles: everywhere,
    }),
    coredns: ({ programs }) => ({
        content: { programs: { "/coredns": programs.coredns }, folders: ["/tmp"] },
        entrypoint: ["/coredns"],
        roles: everywhere,
    }),
    pause: ({ pause }) => ({ content: { programs: { "/pause": pause } }, entrypoint: ["/pause"], roles: everywhere }),
    etcd: ({ programs }) => ({
        content: {
            programs: Object.fromEntries(
                ["etcd", "etcdctl", "etcdutl"].map(name => [`/usr/local/bin/${name}`, programs[name]]),
            ),
            folders: ["/tmp", "/var"],
        },
        roles: ["controlPlane"],
    }),
};

/** Images of our own: the pod network of `cni: bridge`, and a busybox for demonstrations. */
const ownRecipes: Record<string, Recipe> = {
    [ownImages.podnet]: ({ iptables, busybox, applets }) => ({
        content: {
            ...iptables,
            programs: { ...iptables.programs, "/usr/local/bin/busybox": busybox },
            links: {
                ...iptables.links,
                ...Object.fromEntries(applets.map(name => [`/usr/local/bin/${name}`, "busybox"])),
                "/usr/bin/sh": "../local/bin/busybox",
            },
        },
        command: ["/bin/sh"],
        roles: everywhere,
    }),
    [ownImages.tools]: ({ busybox, applets }) => ({
        content: {
            programs: { "/bin/busybox": busybox },
            links: Object.fromEntries(applets.map(name => [`/bin/${name}`, "busybox"])),
            texts: accounts,
            folders: ["/root", "/tmp", "/var", "/www"],
        },
        command: ["/bin/sh"],
        roles: everywhere,
    }),
};

/** All images of a bundle. `wanted`: the names that kubeadm lists. */
export function bundleImages(wanted: string[], parts: ImageParts): BundleImage[] {
    const upstream = wanted.map(name => {
        const recipe = recipes[shortName(name)];
        if (!recipe) {
            throw new Error(`kubeadm wants ${name}, and we have no recipe for it`);
        }
        return { name, ...recipe(parts) };
    });
    const own = Object.entries(ownRecipes).map(([name, recipe]) => ({ name, namedByDigest: true, ...recipe(parts) }));
    return [...upstream, ...own];
}

/**
 * An image with etcd of another minor than its tag says would run, and mislead whoever upgrades or restores by the tag. `wanted`: the names that kubeadm lists;
 * `etcd`: the version of our program. Pure.
 * @throws BUNDLE_INVALID
 */
export function refuseOtherEtcd(wanted: readonly string[], etcd: string, kubernetes: string): void {
    const minor = (version: string) => /^v?(\d+\.\d+)\./.exec(version)?.[1];
    const image = wanted.find(name => shortName(name) === "etcd") ?? "";
    const tag = image.slice(image.lastIndexOf(":") + 1);
    if (minor(tag) === minor(etcd)) return;
    throw new NfvError({
        code: "BUNDLE_INVALID",
        cause: `kubeadm of Kubernetes ${kubernetes} wants the image ${image || "of no etcd"}, and the etcd that would be in it is ${etcd}`,
        hint: "No bundle was made. Take a version that nfv versions lists, or a release of this package that knows this one.",
    });
}

/** "coredns" of "registry.k8s.io/coredns/coredns:v1.12.1". */
export function shortName(image: string): string {
    return image.slice(image.lastIndexOf("/") + 1).split(":")[0];
}

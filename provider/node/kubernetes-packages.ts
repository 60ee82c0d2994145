import type { HostSpec } from "../model";
import { installErrors } from "../shell/exit-codes";
import { script } from "../shell/script-file";
import type { StepFactory, StepFile } from "../steps/types";

const names = ["kubelet", "kubeadm", "kubectl"];
const keyFile = "/etc/apt/keyrings/pulumi-nfv-kubernetes.asc";

/** "1.34.4" → "1.34": the Kubernetes community has one repository per minor version. */
function minorOf(version: string): string {
    return version.split(".").slice(0, 2).join(".");
}

/** URL of the community's repository, or the user's, with a slash at its end. */
export function repositoryUrl(version: string, kind: "deb" | "rpm", own?: string): string {
    return (own ?? `https://pkgs.k8s.io/core:/stable:/v${minorOf(version)}/${kind}`).replace(/\/*$/, "/");
}

/** Source, pin and (if given) key of the Debian packages. */
export function aptFiles(version: string, apt: { repository?: string; key?: string }): StepFile[] {
    const url = repositoryUrl(version, "deb", apt.repository);
    const pin = names.map(name => `Package: ${name}\nPin: version ${version}-*\nPin-Priority: 1001\n`).join("\n");
    return [
        {
            path: "/etc/apt/sources.list.d/pulumi-nfv-kubernetes.list",
            content: `deb [signed-by=${keyFile}] ${url} /\n`,
        },
        { path: "/etc/apt/preferences.d/pulumi-nfv-kubernetes", content: pin },
        ...(apt.key ? [{ path: keyFile, content: apt.key }] : []),
    ];
}

/** The RPM repository, with the packages excluded from ordinary updates. */
export function dnfFiles(version: string, dnf: { repository?: string; key?: string }): StepFile[] {
    const url = repositoryUrl(version, "rpm", dnf.repository);
    const keyPath = "/etc/pki/rpm-gpg/RPM-GPG-KEY-pulumi-nfv-kubernetes";
    const lines = {
        name: "Kubernetes",
        baseurl: url,
        enabled: 1,
        gpgcheck: 1,
        gpgkey: dnf.key ? `file://${keyPath}` : `${url}repodata/repomd.xml.key`,
        exclude: `${names.join(" ")} cri-tools kubernetes-cni`,
    };
    const content = Object.entries(lines).map(([key, value]) => `${key}=${value}\n`);
    return [
        {
            path: "/etc/yum.repos.d/pulumi-nfv-kubernetes.repo",
            content: `[pulumi-nfv-kubernetes]\n${content.join("")}`,
        },
        ...(dnf.key ? [{ path: keyPath, content: dnf.key }] : []),
    ];
}

/** Installs the community's packages in exactly the wanted version and holds them there. */
export const installKubernetesPackages: StepFactory<HostSpec> = spec => {
    const { apt, dnf } = spec.source;
    if (!apt && !dnf) return undefined;
    const version = spec.kubernetesVersion;
    return {
        id: "host.kubernetes-packages",
        title: "install Kubernetes packages",
        revision: 1,
        files: apt ? aptFiles(version, apt) : dnfFiles(version, dnf!),
        env: {
            APT_PACKAGES: names.join(" "),
            DNF_PACKAGES: names.join(" "),
            KEY_URL: apt && !apt.key ? `${repositoryUrl(version, "deb", apt.repository)}Release.key` : "",
            VERSION: version,
            NAMES: names.join(" "),
        },
        run: apt
            ? script("node/kubernetes-packages-apt.sh", { KEY_FILE: keyFile })
            : script("node/kubernetes-packages-dnf.sh"),
        observe: { script: script("node/observe-versions.sh") },
        timeoutSeconds: 900,
        retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
        errors: installErrors,
    };
};

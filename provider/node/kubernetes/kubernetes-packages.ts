import type { HostSpec } from "../../common/model";
import { errorsFor, installErrors } from "../../shell/exit-codes";
import { programFolder } from "../../shell/folders";
import { script } from "../../shell/script-file";
import type { Connection } from "../../ssh/types";
import { type Query, query } from "../../steps/query";
import { step } from "../../steps/step";
import type { StepFile } from "../../steps/types";

const names = ["kubelet", "kubeadm", "kubectl"];
const keyFile = "/etc/apt/keyrings/pulumi-nfv-kubernetes.asc";
const sourceFile = "/etc/apt/sources.list.d/pulumi-nfv-kubernetes.list";
/** Name of the RPM repository on a host. */
const repository = "pulumi-nfv-kubernetes";

/** Whether the programs of Kubernetes on a machine have the wanted version. */
export const observeVersions = script("node/kubernetes/observe-versions.sh", { PROGRAM_FOLDER: programFolder });

/** "1.36.3" → "1.36": the Kubernetes community has one repository per minor version. */
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
            path: sourceFile,
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
            path: `/etc/yum.repos.d/${repository}.repo`,
            content: `[${repository}]\n${content.join("")}`,
        },
        ...(dnf.key ? [{ path: keyPath, content: dnf.key }] : []),
    ];
}

/** Where the key of the packages is to be had; empty: it is given. */
function keyUrl(version: string, apt: { repository?: string; key?: string }): string {
    return apt.key ? "" : `${repositoryUrl(version, "deb", apt.repository)}Release.key`;
}

/**
 * Installs the community's packages in exactly the wanted version and holds them there. On a member that has another version they are
 * only downloaded and unpacked beside: they are installed when its node moves.
 */
export const installKubernetesPackages = step<HostSpec>({
    id: "host.kubernetes-packages",
    title: "install or stage Kubernetes packages",
})(spec => {
    const { apt, dnf } = spec.source;
    if (!apt && !dnf) return undefined;
    const version = spec.kubernetesVersion;
    return {
        revision: 1,
        files: apt ? aptFiles(version, apt) : dnfFiles(version, dnf!),
        env: {
            APT_PACKAGES: names.join(" "),
            DNF_PACKAGES: names.join(" "),
            KEY_URL: apt ? keyUrl(version, apt) : "",
            VERSION: version,
            NAMES: names.join(" "),
        },
        run: apt
            ? script("node/kubernetes/kubernetes-packages-apt.sh", {
                  KEY_FILE: keyFile,
                  SOURCE_FILE: sourceFile,
                  PROGRAM_FOLDER: programFolder,
              })
            : script("node/kubernetes/kubernetes-packages-dnf.sh", {
                  REPOSITORY: repository,
                  PROGRAM_FOLDER: programFolder,
              }),
        observe: { script: observeVersions },
        timeoutSeconds: 900,
        retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
        errors: { ...installErrors, ...errorsFor("VERSION_MISMATCH") },
    };
});

/** The command that looks at a repository; fake nodes in tests recognise it. */
export const repositoryArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-repository"];

/** Whether the repository has the packages of the host's version, as its machine sees it. @throws VERSION_MISMATCH with the versions that it has */
export async function checkRepository(
    machine: Connection,
    { name, kubernetesVersion, source: { apt, dnf } }: Pick<HostSpec, "name" | "kubernetesVersion" | "source">,
): Promise<void> {
    await query(machine, {
        step: "look at the repository of Kubernetes' packages",
        node: name,
        script: script("node/kubernetes/check-repository.sh"),
        argv: repositoryArgv,
        env: {
            NAMES: names.join(" "),
            VERSION: kubernetesVersion,
            URL: repositoryUrl(kubernetesVersion, apt ? "deb" : "rpm", (apt ?? dnf)?.repository),
            KEY: apt?.key ?? "",
            KEY_URL: apt ? keyUrl(kubernetesVersion, apt) : "",
        },
        errors: errorsFor("VERSION_MISMATCH"),
        timeoutSeconds: 120,
    });
}

/** Asks a new machine whether the repository certainly lacks the version. Undefined: there is none. */
export function repositoryLook({
    kubernetesVersion,
    source,
}: Pick<HostSpec, "kubernetesVersion" | "source">): Query | undefined {
    const { apt, dnf } = source;
    if (!apt && !dnf) return undefined;
    const own = (apt ?? dnf)?.repository;
    return {
        step: "look at the repository of Kubernetes' packages",
        script: script("node/kubernetes/look-at-repository.sh"),
        argv: repositoryArgv,
        env: {
            VERSION: kubernetesVersion,
            URL: repositoryUrl(kubernetesVersion, apt ? "deb" : "rpm", own),
            // The community's answers 403 for what it does not have; another one may want a login, which apt and dnf know.
            ABSENT: own === undefined ? "404 403" : "404",
            ...(apt
                ? { INDEXES: "InRelease Release", LIST: "Packages" }
                : { INDEXES: "repodata/repomd.xml", LIST: "" }),
        },
        errors: errorsFor("VERSION_MISMATCH"),
        timeoutSeconds: 10,
    };
}

import type { HostSpec } from "../../common/model";
import { installErrors } from "../../shell/exit-codes";
import { sh } from "../../shell/script";
import { script } from "../../shell/script-file";
import { step } from "../../steps/step";
import { runtimeVersion } from "./bundle-runtime";

/** The runtime, and the programs that kubeadm's preflight and kube-proxy need. */
const packages = {
    apt: ["containerd", "runc", "iptables", "iproute2", "conntrack", "ethtool", "socat", "ca-certificates"],
    dnf: ["containerd", "runc", "iptables", "iproute", "iproute-tc", "conntrack-tools", "ethtool", "socat"],
};

/** How both variants install them. */
function installing(besides: readonly string[]) {
    const wanted = (names: readonly string[]) => names.filter(name => !besides.includes(name)).join(" ");
    return {
        env: { APT_PACKAGES: wanted(packages.apt), DNF_PACKAGES: wanted(packages.dnf) },
        timeoutSeconds: 900,
        retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
        errors: installErrors,
    };
}

const needs = "install what a container runtime needs";
const check = "check the container runtime";

/** Installs containerd from the distribution if it is missing, unless the bundle brings it. A server image with Kubernetes must contain it. */
export const installContainerRuntime = step<HostSpec>({
    id: "host.container-runtime",
    title: "install the container runtime",
    otherTitles: [needs, check],
})(spec => {
    const common = { revision: 1 };
    const observeRuntime = script("node/runtime/observe-container-runtime.sh");
    const observePackages = script("shell/observe-packages.sh");
    if (runtimeVersion(spec) !== undefined)
        return {
            ...common,
            title: needs,
            ...installing(["containerd", "runc"]),
            run: script("shell/install-packages.sh"),
            observe: { script: observePackages },
        };
    if (spec.source.image)
        return {
            ...common,
            title: check,
            probe: sh`
                ctr version >/dev/null 2>&1 && systemctl -q is-enabled containerd.service
            `,
            run: script("node/runtime/check-container-runtime.sh"),
            observe: { script: observeRuntime },
            timeoutSeconds: 60,
        };
    return {
        ...common,
        ...installing([]),
        run: script("node/runtime/install-container-runtime.sh"),
        observe: { script: `${observePackages}\n${observeRuntime}` },
    };
});

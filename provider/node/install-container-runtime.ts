import type { HostSpec } from "../model";
import { installErrors } from "../shell/exit-codes";
import { sh } from "../shell/script";
import { script } from "../shell/script-file";
import type { StepFactory } from "../steps/types";
import { runtimeVersion } from "./bundle-runtime";

/** The runtime, and the programs that kubeadm's preflight and kube-proxy need. */
const packages = {
    apt: ["containerd", "runc", "iptables", "iproute2", "conntrack", "ethtool", "socat", "ca-certificates"],
    dnf: ["containerd", "runc", "iptables", "iproute", "iproute-tc", "conntrack-tools", "ethtool", "socat"],
};

/** Without what the bundle brings. */
const besides = (names: readonly string[]) => names.filter(name => name !== "containerd" && name !== "runc").join(" ");

/** Installs containerd from the distribution if it is missing, unless the bundle brings it. A server image with Kubernetes must contain it. */
export const installContainerRuntime: StepFactory<HostSpec> = spec =>
    runtimeVersion(spec) !== undefined
        ? {
              id: "host.container-runtime",
              title: "install what a container runtime needs",
              revision: 1,
              env: { APT_PACKAGES: besides(packages.apt), DNF_PACKAGES: besides(packages.dnf) },
              run: script("shell/install-packages.sh"),
              observe: { script: script("shell/observe-packages.sh") },
              timeoutSeconds: 900,
              retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
              errors: installErrors,
          }
        : spec.source.image
          ? {
                id: "host.container-runtime",
                title: "check the container runtime",
                revision: 1,
                probe: sh`
                  ctr version >/dev/null 2>&1 && systemctl -q is-enabled containerd.service
              `,
                run: script("node/check-container-runtime.sh"),
                observe: { script: script("node/observe-container-runtime.sh") },
                timeoutSeconds: 60,
            }
          : {
                id: "host.container-runtime",
                title: "install the container runtime",
                revision: 1,
                env: { APT_PACKAGES: packages.apt.join(" "), DNF_PACKAGES: packages.dnf.join(" ") },
                run: script("node/install-container-runtime.sh"),
                observe: {
                    script: `${script("shell/observe-packages.sh")}\n${script("node/observe-container-runtime.sh")}`,
                },
                timeoutSeconds: 900,
                retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
                errors: installErrors,
            };

import type { HostSpec } from "../model";
import { installErrors } from "../shell/exit-codes";
import { sh } from "../shell/script";
import { script } from "../shell/script-file";
import type { StepFactory } from "../steps/types";

/** The runtime, and the programs that kubeadm's preflight and kube-proxy need. */
const packages = {
    apt: ["containerd", "runc", "iptables", "iproute2", "conntrack", "ethtool", "socat", "ca-certificates"],
    dnf: ["containerd", "runc", "iptables", "iproute", "iproute-tc", "conntrack-tools", "ethtool", "socat"],
};

/** Installs containerd from the distribution if it is missing. A server image with Kubernetes must contain it. */
export const installContainerRuntime: StepFactory<HostSpec> = spec =>
    spec.source.image
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

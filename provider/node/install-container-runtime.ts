import type { HostSpec } from "../model";
import { installPackages } from "../shell/packages";
import { sh } from "../shell/script";
import type { StepFactory } from "../steps/types";
import { containerdAnswers } from "./containerd-answers";

/** The runtime, and the programs that kubeadm's preflight and kube-proxy need. */
const packages = {
    apt: ["containerd", "runc", "iptables", "iproute2", "conntrack", "ethtool", "socat", "ca-certificates"],
    dnf: ["containerd", "runc", "iptables", "iproute", "iproute-tc", "conntrack-tools", "ethtool", "socat"],
};

const start = sh`
    systemctl enable -q --no-reload containerd.service
    systemctl start containerd.service
`;

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
              run: `command -v containerd >/dev/null || { echo "the image has no containerd" >&2; exit 1; }\n${start}${containerdAnswers()}`,
              timeoutSeconds: 60,
          }
        : {
              id: "host.container-runtime",
              title: "install the container runtime",
              revision: 1,
              env: { APT_PACKAGES: packages.apt.join(" "), DNF_PACKAGES: packages.dnf.join(" ") },
              run: `${installPackages}install_packages\n${start}${containerdAnswers()}`,
              timeoutSeconds: 900,
              retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
          };

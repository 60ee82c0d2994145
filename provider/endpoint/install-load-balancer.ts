import type { HostSpec } from "../common/model";
import { installErrors } from "../shell/exit-codes";
import { sh } from "../shell/script";
import { script } from "../shell/script-file";
import { step } from "../steps/step";

export const loadBalancerStep = "host.load-balancer";

/** In a cluster with a virtual address each control-plane node runs the load balancer. */
export function carriesLoadBalancer(spec: HostSpec): boolean {
    return spec.role === "controlPlane" && spec.endpoint.vip !== undefined;
}

/** Installs HAProxy and keepalived from the distribution if they are missing. */
export const installLoadBalancer = step<HostSpec>({ id: loadBalancerStep, title: "install the load balancer" })(
    spec => {
        if (!carriesLoadBalancer(spec)) return undefined;
        return {
            revision: 1,
            env: { APT_PACKAGES: "haproxy keepalived", DNF_PACKAGES: "haproxy keepalived" },
            probe: sh`
            command -v haproxy >/dev/null && command -v keepalived >/dev/null && command -v bash >/dev/null
        `,
            run: script("shell/install-packages.sh"),
            timeoutSeconds: 600,
            retries: { times: 2, delaySeconds: 10, onExitCodes: [100] },
            errors: installErrors,
        };
    },
);

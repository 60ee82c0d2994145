import type { HostSpec } from "../common/model";
import { sh } from "../shell/script";
import { script } from "../shell/script-file";
import { step } from "../steps/step";

const path = "/etc/sysctl.d/90-pulumi-nfv.conf";

/** Required by kubeadm's preflight and the pod network. */
const wanted: Record<string, string> = {
    "net.ipv4.ip_forward": "1",
    "net.bridge.bridge-nf-call-iptables": "1",
    "net.bridge.bridge-nf-call-ip6tables": "1",
};

/** Kernel settings, also applied at boot. If the kernel refuses one of the user's settings, the step fails. */
export const setSysctls = step<HostSpec>({ id: "host.sysctls", title: "set kernel parameters" })(spec => {
    const settings = Object.entries({ ...wanted, ...spec.sysctls }).sort(([a], [b]) => (a < b ? -1 : 1));
    const text = settings.map(([key, value]) => `${key} = ${value}\n`).join("");
    return {
        revision: 1,
        files: [{ path, content: text }],
        run: sh`
            sysctl -q -p ${path}
        `,
        observe: { script: script("node/observe-sysctls.sh"), env: { SETTINGS: text } },
        timeoutSeconds: 30,
    };
});

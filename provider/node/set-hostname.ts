import type { HostSpec } from "../model";
import { sh } from "../shell/script";
import type { StepFactory } from "../steps/types";

/** Makes the hostname the node's name, so that kubelet, certificates and people use the same name. */
export const setHostname: StepFactory<HostSpec> = spec => ({
    id: "host.hostname",
    title: "set the host name",
    revision: 1,
    env: { NAME: spec.name },
    probe: sh`
        [ "$(hostname)" = "$NAME" ] && [ "$(cat /etc/hostname)" = "$NAME" ]
    `,
    run: sh`
        # cloud-init would put its own name back at the next boot
        if [ -d /etc/cloud/cloud.cfg.d ]; then echo 'preserve_hostname: true' > /etc/cloud/cloud.cfg.d/99-pulumi-nfv.cfg; fi
        hostnamectl set-hostname "$NAME" 2>/dev/null || { printf '%s\\n' "$NAME" > /etc/hostname; hostname "$NAME"; }
    `,
    timeoutSeconds: 30,
});

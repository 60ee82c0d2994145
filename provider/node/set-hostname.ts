import type { HostSpec } from "../common/model";
import { sh } from "../shell/script";
import { script } from "../shell/script-file";
import { step } from "../steps/step";

/** Makes the hostname the node's name, so that kubelet, certificates and people use the same name. */
export const setHostname = step<HostSpec>({ id: "host.hostname", title: "set the host name" })(spec => ({
    revision: 1,
    env: { NAME: spec.name },
    probe: sh`
        [ "$(hostname)" = "$NAME" ] && [ "$(cat /etc/hostname)" = "$NAME" ]
    `,
    run: script("node/set-hostname.sh"),
    timeoutSeconds: 30,
}));

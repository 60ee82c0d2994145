import type { HostSpec } from "../model";
import { sh } from "../shell/script";
import { script } from "../shell/script-file";
import type { StepFactory } from "../steps/types";

/** While cloud-init runs, it may install packages, write files and restart services at the same time as our steps. */
export const waitForCloudInit: StepFactory<HostSpec> = () => ({
    id: "host.cloud-init",
    title: "wait for cloud-init",
    revision: 1,
    probe: sh`
        ! command -v cloud-init >/dev/null || [ -e /run/cloud-init/disabled ] || [ -e /etc/cloud/cloud-init.disabled ]
    `,
    run: script("node/wait-for-cloud-init.sh"),
    observe: { unseen: "it is awaited once, before the first step" },
    timeoutSeconds: 660,
});

import { sh } from "../shell/script";
import { script } from "../shell/script-file";
import { step } from "../steps/step";

/** While cloud-init runs, it may install packages, write files and restart services at the same time as our steps. */
export const waitForCloudInit = step<unknown>({
    id: "host.cloud-init",
    title: "wait for cloud-init",
    notCompared: "it only waits",
})(() => ({
    revision: 1,
    probe: sh`
        ! command -v cloud-init >/dev/null || [ -e /run/cloud-init/disabled ] || [ -e /etc/cloud/cloud-init.disabled ]
    `,
    run: script("node/wait-for-cloud-init.sh"),
    // the probe says whether there is anything to wait for, which stays so
    observe: {
        script: sh`
            command -v cloud-init >/dev/null || exit 0
            case $(cloud-init status 2>/dev/null || true) in *running*) echo "cloud-init is running" ;; esac
        `,
    },
    timeoutSeconds: 660,
}));

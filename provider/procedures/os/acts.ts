import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { lockRetries } from "../../node/lock-retries";
import { errorsFor } from "../../shell/exit-codes";
import type { Act } from "../../steps/types";
import { osServices } from "../node-by-node/check-services";

/* What is done when the packages of a node's operating system are upgraded, each thing as an act. */

const packageConstants = { BOOT_FOLDER: "/boot" };
const packageErrors = errorsFor("FOREIGN_SOFTWARE", "UNSUPPORTED_SYSTEM");

/** For tests, too. */
export const osScripts = {
    state: () => kubeadmScript("procedures/os/print-os-state.sh", packageConstants),
    fetch: () => kubeadmScript("procedures/os/fetch-packages.sh", packageConstants),
    upgrade: () => kubeadmScript("procedures/os/upgrade-packages.sh", { ...packageConstants, ...osServices }),
    reboot: () => kubeadmScript("procedures/os/reboot.sh"),
};

/** `packages`: "all", "security", or patterns separated by spaces. */
export const fetchPackages = (packages: string): Act => ({
    id: "os.fetch",
    title: "download packages of the operating system",
    target: "self",
    run: osScripts.fetch(),
    env: { PACKAGES: packages },
    timeoutSeconds: 1800,
    stoppable: true,
    retries: lockRetries,
    errors: packageErrors,
});

export const upgradePackages = (requestId: string, packages: string, reboot: string): Act => ({
    id: "os.upgrade",
    title: "upgrade the packages of the operating system",
    target: "self",
    run: osScripts.upgrade(),
    env: { WORD: requestId, PACKAGES: packages, REBOOT: reboot },
    timeoutSeconds: 3600,
    retries: lockRetries,
    errors: packageErrors,
    disruptive: "services restart whose packages are upgraded",
});

export const rebootMachine: Act = {
    id: "os.reboot",
    title: "reboot",
    target: "self",
    run: osScripts.reboot(),
    timeoutSeconds: 60,
    disruptive: "the machine reboots",
};

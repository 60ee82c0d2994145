import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { lockRetries } from "../../node/lock-retries";
import { errorsFor } from "../../shell/exit-codes";
import type { Act } from "../../steps/types";

/*
 * What is done when the packages of a node's operating system are upgraded, each thing as an act. How far a node is, its own note says: docs/os-upgrade.md.
 */

/** Those that restart where their program was replaced and no reboot follows. */
const osServices = { OS_SERVICES: "containerd haproxy keepalived" };
const packageConstants = { BOOT_FOLDER: "/boot" };
const packageErrors = errorsFor("FOREIGN_SOFTWARE", "UNSUPPORTED_SYSTEM");

/** For tests, too. */
export const osScripts = {
    state: () => kubeadmScript("procedures/os/print-os-state.sh", packageConstants),
    fetch: () => kubeadmScript("procedures/os/fetch-packages.sh", packageConstants),
    upgrade: () => kubeadmScript("procedures/os/upgrade-packages.sh", { ...packageConstants, ...osServices }),
    note: () => kubeadmScript("procedures/os/note-stage.sh"),
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

export const noteStage = (word: string, stage: "begun" | "done"): Act => ({
    id: `os.note-${stage}`,
    title: stage === "begun" ? "note that its upgrade begins" : "note that its upgrade is done",
    target: "self",
    run: osScripts.note(),
    env: { WORD: word, STAGE: stage },
    timeoutSeconds: 60,
});

export const upgradePackages = (word: string, packages: string, reboot: string): Act => ({
    id: "os.upgrade",
    title: "upgrade the packages of the operating system",
    target: "self",
    run: osScripts.upgrade(),
    env: { WORD: word, PACKAGES: packages, REBOOT: reboot },
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

/** `address`: where the API server of a control-plane node listens. */
export const checkServices = (role: string, address: string, seconds: number): Act => ({
    id: "os.check-services",
    title: "wait for the services of the node",
    target: "self",
    run: kubeadmScript("procedures/os/check-services.sh", osServices),
    env: { ROLE: role, ADDRESS: address, SECONDS_TO_WAIT: String(seconds) },
    timeoutSeconds: seconds + 60,
});

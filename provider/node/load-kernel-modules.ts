import type { HostSpec } from "../common/model";
import { kernelModulesFile } from "../shell/folders";
import { script } from "../shell/script-file";
import { step } from "../steps/step";

const modules = ["overlay", "br_netfilter"];

/** Kernel modules for container file systems and bridged pod traffic, also loaded at boot. */
export const loadKernelModules = step<HostSpec>({ id: "host.kernel-modules", title: "load kernel modules" })(() => ({
    revision: 1,
    files: [{ path: kernelModulesFile, content: modules.join("\n") + "\n" }],
    run: script("node/load-kernel-modules.sh"),
    observe: { script: script("node/observe-kernel-modules.sh") },
    timeoutSeconds: 30,
}));

import type { HostSpec } from "../model";
import { sh } from "../shell/script";
import type { StepFactory } from "../steps/types";

const modules = ["overlay", "br_netfilter"];

/** Kernel modules for container file systems and bridged pod traffic, also loaded at boot. */
export const loadKernelModules: StepFactory<HostSpec> = () => ({
    id: "host.kernel-modules",
    title: "load kernel modules",
    revision: 1,
    files: [{ path: "/etc/modules-load.d/pulumi-nfv.conf", content: modules.join("\n") + "\n" }],
    run: sh`
        # built into the kernel, or of the machine under a container: what counts is that it is there
        modprobe overlay || grep -qw overlay /proc/filesystems
        modprobe br_netfilter || [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ]
    `,
    timeoutSeconds: 30,
});

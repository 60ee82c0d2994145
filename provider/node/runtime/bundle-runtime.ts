import type { BundleFile, HostSpec } from "../../common/model";
import { errorsFor } from "../../shell/exit-codes";
import { programFolder } from "../../shell/folders";
import { script } from "../../shell/script-file";
import { step } from "../../steps/step";
import { bundleFiles, nameIn, stagedIn } from "../kubernetes/stage-kubernetes";

/** containerd and runc of the bundle. None: the nodes have the distribution's. */
export const runtimeFiles = (spec: HostSpec): BundleFile[] => bundleFiles(spec, "runtime");

/** Of containerd and of runc: "2.4.2-1.5.3". Undefined: the distribution's. */
export function runtimeVersion(spec: HostSpec): string | undefined {
    const versions = new Set(runtimeFiles(spec).map(({ version }) => version));
    return versions.size === 0 ? undefined : [...versions].join("-");
}

/** What another containerd, or another configuration of it, interrupts. */
export const runtimeRestarts =
    "containerd restarts: pods go on, kubelet waits; sessions of `kubectl exec` on this node end";

const folderOf = (spec: HostSpec) => `${programFolder}/containerd/${runtimeVersion(spec)}`;

/** The unit of our containerd; it hides that of a package. */
const runtimeUnit = "/etc/systemd/system/containerd.service";

const unit = `[Unit]
Description=containerd of the bundle
After=network.target dbus.service

[Service]
ExecStartPre=-/sbin/modprobe overlay
ExecStart=/usr/local/bin/containerd
Type=notify
Delegate=yes
KillMode=process
Restart=always
RestartSec=5
LimitNPROC=infinity
LimitCORE=infinity
TasksMax=infinity
OOMScoreAdjust=-999

[Install]
WantedBy=multi-user.target
`;

/** Copies the bundle's containerd and runc into a folder for their versions. No effect until the node switches to them. */
export const stageRuntime = step<HostSpec>({ id: "host.runtime-files", title: "stage the container runtime" })(spec => {
    if (runtimeVersion(spec) === undefined) return undefined;
    return {
        revision: 1,
        ...stagedIn(folderOf(spec), spec, "runtime"),
        timeoutSeconds: 1800,
    };
});

/** Runs the bundle's containerd and runc in place of the distribution's. Pods go on: their shims are processes of their own. */
export const switchRuntime = step<HostSpec>({
    id: "host.runtime-switch",
    title: "switch to the bundle's container runtime",
    disruptive: runtimeRestarts,
})(spec => {
    if (runtimeVersion(spec) === undefined) return undefined;
    return {
        revision: 1,
        refuse: script("node/runtime/refuse-other-runtime.sh", { PROGRAM_FOLDER: programFolder }),
        files: [{ path: runtimeUnit, content: unit }],
        env: { FOLDER: folderOf(spec), PROGRAMS: runtimeFiles(spec).map(nameIn).join(" ") },
        run: script("node/runtime/switch-runtime.sh", { PROGRAM_FOLDER: programFolder }),
        observe: { script: script("node/runtime/observe-container-runtime.sh") },
        errors: errorsFor("FOREIGN_SOFTWARE"),
        timeoutSeconds: 120,
    };
});

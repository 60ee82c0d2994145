/** The version of Kubernetes that a fake node runs, by the steps and acts that it has done. */
export class FakeVersions {
    /** Undefined: it never joined. */
    kubelet?: string;
    /** Of a control-plane node's servers. */
    servers?: string;
    unfinished?: { from: string; to: string };
    /** It is still to be watched with this version. */
    soaks?: string;
    /** What the machine says of its cgroups if they are of version 1. */
    oldCgroups?: "v1" | "v1-allowed";

    /** A step or act has ended well. */
    ended(id: string, script: string): void {
        const to = /^VERSION='?([^'\n]*)'?$/m.exec(script)?.[1];
        if (to !== undefined) effects[id]?.(this, to);
        if (id === "upgrade.end") this.soaks = /^SOAKS='?yes/m.test(script) ? to : undefined;
        if (id === "upgrade.end-soak") this.soaks = undefined;
    }

    /** As print-node-version.sh prints it. */
    get text(): string {
        const { kubelet = "", servers, unfinished, oldCgroups, soaks } = this;
        const lines = [
            `kubelet=${kubelet}`,
            ...(servers === undefined ? [] : [`component=${servers}`]),
            ...(soaks === undefined ? [] : [`soaks=${soaks}`]),
            ...(oldCgroups === undefined ? [] : [`cgroups=${oldCgroups}`]),
            ...(unfinished === undefined ? [] : [`unfinished=${unfinished.from} ${unfinished.to}`]),
        ];
        return `${lines.join("\n")}\n`;
    }
}

const effects: Record<string, (versions: FakeVersions, to: string) => void> = {
    "node.kubernetes-version": (versions, to) => {
        versions.kubelet = to;
        if (versions.servers !== undefined) versions.servers = to;
    },
    "upgrade.note": (versions, to) => {
        if (versions.unfinished?.to !== to) versions.unfinished = { from: versions.kubelet ?? "", to };
    },
    "upgrade.control-plane": (versions, to) => {
        versions.servers = to;
    },
    "upgrade.kubelet": (versions, to) => {
        versions.kubelet = to;
    },
    "upgrade.note-soak": (versions, to) => {
        versions.soaks = to;
    },
    "upgrade.end": versions => {
        versions.unfinished = undefined;
    },
};

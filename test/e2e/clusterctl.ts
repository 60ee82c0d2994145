import * as fs from "node:fs";
import * as path from "node:path";
import { labelOf, type ProviderSpec, type ProviderType, providerTypes } from "../../provider/cluster-api";
import { command, type Fixture } from "./cluster-fixture";

/** The real clusterctl in the lab's network, with a repository of components on disk: the lab has no Internet. */
export class Clusterctl {
    readonly #config: string;

    constructor(
        private readonly fixture: Fixture,
        private readonly program: string,
        private readonly contracts: Record<string, string>,
    ) {
        this.#config = path.join(fixture.folder, "clusterctl.yaml");
    }

    /** Releases that it may upgrade to. */
    offer(providers: readonly ProviderSpec[]): void {
        const repository = path.join(this.fixture.folder, "repository");
        const entries = providers.map(spec => {
            const [label, file] = [labelOf(spec), `${files[spec.type]}-components.yaml`];
            const folder = path.join(repository, label, spec.version);
            fs.mkdirSync(folder, { recursive: true });
            fs.writeFileSync(path.join(folder, file), spec.components);
            const [major, minor] = spec.version.slice(1).split(".").map(Number);
            const metadata = {
                ...{ apiVersion: "clusterctl.cluster.x-k8s.io/v1alpha3", kind: "Metadata" },
                releaseSeries: [{ major, minor, contract: this.contracts[label] }],
            };
            fs.writeFileSync(path.join(folder, "metadata.yaml"), JSON.stringify(metadata));
            return { name: spec.name, type: providerTypes[spec.type].inventory, url: path.join(folder, file) };
        });
        fs.writeFileSync(this.#config, JSON.stringify({ providers: entries }));
    }

    run(...args: string[]): Promise<string> {
        return command(this.argv(args));
    }

    /** Like `run`, with what it says of its work. */
    both(...args: string[]): Promise<string> {
        return command(["sh", "-c", 'exec "$@" 2>&1', "sh", ...this.argv(args)]);
    }

    private argv(args: string[]): string[] {
        const own = [`HOME=${this.fixture.folder}`, "CLUSTERCTL_DISABLE_VERSIONCHECK=true"];
        const kubeconfig = ["--kubeconfig", path.join(this.fixture.folder, "kubeconfig"), "--config", this.#config];
        return this.fixture.lab.enter(["env", ...own, this.program, ...args, ...kubeconfig]);
    }
}

/** First words of the names of components files. */
const files: Record<ProviderType, string> = {
    ...{ core: "core", bootstrap: "bootstrap", controlPlane: "control-plane", infrastructure: "infrastructure" },
    ...{ ipam: "ipam", runtimeExtension: "runtime-extension", addon: "addon" },
};

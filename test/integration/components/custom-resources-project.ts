import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "../../../provider/vim";
import { skipIf } from "../../support/skip";
import { notBuilt, UserProject } from "../../support/user-project";
import { RealApi } from "../provider/nfs-csi/real-api";

/** Controllers that deletion needs. Those of the custom resources are the tests themselves. */
const controllers = ["garbage-collector-controller", "namespace-controller", "serviceaccount-controller"];

export const group = "shop.example.com";

/** A definition of a kind whose status has conditions, or only a phase, or that has no status. */
export function definition(kind: string, status: "conditions" | "phase" | "none"): object {
    const plural = `${kind.toLowerCase()}s`;
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const conditions = { type: "array", items: open };
    const properties = {
        conditions: { type: "object", properties: { observedGeneration: { type: "integer" }, conditions } },
        phase: { type: "object", properties: { phase: { type: "string" } } },
        none: undefined,
    }[status];
    const openAPIV3Schema = {
        type: "object",
        properties: { spec: open, ...(properties && { status: properties }) },
    };
    const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } };
    return {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `${plural}.${group}` },
        spec: {
            ...{
                group,
                scope: "Namespaced",
                names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
            },
            versions: [{ ...version, ...(properties && { subresources: { status: {} } }) }],
        },
    };
}

export function resource(kind: string, name: string, more: object = {}): KubeObject {
    return { apiVersion: `${group}/v1`, kind, metadata: { name }, spec: {}, ...more };
}

/** For cnfs-program.js, which has network functions on a Vim: a user's project, and a real API server without nodes. */
export class CustomResourcesProject {
    private constructor(
        readonly api: RealApi,
        readonly project: UserProject,
    ) {}

    /** Skips the tests after the hook if this machine lacks what they need. */
    static async open(hook: Mocha.Context, name: string): Promise<CustomResourcesProject> {
        skipIf(hook, notBuilt());
        const project = await UserProject.make(name, "test/integration/components/cnfs-program.js", ["kubernetes"]);
        if (project.lacks !== undefined) project.remove();
        skipIf(hook, project.lacks);
        return new CustomResourcesProject(await RealApi.start(controllers), project);
    }

    close(): void {
        this.api.stop();
        this.project.remove();
    }

    give(cnfs: Record<string, object>): void {
        this.project.give({ vim: this.api.access, cnfs });
    }

    /** Starts a command of Pulumi. */
    async run(...argv: string[]): Promise<{ code: number | null; output: string }> {
        return this.project.pulumi.start([...argv, "--non-interactive"]).done;
    }

    up(): Promise<{ code: number | null; output: string }> {
        return this.run("up", "--yes", "--skip-preview");
    }

    /** Runs `up`, and does something as soon as it has shown a text. */
    async upUntil(shown: RegExp, then: () => Promise<void>): Promise<{ code: number | null; output: string }> {
        let output = "";
        let done: Promise<void> | undefined;
        const args = ["up", "--yes", "--skip-preview", "--non-interactive"];
        const outcome = await this.project.pulumi.start(args, text => {
            output += text;
            if (shown.test(output)) done ??= then();
        }).done;
        await done;
        return outcome;
    }

    pathOf(kind: string, name: string, namespace = "demo"): string {
        return `/apis/${group}/v1/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;
    }

    find(kind: string, name: string, namespace?: string): Promise<(KubeObject & { status?: object }) | undefined> {
        return this.api.client.get(this.pathOf(kind, name, namespace));
    }

    /** What a controller does: it writes the status as soon as the object has the generation. */
    async reconcile(kind: string, name: string, status: object, generation = 1): Promise<void> {
        for (;;) {
            const found = await this.find(kind, name).catch(() => undefined);
            if (Number((found?.metadata as { generation?: number } | undefined)?.generation) >= generation) break;
            await sleep(200);
        }
        await this.api.client.apply(
            `${this.pathOf(kind, name)}/status`,
            resource(kind, name, { status, spec: undefined }),
        );
    }
}

/** Conditions of a status: `condition("Ready", "False", "Starting", "1 of 3")`. */
export function condition(type: string, status: string, reason = "Test", message = ""): object {
    return { type, status, reason, message };
}

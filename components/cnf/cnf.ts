import * as pulumi from "@pulumi/pulumi";
import { CnfObjects } from "../../provider/adapters/dynamic";
import { NfvError } from "../../provider/common/errors";
import type { ChartArgs, CnfArgs } from "../args/cnf-args";
import { invalidInput, readingInputs } from "../common/invalid-input";
import { validate } from "../validation/validate";
import { cnfAccess, vimProblems } from "../vim/vim";
import { applyObjects } from "./apply-objects";
import { chartProblems, type RenderedChart, renderChart } from "./chart";
import { anyKind, kindsDefinedBefore, noteDefinedKinds } from "./defined-kinds";
import { type Found, type KubernetesObject, readManifests, readObjects } from "./manifests";
import { type CnfPlan, cnfProblems, planCnf } from "./plan";
import { withoutNulls } from "./without-nulls";

/** What a component waits for before it counts as made. Not a field, because a component's fields become its outputs. */
const unfinished = new WeakMap<Cnf, Promise<unknown>>();

/**
 * A containerised network function on a Vim: Kubernetes objects of any kind, applied in the order in which they depend on each other. Each
 * row waits until the row before it is ready; a resource that depends on the Cnf waits for all rows, and for its custom resources.
 */
export class Cnf extends pulumi.ComponentResource {
    /** Namespace of the objects that name none. */
    readonly namespace: pulumi.Output<string>;
    /** Workloads that can be scaled by `replicas`, with their number. */
    readonly scalable: pulumi.Output<Record<string, number>>;

    constructor(name: string, args: CnfArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:Cnf", name, {}, options);
        validate("Cnf", name, args, vimProblems(args?.vim));
        const found = read(name, args);
        const definedBefore = kindsDefinedBefore();
        const apply = (all: Found[]): CnfPlan => {
            const problems = cnfProblems(all, args);
            if (problems.length > 0) throw invalidInput("Cnf", name, problems);
            const objects = all.map(({ object }) => withoutNulls(object as KubernetesObject));
            const plan = planCnf(objects, args);
            applyObjects({ parent: this, name, args, retainOnDelete: options?.retainOnDelete, plan, definedBefore });
            return plan;
        };
        const namespace = args.namespace ?? "default";
        const { chart } = args;
        if (chart === undefined) {
            const { scalable, defined } = apply(found);
            noteDefinedKinds(defined);
            this.scalable = pulumi.output(scalable);
        } else {
            const wrong = chartProblems(chart);
            if (wrong.length > 0) throw invalidInput("Cnf", name, wrong);
            const plan = refusedLater(this, name, args, async () => {
                const rendered = await renderChart({ name, chart, namespace, vim: args.vim });
                if (rendered === undefined) return notRendered(this, chart);
                return apply([...found, ...told(this, rendered)]);
            });
            noteDefinedKinds(plan.then(made => made?.defined ?? [anyKind]));
            unfinished.set(this, plan);
            const { unknown } = pulumi as unknown as { unknown: Record<string, number> };
            this.scalable = pulumi.output(plan.then(made => made?.scalable ?? unknown));
        }
        this.namespace = pulumi.output(namespace);
        this.registerOutputs({ namespace: this.namespace, scalable: this.scalable });
    }

    /** Whatever depends on this component waits for it, and so for objects that are only known when a chart is rendered. */
    protected override async initialize(): Promise<void> {
        // The base class calls this before the constructor of this class goes on.
        await Promise.resolve();
        await unfinished.get(this);
    }
}

function read(name: string, args: CnfArgs): Found[] {
    return readingInputs("Cnf", name, () => [
        ...readManifests(args.manifests ?? []),
        ...readObjects(args.objects ?? []),
    ]);
}

function told(cnf: Cnf, { found, warnings }: RenderedChart): Found[] {
    for (const warning of warnings) void pulumi.log.warn(warning, cnf);
    return found;
}

function notRendered(cnf: Cnf, { source }: ChartArgs): undefined {
    void pulumi.log.warn(`values of the chart ${source} are not known yet: what it contains is seen at pulumi up`, cnf);
}

/**
 * What is wrong with a chart is refused by the check of a resource. Thrown here, it would be an unhandled rejection, which the SDK prints twice,
 * with a stack trace.
 */
async function refusedLater(
    cnf: Cnf,
    name: string,
    { vim }: CnfArgs,
    make: () => Promise<CnfPlan | undefined>,
): Promise<CnfPlan | undefined> {
    try {
        return await make();
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        const inputs = { cnf: name, clusterId: vim.clusterIdentifier, owner: "", objects: [], builtIn: [] };
        const { access } = cnfAccess(vim);
        new CnfObjects(name, { ...inputs, access, problems: error.message }, { parent: cnf });
        return undefined;
    }
}

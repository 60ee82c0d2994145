import type { ErrorCode } from "../common/errors";
import type { InSession } from "./types";

type Inputs = object;

/** A resource of the program: the inputs that its last run stored, and those that this run's program gives. */
export interface InProgram<Type extends Inputs> {
    readonly olds: Partial<Type>;
    readonly news: Type;
}

/** Some types have the cluster's id in their spec. */
interface OfCluster {
    clusterId?: string;
    spec?: { clusterId?: string };
}

/**
 * The program of this run, as far as Pulumi has checked it. `destroy` and `refresh` check nothing, --target only a part: what is not here
 * may be in the program all the same.
 */
class Program {
    private readonly byType = new Map<string, Map<string, InProgram<Inputs>>>();

    /** Name of the key with which a rotation in this run has tokens signed, and of the one that is alone when the run ends. By cluster. */
    readonly signingKeys = new Map<string, { signs?: string | undefined; alone?: string | undefined }>();

    /** Marks of owners that this run has made at random: until they are stored, each preview makes others. */
    readonly freshMarks = new Set<string>();
    /** Which node has a machine, by the machine's place: two clusters must not share one. */
    readonly machines = new Map<string, string>();
    /** By URN: whether the approved plan has a step, by its title. None: a run without a plan, or a resource that is made. */
    readonly plannedSteps = new Map<string, (title: string) => boolean>();

    note<Type extends Inputs>(type: string, urn: string, inputs: InProgram<Type>): void {
        const ofType = this.byType.get(type) ?? new Map();
        this.byType.set(type, ofType);
        ofType.set(urn === "" ? `${ofType.size}` : withoutStack(urn), inputs);
    }

    /** Whether Pulumi has checked anything. */
    get isKnown(): boolean {
        return this.byType.size > 0;
    }

    all<Type extends Inputs>(type: string): InProgram<Type>[] {
        return [...(this.byType.get(type)?.values() ?? [])] as InProgram<Type>[];
    }

    /** The last one that was checked, if several fit. */
    find<Type extends Inputs>(type: string, isIt: (news: Type) => boolean): InProgram<Type> | undefined {
        return this.all<Type>(type)
            .reverse()
            .find(({ news }) => isIt(news));
    }

    /** A resource of which a cluster has one. */
    ofCluster<Type extends OfCluster>(type: string, clusterId: string): InProgram<Type> | undefined {
        return this.find<Type>(type, news => (news.clusterId ?? news.spec?.clusterId) === clusterId);
    }

    /**
     * `pulumi up --replace` and `pulumi state taint` delete a resource that the program still has. Then `delete` must not end what the resource
     * stands for.
     */
    has(urn: string | undefined): boolean {
        if (urn === undefined) return false;
        const name = withoutStack(urn);
        return [...this.byType.values()].some(ofType => ofType.has(name));
    }
}

/** A node that does not join in this run, and the error at its end. */
export interface Postponed {
    name: string;
    code: ErrorCode;
    during: string;
    hint: string;
}

/**
 * Facts of one run of Pulumi, for all of its resources. Each run begins with nothing: what the next one has to know stands in
 * outputs. Nodes are named by `nodeKey`.
 */
export class RunFacts {
    readonly program = new Program();

    /** What the run has read from machines and clouds. */
    readonly seen = {
        /** Ids of the servers in the cloud, by cluster. */
        servers: new Map<string, ReadonlySet<string>>(),
        /** What was told of machines and nodes; `nfv check` prints it. */
        findings: [] as { node: string; code: string; text: string; up?: string; person?: string }[],
    };

    /** What the run has done. */
    readonly did = {
        /** What failed first: "m1: this machine is not …". */
        failed: undefined as string | undefined,
        /** Clusters whose end has begun: `destroy` of a whole cluster begins with OperationEnd. */
        beganToEnd: new Set<string>(),
        /**
         * Clusters of which a Node was deleted, or a Host is replaced. When a whole cluster goes, Pulumi skips its Nodes (`deletedWith`), and
         * no Host is made again.
         */
        keeps: new Set<string>(),
        /** Nodes that have left their cluster. */
        left: new Set<string>(),
        /** Nodes whose Host is deleted, and not made again. */
        deletedHosts: new Set<string>(),
        /** Clusters whose control plane did not get ready in the time that the run waits for it. */
        waitedInVain: new Set<string>(),
        /** Nodes that do not join before the next run, by cluster. */
        postponed: new Map<string, Postponed[]>(),
        /** Clusters with a control-plane node that does not move to another version before the next run: what comes behind it waits, too. */
        unmoved: new Set<string>(),
        /** Nodes whose NodeEnd is deleted. */
        endedNodes: new Set<string>(),
        /** Machines that stay as they were found, by cluster. */
        leftAlone: new Map<string, { name: string; host: string; why: string }[]>(),
        /** What was deleted, in this order: "CnfObjects web". */
        deleted: new Set<string>(),
        /** Owners whose network functions are deleted, also those that the program leaves in the cluster. */
        gaveBack: new Set<string>(),
        /** Volumes of storage servers that are deleted, by server: one that follows does not take an empty disk for them. */
        volumes: new Map<string, readonly string[]>(),
        /** What was told once, and is not told again. */
        said: new Set<string>(),
        /** Outputs of what was made, or stays, by URN. */
        has: new Map<string, object>(),
    };

    /** Whether the run ends this whole cluster. Not if something of it stays (--target-dependents). */
    isEnding(clusterId: string): boolean {
        return this.did.beganToEnd.has(clusterId) && !this.did.keeps.has(clusterId);
    }
}

export const runFacts = ({ session }: InSession): RunFacts => session.part(RunFacts);

/** "core-0a1b2c3d/m2" */
export const nodeKey = (clusterId: string, name: string) => `${clusterId}/${name}`;

export function sameUrn(one: string, other: string): boolean {
    return withoutStack(one) === withoutStack(other);
}

/** `pulumi stack rename` changes the URNs of the state, but not those that we have noted in it: "urn:pulumi:STACK::PROJECT::TYPE::NAME". */
function withoutStack(urn: string): string {
    return urn.split("::").slice(-2).join("::");
}

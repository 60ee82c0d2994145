import { defaultRepository } from "../common/add-on-objects";
import { didYouMean } from "../common/did-you-mean";
import { NfvError } from "../common/errors";
import type { KubeObject } from "../vim";
import { labelOf } from "./provider-names";
import type { ProviderSpec } from "./types";

interface Container {
    name: string;
    image: string;
    args?: string[];
    resources?: object;
    [field: string]: unknown;
}

interface DeploymentSpec {
    replicas?: number;
    template: { spec: { containers: Container[]; initContainers?: Container[] } };
}

const managerName = "manager";
const gatesFlag = "feature-gates";
/** Gates that every manager knows beside those that its release names. */
const commonGates = ["AllAlpha", "AllBeta"];

/** A Deployment of a provider with the options of its manager; other Deployments only get the registry. */
export function deploymentWith(object: KubeObject, spec: ProviderSpec, imageRepository?: string): KubeObject {
    const deployment = object.spec as DeploymentSpec;
    const pod = deployment.template.spec;
    const isManager = pod.containers.some(({ name }) => name === managerName);
    const containers = pod.containers.map(container =>
        fromRegistry(container.name === managerName ? managerWith(container, spec) : container, imageRepository),
    );
    const initContainers = pod.initContainers?.map(container => fromRegistry(container, imageRepository));
    return {
        ...object,
        spec: {
            ...deployment,
            ...(isManager && spec.replicas !== undefined && { replicas: spec.replicas }),
            template: {
                ...deployment.template,
                spec: { ...pod, containers, ...(initContainers && { initContainers }) },
            },
        },
    };
}

function managerWith(container: Container, spec: ProviderSpec): Container {
    return {
        ...container,
        ...(spec.image !== undefined && { image: spec.image }),
        ...(spec.resources && { resources: spec.resources }),
        args: argumentsWith(container.args ?? [], spec),
    };
}

function argumentsWith(args: readonly string[], spec: ProviderSpec): string[] {
    const gates = args.find(arg => nameOf(arg) === gatesFlag);
    const flags = {
        ...(spec.featureGates && { [gatesFlag]: gatesWith(gates?.slice(gates.indexOf("=") + 1), spec) }),
        ...spec.flags,
    };
    const kept = args.filter(arg => !Object.hasOwn(flags, nameOf(arg)));
    return [...kept, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)];
}

function nameOf(arg: string): string {
    return arg.replace(/^--?/, "").split("=")[0];
}

/** A manager does not start with a gate that it does not know, so only those of its release are accepted, if it names any. */
function gatesWith(written: string | undefined, spec: ProviderSpec): string {
    const given = Object.fromEntries(
        (written ?? "")
            .split(",")
            .filter(Boolean)
            .map(gate => gate.split("=") as [string, string]),
    );
    const known = [...Object.keys(given), ...commonGates];
    const wrong =
        written === undefined ? undefined : Object.keys(spec.featureGates ?? {}).find(gate => !known.includes(gate));
    if (wrong !== undefined) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `${labelOf(spec)} ${spec.version} has no feature gate ${wrong}; it has ${known.join(", ")}${didYouMean(wrong, known)}`,
        });
    }
    return Object.entries({ ...given, ...spec.featureGates })
        .map(([gate, value]) => `${gate}=${value}`)
        .join(",");
}

function fromRegistry(container: Container, repository: string = defaultRepository): Container {
    const prefix = `${defaultRepository}/`;
    return container.image.startsWith(prefix)
        ? { ...container, image: `${repository}/${container.image.slice(prefix.length)}` }
        : container;
}

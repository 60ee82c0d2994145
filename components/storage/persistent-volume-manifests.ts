import { NfvError } from "../../provider/common/errors";
import type { KubeObject } from "../../provider/vim";
import { readManifests } from "../cnf/manifests";

/**
 * The PersistentVolumes in files, folders and texts, by name. `input`: where they stand in the program.
 * @throws INVALID_INPUT for anything else: a Cnf applies other kinds
 */
export function readPersistentVolumes(input: string, manifests: readonly string[]): Record<string, KubeObject> {
    const found = read(input, manifests).map(({ place, object }) => {
        const { kind, metadata } = (object ?? {}) as Partial<KubeObject>;
        if (kind !== "PersistentVolume" || metadata?.name === undefined) {
            throw wrong(`${place}: ${kind ?? "something without a kind"} is no PersistentVolume: give it to a Cnf`);
        }
        return withoutNamespace(object as KubeObject);
    });
    const names = found.map(({ metadata }) => metadata.name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw wrong(`${input}: PersistentVolume ${twice} is there twice`);
    return Object.fromEntries(found.map(object => [object.metadata.name, object]));
}

/** Helm gives one to every kind. A PersistentVolume belongs to the whole cluster. */
function withoutNamespace(object: KubeObject): KubeObject {
    const { namespace: _, ...metadata } = object.metadata;
    return { ...object, metadata };
}

function read(input: string, manifests: readonly string[]) {
    try {
        return readManifests(manifests, input);
    } catch (error) {
        throw wrong((error as Error).message);
    }
}

function wrong(cause: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", cause });
}

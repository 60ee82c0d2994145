import { NfvError } from "../common/errors";
import { ApiRefused, type KubeApi, type KubeObject } from "./api";
import { forEachOf } from "./discovery";
import { type ObjectName, pathOf, type ServedKind, titleOf } from "./ownership";
import { isAboutFields } from "./refusal";

/** An object that the cluster does not have yet, and its kind there. */
export interface NewObject {
    name: ObjectName;
    kind: ServedKind;
    content: KubeObject;
}

/** Where an object is tried whose own namespace does not exist yet, under a name that nothing has. */
const elsewhere = { namespace: "default", name: "pulumi-nfv-dry-run" };

/**
 * What the API server finds wrong with the fields of new objects, by dry runs: it knows the custom kinds and its own version, which we do not. What a policy
 * or a webhook says is no verdict here: the objects on which it depends may come later in the same run.
 */
export async function wrongFields(api: KubeApi, objects: readonly NewObject[]): Promise<string[]> {
    const said = await forEachOf(objects, async object => {
        const refused = await tried(api, object);
        if (refused === undefined || !isAboutFields(refused.status, refused.said)) return [];
        return [`${titleOf(object.name)}: ${shown(object.name, inShort(refused.said))}`];
    });
    return said.flat();
}

async function tried(api: KubeApi, { name, kind, content }: NewObject): Promise<ApiRefused | undefined> {
    const refused = await refusal(api, name, kind, content);
    return refused?.status === 404 && kind.namespaced
        ? refusal(api, { ...name, ...elsewhere }, kind, content)
        : refused;
}

async function refusal(
    api: KubeApi,
    { apiVersion, namespace, name }: ObjectName,
    kind: ServedKind,
    content: KubeObject,
): Promise<ApiRefused | undefined> {
    const path = pathOf({ apiVersion, kind: kind.kind, namespace, name }, kind);
    const metadata = { ...content.metadata, name, ...(kind.namespaced && { namespace: namespace ?? "default" }) };
    try {
        await api.tryApply(path, { ...content, metadata });
        return undefined;
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        // A webhook that does not answer, for example: that is no verdict.
        return error instanceof ApiRefused ? error : undefined;
    }
}

/** The server quotes the value that it does not take. */
function shown({ apiVersion, kind }: ObjectName, said: string): string {
    return apiVersion === "v1" && kind === "Secret"
        ? said.replace(/(\bgot|\bInvalid value:)[\s\S]*/, "$1 a value that is not shown")
        : said;
}

/** Without the name of the object, which the line has already. */
function inShort(said: string): string {
    return said
        .replace(/^failed to create typed patch object \([^)]*\): /, "")
        .replace(/^\S+ "[^"]*" is invalid: /, "");
}

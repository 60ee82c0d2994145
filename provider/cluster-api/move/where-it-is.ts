import { NfvError } from "../../common/errors";
import { clusterPath, type WorkloadName } from "../look-at-workload";
import { guardOf, guardsPath } from "./guard";
import { listOf } from "./look";
import { type Login, notedLogin, titleOfLogin } from "./noted-login";
import { markOf } from "./transit";
import type { MoveApi, MoveObject } from "./types";

/** The management cluster that has a workload cluster. */
export interface Place {
    login: Login;
    /** It is not where the program made it. */
    isMoved: boolean;
    /** The Cluster there; undefined: that management cluster has none of this name. */
    cluster?: MoveObject;
}

/**
 * Where a cluster is: the management cluster where it was made says to which one it has moved. Only that one knows whether it exists, so an error is never
 * "gone".
 * @throws WORKLOAD_NOT_READY while it is between two, API_UNREACHABLE and API_REFUSED where one of them cannot be asked
 */
export async function whereItIs(first: Login, name: WorkloadName, apiOf: (login: Login) => MoveApi): Promise<Place> {
    const passed: string[] = [];
    for (let login = first; ; ) {
        const api = apiOf(login);
        const isMoved = passed.length > 0;
        const cluster = await api.get<MoveObject>(clusterPath(name));
        if (cluster !== undefined) {
            if (markOf(cluster) !== undefined) throw isMoving(name);
            return { login, isMoved, cluster };
        }
        const guards = (await listOf<MoveObject>(api, guardsPath)).flatMap(({ metadata }) => guardOf(metadata.labels));
        const next = guards.find(({ namespace }) => namespace === name.namespace)?.movedTo;
        if (next === undefined || passed.includes(next)) return { login, isMoved };
        passed.push(next);
        login = await loginOf(next, api, name, apiOf);
    }
}

async function loginOf(
    uid: string,
    from: MoveApi,
    { clusterName, namespace }: WorkloadName,
    apiOf: (login: Login) => MoveApi,
): Promise<Login> {
    const login = await notedLogin(from, uid);
    const node = `workload cluster "${clusterName}"`;
    if (login === undefined)
        throw new NfvError({
            code: "API_REFUSED",
            node,
            cause: `the clusters of namespace ${namespace} have moved to a management cluster with the uid ${uid}, and ${titleOfLogin(uid)} does not have its login`,
            hint: "Run pulumi up of the program with the MovedClusters, which notes the login.",
        });
    const there = await apiOf(login)
        .get<MoveObject>("/api/v1/namespaces/kube-system")
        .catch(error => {
            throw isRefused(error) ? withLogin(error, uid) : error;
        });
    if (there?.metadata.uid === uid) return login;
    throw new NfvError({
        code: "API_REFUSED",
        node,
        cause: `the login in ${titleOfLogin(uid)} leads to ${login.endpoint}, which is another cluster than the one to which this one has moved`,
        hint: "Run pulumi up of the program with the MovedClusters, with the right login of the target.",
    });
}

const isRefused = (error: unknown): error is NfvError => error instanceof NfvError && error.code === "API_REFUSED";

/** It may have expired: then nothing but a person has another one. */
const withLogin = ({ code, reason, hint }: NfvError, uid: string) =>
    new NfvError({
        code,
        cause: `it has moved, and the login in ${titleOfLogin(uid)} is refused: ${reason}`,
        hint: `${hint} If it has expired: put another one into that Secret (JSON with endpoint, caCertificate and auth, as the inputs of a Vim), then run pulumi up --refresh.`,
    });

const isMoving = ({ clusterName }: WorkloadName) =>
    new NfvError({
        code: "WORKLOAD_NOT_READY",
        node: `workload cluster "${clusterName}"`,
        cause: "it is between two management clusters: a move has begun and has not ended",
        hint: "Nothing of it was changed. Set other changes of the program back and run the same command again, which ends the move; then change it.",
    });

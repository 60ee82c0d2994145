import type { VimAuth, VimEndpoint } from "../../vim";
import type { MoveApi } from "./types";

/** Access to a management cluster. Secret. */
export type Login = VimEndpoint & { auth: VimAuth };

interface Secret {
    data?: Record<string, string>;
}

const root = "/api/v1/namespaces/kube-system/secrets";
const nameOf = (uid: string) => `pulumi-nfv-moved-to-${uid.slice(0, 8)}`;
const pathOf = (uid: string) => `${root}/${nameOf(uid)}`;

/**
 * Notes, where clusters have moved away from, the login of the cluster that has them: their program asks for them where it made them. `uid`: of the cluster
 * that has them.
 */
export async function noteLogin(at: MoveApi, uid: string, login: Login): Promise<void> {
    const data = { uid: encoded(uid), login: encoded(JSON.stringify(login)) };
    if ((await at.merge(pathOf(uid), { data })) !== undefined) return;
    const labels = { "app.kubernetes.io/managed-by": "pulumi-nfv" };
    await at.post(root, { apiVersion: "v1", kind: "Secret", metadata: { name: nameOf(uid), labels }, data });
}

export async function notedLogin(at: MoveApi, uid: string): Promise<Login | undefined> {
    const login = (await at.get<Secret>(pathOf(uid)))?.data?.["login"];
    return login === undefined ? undefined : (JSON.parse(Buffer.from(login, "base64").toString()) as Login);
}

export const forgetLogin = (at: MoveApi, uid: string): Promise<void> => at.delete(pathOf(uid));

/** For a person who has to correct it. */
export const titleOfLogin = (uid: string) => `Secret kube-system/${nameOf(uid)}`;

const encoded = (text: string) => Buffer.from(text).toString("base64");

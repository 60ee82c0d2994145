import type { Context } from "mocha";
import { type CnfProject, openCnfProject } from "./cnf-project";

/** A Vim with namespaces of a network function, at an endpoint that the test names. */
export interface VimProject extends CnfProject {
    /** The program's Vim is at this host. */
    give(host: string, more?: object): void;
    /** What the API has, by path. */
    uids(): [string, string][];
    /** What the run deletes, and what it replaces in the state. */
    lost(run: () => Promise<string>): Promise<string[]>;
}

export async function openVimProject(test: Context, name: string): Promise<VimProject> {
    const opened = await openCnfProject(test, name);
    const { api, project } = opened;
    return {
        ...opened,
        give: (host, more = {}) =>
            project.give({
                vim: {
                    endpoint: api.endpoint.replace("127.0.0.1", host),
                    ...{ sslCaCert: "none", auth: { bearerToken: "admin-token" }, serviceAccount: {}, ...more },
                },
                ...{ name: "upf", namespace: "demo", objects: [] },
            }),
        uids: () =>
            [...api.objects]
                .map(([path, { metadata }]): [string, string] => [path, (metadata as { uid: string }).uid])
                .sort(),
        lost: async run => {
            const begun = api.seen.length;
            const said = await run();
            const deleted = api.seen.slice(begun).filter(({ method }) => method === "DELETE");
            return [...deleted.map(({ path }) => path), ...(/replace.*/.exec(said) ?? [])];
        },
    };
}

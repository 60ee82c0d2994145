import { skipIf } from "../../support/skip";
import { notBuilt, UserProject } from "../../support/user-project";
import { FakeApi } from "../../unit/provider/vim/fake-api";

/** For cnf-program.js, which has a Cnf on a Vim: a user's project and a simulated API. */
export interface CnfProject {
    api: FakeApi;
    project: UserProject;
    close(): Promise<void>;
}

/** Skips the tests after the hook if this machine lacks what they need. */
export async function openCnfProject(hook: Mocha.Context, name: string): Promise<CnfProject> {
    skipIf(hook, notBuilt());
    const project = await UserProject.make(name, "test/integration/components/cnf-program.js", ["kubernetes"]);
    if (project.lacks !== undefined) project.remove();
    skipIf(hook, project.lacks);
    const api = await FakeApi.start();
    const close = async () => {
        await api.stop();
        project.remove();
    };
    return { api, project, close };
}

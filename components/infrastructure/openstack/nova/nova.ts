import { ProjectGuard } from "../../../../provider/dynamic";
import { onCloud } from "../cloud";
import { novaHooks } from "./nova-hooks";
import { novaServers } from "./nova-servers";

/** Servers of an OpenStack cloud, made one by one. */
export const nova = onCloud("nova", {
    start: () => ({ spec: {}, inputs: {} }),
    make: request => {
        const { name, owner, plan, parent, provider, place } = request;
        const names = plan.servers.map(server => server.name);
        const made = novaServers({ ...request, hooks: novaHooks(name, owner, names, parent, provider) });
        const dependsOn = Object.values(made.servers).map(({ deletedWith }) => deletedWith);
        new ProjectGuard(name, place, { parent, dependsOn });
        return made;
    },
});

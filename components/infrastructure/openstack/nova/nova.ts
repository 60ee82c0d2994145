import { ProjectGuard } from "../../../../provider/dynamic";
import { onCloud } from "../cloud";
import { novaHooks } from "./nova-hooks";
import { novaServers } from "./nova-servers";
import { shapeHashes } from "./unchecked-changes";

/** Servers of an OpenStack cloud, made one by one. */
export const nova = onCloud("nova", {
    start: ({ plan }, { fingerprintKey }) => ({ spec: {}, inputs: { shapes: shapeHashes(plan, fingerprintKey) } }),
    make: (request, _cloudPlan, start) => {
        const { name, owner, plan, parent, provider, place } = request;
        const names = plan.servers.map(server => server.name);
        const hooks = novaHooks(name, owner, names, parent, provider);
        const { jumpServer, storageServer, ...made } = novaServers({ ...request, hooks, checked: start });
        const nodes = Object.values(made.servers).map(({ deletedWith }) => deletedWith);
        new ProjectGuard(name, place, {
            parent,
            dependsOn: [...nodes, ...[jumpServer, storageServer].filter(server => server !== undefined)],
        });
        return made;
    },
});

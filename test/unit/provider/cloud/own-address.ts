import { createServer, connect as dial, type Server } from "node:net";
import type { FakeFleet } from "../../../../testing";

/**
 * Gives a fake machine an address of its own, as servers have. Closed, it lets nobody in any more; `emit("silent")` also ends the connections that
 * there are.
 */
export function atAddress(fleet: FakeFleet, name: string, address: string, port: number): Promise<Server> {
    return new Promise(resolve => {
        const server = createServer(socket => {
            const onward = dial(fleet.target(name).port!, "127.0.0.1");
            socket.pipe(onward).pipe(socket);
            for (const end of [socket, onward]) end.on("error", () => [socket, onward].map(each => each.destroy()));
            server.once("silent", () => socket.destroy());
        });
        server.setMaxListeners(0);
        server.listen(port, address, () => resolve(server));
    });
}

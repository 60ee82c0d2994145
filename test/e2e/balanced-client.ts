import { extname, join } from "node:path";
import type { Lab } from "../../lab";
import { type RequestClient, startRequests } from "./request-client";

/** A client of a NodePort that asks workers which can answer; see balanced-client-program.ts. */
export function startBalancedClient(lab: Lab, kubeconfig: string, port: number): RequestClient {
    const program = join(__dirname, `balanced-client-program${extname(__filename)}`);
    const argv = [process.execPath, "--require", "tsx/cjs", program, kubeconfig, `${port}`];
    return startRequests(lab, argv);
}

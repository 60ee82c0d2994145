import { NfvError } from "../errors";
import type { Connection } from "../ssh/types";
import { encodeScript } from "../steps/protocol";
import { factsScript, type MachineFacts, parseFacts } from "./machine-facts";

/** How the facts are asked for; a fake node knows the question by it. */
export const factsArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-facts"];

/** A machine that does not answer in this time counts as unreachable. */
const timeoutSeconds = 20;

/** What a machine says about itself. Changes nothing there. `address`: where its API server would listen. */
export async function lookAt(connection: Connection, address: string): Promise<MachineFacts> {
    const stdin = encodeScript({ run: factsScript, env: { ADDRESS: address } });
    const { code, stdout, stderr } = await connection.exec(factsArgv, { stdin, timeoutSeconds });
    if (code === 0) return parseFacts(stdout);
    throw new NfvError({ code: "STEP_FAILED", step: "look at the machine", cause: stderr || `exit code ${code}` });
}

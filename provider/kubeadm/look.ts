import { NfvError } from "../errors";
import type { Connection } from "../ssh/types";
import { encodeScript } from "../steps/protocol";
import { factsScript, type MachineFacts, parseFacts } from "./machine-facts";

/** The command that prints the facts; fake nodes in tests recognise it. */
export const factsArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-facts"];

/** A machine that does not answer in this time counts as unreachable. */
const timeoutSeconds = 20;

/** Reads the facts of a machine. Changes nothing there. `address`: where its API server would listen. */
export async function lookAt(connection: Connection, address: string): Promise<MachineFacts> {
    const stdin = encodeScript({ run: factsScript, env: { ADDRESS: address } });
    const { code, stdout, stderr } = await connection.exec(factsArgv, { stdin, timeoutSeconds });
    if (code === 0) return parseFacts(stdout);
    throw new NfvError({ code: "STEP_FAILED", step: "look at the machine", cause: stderr || `exit code ${code}` });
}

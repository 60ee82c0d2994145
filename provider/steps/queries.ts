import type { NfvError } from "../common/errors";
import { quoteWord, unquote } from "../shell/quote";
import type { Connection, RunOptions } from "../ssh/types";
import { failureOf, type Query, queryArgv, textOf } from "./query";

/** How several queries run in one round trip. Fake nodes in tests recognise it. */
export const queriesArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-queries"];

/** Ends what a query printed, on both streams: none prints this sign. */
const end = "\x1d";

/**
 * Asks a machine several things in one round trip, one after another. Each has a shell and a deadline of its own, so that none stops another. What a query
 * throws alone is its answer here. @throws CONNECT_FAILED and similar codes, STEP_TIMEOUT, STEP_FAILED if no shell answered
 */
export async function queryTogether(
    connection: Connection,
    asked: readonly Query[],
    options: Pick<RunOptions, "maxBytes"> = {},
): Promise<(string | NfvError)[]> {
    const timeoutSeconds = asked.reduce((sum, each) => sum + each.timeoutSeconds, 0);
    const result = await connection.exec(queriesArgv, { stdin: encodeQueries(asked), timeoutSeconds, ...options });
    const [said, errors] = [result.stdout.split(end), result.stderr.split(end)];
    // the code of a query begins the part of the next one
    const codes = said.slice(1).map(each => /^(\d+)\n/.exec(each)?.[1]);
    if (result.code !== 0 || codes.length !== asked.length || codes.includes(undefined)) {
        const step = asked.map(each => each.step).join("; ");
        throw failureOf({ ...asked[0]!, step }, result, connection);
    }
    return asked.map((query, i) => {
        const code = Number(codes[i]);
        const stdout = i === 0 ? said[i]! : said[i]!.replace(/^\d+\n/, "");
        const stderr = (errors[i] ?? "").replace(/^\n/, "");
        return code === 0 ? stdout : failureOf(query, { code, stdout, stderr }, connection);
    });
}

/** For a shell's standard input. Because of the braces nothing of a text that is cut off runs. */
function encodeQueries(asked: readonly Query[]): string {
    const lines = asked.flatMap(query => {
        const shell = (query.argv ?? queryArgv).join(" ");
        // printf belongs to the shell: no process has the text as its argument
        return [
            `printf %s ${quoteWord(textOf(query))} | timeout -k 5 ${query.timeoutSeconds} ${shell}; nfv_code=$?`,
            `printf '\\035%s\\n' "$nfv_code"; printf '\\035\\n' >&2`,
        ];
    });
    return ["{", "umask 022", ...lines, "exit 0", "}", ""].join("\n");
}

/** Reverses it, for fake nodes: what each query would be alone. */
export function decodeQueries(text: string): { argv: string[]; script: string }[] {
    const line = /^printf %s ((?:'[^']*'|\\')+) \| timeout -k 5 \d+ (.*); nfv_code=\$\?$/gm;
    return [...text.matchAll(line)].map(([, script, shell]) => ({
        argv: shell!.split(" "),
        script: unquote(script!)[0]!,
    }));
}

/** What the shell prints if the queries end like this, for fake nodes. */
export function formatQueries(answers: readonly { code?: number; stdout?: string | Buffer; stderr?: string }[]) {
    return {
        stdout: answers.map(({ code = 0, stdout = "" }) => `${stdout}${end}${code}\n`).join(""),
        stderr: answers.map(({ stderr = "" }) => `${stderr}${end}\n`).join(""),
    };
}

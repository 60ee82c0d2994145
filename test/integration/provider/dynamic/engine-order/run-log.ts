export type Method = "check" | "diff" | "create" | "update" | "read" | "delete";

/** "update n1" */
export type CallName = `${Method} ${string}`;

/** One call of Pulumi's engine. Begin and end are places in the log, which is in the order of time. */
export interface Call {
    method: Method;
    name: string;
    pid: number;
    begin: number;
    /** Infinity: it did not end. */
    end: number;
    failed: boolean;
    /** Pulumi gave no old properties. */
    isNew: boolean;
    /** Inputs whose values are not known yet. */
    unknown: string[];
    /** Input that comes from another probe. */
    taken?: string;
    /** Probes whose check or read ran in the same process before. */
    checked: string[];
    read: string[];
}

interface ProgramRun {
    isPreview: boolean;
    /** Values of the probes in the state that the program reads at its begin. */
    state: Record<string, string>;
    begin: number;
}

interface Line extends Omit<Call, "method" | "begin" | "end" | "failed"> {
    method: Method | "program";
    at: "begin" | "end" | "failed";
    isPreview: boolean;
    state: Record<string, string>;
}

/** What the processes of one command have noted. */
export class RunLog {
    readonly calls: Call[] = [];
    readonly programs: ProgramRun[] = [];

    constructor(text: string) {
        const lines = text.split("\n").filter(line => line.endsWith("}"));
        for (const [place, line] of lines.map(each => JSON.parse(each) as Line).entries()) this.add(line, place);
    }

    private add({ at, isPreview, state, ...line }: Line, place: number): void {
        if (line.method === "program") {
            this.programs.push({ isPreview, state, begin: place });
        } else if (at === "begin") {
            this.calls.push({
                ...line,
                method: line.method,
                begin: place,
                end: Number.POSITIVE_INFINITY,
                failed: false,
            });
        } else {
            const isOpen = (call: Call) =>
                call.method === line.method && call.name === line.name && call.pid === line.pid && call.end > place;
            Object.assign(this.calls.find(isOpen)!, { end: place, failed: at === "failed" });
        }
    }

    /** Calls of a method, or of a method of one probe. */
    of(wanted: Method | CallName): Call[] {
        return this.calls.filter(({ method, name }) => wanted === method || wanted === `${method} ${name}`);
    }

    /** Names of the probes that a method was called of, sorted. */
    names(method: Method): string {
        return [...new Set(this.of(method).map(({ name }) => name))].sort().join(" ");
    }

    /** Whether there are calls of each, and the last of each has ended before the first of the next begins. */
    inOrder(...wanted: CallName[]): boolean {
        const groups = wanted.map(each => this.of(each));
        return groups.every(
            (calls, index) =>
                calls.length > 0 &&
                (index === 0 || Math.max(...groups[index - 1]!.map(({ end }) => end)) < calls[0]!.begin),
        );
    }

    /** Whether both run at the same time. */
    overlap(one: CallName, other: CallName): boolean {
        const [[first], [second]] = [this.of(one), this.of(other)];
        return !!first && !!second && first.begin < second.end && second.begin < first.end;
    }

    /** Processes that host the resources, in the order of their first calls. */
    get pids(): number[] {
        return [...new Set(this.calls.map(({ pid }) => pid))];
    }

    /** For a person, in the order of time. */
    get text(): string {
        const events = [
            ...this.programs.map(
                ({ isPreview, begin }) => [begin, isPreview ? "program (preview)" : "program"] as const,
            ),
            ...this.calls.flatMap(call => {
                const what = `${call.method} ${call.name}`;
                const old = call.isNew && call.method === "check" ? " (no old inputs)" : "";
                const unknown = call.unknown.length > 0 ? ` (unknown: ${call.unknown})` : "";
                const end = call.failed ? "failed" : "end of";
                return [
                    [call.begin, `${this.pids.length > 1 ? `${call.pid} ` : ""}${what}${old}${unknown}`] as const,
                    // Of others the end stands right behind the begin.
                    ...(["create", "update", "delete"].includes(call.method)
                        ? [[call.end, `${end} ${what}`] as const]
                        : []),
                ];
            }),
        ];
        return events
            .sort(([one], [other]) => one - other)
            .map(([, event]) => event)
            .join(", ");
    }
}

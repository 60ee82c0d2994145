import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usualPath } from "../../../../provider/shell/script";
import { encodeScript } from "../../../../provider/steps/protocol";

/** kubectl's answers: the first row whose pattern matches the command line. `until`: the row ends with the first such call. */
export type Answers = { when: RegExp; until?: RegExp; stdout?: string; stderr?: string; code?: number }[];

export interface Ran {
    code: number;
    stdout: string;
    stderr: string;
    /** Command lines of kubectl, in order. */
    calls: string[];
}

/** Runs a script for control-plane nodes with a kubectl that only gives these answers. */
export function runWithKubectl(script: string, env: Record<string, string>, answers: Answers): Ran {
    const folder = mkdtempSync(join(tmpdir(), "nfv-kubectl-"));
    try {
        writeFileSync(join(folder, "calls"), "");
        writeFileSync(join(folder, "kubectl"), program(join(folder, "calls"), answers), { mode: 0o755 });
        const { status, stdout, stderr } = spawnSync("sh", ["-s"], {
            input: encodeScript({ run: script.replace(usualPath, ""), env }),
            encoding: "utf8",
            env: { PATH: `${folder}:${process.env.PATH}` },
        });
        return {
            code: status ?? -1,
            stdout,
            stderr,
            calls: readFileSync(join(folder, "calls"), "utf8").split("\n").filter(Boolean),
        };
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

/** In Perl, which each Debian has: it starts ten times as fast as Node, and understands the same patterns. */
const program = (calls: string, answers: Answers) => `#!/usr/bin/perl
use strict;
my $line = join " ", @ARGV;
open(my $read, "<", ${text(calls)}) or die;
chomp(my @before = <$read>);
(my $noted = $line) =~ s/\\n/ /g;
open(my $note, ">>", ${text(calls)}) or die;
print $note "$noted\\n";
my @rows = (${answers.map(rowOf).join(",\n")});
for my $row (@rows) {
    my ($when, $until, $stdout, $stderr, $code) = @$row;
    next if $line !~ /(?:$when)/ or ($until ne "" and grep { /$until/ } @before);
    print STDOUT $stdout;
    print STDERR $stderr;
    exit $code;
}
`;

const rowOf = ({ when, until, stdout = "", stderr = "", code = 0 }: Answers[number]) =>
    `[${[when.source, until?.source ?? "", stdout, stderr].map(text).join(", ")}, ${code}]`;

const text = (value: string) => `'${value.replace(/[\\']/g, "\\$&")}'`;

import type { Command } from "commander";
import { didYouMean } from "../../provider/common/did-you-mean";
import { commandHelp } from "../../tools/command-help";
import { wrong } from "./command-options";

/**
 * Prints the stacks of the folder that -C or --cwd names among the words `$@`. Only the user's own `pulumi` is asked, for at most two seconds; where that fails there is
 * no word. Names that a shell would expand are left out: `compgen -W` expands its words, and a word that is chosen stands in the user's line. Pools and nodes are in the state only: to read that for each Tab takes too long.
 */
const stacks = [
    "_nfv_stacks() (",
    "    while [ $# -gt 1 ]; do",
    '        case "$1" in -C | --cwd) cd -- "$2" || exit 0 ;; esac',
    "        shift",
    "    done",
    "    PULUMI_SKIP_UPDATE_CHECK=true timeout 2 pulumi stack ls --json --non-interactive </dev/null |",
    `        sed -n 's/^ *"name": "\\([A-Za-z0-9._/-]*\\)",*$/\\1/p'`,
    ") 2>/dev/null",
];

/** A script that the shell evaluates: `eval "$(nfv completion bash)"`. Pure. @throws INVALID_INPUT */
export function completionFor(shell: string, nfv: Command): string {
    const tools = Object.entries(commandHelp).map(([name, { options }]) => {
        const long = Object.keys(options).flatMap(each => /--[a-z-]+/.exec(each) ?? []);
        return [name, long] as const;
    });
    const operations = nfv.commands.map(each => [each.name(), each.options.flatMap(({ long }) => long ?? [])] as const);
    const all = [...operations, ...tools];
    const commands = [...all.map(([name]) => name), "help"].join(" ");
    const wordsOf = (options: readonly string[]) => [...options, "--help"].join(" ");
    if (shell === "bash")
        return [
            ...stacks,
            "_nfv() {",
            `    local words="${commands}"`,
            '    case "${COMP_WORDS[1]}" in',
            '        "${COMP_WORDS[COMP_CWORD]}") ;;',
            ...all.map(([name, options]) => `        ${name}) words="${wordsOf(options)}" ;;`),
            '        help) [ "$COMP_CWORD" = 2 ] || words= ;;',
            "        *) words= ;;",
            "    esac",
            '    case "${COMP_WORDS[COMP_CWORD-1]}" in',
            '        -s | --stack) words=$(_nfv_stacks "${COMP_WORDS[@]}") ;;',
            "    esac",
            '    mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")',
            "}",
            "complete -o default -F _nfv nfv",
        ].join("\n");
    if (shell !== "zsh")
        throw wrong(`completion ${shell}: bash and zsh are known${didYouMean(shell, ["bash", "zsh"])}`);
    return [
        ...stacks,
        "_nfv() {",
        '    case "$words[CURRENT-1]" in -s | --stack) compadd -- ${(f)"$(_nfv_stacks "${words[@]}")"}; return ;; esac',
        '    if (( CURRENT > 2 )); then case "$words[2]" in',
        ...all.map(([name, options]) => `        ${name}) compadd -- ${wordsOf(options)} ;;`),
        `        help) (( CURRENT > 3 )) || compadd -- ${commands} ;;`,
        "    esac; _files",
        `    else compadd -- ${commands}; fi`,
        "}",
        "compdef _nfv nfv",
    ].join("\n");
}

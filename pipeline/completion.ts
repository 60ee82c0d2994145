import type { Command } from "commander";
import { wrong } from "./command-options";

/** A script that the shell evaluates: `eval "$(nfv completion bash)"`. Pure. @throws INVALID_INPUT */
export function completionFor(shell: string, nfv: Command): string {
    const others = ["bundle", "verify", "image", "doctor", "check", "version", "help"];
    const commands = [...nfv.commands.map(command => command.name()), ...others].join(" ");
    const cases = nfv.commands.map(command => {
        const options = command.options.map(({ long }) => long).join(" ");
        return `        ${command.name()}) words="${options} --help" ;;`;
    });
    const words = [
        "_nfv() {",
        `    local words="${commands}"`,
        '    case "${COMP_WORDS[1]}" in',
        '        "${COMP_WORDS[COMP_CWORD]}") ;;',
        ...cases,
        '        check) words="--stack --state --at-most --share --json --help" ;;',
        '        help) [ "$COMP_CWORD" = 2 ] || words= ;;',
        "        *) words= ;;",
        "    esac",
        '    mapfile -t COMPREPLY < <(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}")',
        "}",
        "complete -o default -F _nfv nfv",
    ];
    if (shell === "bash") return words.join("\n");
    if (shell !== "zsh") throw wrong(`completion ${shell}: bash and zsh are known`);
    return [
        "_nfv() {",
        '    if (( CURRENT > 2 )); then case "$words[2]" in',
        ...nfv.commands.map(
            command => `        ${command.name()}) compadd -- ${command.options.map(({ long }) => long).join(" ")} ;;`,
        ),
        "    esac; _files",
        `    else compadd -- ${commands}; fi`,
        "}",
        "compdef _nfv nfv",
    ].join("\n");
}

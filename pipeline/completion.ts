import type { Command } from "commander";
import { commandHelp } from "../tools/command-help";
import { wrong } from "./command-options";

/** A script that the shell evaluates: `eval "$(nfv completion bash)"`. Pure. @throws INVALID_INPUT */
export function completionFor(shell: string, nfv: Command): string {
    const others = [...Object.keys(commandHelp), "help"];
    const commands = [...nfv.commands.map(command => command.name()), ...others].join(" ");
    const tools = Object.entries(commandHelp).map(([name, { options }]) => {
        const long = Object.keys(options).flatMap(each => /--[a-z-]+/.exec(each) ?? []);
        return [name, long.join(" ")] as const;
    });
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
        ...tools.map(([name, options]) => `        ${name}) words="${options} --help" ;;`),
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
        ...tools.map(([name, options]) => `        ${name}) compadd -- ${options} --help ;;`),
        "    esac; _files",
        `    else compadd -- ${commands}; fi`,
        "}",
        "compdef _nfv nfv",
    ].join("\n");
}

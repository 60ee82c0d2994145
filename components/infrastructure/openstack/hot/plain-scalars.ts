/**
 * Meaning of an unquoted word. Heat reads YAML 1.1 with PyYAML, so `on` is true and 0644 is octal; dates stay text here.
 * Rows are tried in order.
 */
const meanings: { form: RegExp; value: (text: string) => string | number | boolean | null }[] = [
    { form: /^(?:~|null|Null|NULL|)$/, value: () => null },
    { form: /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/, value: () => true },
    { form: /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/, value: () => false },
    { form: /^[-+]?0b[01_]+$/, value: text => integer(text, digits => Number(digits)) },
    { form: /^[-+]?0[0-7_]+$/, value: text => integer(text, digits => Number.parseInt(digits, 8)) },
    { form: /^[-+]?(?:0|[1-9][0-9_]*)$/, value: text => integer(text, Number) },
    { form: /^[-+]?0x[0-9a-fA-F_]+$/, value: text => integer(text, Number) },
    { form: /^[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+$/, value: text => integer(text, base60) },
    {
        form: /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)$/,
        value: text => Number(text.replace(/_/g, "")),
    },
    { form: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/, value: text => integer(text, base60) },
];

/** The value of an unquoted scalar as Heat reads it. */
export function plainValue(text: string): string | number | boolean | null {
    const meaning = meanings.find(row => row.form.test(text));
    return meaning ? meaning.value(text) : text;
}

/** Words that some reader of YAML (PyYAML, the plug-in's go-yaml) does not read as text. */
const words = /^(?:y|n|yes|no|true|false|on|off|null|nan|inf|e[-+]?\d+)$/i;

/** Starts with a letter, so it cannot be a number, date or time. A colon only inside, as in OS::Nova::Server. */
const harmless = /^[A-Za-z_](?:[\w./%+-]|:(?=[\w:])| (?=[\w./%+-]))*$/;

/** Whether every reader takes this text, unquoted, for the same text. */
export function isPlainSafe(text: string): boolean {
    return text.length <= 120 && harmless.test(text) && !words.test(text);
}

/** A whole number that JavaScript cannot represent stays text. */
function integer(text: string, read: (digits: string) => number): number | string {
    const sign = text.startsWith("-") ? -1 : 1;
    const value = read(text.replace(/^[-+]/, "").replace(/_/g, ""));
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : sign * value;
}

function base60(digits: string): number {
    return digits.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}

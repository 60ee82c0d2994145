/** Colours and other commands to a terminal, with their parameters; then all other control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what terminals obey
const withParameters = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these, too
const terminal = /\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: no report may hold them
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g;
/** Marks that turn the direction of a text: a name could look like another one. */
const direction = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const loneSurrogate = /[\ud800-\udfff]/gu;

/** A text of a machine or of a log without what terminals obey: it could hide lines, or look like others. Lines and tabs stay. Pure. */
export function plainText(text: string): string {
    const lines = text.replace(/\r\n?/g, "\n").replace(withParameters, "").replace(terminal, "");
    return lines.replace(control, "").replace(direction, "").replace(loneSurrogate, "\ufffd");
}

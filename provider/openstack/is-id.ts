/** Whether the text is an id: OpenStack's ids are UUIDs, with or without dashes. */
export function isId(text: string): boolean {
    return /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text);
}

/** Whether a text names something by its id: OpenStack's own are UUIDs, with or without dashes. */
export function isId(text: string): boolean {
    return /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text);
}

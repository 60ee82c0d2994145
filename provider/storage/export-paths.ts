/** Whether a path is this folder, or lies in it. */
export function isWithin(path: string, folder: string): boolean {
    const plain = path.replace(/\/+$/, "");
    return plain === folder || plain.startsWith(`${folder}/`);
}

/** Registry and path, before the slash and the name of an image. */
const repository = /^(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9.-]+)(:\d+)?(\/[a-z0-9._-]+)*$/;

/** What is wrong with what replaces registry.k8s.io in the names of images: a pod with such a name would wait for ever. */
export function repositoryProblems(
    place: string,
    given: { imageRepository?: string } | undefined,
): [place: string, problem: string][] {
    const { imageRepository: text } = given ?? {};
    if (text === undefined || repository.test(text)) return [];
    return [
        [
            place === "" ? "imageRepository" : `${place}.imageRepository`,
            `"${text}" is no registry and path: write it like "registry.site:5000/mirror"`,
        ],
    ];
}

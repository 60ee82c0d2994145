/** What users write about the source of Kubernetes. Part of the schema like args.ts. */

/** Where nodes get Kubernetes from: exactly one property is set. */
export interface SourceArgs {
    /** Kubernetes is part of the servers' image, as in golden images: versions are verified, nothing is installed. */
    image?: ImageSourceArgs;
    /** A bundle made by `npx nfv bundle`, uploaded over SSH and verified on the node. */
    bundle?: BundleSourceArgs;
    /** The community's Debian packages. */
    apt?: PackageSourceArgs;
    /** The community's RPM packages. Not tried on a whole distribution: only the scripts were run, with packages of tests. */
    dnf?: PackageSourceArgs;
}

/** Kubernetes is part of the servers' image. */
export interface ImageSourceArgs {
    /**
     * For languages that cannot write an empty object: `true` means the same as `image: {}`.
     * @default true
     * @change refused: for another kind of source
     */
    enabled?: boolean;
}

/** A bundle folder on the operator's machine. */
export interface BundleSourceArgs {
    /** Folder of the bundle on the operator's machine. @change step: new files of the bundle are staged; running versions stay */
    path: string;
    /**
     * Push the images once to this registry (`"10.0.0.5:5000"`, `"harbor.site/kubernetes"`; TLS only) instead of importing them on every
     * node. It then replaces the registries in the images' names. Its authority and login come from the row of `registries`
     * that has this name, or lists it among its endpoints. The machine that runs Pulumi must reach it, too.
     * @change step: the images are pushed there; the next pull uses it
     * @format repository
     */
    registry?: string;
}

/** A package repository. @change step: installed packages stay */
export interface PackageSourceArgs {
    /**
     * URL of the repository, without a login. With `http://` the `key` is required.
     * @default the community's, for the minor version
     * @format url
     */
    repository?: string;
    /**
     * Text of its signing key, ASCII-armoured.
     * @default the one in the repository
     * @format text
     */
    key?: string;
}

import type * as pulumi from "@pulumi/pulumi";
import type { VimAccessArgs } from "./args";

/** Access to a Kubernetes cluster: exactly one of `bearerToken`, `clientCertificate` and `oidc` is set. */
export interface VimArgs {
    /** URL of the API: `"https://10.0.0.100:16443"`. */
    endpoint: pulumi.Input<string>;
    /**
     * PEM certificate of the authority that vouches for the API. The word `"none"` switches verification off, which lets anybody in
     * between read the credentials, and warns.
     */
    sslCaCert: pulumi.Input<string>;
    /** @secret */
    bearerToken?: pulumi.Input<string>;
    clientCertificate?: ClientCertificateArgs;
    oidc?: OidcArgs;
    /**
     * Makes a service account with these rights and hands out its token.
     * @default the credentials given are handed out
     */
    access?: VimAccessArgs;
    /** Change this text to get a new token of the service account. */
    rotation?: string;
}

/** A client certificate. */
export interface ClientCertificateArgs {
    /** PEM. */
    certificate: pulumi.Input<string>;
    /**
     * PEM.
     * @secret
     */
    key: pulumi.Input<string>;
}

/** A token from an OpenID Connect provider, by the password grant. */
export interface OidcArgs {
    tokenUrl: pulumi.Input<string>;
    clientId: pulumi.Input<string>;
    /** @secret */
    clientSecret?: pulumi.Input<string>;
    username: pulumi.Input<string>;
    /** @secret */
    password: pulumi.Input<string>;
}

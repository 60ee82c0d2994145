import * as pulumi from "@pulumi/pulumi";
import { type KubeconfigAccess, readKubeconfig, WrongKubeconfig } from "../../provider/identity/read-kubeconfig";
import type { VimArgs, VimAuthArgs } from "../args/vim-args";

/** The place of the API and the login to it, however they were given. */
export interface GivenAccess {
    endpoint: pulumi.Input<string>;
    caCertificate?: pulumi.Input<string>;
    sslCaCert?: string;
    /** An output as a whole where a kubeconfig has it: which way of login that is, is known only with its text. */
    auth: VimAuthArgs | pulumi.Output<VimAuthArgs>;
}

/** Access by the inputs themselves, or by the kubeconfig. */
export function accessGiven({ kubeconfig, context, endpoint, auth, caCertificate, sslCaCert }: VimArgs): GivenAccess {
    if (kubeconfig === undefined) {
        return {
            endpoint: endpoint!,
            auth: auth!,
            ...(caCertificate && { caCertificate }),
            ...(sslCaCert && { sslCaCert }),
        };
    }
    if (typeof kubeconfig === "string") {
        const known = readKubeconfig(kubeconfig, context);
        return { ...known, auth: pulumi.secret(known.auth) };
    }
    const read = pulumi.output(kubeconfig).apply(text => readableOr(text, context));
    return {
        endpoint: pulumi.unsecret(read.apply(each => each.endpoint)),
        caCertificate: pulumi.unsecret(read.apply(each => each.caCertificate)),
        auth: pulumi.secret(read.apply((each): VimAuthArgs => each.auth)),
    };
}

const none: KubeconfigAccess = { endpoint: "", caCertificate: "", auth: { bearerToken: "" } };

/** A wrong text is refused by the check of the first resource that gets it: an error within an output is an unhandled rejection. */
function readableOr(text: string, context: string | undefined): KubeconfigAccess {
    try {
        return readKubeconfig(text, context);
    } catch (error) {
        if (error instanceof WrongKubeconfig) return none;
        throw error;
    }
}

/** Words by which keys of the running cluster are exchanged. Another word than the last one means once more; the same word, or none, does nothing. */
export interface RotateArgs {
    /**
     * Word for the key with which Secrets are encrypted in etcd, such as `"2026-11"`: letters, digits, dots, `-` and `_`. Needs `controlPlane.encryptionAtRest`.
     * @change step: another word: all Secrets are encrypted with another key, and the previous one is removed, on one control-plane node after another.
     * Nothing restarts. See docs/rotation.md. Taken away: nothing
     * @format word
     */
    encryptionKey?: string;
    /**
     * Word for the key that signs tokens of service accounts, such as `"2026-11"`: letters, digits, dots, `-` and `_`. API server and controller manager of one
     * control-plane node after another restart. Leave the word in the program until the grace is over: the first `pulumi up` after it ends the previous key.
     * @change rolling: another word: tokens of service accounts are signed by another key; API server and controller manager restart, on one control-plane
     * node after another. The previous key ends with the first `up` after the grace. See docs/rotation.md#service-account-key. Taken away: nothing, but the
     * previous key stays valid
     * @format word
     */
    serviceAccountKey?: string;
    /**
     * For how many hours tokens of the previous service-account key stay valid, from 2 to 8760. Most pods have another token after an hour, those
     * that ask for one of a longer life after a day; copies of tokens have to be exchanged by hand. @default 24
     * @change nothing: looked at by the next `up`
     */
    serviceAccountGraceHours?: number;
    /**
     * Word for the cluster's authorities (of its API, of etcd and of the front proxy) and the administrators' certificate, such as `"2026-11"`: letters, digits,
     * dots, `-` and `_`. The outputs `kubeconfig` and `caCertificate` get the new ones at once, beside the previous authority. The first `pulumi up` after the
     * grace exchanges them on all nodes: kubelet restarts everywhere, etcd, API server, controller manager and scheduler on one control-plane node after another.
     * @change rolling: another word: other authorities and another administrators' certificate. The first `up` after the grace exchanges them on the nodes;
     * API server and etcd restart on one control-plane node after another, kubelet on all nodes. See docs/rotation.md#authorities. Taken away: nothing, but
     * the nodes keep what they have
     * @format word
     */
    authorities?: string;
    /**
     * For how many hours the nodes keep the previous authorities, so that users can take the new kubeconfig, from 0 to 8760. 0: the run that makes the new ones
     * exchanges them. @default 24
     * @change nothing: looked at by the next `up`
     */
    authoritiesGraceHours?: number;
    /**
     * Word for the SSH key by which the servers of `heat` and `nova` are reached, such as `"2026-11"`: letters, digits, dots, `-` and `_`. The first `pulumi up`
     * makes a new key known to all servers; the next one logs in with it, and ends the previous one. Leave the word in the program for good.
     * @change rolling: another word: another SSH key logs in to the servers. The first `up` makes it known to all of them, the next one ends the previous
     * one; nothing restarts. See docs/rotation.md#login-key. Taken away: refused
     * @format word
     */
    loginKey?: string;
}

/** Of both graces. Most pods have another token before an hour is over; a day leaves time for copies of tokens. */
export const defaultGraceHours = 24;

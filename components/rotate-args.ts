/** Words by which keys of the running cluster are exchanged. Another word than the last one means once more; the same word, or none, does nothing. */
export interface RotateArgs {
    /**
     * Word for the key with which Secrets are encrypted in etcd, such as `"2026-11"`: letters, digits, dots, `-` and `_`. Needs `controlPlane.encryptionAtRest`.
     */
    encryptionKey?: string;
}

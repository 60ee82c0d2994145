/** Input below `rotate` → the resource that exchanges the key. */
export const rotations = {
    encryptionKey: "EncryptionRotation",
    serviceAccountKey: "ServiceAccountRotation",
    authorities: "AuthorityRotation",
    loginKey: "LoginRotation",
} as const;

/** What can be exchanged: see `rotate` of a cluster. */
export type RotatedKey = keyof typeof rotations;
export const rotatedKeys = Object.keys(rotations) as RotatedKey[];

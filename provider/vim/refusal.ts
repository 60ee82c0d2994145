/** A status with which the API server refuses a request, and what to do about it. The first row that fits counts. */
interface Row {
    status: number;
    /** Words of the server's message. @default any */
    says?: RegExp;
    hint: string;
}

const invalid =
    "The object itself is wrong, not the login: correct the field that the message names. kubectl explain KIND shows the fields.";

const rows: Row[] = [
    {
        status: 401,
        hint: "The API does not accept the token or client certificate: it is wrong, has ended, or is of another cluster. Give `auth` credentials of this cluster.",
    },
    {
        status: 403,
        says: /forbidden: User |cannot [a-z]+ resource/,
        hint: "The login works, but the account lacks this right: give it a role that allows this, or give credentials of another account.",
    },
    {
        status: 403,
        hint: "A policy of the cluster (quota, pod security, admission) does not allow it. Change the object, or ask who sets the policy.",
    },
    { status: 400, hint: invalid },
    { status: 422, hint: invalid },
    // Server-side apply answers 500 to a field that the kind does not have, and to a wrong type.
    { status: 500, says: /failed to create typed patch object|field not declared in schema/, hint: invalid },
    { status: 404, hint: "What the message names does not exist in this cluster: make it first, or correct its name." },
    { status: 409, hint: "Somebody else changed the same object at the same time. Run pulumi up again." },
    { status: 413, hint: "The object is larger than the API server takes: split it." },
];

/** What to do about a refusal; undefined: the answer is none, and the request may be repeated. Pure. */
export function hintFor(status: number, message: string): string | undefined {
    const row = rows.find(each => each.status === status && (each.says?.test(message) ?? true));
    if (row !== undefined) return row.hint;
    return status === 429 || status >= 500 ? undefined : "The API server refuses the request: see its message.";
}

/** Whether it is the verdict of the API server itself about the object's fields, and not one of a policy or of the moment. Pure. */
export function isAboutFields(status: number, message: string): boolean {
    if (/admission webhook|AdmissionPolicy/.test(message)) return false;
    if (status === 400) return /strict decoding error|cannot be handled as/.test(message);
    return hintFor(status, message) === invalid;
}

import type { VimInputs } from "../../../../provider/vim/vim-inputs";
import type { FakeApi } from "./fake-api";

/** The inputs of a Vim with a service account of its own on this API. */
export function vimInputs(api: FakeApi, changes: Partial<VimInputs> = {}): VimInputs {
    return {
        name: "core",
        endpoint: api.endpoint,
        caCertificate: api.ca,
        auth: { bearerToken: "admin-token" },
        serviceAccount: {},
        owner: "core-1",
        ...changes,
    };
}

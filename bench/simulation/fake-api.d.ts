import "reflect-metadata";

interface Authority {
    certificate: string;
    key: string;
}
/** An API server that knows just what a Vim asks: version, rights, and objects that are applied and read back. */
export declare class FakeApi {
    private readonly objects;
    private https?;
    private server;
    /** `authority`: where to get the cluster's CA; asked when the first client comes, because the cluster makes it. */
    static start(authority: () => Authority): Promise<FakeApi>;
    get port(): number;
    stop(): Promise<void>;
    private listen;
    answer(
        method: string,
        path: string,
        text: string,
    ): {
        status: number;
        body: unknown;
    };
}

import { toIni } from "../ini";
import { inside, ports } from "../settings";
import { common, database } from "./common";

const fernet = { key_repository: `${inside.state}/keystone/fernet` };

export const keystoneConf = () =>
    toIni(common("keystone"), database("keystone"), {
        cache: {
            enabled: true,
            backend: "dogpile.cache.memcached",
            memcache_servers: `127.0.0.1:${ports.memcached}`,
        },
        fernet_tokens: fernet,
        fernet_receipts: fernet,
        credential: { key_repository: `${inside.state}/keystone/credential` },
        token: { expiration: 86_400 },
    });

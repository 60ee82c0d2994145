import { toIni } from "../ini";
import { inside, ports } from "../settings";
import { common, database } from "./common";

const fernet = { key_repository: `${inside.state}/keystone/fernet` };

export const keystoneConf = () =>
    toIni(common("keystone"), database("keystone"), {
        cache: {
            enabled: true,
            // python-memcached takes the next answer on its connection for that of the key it asked for. Seen twice under load: a user's token
            // with the roles of another one, so no application credential could be made. pymemcache compares the keys.
            backend: "dogpile.cache.pymemcache",
            memcache_servers: `127.0.0.1:${ports.memcached}`,
        },
        fernet_tokens: fernet,
        fernet_receipts: fernet,
        credential: { key_repository: `${inside.state}/keystone/credential` },
        token: { expiration: 86_400 },
    });

/** The servers that the chart runs, and what the operator writes for them. */
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { LOG_ACCOUNT } from '@gatehouse/crds/logs';

type Spec = GatewayFleet['spec'];

export interface EmbeddedServer {
  readonly title: string;
  /** The Secret with its passwords, in the operator's namespace; the server starts when it has the entries. */
  readonly secret: string;
  readonly passwords: readonly string[];
  /** Marks a Secret in a fleet's namespace whose URLs the operator writes; Secrets without the label are left alone. */
  readonly label: string;
  /** Where two name the same entry of a Secret, the first is written. */
  readonly urls: readonly EmbeddedUrl[];
}

export interface EmbeddedUrl {
  readonly refOf: (spec: Spec) => { readonly name: string; readonly key: string } | undefined;
  /** The entry of the password. */
  readonly password: string;
  readonly urlOf: (namespace: string, password: string) => string;
}

export const PASSWORD_KEY = 'password';

const onRedis =
  (port: number) =>
  (namespace: string, password: string): string =>
    `redis://default:${encodeURIComponent(password)}@gatehouse-redis.${namespace}.svc:${port}`;

/** Counters are never evicted; cached answers are in a server of their own, which may evict. */
export const REDIS: EmbeddedServer = {
  title: 'Redis',
  secret: 'gatehouse-redis-password',
  passwords: [PASSWORD_KEY],
  label: 'gatehouse.dev/redis',
  urls: [
    { refOf: ({ stores }) => stores?.redis?.urlSecretRef, password: PASSWORD_KEY, urlOf: onRedis(6379) },
    { refOf: ({ stores }) => stores?.redis?.cacheUrlSecretRef, password: PASSWORD_KEY, urlOf: onRedis(6380) },
  ],
};

const LOGS_PASSWORD_KEY = 'logsPassword';

/** The management API uses the first password; it gives the account of the gateways the second one. */
export const POSTGRES: EmbeddedServer = {
  title: 'PostgreSQL',
  secret: 'gatehouse-postgres-password',
  passwords: [PASSWORD_KEY, LOGS_PASSWORD_KEY],
  label: 'gatehouse.dev/postgres',
  urls: [
    {
      refOf: ({ records }) => records?.postgres?.urlSecretRef,
      password: LOGS_PASSWORD_KEY,
      urlOf: (namespace, password) =>
        `postgres://${LOG_ACCOUNT}:${encodeURIComponent(password)}@gatehouse-postgres.${namespace}.svc:5432/gatehouse`,
    },
  ],
};

export const EMBEDDED_SERVERS: readonly EmbeddedServer[] = [REDIS, POSTGRES];

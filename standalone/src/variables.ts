/** Variables that standalone reads in addition to those of the gateway. */
export const ADMIN_KEY = 'GATEHOUSE_ADMIN_KEY';
/** Of commands that ask an installation. */
export const API_KEY_VARIABLE = 'GATEHOUSE_API_KEY';
export const URL_VARIABLE = 'GATEHOUSE_URL';
/** `GATEHOUSE_SECRET_<NAME>_<KEY>`. */
export const SECRET_PREFIX = 'GATEHOUSE_SECRET_';

/** Where people and audit are kept. */
export const DATABASE_URL = 'DATABASE_URL';
export const DATABASE_CA_PATH = 'DATABASE_CA_PATH';
export const AUDIT_RETENTION = 'GATEHOUSE_AUDIT_RETENTION_DAYS';
/** Whether a request log is kept in the data folder. */
export const LOGS = 'GATEHOUSE_LOGS';

/** How people sign in; the management API of a cluster has flags for the same ones. */
export const SIGN_IN = {
  publicUrl: 'GATEHOUSE_PUBLIC_URL',
  issuer: 'GATEHOUSE_OIDC_ISSUER',
  clientId: 'GATEHOUSE_OIDC_CLIENT_ID',
  clientSecret: 'GATEHOUSE_OIDC_CLIENT_SECRET',
  trustsEmails: 'GATEHOUSE_OIDC_TRUSTS_EMAILS',
  sessionHours: 'GATEHOUSE_SESSION_HOURS',
  idleMinutes: 'GATEHOUSE_SESSION_IDLE_MINUTES',
} as const;

export const STANDALONE_VARIABLES: Readonly<Record<string, string>> = {
  [ADMIN_KEY]:
    "key of the organisation's administrator, at least 32 characters; unset, one is generated on the first start and printed once",
  [API_KEY_VARIABLE]: 'gateway key of the commands `get`, `apply`, `delete`, `diff` and `export`',
  [URL_VARIABLE]: 'gateway that these commands ask; unset: the port `PORT`, or 8787, of this machine',
  [`${SECRET_PREFIX}<NAME>_<KEY>`]: 'value of an entry that is missing or empty in the Secret of the folder',
  [LOGS]:
    'on keeps a request log in the data folder, as --logs does; where `DATABASE_URL` is set, it is kept there anyway',
  [DATABASE_URL]:
    'PostgreSQL for people, audit and the request log, postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full; unset, people are in the data folder',
  [DATABASE_CA_PATH]: 'file with the certificate authorities of PostgreSQL, as PEM; TLS is then the default',
  [AUDIT_RETENTION]: 'days after which audit records are deleted from the database; unset or 0, never',
  [SIGN_IN.issuer]:
    'issuer of the identity provider that people sign in with (OpenID Connect); the next three are then required. Unset, nobody signs in',
  [SIGN_IN.clientId]: 'client that the identity provider knows the gateway by',
  [SIGN_IN.clientSecret]: 'secret of that client, at least 16 characters',
  [SIGN_IN.publicUrl]: 'where browsers reach the gateway, https://HOST[:PORT], or http to this machine',
  [SIGN_IN.trustsEmails]:
    'true accepts addresses that the identity provider does not call verified, because it verifies all of them',
  [SIGN_IN.sessionHours]: 'hours from a sign-in to the end of its session, 1 to 720; 12 when unset',
  [SIGN_IN.idleMinutes]: 'minutes after which a session ends without a call, 5 to 1440; 60 when unset',
  'OPENAI_API_KEY, ANTHROPIC_API_KEY …':
    'credentials of providers, read where no folder of resources is given; all of them are on the page of the providers',
};

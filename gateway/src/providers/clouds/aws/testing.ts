import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../errors/index.ts';
import { Cancellation, type CancelSignal } from '../../../lib/cancellation.ts';
import { Secret } from '../../../lib/secret.ts';
import type { Call, OutgoingRequest, ProviderServices, SideAnswer, SideRequest } from '../../contract.ts';
import { awsSigV4 } from './index.ts';

export const NOW = 1_760_000_000_000;

export const SECRETS = new Set(['api_key', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token']);

export type Values = Readonly<Record<string, string>>;

export const call = (fields: Values, over: Partial<Call> = {}): Call => ({
  provider: 'bedrock',
  model: 'm',
  ownIdentity: true,
  strict: true,
  params: {},
  operation: 'chatComplete',
  endpoint: 'chatComplete',
  stream: false,
  path: '/',
  query: '',
  route: {},
  now: () => NOW,
  newId: (prefix) => prefix,
  header: () => undefined,
  fields: {
    text: (key) => (SECRETS.has(key) ? undefined : fields[key]),
    secret: (key) => (SECRETS.has(key) && fields[key] !== undefined ? new Secret(fields[key]) : undefined),
  },
  ...over,
});

export const request = (origin = 'https://bedrock-runtime.us-east-1.amazonaws.com'): OutgoingRequest => ({
  method: 'POST',
  origin,
  path: '/model/m/converse',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
});

export const xml = (keyId: string, expiration = '2030-01-01T00:00:00Z'): string =>
  `<AssumeRoleResponse><Credentials><AccessKeyId>${keyId}</AccessKeyId><SecretAccessKey>s-${keyId}</SecretAccessKey>` +
  `<SessionToken>t-${keyId}</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleResponse>`;

export type Reply = string | { readonly status: number; readonly text: string } | Error;

export interface World {
  readonly services: ProviderServices;
  readonly calls: SideRequest[];
  readonly ttls: number[];
}

/** Services over scripted answers by URL prefix, with a cache that never forgets. */
export function world(env: Values, replies: Readonly<Record<string, Reply>> = {}): World {
  const calls: SideRequest[] = [];
  const ttls: number[] = [];
  const cache = new Map<string, Promise<unknown>>();
  const services: ProviderServices = {
    now: () => NOW,
    env: (name) => ({ AWS_SHARED_CREDENTIALS_FILE: '/nowhere', AWS_CONFIG_FILE: '/nowhere', ...env })[name],
    async fetch(side) {
      calls.push(side);
      const reply = Object.entries(replies)
        .filter(([prefix]) => `${side.method} ${side.url}`.startsWith(prefix))
        .sort(([a], [b]) => b.length - a.length)[0]?.[1];
      if (reply === undefined || reply instanceof Error) throw reply ?? new AppError('UPSTREAM_UNREACHABLE');
      const { status, text } = typeof reply === 'string' ? { status: 200, text: reply } : reply;
      return { status, headers: {}, body: Buffer.from(text) } satisfies SideAnswer;
    },
    cached: <T>(key: string, make: () => Promise<{ value: T; ttlMs: number }>) => {
      const known = cache.get(key);
      if (known !== undefined) return known as Promise<T>; // one type per key
      const made = make().then(({ value, ttlMs }) => {
        ttls.push(ttlMs);
        return value;
      });
      cache.set(key, made);
      return made;
    },
  };
  return { services, calls, ttls };
}

export const authorizer = awsSigV4({ service: 'bedrock' });

export const signal = (): CancelSignal => new Cancellation();

export async function apply(fields: Values, { services }: World, outgoing = request()): Promise<OutgoingRequest> {
  await authorizer.apply(outgoing, call(fields), { services, signal: signal() });
  return outgoing;
}

export const signer = ({ headers }: OutgoingRequest): string | undefined =>
  /Credential=([^/]+)\//.exec(headers['authorization'] ?? '')?.[1];

/** A new folder with the files that name an identity: a token, credentials and a configuration. */
export async function writeIdentityFiles(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'aws-'));
  await writeFile(join(folder, 'token'), 'web-token\n');
  await writeFile(
    join(folder, 'credentials'),
    '[default]\naws_access_key_id = FILEDEFAULT\naws_secret_access_key=x\n\n[work]\naws_access_key_id=FILEWORK\naws_secret_access_key=y\n',
  );
  await writeFile(join(folder, 'config'), '[profile cfg]\naws_access_key_id=CONFIG\naws_secret_access_key=z=1\n');
  return folder;
}

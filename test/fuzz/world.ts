/** A gateway whose providers answer with the bytes that a test has prepared, and everything that the process did not catch. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { type RunningGateway, startGateway } from '../kit/gateway.ts';
import { type RawReply, type RawUpstream, startRawUpstream } from '../kit/raw-upstream.ts';
import { key, provider, workspace } from '../kit/snapshot.ts';

export interface FuzzWorldOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly answer: (reply: RawReply) => Promise<void>;
  /** Of the accounts with one key. */
  readonly secret?: string;
  /** Of the account at Bedrock. */
  readonly aws: Readonly<Record<string, string>>;
}

export interface FuzzWorld {
  readonly gateway: RunningGateway;
  readonly upstream: RawUpstream;
  /** Uncaught exceptions and unhandled rejections. */
  readonly crashes: readonly unknown[];
}

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const ORACLE = {
  oracle_compartment_id: 'ocid1.compartment',
  oracle_tenancy: 'ocid1.tenancy',
  oracle_user: 'ocid1.user',
  oracle_fingerprint: '20:3b',
};

/** Starts the world before the tests of a file and ends it after them. */
export function setUpFuzzWorld({ env, answer, secret, aws }: FuzzWorldOptions): FuzzWorld {
  let gateway: RunningGateway;
  let upstream: RawUpstream;
  const crashes: unknown[] = [];
  const onCrash = (error: unknown): void => void crashes.push(error);
  beforeAll(async () => {
    upstream = await startRawUpstream(answer);
    const at = (id: string, more: object = {}) =>
      provider(id, { provider: id, customHost: upstream.url, ...(secret === undefined ? {} : { secret }), ...more });
    gateway = await startGateway({
      env: { GATEHOUSE_STREAM_IDLE_TIMEOUT_MS: '150', REQUEST_TIMEOUT: '300', ...env },
      entries: [
        workspace(),
        key(),
        ...['openai', 'google', 'mistral-ai', 'cohere'].map((id) => at(id)),
        ...['workers-ai', 'ai21', 'palm', 'reka-ai', 'triton', 'bytez'].map((id) => at(id)),
        at('anthropic', { inspectStreamForOverload: true }),
        at('bedrock', { settings: { aws_region: 'eu-west-1' }, secret: aws }),
        at('oracle', { settings: ORACLE, secret: { oracle_private_key: privateKey } }),
      ],
    });
    process.on('uncaughtException', onCrash);
    process.on('unhandledRejection', onCrash);
  });
  afterAll(async () => {
    process.off('uncaughtException', onCrash);
    process.off('unhandledRejection', onCrash);
    await gateway[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });
  return {
    crashes,
    get gateway() {
      return gateway;
    },
    get upstream() {
      return upstream;
    },
  };
}

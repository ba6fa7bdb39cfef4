/** Parameters of checks that call a service. */
import { z } from 'zod';
import { atomicList } from '../schema/index.ts';

/** Longest time limit of a call in ms. */
const MAX_TIMEOUT_MS = 60_000;

/** The parameter `timeout` in ms. */
export const timeout = (defaultMs: number) =>
  z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_MS)
    .default(defaultMs)
    .meta({ description: 'timeout is the time limit of a call to the service, in milliseconds.' });

const MAX_FORWARDED = 32;
const HEADER_NAME = /^[a-z0-9-]+$/;

/** Headers of credentials, of one connection, of the body, and those by which metadata services of clouds know their clients. */
const REFUSED: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'api-key', 'x-api-key', 'x-goog-api-key'],
  ...['ocp-apim-subscription-key', 'host', 'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['http2-settings', 'proxy-authenticate', 'proxy-connection', 'content-length', 'content-type', 'content-encoding'],
  ...['accept-encoding', 'expect', 'metadata', 'metadata-flavor', 'metadata-token', 'x-aws-ec2-metadata-token'],
  ...['metadata-token-expiry-seconds', 'x-aws-ec2-metadata-token-ttl-seconds', 'x-google-metadata-request'],
  'x-identity-header',
]);
const OWN_PREFIX = 'x-gw-';
const OWN_ALLOWED: ReadonlySet<string> = new Set(['x-gw-trace-id', 'x-gw-span-id']);

const isForwardable = (name: string): boolean =>
  !REFUSED.has(name) && (!name.startsWith(OWN_PREFIX) || OWN_ALLOWED.has(name));

/** The parameter `forwardHeaders`: names of headers of the client that its call to the service carries, too. */
export const forwardHeaders = atomicList(
  z
    .string()
    .min(1)
    .max(128)
    .regex(HEADER_NAME, 'expected a header name in lower-case letters, digits and hyphens')
    .refine(isForwardable, { error: 'this header is never forwarded to a service' }),
  'forwardHeaders are headers of the client that are sent to the service. Credentials, headers of the gateway other than ' +
    'x-gw-trace-id and x-gw-span-id, and headers of one connection are refused. traceparent is made from x-gw-trace-id ' +
    'when the client sent that alone.',
  MAX_FORWARDED,
).optional();

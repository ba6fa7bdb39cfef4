/** Parameters of the checks that call addresses of the parameters or of the texts: docs/behaviour/guardrails.md#checks-that-call-out. */
import { z } from 'zod';
import { HEADER_VALUE } from '../../headers/index.ts';
import { isObject } from '../../lib/result.ts';
import { atomicList, flag, httpUrl, int } from '../../schema/index.ts';
import { forwardHeaders, timeout } from '../calls.ts';
import { defineCheckEntry } from '../check.ts';
import { not } from './fields.ts';

const MAX_HEADERS = 32;
const MAX_HEADER = 8_192;
const MAX_HEADERS_TEXT = 65_536;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
/** What frames the message and its connection. */
const NOT_SETTABLE: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'content-length', 'expect'],
  ...['http2-settings', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
]);

/** Headers as an object, or as a text with one in JSON. Undefined: neither. */
export function readHeaders(value: unknown): Readonly<Record<string, string>> | undefined {
  const object = typeof value === 'string' ? parsed(value) : value;
  if (!isObject(object)) return undefined;
  const entries = Object.entries(object);
  const isGood = entries.every(
    ([name, text]) =>
      HEADER_NAME.test(name) &&
      !NOT_SETTABLE.has(name.toLowerCase()) &&
      typeof text === 'string' &&
      text.length <= MAX_HEADER &&
      HEADER_VALUE.test(text),
  );
  if (!isGood || entries.length > MAX_HEADERS) return undefined;
  // Every value is a text.
  return Object.fromEntries(entries.map(([name, text]) => [name.toLowerCase(), text as string]));
}

function parsed(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const headers = z
  .union([z.string().max(MAX_HEADERS_TEXT), z.record(z.string(), z.string())])
  .refine((value) => readHeaders(value) !== undefined, {
    error: `expected at most ${MAX_HEADERS} headers as an object of texts, or as a text with such an object in JSON; headers of the connection cannot be set`,
  })
  .optional()
  .meta({ description: 'headers are sent along, such as a credential.', opaque: true, maxProperties: MAX_HEADERS });

export const webhook = defineCheckEntry({
  id: 'default.webhook',
  summary: 'Asks a service of your own, which gives the verdict and may replace the request or the answer.',
  phases: ['input', 'output'],
  parameters: z.strictObject({
    webhookURL: httpUrl('webhookURL is called with a POST of request and answer.'),
    headers,
    timeout: timeout(3_000),
    forwardHeaders,
  }),
  secretParameters: ['headers'],
  addressParameters: ['webhookURL'],
  callsOut: true,
  transforms: true,
});

export const log = defineCheckEntry({
  id: 'default.log',
  summary: 'Sends request and answer, without credentials, to a service; passes when it accepts them.',
  phases: ['output'],
  parameters: z.strictObject({
    logURL: httpUrl('logURL is called with a POST of request and answer.'),
    headers,
    timeout: timeout(3_000),
    forwardHeaders,
  }),
  secretParameters: ['headers'],
  addressParameters: ['logURL'],
  callsOut: true,
});

export const validUrls = defineCheckEntry({
  id: 'default.validUrls',
  summary: 'Passes when the text has URLs, and each of them exists.',
  phases: ['output'],
  parameters: z.strictObject({
    onlyDNS: flag('onlyDNS asks whether the names of the hosts exist, and calls none of them.', false),
    resolverURL: httpUrl('resolverURL is the resolver for onlyDNS (DNS over HTTPS with answers in JSON).').default(
      'https://1.1.1.1/dns-query',
    ),
    timeout: timeout(3_000),
    not,
  }),
  callsOut: true,
  quotes: ['validUrls', 'invalidUrls', 'textExcerpt'],
});

export const inlineImageUrls = defineCheckEntry({
  id: 'default.inlineImageUrls',
  summary: 'Replaces URLs of images in the messages with the images themselves.',
  phases: ['input'],
  parameters: z.strictObject({
    providers: atomicList(
      z.string().min(1).max(128),
      'providers are those for which images are replaced; without any it is done for all.',
      64,
    ).default([]),
    maxSizeBytes: int('maxSizeBytes is the largest image.', 1, 20_971_520).default(20_971_520),
    timeoutMs: int('timeoutMs is the time limit of each image, in milliseconds.', 1, 60_000).default(30_000),
  }),
  callsOut: true,
  transforms: true,
});

export const OUTBOUND_CHECKS = [webhook, log, validUrls, inlineImageUrls] as const;

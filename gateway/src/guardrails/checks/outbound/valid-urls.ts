import { isIP } from 'node:net';
import { isObject } from '@gatehouse/crds';
import { validUrls as entry } from '@gatehouse/crds/guardrails';
import { isReserved, parseAddress } from '@gatehouse/crds/hosts';
import { emptyText, excerptOf } from '../../answers.ts';
import { type CheckAnswer, type CheckSubject, type CheckTools, defineCheck } from '../../contract.ts';
import { callService, faultOf } from '../../outbound/index.ts';
import { fetchUrl } from './fetch-url.ts';
import { inTurn } from './in-turn.ts';

/** Whether one URL exists. Rejects where that cannot be known. */
type Probe = (url: string, context: { readonly subject: CheckSubject; readonly tools: CheckTools }) => Promise<boolean>;

const URLS = /https?:\/\/[^\s,"'{}[\]]+/g;
/** Different URLs of one text: what has more is not looked up. */
const MAX_URLS = 50;
const MAX_URL = 2_048;
const AT_ONCE = 10;
const MAX_BYTES = 64 * 1024;
const AGENT = { 'user-agent': 'URLValidator/1.0' };

export const validUrls = defineCheck(entry, ({ onlyDNS, resolverURL, timeout, not }) => {
  const exists = onlyDNS ? compileResolver(resolverURL, timeout) : compileCall(timeout);
  const validationMethod = onlyDNS ? 'dns' : 'http';

  return async (subject, tools): Promise<CheckAnswer> => {
    const { text } = subject;
    if (text === '') return emptyText();
    const about = { not, validationMethod, textExcerpt: excerptOf(text) };
    const fail = (explanation: string): CheckAnswer => ({
      verdict: false,
      data: { verdict: false, explanation, validUrls: [], invalidUrls: [], ...about },
    });
    const urls = await urlsOf(text, tools);
    if (urls.size === 0) return fail('The text has no URL');
    if (urls.size > MAX_URLS) return fail(`The text has more than ${MAX_URLS} URLs`);
    try {
      const all = [...urls];
      const found = await inTurn(all, AT_ONCE, (url) => exists(url, { subject, tools }));
      const invalidUrls = all.filter((_, i) => found[i] !== true);
      const verdict = not ? invalidUrls.length > 0 : invalidUrls.length === 0;
      const explanation = invalidUrls.length === 0 ? 'All URLs exist' : 'Some URLs do not exist';
      const data = { verdict, explanation, validUrls: all.filter((_, i) => found[i] === true), invalidUrls, ...about };
      return { verdict, data };
    } catch (error) {
      return { ...fail('The URLs could not be looked up'), error: faultOf(error) };
    }
  };
});

/** URLs between two pauses. */
const SLICE = 4_096;

/** Different URLs, at most one more than are looked up. */
async function urlsOf(text: string, tools: Pick<CheckTools, 'nextSlice'>): Promise<ReadonlySet<string>> {
  const urls = new Set<string>();
  let seen = 0;
  for (const [url] of text.matchAll(URLS)) {
    urls.add(url.slice(0, MAX_URL + 1));
    if (urls.size > MAX_URLS) break;
    seen += 1;
    if (seen % SLICE === 0) await tools.nextSlice();
  }
  return urls;
}

const isShort = (url: string): boolean => url.length <= MAX_URL;

/** Asks the host for the URL: what cannot be reached, or may not be, does not exist for the reader either. */
const compileCall =
  (timeoutMs: number): Probe =>
  async (url, { tools }) => {
    if (!isShort(url)) return false;
    try {
      const call = { method: 'HEAD', headers: AGENT, timeoutMs, maxBytes: MAX_BYTES } as const;
      const { status } = await fetchUrl(url, call, tools);
      return status >= 200 && status < 300;
    } catch (error) {
      if (tools.signal.cancelled) throw error;
      return false;
    }
  };

/** Types of records in answers of resolvers (RFC 1035, RFC 3596). */
const QUERIES = [
  { name: 'A', type: 1 },
  { name: 'AAAA', type: 28 },
] as const;

/** Asks a resolver for the name of the host: it exists when it has addresses, and none of them is private. */
const compileResolver =
  (resolverURL: string, timeoutMs: number): Probe =>
  async (url, context) => {
    const host = isShort(url) ? URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') : undefined;
    if (host === undefined || host === '') return false;
    if (isIP(host) !== 0) return isPublic(host);
    for (const query of QUERIES) {
      const address = new URL(resolverURL);
      address.searchParams.set('name', host);
      address.searchParams.set('type', query.name);
      const headers = { accept: 'application/dns-json' };
      const call = { method: 'GET', url: address.href, headers, timeoutMs, maxBytes: MAX_BYTES } as const;
      const { json } = await callService(call, context);
      const addresses = addressesOf(json, query.type);
      if (addresses.length > 0) return addresses.every(isPublic);
    }
    return false;
  };

function addressesOf(answer: unknown, type: number): readonly string[] {
  if (!isObject(answer) || answer['Status'] !== 0 || !Array.isArray(answer['Answer'])) return [];
  return answer['Answer'].flatMap((record: unknown) =>
    isObject(record) && (record['type'] ?? type) === type && typeof record['data'] === 'string' ? [record['data']] : [],
  );
}

function isPublic(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && !isReserved(address);
}

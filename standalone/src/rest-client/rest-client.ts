import { setTimeout } from 'node:timers/promises';
import { isObject, parseJson } from '@gatehouse/crds';
import { MAX_REST_BODY_BYTES, type RestMethod } from '@gatehouse/crds/rest';

export type RestBody = Readonly<Record<string, unknown>>;
export type RestQuery = Readonly<Record<string, string | undefined>>;

export interface RestClient {
  /** `path` is below `/v1`. Throws RestFailure for any answer that is no success. */
  call(
    method: RestMethod,
    path: string,
    more?: { readonly query?: RestQuery; readonly body?: object },
  ): Promise<RestBody>;
}

export interface RestClientOptions {
  /** Of the gateway; its path is kept. */
  readonly url: URL;
  /** A gateway key. */
  readonly key: string;
}

interface FailedField {
  /** As the body calls it, e.g. `conditions[0].key`; empty: none. */
  readonly param: string;
  readonly message: string;
}

interface FailureDetails {
  readonly status?: number;
  readonly fields?: readonly FailedField[];
  readonly code?: string;
}

/** Why a call did not succeed. */
export class RestFailure extends Error {
  override readonly name = 'RestFailure';
  /** Undefined: there was no answer. */
  readonly status: number | undefined;
  readonly fields: readonly FailedField[];
  /** Of an answer of the management API; empty: it comes from something before it. */
  readonly code: string;

  constructor(message: string, { status, fields = [], code = '' }: FailureDetails = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
    this.code = code;
  }

  /** Whether the management API itself has answered. */
  get isOfManagement(): boolean {
    return this.code !== '';
  }

  /** Whether it is about the one object: others may still succeed. */
  get isAboutObject(): boolean {
    return this.isOfManagement && this.status !== undefined && OF_OBJECTS.has(this.status);
  }
}

const OF_OBJECTS: ReadonlySet<number> = new Set([400, 404, 409, 412, 413]);
const TIMEOUT_MS = 35_000; // the server gives up after 30 s
/** A page of the largest objects. */
const MAX_ANSWER_BYTES = 256 * MAX_REST_BODY_BYTES;

/** A key that makes too many calls is told when to come back: commands on many objects do. */
const MAX_WAITS = 5;
const MAX_WAIT_SECONDS = 30;

export function createRestClient({ url, key }: RestClientOptions): RestClient {
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
  return {
    call: async (method, path, { query = {}, body } = {}) => {
      const target = new URL(`${base}${path}`);
      for (const [name, value] of Object.entries(query)) if (value !== undefined) target.searchParams.set(name, value);
      const send = (): Promise<Response> =>
        fetch(target, {
          method,
          headers: { 'x-gw-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          redirect: 'error', // the key is for this host
          signal: AbortSignal.timeout(TIMEOUT_MS),
        }).catch((error: unknown) => {
          throw new RestFailure(
            `nothing answers at ${url.origin} (${causeOf(error)}); name a gateway with --url or GATEHOUSE_URL`,
          );
        });
      const response = await sendPatiently(send);
      const text = await textOf(response, url);
      const answer = parsed(text);
      if (!response.ok) throw failureOf(response.status, answer, url);
      if (text !== '' && answer === undefined)
        throw new RestFailure(`${url.origin} does not answer as the management API does`);
      return answer ?? {};
    },
  };
}

/** Sends again after an answer 429, when it says. */
async function sendPatiently(send: () => Promise<Response>): Promise<Response> {
  for (let waits = 0; ; waits += 1) {
    const response = await send();
    const seconds = Number(response.headers.get('retry-after'));
    const mayWait = response.status === 429 && seconds > 0 && seconds <= MAX_WAIT_SECONDS;
    if (!mayWait || waits === MAX_WAITS) return response;
    await response.body?.cancel();
    await setTimeout(seconds * 1_000);
  }
}

async function textOf({ body }: Response, url: URL): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw new RestFailure(`the answer of ${url.origin} is too large`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof RestFailure) throw error;
    throw new RestFailure(`the answer of ${url.origin} broke off (${causeOf(error)})`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): RestBody | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Texts for answers that do not come from the management API itself. */
const WITHOUT_BODY: ReadonlyMap<number, string> = new Map([
  [401, 'the key is unknown or has expired'],
  [404, 'no management API is served there'],
  [503, 'the management API is unavailable'],
]);

function failureOf(status: number, answer: RestBody | undefined, { origin }: URL): RestFailure {
  const { error, errorCode, issues, message } = answer ?? {};
  const own = isObject(error) ? error : {};
  const text = [own['message'], message].find((one) => typeof one === 'string');
  if (text === undefined) {
    return new RestFailure(`${origin} answered ${status}: ${WITHOUT_BODY.get(status) ?? 'without a message'}`, {
      status,
    });
  }
  const many = Array.isArray(issues) ? issues.filter(isObject).map(toField) : [];
  const { param } = own;
  const one = typeof param === 'string' ? [{ param, message: withoutField(text, param) }] : [];
  const code = typeof errorCode === 'string' ? errorCode : '';
  return new RestFailure(text, { status, code, fields: many.length > 0 ? many : one });
}

const toField = ({ param, message }: Readonly<Record<string, unknown>>): FailedField => ({
  param: String(param ?? ''),
  message: String(message ?? ''),
});

/** The message of one field begins with it. */
function withoutField(message: string, param: string): string {
  const start = ['body', 'query'].map((where) => `${where} ${param}: `).find((prefix) => message.startsWith(prefix));
  return message.slice(start?.length ?? (message.startsWith(`${param}: `) ? param.length + 2 : 0));
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** One exchange played through the engine, with a clock that stands and ids that count. */
import { generateKeyPairSync } from 'node:crypto';
import { PROVIDER_CATALOGUE, secretFieldsOf } from '@gatehouse/crds/providers';
import { expect } from 'vitest';
import { Cancellation } from '../../../gateway/src/lib/cancellation.ts';
import type {
  AnswerHead,
  Call,
  Endpoint,
  EndpointId,
  OutgoingRequest,
  Provider,
  ProviderServices,
  SideAnswer,
  SideRequest,
  Upload,
} from '../../../gateway/src/providers/contract.ts';
import {
  buildModelsRequest,
  buildProxyRequest,
  buildRequest,
  createFields,
  type PreparedTarget,
  prepareTarget,
} from '../../../gateway/src/providers/engine/index.ts';
import { PROVIDERS } from '../../../gateway/src/providers/register.ts';
import type { Exchange } from './fixture.ts';

export const NOW_MS = 1_760_000_000_000;

export interface Session {
  readonly provider: Provider;
  readonly endpoint: Endpoint | undefined;
  readonly target: PreparedTarget;
  readonly call: Call;
  /** The client's body as it came: with white space that no serialiser here writes. */
  readonly rawBody: Buffer;
  /** Values that must not be seen anywhere but in requests to the upstream. */
  readonly secrets: readonly string[];
}

/** A fresh session: ids start again, so that two runs of one exchange can be compared. */
export function openSession(exchange: Exchange): Session {
  const provider = providerOf(exchange.provider);
  const values = fieldValues(exchange);
  const target = prepareTarget(
    provider,
    createFields(provider, values),
    exchange.custom_host === undefined ? {} : { customHost: exchange.custom_host },
  );
  const entry = PROVIDER_CATALOGUE.get(provider.id);
  const secretNames = entry === undefined ? [] : secretFieldsOf(entry);
  return {
    provider,
    endpoint: provider.endpoints[exchange.endpoint as EndpointId], // absent for listModels and proxy
    target,
    call: toCall(exchange, target),
    rawBody: Buffer.from(JSON.stringify(exchange.client_request, null, ' ')),
    secrets: secretNames.flatMap((name) => values.get(name) ?? []),
  };
}

/** Settings and secrets of the account. */
export const fieldValues = ({ fields }: Exchange): Map<string, string> =>
  new Map(Object.entries(fields).map(([name, value]) => [name, value === MADE_KEY ? rsaPrivateKey() : value]));

/** Stands for a private key in a fixture. */
const MADE_KEY = '{rsa_private_key}';
let madeKey: string | undefined;

function rsaPrivateKey(): string {
  madeKey ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).privateKey;
  return madeKey;
}

export function providerOf(id: string): Provider {
  const provider = PROVIDERS.get(id);
  if (provider === undefined) throw new Error(`no provider ${id}`);
  return provider;
}

const toCall = (exchange: Exchange, target: PreparedTarget): Call => new FixtureCall(exchange, target);

/** Knows no more than the call of a request does: its functions need it as their receiver. */
class FixtureCall implements Call {
  readonly #exchange: Exchange;
  #ids = 0;
  readonly provider: string;
  readonly ownIdentity = true;
  readonly operation: string;
  readonly endpoint: Call['endpoint'];
  readonly model: string;
  readonly strict: boolean;
  readonly stream: boolean;
  readonly params: Exchange['client_request'];
  readonly fields: Call['fields'];
  readonly query: string;

  constructor(exchange: Exchange, target: PreparedTarget) {
    const { model } = exchange.client_request;
    this.#exchange = exchange;
    this.provider = target.provider.id;
    this.operation = exchange.endpoint;
    this.endpoint = exchange.endpoint as Call['endpoint']; // checked by the engine, which refuses what it does not know
    this.model = typeof model === 'string' ? model : '';
    this.strict = exchange.strict;
    this.stream = exchange.stream;
    this.params = exchange.client_request;
    this.fields = target.fields;
    this.query = exchange.query;
  }

  get path(): string {
    return this.#exchange.path;
  }

  get route(): Call['route'] {
    return this.#exchange.route;
  }

  header(name: string): string | undefined {
    return this.#exchange.client_headers[name];
  }

  /** Without a receiver, as that of the call of a request. */
  readonly newId = (prefix: string, length: number): string => {
    this.#ids += 1;
    return prefix + String(this.#ids).padStart(length, '0');
  };

  now(): number {
    void this.#exchange;
    return NOW_MS;
  }
}

/** The request that goes out; throws what the engine throws. */
export async function buildOutgoing(exchange: Exchange, session: Session, upload?: Upload): Promise<OutgoingRequest> {
  const { target, call, rawBody } = session;
  const sideCalls = [...exchange.side_calls];
  const context = {
    forwarded: exchange.forwarded,
    services: servicesOf(exchange, sideCalls, session.secrets),
    signal: new Cancellation(),
  };
  const request = await build();
  expect(sideCalls, 'every side call was made').toEqual([]);
  return request;

  function build(): OutgoingRequest | Promise<OutgoingRequest> {
    if (exchange.endpoint === 'listModels') {
      return buildModelsRequest(target, call, {
        ...context,
        ...(exchange.page === undefined ? {} : { page: exchange.page }),
      });
    }
    if (exchange.endpoint === 'proxy') {
      const body = Object.keys(exchange.client_request).length === 0 ? undefined : rawBody;
      return buildProxyRequest(target, call, {
        ...context,
        method: exchange.method,
        headers: exchange.client_headers,
        body,
      });
    }
    return buildRequest(target, call, { ...context, rawBody, upload });
  }
}

function servicesOf(
  exchange: Exchange,
  sideCalls: Exchange['side_calls'],
  secrets: readonly string[],
): ProviderServices {
  return {
    async fetch(request) {
      const next = sideCalls.shift();
      if (next === undefined) throw new Error(`an unexpected side call to ${request.url}`);
      expectSideRequest(request, next.request);
      return toSideAnswer(next.response);
    },
    async cached(key, make) {
      for (const secret of secrets) expect(key, 'secrets in cache keys are hashed').not.toContain(secret);
      return (await make()).value;
    },
    env: (name) => exchange.env[name],
    now: () => NOW_MS,
  };
}

type SideCall = Exchange['side_calls'][number];

function expectSideRequest(request: SideRequest, want: SideCall['request']): void {
  expect(request).toMatchObject({ method: want.method, url: want.url });
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  expect(Object.fromEntries(headers)).toMatchObject(want.headers);
  if (typeof want.body === 'string') expect(request.body).toBe(want.body);
  else if (want.body !== undefined) expect(JSON.parse(request.body ?? 'null')).toEqual(want.body);
}

function toSideAnswer(response: SideCall['response']): SideAnswer {
  return { status: response.status, headers: response.headers, body: bytesOf(response) };
}

/** The body of a response as bytes. */
export function bytesOf(response: { readonly body?: unknown; readonly text?: string | undefined }): Buffer {
  if (response.text !== undefined) return Buffer.from(response.text);
  return response.body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(response.body));
}

export const headOf = (response: {
  readonly status: number;
  readonly headers: Record<string, string>;
}): AnswerHead => ({
  status: response.status,
  headers: response.headers,
});

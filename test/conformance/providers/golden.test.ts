import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { OutgoingRequest } from '../../../gateway/src/providers/contract.ts';
import {
  modelListBody,
  openStream,
  providerErrorBody,
  readAnswer,
  readErrorFields,
  readModels,
} from '../../../gateway/src/providers/engine/index.ts';
import { type Exchange, type Fixture, readFixtures } from './fixture.ts';
import { buildOutgoing, bytesOf, headOf, openSession, type Session } from './session.ts';
import { cut, decode, relay, splitPoints, streamBytes, toPlainItem } from './streams.ts';

const SUCCESS: ReadonlySet<number> = new Set([200, 246]);

const fixtures = readFixtures();
const having = (...members: (keyof Exchange)[]): readonly Fixture[] =>
  fixtures.filter(({ exchange }) => members.every((member) => exchange[member] !== undefined));

const expectNoSecret = (session: Session, seen: unknown): void => {
  const text =
    typeof seen === 'string' ? seen : inspect(seen, { depth: 12, maxStringLength: Number.POSITIVE_INFINITY });
  for (const secret of session.secrets) expect(text, 'a secret shows').not.toContain(secret);
};

const isJsonObject = (body: Buffer | undefined): boolean => body?.[0] === 0x7b;

const isForm = ({ headers }: OutgoingRequest): boolean =>
  headers['content-type']?.startsWith('multipart/form-data') === true;

function plainRequest(request: OutgoingRequest, want: NonNullable<Exchange['upstream_request']>): unknown {
  const names = want.exact_headers ? Object.keys(request.headers) : Object.keys(want.headers);
  return {
    method: request.method,
    url: request.origin + request.path,
    ...(names.length === 0
      ? {}
      : { headers: Object.fromEntries(names.map((name) => [name, request.headers[name] ?? null])) }),
    ...(want.exact_headers ? { exact_headers: true } : {}),
    ...(request.body === undefined
      ? {}
      : {
          body: isForm(request)
            ? request.body.toString('latin1').replaceAll('\r\n', '\n')
            : JSON.parse(request.body.toString('utf8')),
        }),
  };
}

describe('the request', () => {
  test.for(having('upstream_request'))('of $name', async ({ exchange, golden }) => {
    const session = openSession(exchange);
    const request = await buildOutgoing(exchange, session);
    const want = exchange.upstream_request;
    if (want !== undefined) golden.check('upstream_request', plainRequest(request, want));
    if (session.endpoint?.request.kind === 'table' && isJsonObject(request.body)) {
      const unchanged = JSON.stringify(JSON.parse(String(request.body))) === JSON.stringify(exchange.client_request);
      expect(request.body?.equals(session.rawBody), 'an unchanged body goes out as it came').toBe(unchanged);
    }
    expectNoSecret(session, session.target);
    expectNoSecret(session, session.call);
  });
});

describe('the answer', () => {
  test.for(having('upstream_response', 'client_response'))('of $name', ({ exchange, golden }) => {
    const session = openSession(exchange);
    const answer = answerOf(exchange, session);
    golden.check('client_response', answer);
    expectNoSecret(session, answer);
  });
});

function answerOf(exchange: Exchange, session: Session): unknown {
  const { provider, endpoint, call } = session;
  const upstream = exchange.upstream_response;
  if (upstream === undefined) throw new Error('no upstream response');
  const bytes = bytesOf(upstream);
  const head = headOf(upstream);
  if (!SUCCESS.has(upstream.status)) {
    const fields = readErrorFields(provider, head, bytes);
    return { status: upstream.status, body: providerErrorBody(provider.id, fields) };
  }
  const { status } = upstream;
  if (exchange.endpoint === 'listModels') {
    const page = readModels(provider, call, { bytes, page: exchange.page });
    const next = page.next === undefined ? {} : { next: page.next };
    return { status, body: modelListBody(provider, page.data), ...next };
  }
  if (endpoint === undefined) throw new Error(`${provider.id} has no endpoint ${exchange.endpoint}`);
  const read = readAnswer(provider, endpoint, call, { head, bytes }).toString('utf8');
  return exchange.client_response?.text === undefined ? { status, body: JSON.parse(read) } : { status, text: read };
}

describe('the stream', () => {
  test.for(having('upstream_stream'))('of $name', ({ exchange, golden }) => {
    const bytes = streamBytes(exchange.upstream_stream ?? '');
    const items = Array.isArray(exchange.client_stream);
    const run = (pieces: readonly Buffer[]): unknown => {
      const { provider, endpoint, call } = openSession({ ...exchange, stream: true });
      const opened = endpoint && openStream(provider, endpoint, call, { items });
      if (opened === undefined) throw new Error('the endpoint does not stream');
      return opened.kind === 'relay' ? relay(opened, pieces) : decode(opened, pieces).map(toPlainItem);
    };
    const whole = run([bytes]);
    if (exchange.client_stream === undefined) expect(whole).toBe(bytes.toString('utf8'));
    else golden.check('client_stream', whole);
    const text = JSON.stringify(whole);
    for (const at of splitPoints(bytes.length)) {
      const split = JSON.stringify(run(cut(bytes, at)));
      if (split !== text) expect(JSON.parse(split), `cut at byte ${at}`).toEqual(whole);
    }
    expectNoSecret(openSession(exchange), whole);
  });
});

describe('the error', () => {
  test.for(having('client_error'))('of $name', async ({ exchange, golden }) => {
    const session = openSession(exchange);
    const fail = async (): Promise<unknown> => {
      const request = await buildOutgoing(exchange, session);
      return exchange.upstream_response === undefined ? request : answerOf(exchange, session);
    };
    const error: unknown = await fail().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    golden.check('client_error', error instanceof Error && 'code' in error ? error.code : error);
    expectNoSecret(session, error);
  });
});

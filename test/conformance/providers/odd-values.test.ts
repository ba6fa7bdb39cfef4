/** Values of another type than a body should have: they are read, left out or refused, and never break what reads them. */
import { describe, expect, test } from 'vitest';
import { openStream, readAnswer, readErrorFields, readModels } from '../../../gateway/src/providers/engine/index.ts';
import { type Exchange, readFixtures } from './fixture.ts';
import { buildOutgoing, bytesOf, headOf, openSession } from './session.ts';
import { decode, relay, streamBytes } from './streams.ts';

/** The object cannot be made a text or a number: `String` throws. */
const OBJECT = { toString: 0, valueOf: 0 };
const ODD: readonly unknown[] = [OBJECT, [OBJECT], 1e300, '\ud800'];
/** What an error of the code itself is, other than a refusal. */
const isOwnFault = (error: unknown): boolean =>
  [TypeError, RangeError, SyntaxError, URIError].some((kind) => error instanceof kind);

/** Copies with one value replaced, each with the place of it. */
function* variants(value: unknown, place = '$'): Generator<readonly [place: string, value: unknown]> {
  for (const odd of ODD) yield [`${place} = ${JSON.stringify(odd)}`, odd];
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries())
      for (const [inner, other] of variants(item, `${place}[${at}]`)) yield [inner, value.with(at, other)];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value))
      for (const [inner, other] of variants(member, `${place}.${name}`)) yield [inner, { ...value, [name]: other }];
  }
}

async function faultOf(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return isOwnFault(error) ? error : undefined;
  }
}

async function faultsOf(value: unknown, run: (value: unknown) => unknown): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [place, other] of variants(value)) {
    const fault = await faultOf(() => run(other));
    if (fault instanceof Error) faults.push(`${place}: ${fault.stack?.split('\n').slice(0, 2).join(' ')}`);
  }
  return faults;
}

const fixtures = readFixtures();
const having = (member: keyof Exchange) => fixtures.filter(({ exchange }) => exchange[member] !== undefined);

test.for(having('upstream_request'))('in the request of $name', async ({ exchange }) => {
  const faults = await faultsOf(exchange.client_request, (client_request) => {
    if (typeof client_request !== 'object' || client_request === null || Array.isArray(client_request)) return;
    const odd: Exchange = { ...exchange, client_request: { ...client_request } };
    return buildOutgoing(odd, openSession(odd));
  });
  expect(faults).toEqual([]);
});

describe('in the answer', () => {
  test.for(having('upstream_response'))('of $name', async ({ exchange }) => {
    const session = openSession(exchange);
    const { provider, endpoint, call } = session;
    const faults = await faultsOf(exchange.upstream_response?.body, (body) => {
      const upstream = { status: 200, headers: {}, ...exchange.upstream_response, body };
      const [head, bytes] = [headOf(upstream), bytesOf(upstream)];
      readErrorFields(provider, head, bytes);
      if (exchange.endpoint === 'listModels') return readModels(provider, call, { bytes, page: exchange.page });
      return endpoint && readAnswer(provider, endpoint, call, { head, bytes });
    });
    expect(faults).toEqual([]);
  });
});

const LINE = /^(?:data:)?\s*(\{.*\})\s*$/;

/** The stream with one event replaced. */
function* streamVariants(
  stream: NonNullable<Exchange['upstream_stream']>,
): Generator<readonly [string, typeof stream]> {
  if (typeof stream === 'string') {
    const lines = stream.split('\n');
    for (const [at, line] of lines.entries()) {
      const json = LINE.exec(line)?.[1];
      if (json === undefined) continue;
      for (const [place, other] of variants(JSON.parse(json)))
        yield [
          `line ${at} ${place}`,
          lines
            .with(
              at,
              line.replace(json, () => JSON.stringify(other)),
            )
            .join('\n'),
        ];
    }
    return;
  }
  for (const [at, message] of stream.entries()) {
    const name = 'chunk' in message ? 'chunk' : 'payload';
    for (const [place, other] of variants((message as Record<string, unknown>)[name]))
      yield [`message ${at} ${place}`, stream.with(at, { ...message, [name]: other } as typeof message)];
  }
}

test.for(having('upstream_stream'))('in the stream of $name', async ({ exchange }) => {
  const faults: string[] = [];
  for (const [place, stream] of streamVariants(exchange.upstream_stream ?? '')) {
    const fault = await faultOf(() => {
      const { provider, endpoint, call } = openSession({ ...exchange, stream: true });
      const opened = endpoint && openStream(provider, endpoint, call, { items: Array.isArray(exchange.client_stream) });
      if (opened?.kind === 'relay') relay(opened, [streamBytes(stream)]);
      else if (opened !== undefined) decode(opened, [streamBytes(stream)]);
    });
    if (fault instanceof Error) faults.push(`${place}: ${fault.stack?.split('\n').slice(0, 2).join(' ')}`);
  }
  expect(faults).toEqual([]);
});

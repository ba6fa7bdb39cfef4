/** Credentials in every place that clients fill in, looked for in everything that a gateway records. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../kit/otlp-receiver.ts';
import { type MemoryLog, memoryLog } from '../kit/request-log.ts';
import { guardrail, KEY, key, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

/** Of the account: hex, so that it would be a trace id, too. */
const SECRET = '5ec7e7a1b2c3d4e5f60718293a4b5c6d';
/** Of somebody else. */
const OTHER_KEY = 'gwk_other_fedcba9876543210fedcba98765432';
const CANARIES = [KEY, SECRET, OTHER_KEY];
const CHAT = '/v1/chat/completions';
const ACCOUNT = { 'x-gw-provider': '@openai' };

let collector: OtlpReceiver;
let log: MemoryLog;
let world: World;
beforeAll(async () => {
  collector = await startOtlpReceiver();
  log = memoryLog();
  world = await startWorld({
    requestLog: log,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '1',
      GATEHOUSE_LOG_REASONS: 'true',
    },
    entries: (mock) => [
      key({ scopes: ['completions.write', 'logs.write'] }),
      ...provider('openai', { customHost: `${mock.url}/v1`, secret: SECRET, proxyPaths: 'All' }),
      guardrail('watching', [{ id: 'default.contains', parameters: { words: ['x'], operator: 'none' } }], {
        mode: 'monitor',
      }),
    ],
  });
});
afterAll(async () => {
  try {
    await world[Symbol.asyncDispose]();
  } finally {
    await collector[Symbol.asyncDispose]();
  }
});

interface Sent {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** The places, as the request that has the text there. */
const PLACES: readonly (readonly [place: string, request: (text: string) => Sent])[] = [
  ['a value of the metadata', (text) => ({ headers: { 'x-gw-metadata': JSON.stringify({ said: `is ${text}` }) } })],
  [
    'a value of the metadata that is cut',
    (text) => ({ headers: { 'x-gw-metadata': JSON.stringify({ said: `${'x'.repeat(110)} ${text}` }) } }),
  ],
  ['a name of the metadata', (text) => ({ headers: { 'x-gw-metadata': JSON.stringify({ [text]: 'said' }) } })],
  ['an object in the metadata', (text) => ({ headers: { 'x-gw-metadata': JSON.stringify({ said: { is: text } }) } })],
  ['the user in the metadata', (text) => ({ headers: { 'x-gw-metadata': JSON.stringify({ _user: text }) } })],
  ['baggage', (text) => ({ headers: { baggage: `said=${text},${text}=said` } })],
  ['the trace id', (text) => ({ headers: { 'x-gw-trace-id': text } })],
  ['the span id', (text) => ({ headers: { 'x-gw-span-id': text } })],
  ['the id of the parent span', (text) => ({ headers: { 'x-gw-parent-span-id': text } })],
  ['the span name', (text) => ({ headers: { 'x-gw-span-name': `call ${text}` } })],
  ['a span name that is cut', (text) => ({ headers: { 'x-gw-span-name': `${'x'.repeat(240)} ${text}` } })],
  [
    'the state of a trace',
    (text) => ({
      headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: `v=${text}` },
    }),
  ],
  ['the model', (text) => ({ body: { model: text } })],
  ['the user', (text) => ({ body: { user: text } })],
  ['a user that is cut', (text) => ({ body: { user: `${'x'.repeat(110)} ${text}` } })],
  ['a message', (text) => ({ body: { messages: [{ role: 'user', content: `say ${text}` }] } })],
  ['a parameter', (text) => ({ body: { [text]: text } })],
  ['the path', (text) => ({ path: `/v1/models-of/${text}/chat` })],
  ['the query', (text) => ({ path: `${CHAT}?said=${text}` })],
  ['a header of another name', (text) => ({ headers: { 'x-said': text } })],
  ['a provider that is not known', (text) => ({ headers: { 'x-gw-provider': text } })],
  ['an account that is not known', (text) => ({ headers: { 'x-gw-provider': `@${text}` } })],
  ['a config that is not known', (text) => ({ headers: { 'x-gw-config': text } })],
  [
    'a name and the feedback of a guardrail',
    (text) => ({
      headers: {
        'x-gw-config': JSON.stringify({
          provider: '@openai',
          before_request_hooks: [
            {
              ...{ type: 'guardrail', id: text, deny: false },
              checks: [{ id: 'default.contains', parameters: { words: ['y'], operator: 'none' } }],
              on_success: { feedback: { value: 5, weight: 1, metadata: { said: text, [text]: 'said' } } },
            },
          ],
        }),
      },
    }),
  ],
];

/** A trace with an id that holds a credential is not exported. */
const IDS: ReadonlySet<string> = new Set(['the trace id', 'the span id', 'the id of the parent span']);
/** With these no target is tried, so that no secret of one is known. */
const WITHOUT_TARGET: ReadonlySet<string> = new Set(
  PLACES.map(([place]) => place).filter((it) => /not known/.test(it)),
);

const placesOf = (canary: string) => PLACES.filter(([place]) => canary !== SECRET || !WITHOUT_TARGET.has(place));

async function send({ path = CHAT, headers = {}, body = {} }: Sent): Promise<void> {
  const given = { model: 'mock-small', messages: [{ role: 'user', content: 'hello' }], ...body };
  await world.send(path, { headers: { ...ACCOUNT, ...headers }, body: given });
}

const counts = () => ({
  records: log.records.length,
  feedback: log.feedback.length,
  spans: collector.spans.length,
  lines: world.logs.length,
});
const NOTHING = { records: 0, feedback: 0, spans: 0, lines: 0 };

/** What came since, as text of each sink. */
function recorded(before: ReturnType<typeof counts>): Readonly<Record<string, string>> {
  const records = log.records.slice(before.records);
  const spans = collector.spans.slice(before.spans);
  return {
    rows: JSON.stringify(records.map(({ row }) => row)),
    documents: JSON.stringify(records.map(({ content }) => content)),
    feedback: JSON.stringify(log.feedback.slice(before.feedback)),
    spans: JSON.stringify(spans, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    lines: JSON.stringify(world.logs.slice(before.lines)),
  };
}

/** Where the text is in what came since, and how it is written there. */
const found = (text: string, before: ReturnType<typeof counts>) =>
  Object.entries(recorded(before)).flatMap(([sink, all]) => {
    const at = all.indexOf(text);
    return at < 0 ? [] : [`${sink}: ${all.slice(Math.max(0, at - 80), at + text.length)}`];
  });

describe.for(CANARIES)('%s in a request', (canary) => {
  test.for(placesOf(canary))('as %s', async ([place, request]) => {
    const before = counts();
    await send(request(canary));
    await waitFor(() => world.logs.slice(before.lines).some(({ msg }) => msg === 'Request finished'));
    if (!IDS.has(place)) await waitFor(() => collector.spans.length > before.spans, { what: 'its spans' });
    expect(found(canary, before)).toEqual([]);
    expect(found(canary.slice(0, 14), before)).toEqual([]); // a text that is cut may end in the middle of it
  });
});

describe.for(CANARIES)('%s in a record of a client', (canary) => {
  const request = { url: `https://vendor.test/v1/chat/completions/${canary}`, provider: '@openai' };
  test.for<[place: string, entry: object]>([
    ['the URL', { request }],
    ['the body', { request: { ...request, body: { model: canary, messages: [{ role: 'user', content: canary }] } } }],
    ['a header', { request: { ...request, headers: { 'x-said': canary } } }],
    ['an answer', { request, response: { body: { model: canary, said: canary }, headers: { 'x-said': canary } } }],
    ['ids', { request, trace_id: canary, span_id: canary, parent_span_id: canary, span_name: canary }],
    ['metadata', { request, metadata: { said: `${'x'.repeat(110)} ${canary}`, [canary]: 'name', _user: canary } }],
  ])('as %s', async ([, entry]) => {
    const before = counts();
    const { status } = await world.send('/v1/logs', { body: [entry] });
    expect(status).toBe(200);
    await waitFor(() => log.records.length > before.records, { what: 'its row' });
    expect(found(canary, before)).toEqual([]);
    expect(found(canary.slice(0, 14), before)).toEqual([]);
  });
});

test('there is something of every kind in which they were looked for', () => {
  const all = recorded(NOTHING);
  for (const sink of ['rows', 'documents', 'feedback', 'spans', 'lines']) expect(all[sink]).toContain('[redacted]');
});

/** Every strategy with every protocol and every outcome of guardrails, over sockets: docs/behaviour/guardrails.md#outcomes. */
import type { RequestRecord } from '@gatehouse/gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { guardrail, price } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const NOT_STRICT = { 'x-gw-strict-open-ai-compliance': 'false' };
const FIRST = 'mock-small';
const SECOND = 'mock-large';
const USD = { usdPerMillionTokens: { request: '1', response: '2' } };

interface Protocol {
  readonly name: string;
  readonly path: string;
  readonly provider?: string;
  body(text: string): object;
  readonly stream?: true;
}

const CHAT = { path: '/v1/chat/completions', body: (content: string) => ({ messages: [{ role: 'user', content }] }) };
const MESSAGES = {
  path: '/v1/messages',
  provider: 'anthropic',
  body: (content: string) => ({ max_tokens: 100, messages: [{ role: 'user', content }] }),
};
const ADAPTED: Omit<Protocol, 'name'> = { path: MESSAGES.path, body: MESSAGES.body };
const RESPONSES = { path: '/v1/responses', body: (input: string) => ({ input }) };
const ADAPTED_RESPONSES = { ...RESPONSES, provider: 'anthropic' };
const EMBEDDINGS: Protocol = { name: 'embeddings', path: '/v1/embeddings', body: (input) => ({ input }) };

const PROTOCOLS: readonly Protocol[] = [
  { name: 'chat', ...CHAT },
  { name: 'completions', path: '/v1/completions', body: (prompt) => ({ prompt }) },
  { name: 'messages', ...MESSAGES },
  { name: 'messages over chat', ...ADAPTED },
  { name: 'responses', ...RESPONSES },
  { name: 'responses over chat', ...ADAPTED_RESPONSES },
  EMBEDDINGS,
  { name: 'chat stream', ...CHAT, stream: true },
  { name: 'messages stream', ...MESSAGES, stream: true },
  { name: 'messages over chat stream', ...ADAPTED, stream: true },
  { name: 'responses stream', ...RESPONSES, stream: true },
  { name: 'responses over chat stream', ...ADAPTED_RESPONSES, stream: true },
];

const OUTCOMES = ['input denied', 'output denied', 'softly denied', 'failed', 'changed'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** Hooks of the first target. Streams are held, so that all outcomes are possible. */
const HOOKS: Readonly<Record<Outcome, object>> = {
  'input denied': { input_guardrails: ['no-secret'] },
  'output denied': { output_guardrails: ['no-secret'] },
  'softly denied': { output_guardrails: ['softly'] },
  failed: { output_guardrails: ['marks'] },
  changed: { input_guardrails: ['changes'] },
};

const noSecret = (slug: string, over: object = {}) =>
  guardrail(slug, [{ id: 'default.contains', parameters: { words: ['SECRET'], operator: 'none' } }], {
    buffer: true,
    ...over,
  });
const GUARDRAILS = [
  noSecret('no-secret'),
  noSecret('softly', { softDeny200: true, message: 'Not for you' }),
  noSecret('marks', { deny: false }),
  guardrail('changes', [{ id: 'default.regexReplace', parameters: { rule: 'SECRET', redactText: 'public' } }], {
    type: 'mutator',
    deny: false,
  }),
];

interface Want {
  readonly status: number;
  /** Models that were asked. */
  readonly calls: readonly string[];
  /** Where the client finds what hooks came to. */
  readonly results: 'none' | 'before' | 'after';
}

type Strategy = 'single' | 'fallback' | 'loadbalance' | 'conditional' | 'retry';

const STRATEGIES: Readonly<Record<Strategy, (first: object, second: object) => object>> = {
  single: (first) => first,
  fallback: (first, second) => ({
    strategy: { mode: 'fallback', on_status_codes: [246, 446] },
    targets: [first, second],
  }),
  loadbalance: (first, second) => ({
    strategy: { mode: 'loadbalance' },
    targets: [
      { ...first, weight: 1 },
      { ...second, weight: 0 },
    ],
  }),
  conditional: (first, second) => ({
    strategy: {
      mode: 'conditional',
      // biome-ignore lint/suspicious/noThenProperty: the name is the wire contract
      conditions: [{ query: { 'metadata.tier': { $eq: 'b' } }, then: 'second' }],
      default: 'first',
    },
    targets: [
      { ...first, name: 'first' },
      { ...second, name: 'second' },
    ],
  }),
  retry: (first) => ({ ...first, retry: { attempts: 1, on_status_codes: [246, 446] } }),
};

/** What one call of the first target comes to. */
const ONCE: Readonly<Record<Outcome, Want>> = {
  'input denied': { status: 446, calls: [], results: 'before' },
  'output denied': { status: 446, calls: [FIRST], results: 'after' },
  'softly denied': { status: 200, calls: [FIRST], results: 'after' },
  failed: { status: 246, calls: [FIRST], results: 'after' },
  changed: { status: 200, calls: [FIRST], results: 'before' },
};

/** Answers of embeddings are not looked at, and their requests are not changed. */
const EMBEDDED: Want = { status: 200, calls: [FIRST], results: 'none' };

function wanted(strategy: Strategy, protocol: Protocol, outcome: Outcome): Want {
  const once = protocol === EMBEDDINGS && outcome !== 'input denied' ? EMBEDDED : ONCE[outcome];
  if (once === EMBEDDED || outcome === 'changed') return once;
  // The second target has no hooks.
  if (strategy === 'fallback') return { status: 200, calls: [...once.calls, SECOND], results: 'none' };
  return strategy === 'retry' ? { ...once, calls: [...once.calls, ...once.calls] } : once;
}

const records: RequestRecord[] = [];
let cases = 0;
let world: World;

beforeAll(async () => {
  world = await startWorld({
    sinks: [{ name: 'test', readsUsage: true, record: (record) => void records.push(record) }],
    entries: () => [
      ...GUARDRAILS,
      ...[FIRST, SECOND].flatMap((model) => [price(model, USD), price(model, { ...USD, provider: 'anthropic' })]),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

async function ask({ path, provider = 'openai', body, stream }: Protocol, config: object) {
  const id = `case-${1_000 + ++cases}`; // as long as all others, so that all cost the same
  const answer = await world.send(path, {
    headers: {
      ...NOT_STRICT,
      'x-gw-config': JSON.stringify({ provider: `@${provider}`, ...config }),
      'x-gw-trace-id': id,
    },
    body: { model: FIRST, ...body(`my SECRET plan ${id}`), ...(stream === undefined ? {} : { stream }) },
  });
  const recordOf = () => records.find(({ request }) => request.trace.traceId === id);
  await waitFor(() => recordOf() !== undefined, { what: 'the record of the request' });
  const bodies = world.mock.requests.map(({ body }) => body.toString('utf8'));
  const calls = bodies.filter((text) => text.includes(id)).map((text) => JSON.parse(text));
  const record = recordOf();
  const nanoDollars = record?.attempts.reduce((sum, { cost }) => sum + (cost?.nanoDollars ?? 0), 0) ?? 0;
  return { answer, calls, nanoDollars };
}

type Sent = Awaited<ReturnType<typeof ask>>['answer'];

/** The results in an answer, and whether they are where the protocol has them. */
function resultsIn(answer: Sent): { readonly before: number; readonly after: number } {
  const isStream = String(answer.headers['content-type']).startsWith('text/event-stream');
  const found = isStream
    ? [...answer.text.matchAll(/^data: (\{.*"hook_results".*\})$/gm)].map(([, json = '']) => JSON.parse(json))
    : [answer.json()];
  const count = (name: string): number =>
    found.reduce((sum: number, one) => sum + (one.hook_results?.[name]?.length ?? 0), 0);
  return { before: count('before_request_hooks'), after: count('after_request_hooks') };
}

/** Where in the events of a stream the results are. */
function placeOfResults(answer: Sent, results: Want['results']): string {
  const events = answer.text.split('\n\n').filter((event) => event !== '');
  const at = events.findIndex((event) => event.includes('"hook_results"'));
  if (results === 'none') return at < 0 ? 'right' : 'wrong';
  const isFirst = results === 'before' && !answer.text.includes('response.created');
  return at === (isFirst ? 0 : events.length - 1) ? 'right' : `${at} of ${events.length}`;
}

const targetsOf = (hooks: object, { provider = 'openai' }: Protocol): readonly [object, object] => [
  { provider: `@${provider}`, override_params: { model: FIRST }, ...hooks },
  { provider: `@${provider}`, override_params: { model: SECOND } },
];

const STRATEGY_NAMES = Object.keys(STRATEGIES) as Strategy[]; // keys of the table

describe.for(PROTOCOLS)('$name', (protocol) => {
  let price = 0;
  beforeAll(async () => {
    price = (await ask(protocol, { override_params: { model: FIRST } })).nanoDollars;
  });

  test('costs something', () => expect(price).toBeGreaterThan(0));

  test.concurrent.for(STRATEGY_NAMES.flatMap((strategy) => OUTCOMES.map((outcome) => ({ strategy, outcome }))))(
    '$strategy: $outcome',
    async ({ strategy, outcome }, { expect }) => {
      const want = wanted(strategy, protocol, outcome);
      const [first, second] = targetsOf(HOOKS[outcome], protocol);
      const { answer, calls, nanoDollars } = await ask(protocol, STRATEGIES[strategy](first, second));
      expect([answer.status, calls.map(({ model }) => model)]).toEqual([want.status, want.calls]);

      const { before, after } = resultsIn(answer);
      expect([before > 0, after > 0]).toEqual([want.results === 'before', want.results === 'after']);
      const isStream = protocol.stream === true && want.status !== 446;
      expect(String(answer.headers['content-type'])).toContain(isStream ? 'text/event-stream' : 'application/json');
      if (isStream) expect(placeOfResults(answer, want.results)).toBe('right');

      const isTextChanged = outcome === 'changed' && protocol !== EMBEDDINGS;
      for (const call of calls) expect(JSON.stringify(call).includes('SECRET')).toBe(!isTextChanged);
      const isWithheld = want.status === 446 || (outcome === 'softly denied' && want.results === 'after');
      expect(answer.text.includes('Mock')).toBe(!isWithheld && protocol !== EMBEDDINGS);
      if (!isTextChanged) expect(nanoDollars).toBe(price * want.calls.length); // nothing is free because it was withheld
    },
  );
});

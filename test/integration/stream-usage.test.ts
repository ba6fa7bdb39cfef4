/** A sink learns the usage of a stream whose client did not ask for it, and the client notices nothing. */
import type { RequestRecord, Sink } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { startGateway } from '../kit/gateway.ts';
import { type RawReply, startRawUpstream } from '../kit/raw-upstream.ts';
import { config, key, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const TEXTS = ['Grüße ', '☃, it says \\"usage\\":null', ''];
const USAGE = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };

/** The events of an OpenAI-like stream, as vendors send them with and without `include_usage`. */
function eventsOf(asked: boolean): string {
  const none = asked ? ',"usage":null' : '';
  const chunks = TEXTS.map(
    (text, at) =>
      `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m-2025","choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":${at === 2 ? '"stop"' : 'null'}}]${none}}\n\n`,
  );
  const totals = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m-2025","choices":[],"usage":${JSON.stringify(USAGE)}}\n\n`;
  return `${chunks.join('')}${asked ? totals : ''}data: [DONE]\n\n`;
}

/** Answers every call with a stream, in pieces that end inside of events and characters. */
async function startVendor() {
  const bodies: Record<string, unknown>[] = [];
  const upstream = await startRawUpstream(async (reply: RawReply) => {
    const body = JSON.parse((await reply.request.body).toString());
    bodies.push(body);
    const bytes = Buffer.from(eventsOf(body.stream_options?.include_usage === true || body.usage?.include === true));
    await reply.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
    for (let at = 0; at < bytes.length; at += 37) await reply.chunk(bytes.subarray(at, at + 37));
    await reply.chunk('');
  });
  return { upstream, bodies };
}

const ASK = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] };

interface Run {
  /** Whether the sink asks for usage. */
  readonly needs: boolean;
  readonly vendor: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly cache?: boolean;
  readonly calls?: number;
}

async function run({ needs, vendor, headers = {}, body = ASK, cache = false, calls = 1 }: Run) {
  const records: RequestRecord[] = [];
  const sink: Sink = {
    name: 'test',
    readsUsage: true,
    needsStreamUsage: () => needs,
    record: (record) => void records.push(record),
  };
  const { upstream, bodies } = await startVendor();
  await using _vendor = upstream;
  await using world = await startGateway({
    sinks: [sink],
    entries: [
      workspace(),
      key({ config: 'c' }),
      config('c', { provider: '@vendor', ...(cache ? { cache: { mode: 'simple' } } : {}) }),
      ...provider('vendor', { provider: vendor, customHost: `${upstream.url}/v1` }),
    ],
  });
  const answers = [];
  for (let call = 0; call < calls; call += 1) {
    answers.push(await world.send('/v1/chat/completions', { headers, body }));
    await waitFor(() => records.length === call + 1);
  }
  return { answers, records, bodies, text: answers[0]?.text ?? '' };
}

const RELAXED = { 'x-gw-strict-open-ai-compliance': 'false' };

describe('a stream whose client did not ask for usage', () => {
  test.for<{ rule: string; vendor: string; headers?: Record<string, string> }>([
    { rule: 'relayed', vendor: 'openai' },
    { rule: 'relayed with the provider on each chunk', vendor: 'groq' },
    { rule: 'decoded for a client that is not strict', vendor: 'groq', headers: RELAXED },
    { rule: 'decoded by a dialect', vendor: 'deepseek' },
    { rule: 'of a vendor that is asked in another way', vendor: 'openrouter' },
  ])('is asked for it for a sink, and is the same to the client: $rule', async ({ vendor, headers = {} }) => {
    const plain = await run({ needs: false, vendor, headers });
    const asked = await run({ needs: true, vendor, headers });
    expect(plain.text).toContain('☃');
    expect(asked.text).toBe(plain.text);
    expect(plain.bodies[0]).not.toHaveProperty('stream_options');
    expect(plain.records[0]?.answeredBy?.cost?.estimated).toBe(true);
    expect(asked.records[0]?.answeredBy).toMatchObject({
      usage: { input: 5, output: 7, total: 12 },
      answeredModel: 'm-2025',
    });
  });

  test.for(['openai', 'groq', 'deepseek'])('gets its usage when it asks itself: %s', async (vendor) => {
    const body = { ...ASK, stream_options: { include_usage: true } };
    const plain = await run({ needs: false, vendor, body });
    const asked = await run({ needs: true, vendor, body });
    expect(plain.text).toContain('"completion_tokens":7');
    expect(asked.text).toBe(plain.text);
    expect(asked.bodies).toEqual(plain.bodies);
    expect(asked.records[0]?.answeredBy?.usage).toMatchObject({ input: 5, output: 7 });
  });

  test('comes from the cache as it came from the vendor', async () => {
    const { answers, bodies, records } = await run({ needs: true, vendor: 'openai', cache: true, calls: 2 });
    expect(answers.map(({ headers }) => headers['x-gw-cache-status'])).toEqual(['MISS', 'HIT']);
    expect(bodies).toHaveLength(1);
    for (const { text } of answers) expect(text).not.toContain('prompt_tokens');
    expect(records.map(({ answeredBy }) => answeredBy?.usage?.output)).toEqual([7, undefined]);
  });

  test('leaves a whole answer alone', async () => {
    const { bodies } = await run({ needs: true, vendor: 'openai', body: { ...ASK, stream: false } });
    expect(bodies[0]).not.toHaveProperty('stream_options');
  });
});

/** Parts of messages that the format of a provider cannot say are refused with their place, and never left out. */
import { describe, expect, test } from 'vitest';
import type { AppError } from '../../../gateway/src/errors/index.ts';
import { type Exchange, readFixtures } from './fixture.ts';
import { buildOutgoing, openSession } from './session.ts';

interface Part {
  readonly rule: string;
  readonly part: unknown;
  /** Beginnings of the names of cases whose format has it, or whose provider judges it itself. */
  readonly takenBy?: readonly string[];
}

const PARTS: readonly Part[] = [
  { rule: 'of an unknown type', part: { type: 'texxt', text: 'sk-quoted' } },
  { rule: 'without a type', part: { text: 'sk-quoted' } },
  { rule: 'that is no object', part: 'sk-quoted' },
  { rule: 'of text without text', part: { type: 'text', txt: 'sk-quoted' } },
  { rule: 'of an image without an address', part: { type: 'image_url' } },
  {
    rule: 'of an image with something else for an address',
    part: { type: 'image_url', image_url: { url: 'not an address sk-quoted' } },
    takenBy: ['cohere'],
  },
  {
    rule: 'of an image in a data URL that is not base64',
    part: { type: 'image_url', image_url: { url: 'data:image/svg+xml,%3Csvg%3E' } },
    takenBy: ['cohere'],
  },
  { rule: 'of a file without content', part: { type: 'file', file: { filename: 'a.pdf' } } },
  {
    rule: 'of audio',
    part: { type: 'input_audio', input_audio: { data: 'AA', format: 'mp3' } },
    takenBy: ['google', 'oracle', 'vertex-ai chatComplete gemini', 'vertex-ai chatComplete google.gemini'],
  },
  { rule: 'of video', part: { type: 'video_url', video_url: { url: 'https://x.example/a.mp4' } } },
];

const BLOCKS: readonly Part[] = [
  { rule: 'of an unknown type', part: { type: 'texxt', text: 'sk-quoted' } },
  { rule: 'that is no object', part: 'sk-quoted' },
  { rule: 'of an image without a source', part: { type: 'image' } },
  { rule: 'of an uploaded file', part: { type: 'document', source: { type: 'file', file_id: 'file_1' } } },
  { rule: 'of search results', part: { type: 'search_result', source: 'x', title: 'x', content: [] } },
];

const SAID = { role: 'user', content: 'Hi' };

/** Exchanges of writers, one of each provider, endpoint and model. Native bodies are relayed as they are. */
const CASES: readonly (readonly [name: string, exchange: Exchange])[] = [
  ...new Map(
    readFixtures()
      .map(({ exchange }) => exchange)
      .filter((exchange) => exchange.side_calls.length === 0 && exchange.upstream_request !== undefined)
      .filter((exchange) => isWritten(exchange))
      .map((exchange) => {
        const name = `${exchange.provider} ${exchange.endpoint} ${exchange.client_request['model']}`;
        return [name, [name, exchange] as const] as const;
      }),
  ).values(),
];

function isWritten(exchange: Exchange): boolean {
  const { provider, endpoint, upstream_request } = exchange;
  if (!['chatComplete', 'messages'].includes(endpoint)) return false;
  if (openSession(exchange).endpoint?.request.kind !== 'write') return false;
  if (endpoint === 'messages') return upstream_request?.url.includes('/converse') === true;
  // The families of the OpenAI format behind a writer get the parts as they are.
  const url = upstream_request?.url ?? '';
  if (provider === 'ai21') return !url.endsWith('/chat/completions');
  return (
    !['vertex-ai', 'azure-ai'].includes(provider) ||
    /generateContent|publishers.anthropic|anthropic.*messages/i.test(url)
  );
}

async function refusalOf(exchange: Exchange, content: unknown, role = 'user'): Promise<AppError | 'sent'> {
  const messages = [SAID, { role, content, ...(role === 'tool' ? { tool_call_id: 'call_1' } : {}) }];
  const having = { ...exchange, client_request: { ...exchange.client_request, messages }, stream: false };
  return buildOutgoing(having, openSession(having)).then(
    () => 'sent' as const,
    (error: AppError) => error,
  );
}

describe.for(CASES)('%s', ([name, exchange]) => {
  const parts = exchange.endpoint === 'messages' ? BLOCKS : PARTS;
  const good = { type: 'text', text: 'Look:' };

  test.for(parts)('refuses a part $rule', async ({ part, takenBy = [] }) => {
    if (takenBy.some((known) => name.startsWith(known))) {
      expect(await refusalOf(exchange, [good, part])).toBe('sent');
      return;
    }
    const place = typeof part === 'string' ? 'messages[1].content' : 'messages[1].content[1]';
    for (const role of exchange.endpoint === 'messages' ? ['user'] : ['user', 'system', 'tool']) {
      const refusal = await refusalOf(exchange, [good, part], role);
      expect(refusal, role).toMatchObject({ code: 'CONTENT_UNSUPPORTED', param: place, provider: exchange.provider });
      expect(String(refusal)).toContain(place);
      expect(String(refusal)).not.toContain('sk-quoted');
    }
  });

  test('takes texts', async () => {
    expect(await refusalOf(exchange, [good, { type: 'text', text: '' }])).toBe('sent');
  });
});

test('the formats of all writers are looked at', () => {
  const providers = new Set(CASES.map(([, { provider }]) => provider));
  expect([...providers].sort()).toEqual([
    ...['ai21', 'anthropic', 'azure-ai', 'bedrock', 'bytez', 'cohere', 'google', 'oracle'],
    ...['palm', 'reka-ai', 'vertex-ai', 'workers-ai'],
  ]);
});

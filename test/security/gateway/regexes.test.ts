/** Patterns of callers: neither compiling nor running them may block the process. */
import { describe, expect, test } from 'vitest';
import { costliestTurnMs } from '../../kit/event-loop.ts';
import { startWorld, type World } from '../../kit/gateway.ts';
import { send } from '../../kit/http.ts';

const MIB = 1024 * 1024;

/** Sends what has no pattern to `@openai` and what the pattern finds to `@anthropic`. */
const routed = (patterns: readonly string[]): string =>
  JSON.stringify({
    strategy: {
      mode: 'conditional',
      // biome-ignore lint/suspicious/noThenProperty: the name is the wire contract
      conditions: patterns.map((pattern) => ({ query: { 'params.user': { $regex: pattern } }, then: 'found' })),
      default: 'rest',
    },
    targets: [
      { name: 'found', provider: '@anthropic', override_params: { max_tokens: 5 } },
      { name: 'rest', provider: '@openai' },
    ],
  });

const ask = (world: World, config: string, user: string) =>
  world.send('/v1/chat/completions', {
    headers: { 'x-gw-config': config },
    body: { model: 'm', user, messages: [{ role: 'user', content: 'hi' }] },
  });

/** Others are served while the work runs: no turn of the event loop belongs to it for long. */
async function expectServedDuring(world: World, work: Promise<unknown>): Promise<void> {
  const turn = costliestTurnMs(work);
  expect((await send(`${world.url}/v1/health`)).status).toBe(200);
  expect(await turn).toBeLessThan(1_000);
}

/** No two stretches of it are the same for long. */
function randomText(length: number): string {
  let bits = 1;
  return Array.from({ length }, () => {
    bits = (bits * 1_103_515_245 + 12_345) % 2_147_483_648;
    return bits > 1_073_741_824 ? 'a' : 'b';
  }).join('');
}

const FOLDED_ONCE = '(?i)[\\x{100}-\\x{10ffff}]';
const FOLDED = `(?i)${'[\\x{100}-\\x{10ffff}]'.repeat(45)}`;

describe('a pattern of a caller', () => {
  test.for([
    { rule: 'hundreds with large repeats', patterns: Array.from({ length: 500 }, () => 'a{1000}') },
    { rule: 'hundreds that are large together', patterns: Array.from({ length: 400 }, () => 'a{90}') },
    { rule: 'repeats of repeats', patterns: ['((a{10}){10}){10}'] },
    { rule: 'one that is large in each part', patterns: ['(?:a{900}|b{900})'] },
    {
      rule: 'classes of all cases of all characters',
      patterns: Array.from({ length: 8 }, (_, at) => `${FOLDED}${at}`),
    },
    { rule: 'one such class in each of many', patterns: Array.from({ length: 80 }, (_, at) => `${FOLDED_ONCE}${at}`) },
    { rule: 'repeats of classes of Unicode', patterns: ['^(?i)\\pL{950}'] },
  ])('is refused before it is compiled: $rule', async ({ patterns }) => {
    await using world = await startWorld();
    const asking = ask(world, routed(patterns), 'x');
    await expectServedDuring(world, asking);
    const answer = await asking;
    expect([answer.status, answer.json().error.code]).toEqual([400, 'config_invalid']);
    expect(answer.json().error.param).toMatch(/^x-gw-config\.strategy\.conditions\[\d+\]\.query/);
  });

  test.for([
    { pattern: '(.*a){100}$', text: 'a'.repeat(MIB), provider: 'anthropic' },
    { pattern: '(.*a){100}$', text: `${'a'.repeat(MIB - 1)}b`, provider: 'openai' },
    { pattern: '^(a+)+$', text: `${'a'.repeat(MIB - 1)}!`, provider: 'openai' },
    { pattern: '(?i)urgent|asap', text: `${randomText(MIB)} URGENT`, provider: 'anthropic' },
  ])('$pattern decides on 1 MiB, and others are served meanwhile', async ({ pattern, text, provider }) => {
    await using world = await startWorld();
    const asking = ask(world, routed([pattern]), text);
    await expectServedDuring(world, asking);
    const answer = await asking;
    expect([answer.status, answer.headers['x-gw-provider']]).toEqual([200, provider]);
  });

  test('that needs too much work on a text gets 400, and others are served meanwhile', async () => {
    await using world = await startWorld();
    const asking = Promise.all(
      Array.from({ length: 5 }, () =>
        ask(world, routed(['[ab]a[ab]{60}[^ab]', '[ab]b[ab]{60}[^ab]']), randomText(MIB)),
      ),
    );
    await expectServedDuring(world, asking);
    for (const answer of await asking) {
      expect([answer.status, answer.json().error.code]).toEqual([400, 'condition_too_costly']);
    }
    expect(world.mock.requests).toEqual([]);
  });

  test('still routes by common patterns', async () => {
    await using world = await startWorld();
    const config = routed(['^team-[a-z]+@example\\.com$', '(?i)^vip']);
    expect((await ask(world, config, 'VIP-1')).headers['x-gw-provider']).toBe('anthropic');
    expect((await ask(world, config, 'team-a@example.com')).headers['x-gw-provider']).toBe('anthropic');
    expect((await ask(world, config, 'somebody')).headers['x-gw-provider']).toBe('openai');
  });
});

import { describe, expect, test } from 'vitest';
import { unlimitedAccount } from '../../../lib/testing.ts';
import { PROVIDERS } from '../../../providers/register.ts';
import { BodyRelay } from '../../../upstream/index.ts';
import { isOverloaded } from './overload.ts';

const anthropic = PROVIDERS.get('anthropic');
const openai = PROVIDERS.get('openai');
if (anthropic === undefined || openai === undefined) throw new Error('no provider');

const PING = 'event: ping\ndata: {"type":"ping"}\n\n';
const OVERLOADED =
  'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
const OTHER = 'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"No"}}\n\n';
const START = 'event: message_start\ndata: {"type":"message_start","message":{}}\n\n';

/** A response whose pieces come one after the other. */
function respond(pieces: readonly string[], ends = true) {
  const body = new BodyRelay({ pause: () => {}, resume: () => {}, abort: () => {} });
  void (async () => {
    for (const piece of pieces) {
      body.push(Buffer.from(piece));
      await Promise.resolve();
    }
    if (ends) body.finish();
  })();
  return { response: { status: 200, headers: {}, body } };
}

describe('a stream begins with an overload', () => {
  test.for<{ rule: string; pieces: string[]; want: boolean }>([
    { rule: 'when its first event says so', pieces: [OVERLOADED, START], want: true },
    { rule: 'behind pings', pieces: [PING, PING, OVERLOADED], want: true },
    { rule: 'split anywhere', pieces: [...(PING + OVERLOADED)], want: true },
    { rule: 'not when another event comes first', pieces: [START, OVERLOADED], want: false },
    { rule: 'not for another error', pieces: [OTHER], want: false },
    { rule: 'not when it ends before it has said anything', pieces: [PING], want: false },
    { rule: 'not when it is empty', pieces: [], want: false },
    { rule: 'not when pings are all that can be held', pieces: [PING.repeat(3_000)], want: false },
  ])('$rule: $want', async ({ pieces, want }) => {
    const { response } = respond(pieces);
    expect(await isOverloaded(anthropic, response.body)).toBe(want);
    if (!want) expect((await response.body.collect(1_000_000, unlimitedAccount())).toString()).toBe(pieces.join(''));
  });

  test('never for a provider that has no such event', async () => {
    const { response } = respond([OVERLOADED]);
    expect(await isOverloaded(openai, response.body)).toBe(false);
  });

  test('is a failure when the connection breaks before', async () => {
    const { response } = respond([PING], false);
    const looking = isOverloaded(anthropic, response.body);
    await Promise.resolve();
    response.body.break(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    await expect(looking).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  });
});

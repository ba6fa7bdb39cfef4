import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TextProtocol } from './formats/index.ts';
import { cut, PROTOCOLS, STREAMS, saidBy } from './testing.ts';
import type { WindowOptions } from './window.ts';
import { WindowedStream } from './windowed-stream.ts';

type Options = WindowOptions<string>;

const redacting = (size: number): Options => ({
  size,
  changesTexts: true,
  check: async (texts) => ({ kind: 'pass', texts: texts.map((text) => text.replaceAll('SECRET', '[gone]')) }),
});
const denying = (size: number): Options => ({
  size,
  changesTexts: false,
  check: async (texts) =>
    texts.some((text) => text.includes('SECRET')) ? { kind: 'deny', denial: 'no' } : { kind: 'pass' },
});

async function send(protocol: TextProtocol, pieces: readonly Buffer[], options: Options) {
  const stream = new WindowedStream(protocol, options);
  let out = '';
  for (const piece of [...pieces, undefined]) {
    const result = await (piece === undefined ? stream.end() : stream.push(piece));
    out += Buffer.concat(result.pieces).toString();
    if (result.denial !== undefined) return { out, denial: result.denial };
  }
  return { out, denial: undefined };
}

const WORDS = Array.from({ length: 300 }, (_, i) => `word${i} `);
const PIECES = [...WORDS.slice(0, 150), 'SE', 'CR', 'ET and ', 'SECRET', ' ', ...WORDS.slice(150)];
const TEXT = PIECES.join('');

describe.for(PROTOCOLS)('windows on a stream of %s', (protocol) => {
  const bytes = Buffer.from(STREAMS[protocol](PIECES));

  test('redact matches that are split over events, also where the text is repeated', async () => {
    const { out } = await send(protocol, [bytes], redacting(40));
    const want = TEXT.replaceAll('SECRET', '[gone]');
    const said = saidBy(protocol, out);
    expect(said.pieces).toBe(want);
    expect(said.whole).toEqual(protocol === 'responses' ? Array(4).fill(want) : []);
  });

  test('end the stream before the window that is denied', async () => {
    const { out, denial } = await send(protocol, [bytes], denying(40));
    expect(denial).toBe('no');
    const said = saidBy(protocol, out).pieces;
    expect(TEXT.startsWith(said)).toBe(true);
    expect(said.length).toBeLessThan(TEXT.indexOf('SECRET') + 'SECRET'.length);
    expect(said.length).toBeGreaterThan(TEXT.indexOf('SECRET') - 100);
    expect(out).not.toContain('[DONE]');
  });

  test('send what passes as it came', async () => {
    const good = Buffer.from(STREAMS[protocol](WORDS));
    for (const options of [redacting(40), denying(40)]) {
      expect((await send(protocol, [good], options)).out).toBe(good.toString());
    }
  });

  test('do the same wherever the bytes are split', async () => {
    const short = Buffer.from(STREAMS[protocol](PIECES.slice(130, 180)));
    const all = (pieces: readonly Buffer[]) =>
      Promise.all([redacting(25), denying(25)].map((options) => send(protocol, pieces, options)));
    const whole = await all([short]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(short.length), { maxLength: 9 }), async (cuts) => {
        expect(await all(cut(short, cuts))).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });
});

describe('windows on a stream', () => {
  const chunk = (choice: object): Buffer => Buffer.from(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);

  test('wait only where a window is due', async () => {
    const stream = new WindowedStream('chat', denying(10));
    const waits = [];
    for (const content of ['a bc ', 'de fg', ' hi ', 'jkl mn op']) {
      const result = stream.push(chunk({ index: 0, delta: { content } }));
      waits.push(result instanceof Promise);
      await result;
    }
    expect(waits).toEqual([false, true, false, true]);
  });

  test('hold back nothing behind a text that other content ends', async () => {
    const stream = new WindowedStream('chat', redacting(1_000));
    expect(await stream.push(chunk({ index: 0, delta: { content: 'let me look' } }))).toEqual({
      pieces: [],
    });
    const call = { index: 0, delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '' } }] } };
    expect(await stream.push(chunk(call))).toMatchObject({ pieces: [{}, {}] });
  });

  test('redact extra content blocks with the content, and the tokens of a text', async () => {
    const delta = { content: 'a SECRET', content_blocks: [{ index: 0, delta: { text: 'a SECRET' } }] };
    const logprobs = { content: [{ token: 'SECRET' }] };
    const { out } = await send('chat', [chunk({ index: 0, delta, logprobs })], redacting(10));
    expect(out).not.toContain('SECRET');
    expect(out).toContain('"text":"a [gone]"');
  });

  test('redact a text that a stream has as a whole only', async () => {
    const part = { type: 'output_text', text: 'a SECRET' };
    const event = { type: 'response.completed', response: { output: [{ type: 'message', content: [part] }] } };
    const { out } = await send('responses', [Buffer.from(`data: ${JSON.stringify(event)}\n\n`)], redacting(10));
    expect(out).toContain('a [gone]');
  });

  test('check a repetition that says what the pieces did not', async () => {
    const events = [
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'fine' },
      { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'a SECRET' },
    ];
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const { out } = await send('responses', [Buffer.from(text)], redacting(10));
    expect(saidBy('responses', out)).toEqual({ pieces: 'fine', whole: ['a [gone]'] });
    expect((await send('responses', [Buffer.from(text)], denying(10))).denial).toBe('no');
  });

  test('end it where an event cannot be read', async () => {
    const sent = send('chat', [Buffer.from('data: {"choices": [\n\n')], redacting(10));
    await expect(sent).rejects.toMatchObject({ code: 'UPSTREAM_STREAM_BROKEN' });
  });

  test('check a mebibyte of pieces in time that grows with the text only', async () => {
    let checked = 0;
    const options: Options = {
      size: 500,
      changesTexts: true,
      check: async (texts) => {
        for (const text of texts) checked += text.length;
        return { kind: 'pass' };
      },
    };
    const pieces = Array.from({ length: 64 * 1024 }, (_, i) => `piece ${String(i).padStart(9, '0')} `);
    const bytes = Buffer.from(STREAMS.chat(pieces));
    const { out } = await send(
      'chat',
      cut(
        bytes,
        Array.from({ length: 200 }, (_, i) => i * 60_000),
      ),
      options,
    );
    expect(out).toBe(bytes.toString());
    // of each window of 500, the 256 characters before and behind are looked at again
    expect(checked).toBeLessThan(2.25 * 1024 * 1024);
  });
});

describe('windows on a response that fails', () => {
  const item = { type: 'message', id: 'i', content: [{ type: 'output_text', text: TEXT }] };
  const failing = STREAMS.responses(PIECES)
    .split('\n\n')
    .filter((event) => !/"(?:response\.\w+\.done|response\.completed)"/.test(event))
    .join('\n\n');
  const failed = { type: 'response.failed', response: { id: 'r', status: 'failed', output: [item] } };
  const bytes = Buffer.from(`${failing}event: response.failed\ndata: ${JSON.stringify(failed)}\n\n`);

  test('look at what the last event repeats', async () => {
    const { out } = await send('responses', [bytes], redacting(40));
    expect(out).toContain('response.failed');
    expect(out).not.toContain('SECRET');
    expect(saidBy('responses', out).whole).toEqual([TEXT.replaceAll('SECRET', '[gone]')]);
  });

  test('let nothing of it leave that is denied', async () => {
    const { out, denial } = await send('responses', [bytes], denying(40));
    expect(denial).toBe('no');
    expect(out).not.toContain('response.failed');
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memberOf } from './splice.ts';
import { createSseRelay } from './sse-relay.ts';
import { askForUsageChunk, createUsageFilter, wantsUsageChunk } from './usage-filter.ts';

const USAGE = '{"prompt_tokens":5,"completion_tokens":6}';

/** Everything a filter lets pass of the pieces. */
function run(filter: { push(bytes: Buffer): Buffer; end(): Buffer }, ...pieces: readonly (string | Buffer)[]): string {
  return Buffer.concat([...pieces.map((piece) => filter.push(Buffer.from(piece as string))), filter.end()]).toString();
}

/** A stream as it comes with and without the usage that was asked for. */
const ASKED = [
  'data: {"id":"1","choices":[{"delta":{"content":"Grüße ☃ \\"usage\\":null"}}],"usage":null,"obfuscation":"x"}\n\n',
  ': comment with "usage"\n\n',
  'data: {"usage":null,"id":"1","choices":[{"usage":null,"delta":{}}]}\r\n\r\n',
  `data: {"id":"1","choices":[],"usage":${USAGE}}\n\n`,
  'data: [DONE]\n\n',
].join('');
const UNASKED = [
  'data: {"id":"1","choices":[{"delta":{"content":"Grüße ☃ \\"usage\\":null"}}],"obfuscation":"x"}\n\n',
  ': comment with "usage"\n\n',
  'data: {"id":"1","choices":[{"usage":null,"delta":{}}]}\r\n\r\n',
  'data: [DONE]\n\n',
].join('');

describe('a stream whose usage the gateway asked for', () => {
  test('passes as without the usage option, at every split point', () => {
    const bytes = Buffer.from(ASKED);
    for (let at = 0; at <= bytes.length; at += 1) {
      const filter = createUsageFilter();
      expect(run(filter, bytes.subarray(0, at), bytes.subarray(at))).toBe(UNASKED);
      expect(filter.usage()).toEqual(JSON.parse(USAGE));
    }
  });

  test('gains the provider and its end as without asking', () => {
    const [asked = '', unasked = ''] = [ASKED, UNASKED].map((text) => text.replace('data: [DONE]\n\n', ''));
    const options = { terminated: true, member: memberOf('provider', 'p') };
    const filtered = createSseRelay({ ...options, hidesUsage: true });
    expect(run(filtered, asked)).toBe(run(createSseRelay(options), unasked));
    expect(filtered.usage?.()).toEqual(JSON.parse(USAGE));
  });

  test.for([
    { rule: 'usage beside choices', text: `data: {"choices":[{"delta":{}}],"usage":${USAGE}}\n\n` },
    { rule: 'an error', text: 'data: {"error":{"message":"\\"usage\\"","usage":null}}\n\n' },
    { rule: 'an event of several lines', text: 'data: {"usage":null,\ndata: "choices":[]}\n\n' },
    { rule: 'what is no JSON', text: 'data: "usage" {\n\n' },
    { rule: 'a tail that is no event', text: 'data: {"usage' },
  ])('keeps $rule as it is', ({ text }) => {
    expect(run(createUsageFilter(), text)).toBe(text);
  });

  test.for([
    { rule: 'alone', text: '{"usage":null}', want: '{}' },
    { rule: 'first', text: '{"usage" : null , "a":1}', want: '{ "a":1}' },
    { rule: 'last', text: '{"a":{"usage":null} , "usage":null}', want: '{"a":{"usage":null}}' },
    { rule: 'behind a value of its name', text: '{"a":"usage","usage":null}', want: '{"a":"usage"}' },
    { rule: 'behind a string with an escaped end', text: '{"a":"\\\\","usage":null}', want: '{"a":"\\\\"}' },
  ])('loses the empty member that stands $rule', ({ text, want }) => {
    expect(run(createUsageFilter(), `data: ${text}\n\n`)).toBe(`data: ${want}\n\n`);
  });

  test('keeps any bytes in any pieces that hold no usage', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 40 }),
            fc.constantFrom('\n\n', '\r\n', '\r', 'data: {}').map(Buffer.from),
          ),
        ),
        (pieces) => {
          const filter = createUsageFilter();
          const out = Buffer.concat([...pieces.map((piece) => filter.push(Buffer.from(piece))), filter.end()]);
          expect(out.equals(Buffer.concat(pieces))).toBe(true);
        },
      ),
    );
  });

  test('ends when one event never ends', () => {
    const filter = createUsageFilter();
    const megabyte = Buffer.alloc(1024 * 1024, 'a');
    expect(() => {
      for (let i = 0; i < 9; i += 1) filter.push(megabyte);
    }).toThrow(expect.objectContaining({ code: 'UPSTREAM_STREAM_BROKEN' }));
  });
});

describe('params', () => {
  test.for([
    { given: undefined, want: { include_usage: true } },
    { given: null, want: { include_usage: true } },
    { given: { include_usage: false, other: 1 }, want: { include_usage: true, other: 1 } },
    { given: 'odd', want: 'odd' },
  ])('with stream options $given ask for $want', ({ given, want }) => {
    const params = { model: 'm', stream_options: given };
    expect(askForUsageChunk(params)['stream_options']).toEqual(want);
  });

  test('that ask already stay the same object', () => {
    const params = { stream_options: { include_usage: true } };
    expect(askForUsageChunk(params)).toBe(params);
    expect(wantsUsageChunk(params)).toBe(true);
    expect(wantsUsageChunk({ stream_options: { include_usage: 'true' } })).toBe(false);
  });
});

import { describe, expect, test } from 'vitest';
import { createTerminalLog } from './index.ts';

const TIME = '2026-01-02T03:04:05.678Z';
const CLOCK = /^\d\d:\d\d:\d\d /;

const REQUEST = {
  level: 'info',
  time: TIME,
  service: 'gatehouse',
  traceId: 't',
  method: 'POST',
  path: '/v1/chat/completions',
  operation: 'chatComplete',
  status: 200,
  key: 'app',
  workspace: 'team-a',
  provider: 'openai',
  model: 'gpt-4o-mini',
  attempts: 1,
  retries: 0,
  cache: 'MISS',
  stream: false,
  durationMs: 41.6,
  tokens: { input: 9, output: 12, cached: 0 },
  msg: 'Request finished',
};

interface Given {
  readonly colours?: boolean;
  readonly requests?: boolean;
}

function shown(lines: readonly object[], { colours = false, requests = true }: Given = {}): string[] {
  const written: string[] = [];
  const log = createTerminalLog({ colours, requests, write: (text) => written.push(text) });
  log.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const text = written.join('');
  return text === '' ? [] : text.trimEnd().split('\n');
}

const withoutTime = (line: string | undefined): string | undefined => line?.replace(CLOCK, '');

describe('a request at a terminal', () => {
  test.for([
    {
      rule: 'that was answered',
      over: {},
      want: ' POST /v1/chat/completions  team-a/app  openai/gpt-4o-mini  200  cache MISS  42 ms  9+12 tokens',
    },
    {
      rule: 'that streamed for long',
      over: { stream: true, durationMs: 12_340, cache: 'DISABLED', tokens: { input: 9, output: 12, cached: 8 } },
      want: ' POST /v1/chat/completions  team-a/app  openai/gpt-4o-mini  200  12.3 s stream  9+12 tokens (8 cached)',
    },
    {
      rule: 'that took several attempts',
      over: { attempts: 2, retries: 1, cache: undefined },
      want: ' POST /v1/chat/completions  team-a/app  openai/gpt-4o-mini  200  2 attempts, 1 retry  42 ms  9+12 tokens',
    },
    {
      rule: 'whose retries were in vain',
      over: { status: 503, retries: -1, cache: undefined, tokens: undefined },
      want: ' POST /v1/chat/completions  team-a/app  openai/gpt-4o-mini  503  all retries used  42 ms  answered so by the provider',
    },
    {
      rule: 'that the gateway refused',
      over: {
        ...{ status: 401, key: undefined, workspace: undefined, provider: undefined, model: undefined, attempts: 0 },
        ...{ cache: undefined, tokens: undefined, error: 'KEY_INVALID', reason: 'Send a gateway key' },
      },
      want: ' POST /v1/chat/completions  401  42 ms  KEY_INVALID: Send a gateway key',
    },
  ])('$rule is one line', ({ over, want }) => {
    const lines = shown([{ ...REQUEST, ...over }]);
    expect(lines).toHaveLength(1);
    expect(withoutTime(lines[0])).toBe(want);
  });

  test('has the local time', () => {
    const at = new Date(TIME);
    const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0'));
    expect(shown([REQUEST])[0]?.slice(0, 8)).toBe(clock.join(':'));
    expect(shown([{ ...REQUEST, time: 'x' }])[0]).toMatch(/^--:--:-- /);
  });

  test.for([
    { status: 200, colour: '\u001b[32m200' },
    { status: 404, colour: '\u001b[33m404' },
    { status: 503, colour: '\u001b[31m503' },
  ])('has a colour for status $status', ({ status, colour }) => {
    expect(shown([{ ...REQUEST, status }], { colours: true })[0]).toContain(colour);
    expect(shown([{ ...REQUEST, status }])[0]).not.toContain('\u001b');
  });

  test.for(['method', 'path', 'workspace', 'key', 'provider', 'model', 'status', 'cache', 'error', 'reason'])(
    'passes no control characters of its %s on',
    (member) => {
      const lines = shown([{ ...REQUEST, error: 'X', [member]: 'a\u001b]0;owned\u0007\n\u009b2J\u202eb' }]);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain('a\\u001b]0;owned\\u0007\\n\\u009b2J\\u202eb');
    },
  );

  test('is bounded, however long its path is', () => {
    const [line = ''] = shown([
      { ...REQUEST, path: `/v1/${'a'.repeat(100_000)}`, reason: 'b'.repeat(100_000), error: 'X' },
    ]);
    expect(line.length).toBeLessThan(1_000);
  });
});

describe('an error of a request', () => {
  const failed = (err: object) => ({ level: 'warn', time: TIME, err, traceId: 't', msg: 'Request failed' });
  const unreachable = failed({
    code: 'UPSTREAM_UNREACHABLE',
    message: 'no',
    cause: { message: 'connect ECONNREFUSED' },
  });

  test('adds its causes below the line of the request, and nothing else', () => {
    expect(shown([unreachable])).toEqual(['         because: connect ECONNREFUSED']);
    expect(shown([failed({ code: 'UPSTREAM_TIMEOUT', message: 'late' })])).toEqual([]);
  });

  test('adds the stack of an error that was not foreseen', () => {
    const lines = shown([failed({ code: 'INTERNAL', message: 'm', stack: 'Error: m\n    at a (b.ts:1)\n    at c' })]);
    expect(lines).toEqual(['           at a (b.ts:1)', '           at c']);
  });

  test('is whole where requests have no line', () => {
    const [head, ...rest] = shown([unreachable], { requests: false });
    expect(withoutTime(head)).toBe('WARN Request failed');
    expect(rest).toEqual(['         UPSTREAM_UNREACHABLE: no', '         because: connect ECONNREFUSED']);
  });
});

describe('another line of the log', () => {
  test('of a resource is as validate shows it', () => {
    const line = {
      ...{ level: 'warn', time: TIME, service: 's', file: 'examples/a.yaml', line: 3, column: 5 },
      ...{ object: 'VirtualKey/a', path: 'spec.provider', problem: 'unknown', consequences: 2 },
      msg: 'Resource was refused',
    };
    expect(withoutTime(shown([line])[0])).toBe(
      'WARN examples/a.yaml:3:5: VirtualKey/a: spec.provider: unknown (2 more follow from it)',
    );
  });

  test('has its members', () => {
    const line = {
      level: 'info',
      time: TIME,
      service: 's',
      version: 2,
      entries: 14,
      skipped: [],
      msg: 'Snapshot loaded',
    };
    expect(withoutTime(shown([line])[0])).toBe('Snapshot loaded version=2 entries=14');
  });

  test('passes no control characters on, of names and values', () => {
    const line = { level: 'info', time: TIME, 'a\u001b': { b: '\u001b' }, msg: 'm\u001b\n' };
    const lines = shown([line]);
    expect(lines).toHaveLength(1);
    for (const character of ['\u001b', '\n']) expect(lines[0]).not.toContain(character);
  });

  test('that is no JSON is shown as text', () => {
    const written: string[] = [];
    const log = createTerminalLog({ colours: true, requests: true, write: (text) => written.push(text) });
    log.write('{"level":"info"\n\u001b[2Jnonsense\n"text"\n');
    expect(written).toEqual(['{"level":"info"\n\\u001b[2Jnonsense\n"text"\n']);
  });
});

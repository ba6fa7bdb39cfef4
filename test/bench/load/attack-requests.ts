/** The requests of each attack: how many are sent at once and what they look like. */

export interface AttackRequest {
  /** Of the request with that number: the gateway keeps what it has compiled. */
  headers(number: number): Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The body announces one byte more than is sent. */
  readonly unfinished?: boolean;
}

export interface Attack {
  readonly atOnce: number;
  create(): AttackRequest;
}

const MIB = 1024 * 1024;
const LARGE_BYTES = 30 * MIB;

const messages = [{ role: 'user', content: 'Hi' }];
const chat = (more: object = {}): Buffer => Buffer.from(JSON.stringify({ model: 'gpt-4o', messages, ...more }));
const plain = (): Readonly<Record<string, string>> => ({});
const inline = (config: string): Readonly<Record<string, string>> => ({ 'x-gw-config': config });

/** A body of the size whose member `metadata` begins, repeats and ends with these texts. */
function filled(begin: string, piece: string, end: string): Buffer {
  const head = `{"model":"gpt-4o","messages":[],"metadata":${begin}`;
  const count = Math.floor((LARGE_BYTES - head.length - end.length) / piece.length);
  return Buffer.from(`${head}${piece.repeat(count)}${end}}`);
}

/** A conditional config, as JSON text, with so many conditions that match the member `user` against the pattern. */
function regexConfig(pattern: string, count: number, name: string): string {
  const condition = `{"query":{"params.user":{"$regex":${JSON.stringify(pattern)}}},"then":"${name}"}`;
  const conditions = Array.from({ length: count }, () => condition).join(',');
  const targets = `[{"name":"${name}","provider":"@openai"}]`;
  return `{"strategy":{"mode":"conditional","conditions":[${conditions}],"default":"${name}"},"targets":${targets}}`;
}

/** Fallback in fallback in fallback, each leaf with as many retries as there may be. */
function nested(depth: number): object {
  const leaf = { provider: '@openai', retry: { attempts: 5, on_status_codes: [503] } };
  if (depth === 0) return leaf;
  const targets = Array.from({ length: 9 }, () => nested(depth - 1));
  return { strategy: { mode: 'fallback', on_status_codes: [503] }, targets };
}

export const ATTACKS = {
  none: { atOnce: 4, create: () => ({ headers: plain, body: chat() }) },
  'nested JSON, 30 MB': { atOnce: 2, create: () => ({ headers: plain, body: filled('', '[', '') }) },
  'small JSON nodes, 30 MB': { atOnce: 2, create: () => ({ headers: plain, body: filled('[', '0,', '0]') }) },
  'unfinished bodies, 30 MB': {
    atOnce: 25,
    create: () => ({ headers: plain, body: filled('["', 'a', '"]'), unfinished: true }),
  },
  'costly patterns': {
    atOnce: 4,
    create: () => ({
      headers: (number) => inline(regexConfig('a{1000}', 400, `t${number}`)),
      body: chat({ user: 'a' }),
    }),
  },
  'costly match of 1 MB': {
    atOnce: 4,
    create: () => ({
      headers: () => inline(regexConfig('(.*a){100}$', 1, 'one')),
      body: chat({ user: 'a'.repeat(MIB) }),
    }),
  },
  'endless answers': { atOnce: 30, create: () => ({ headers: plain, body: chat() }) },
  'nested fallbacks': { atOnce: 8, create: () => ({ headers: () => inline(JSON.stringify(nested(2))), body: chat() }) },
} as const satisfies Record<string, Attack>;

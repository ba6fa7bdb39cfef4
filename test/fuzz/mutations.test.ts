/**
 * Ten thousand mutations of the saved corpus: raw requests, JSON bodies and raw answers of a provider. The gateway stays up, answers
 * others, has no error of its own, leaks no credential and leaves no request open. A failure prints the seed; FUZZ_SEED repeats it.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { KEY } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';
import { readCorpus, type Seed } from './corpus.ts';
import { createMutator, type Mutator } from './mutate.ts';
import { setUpFuzzWorld } from './world.ts';

const SEED = process.env['FUZZ_SEED'] ?? randomBytes(4).toString('hex');
const COUNTS = { requests: 4_000, bodies: 3_000, answers: 3_000 } as const;
const AT_ONCE = 40;
/** A client without an answer for this long disconnects: many inputs are requests that never end. */
const CLIENT_TIMEOUT_MS = 400;
const CREDENTIAL = 'sk-credential-of-the-provider-0123456789';
const AWS = { aws_access_key_id: 'AKIDEXAMPLE', aws_secret_access_key: CREDENTIAL };

const DICTIONARY = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\u0000', '\\ud800', 'null', 'true', '{"a":', '[[[[[[[[[[[[[[[[', '\0'],
  ...[
    '\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    ': ',
    '\r\n\r\n',
    '0\r\n\r\n',
    'ffffffffffffffff\r\n',
    'data: ',
    'event: ',
    '\n\n',
  ],
  ...['"model":"mock-small",', '"stream":true,', '"__proto__":{},', '"n":1e9,', '"max_tokens":-1,', '"messages":[],'],
  ...[
    'content-length: 0\r\n',
    'content-length: 999999\r\n',
    'transfer-encoding: chunked\r\n',
    'expect: 100-continue\r\n',
  ],
  ...[
    'content-encoding: gzip\r\n',
    'connection: close\r\n',
    'host: \r\n',
    'x-gw-provider: @anthropic\r\n',
    'upgrade: h2c\r\n',
  ],
  ...[
    'x-gw-config: {"targets":[]}\r\n',
    'x-gw-request-timeout: 1\r\n',
    'x-gw-forward-headers: *\r\n',
    'x-gw-metadata: {\r\n',
  ],
  ...['../', '..%2f', '%00', '%', '//', '?', '#', ';', '@', '\xff\xfe', '\xc0\xaf', 'é', 'data:image/png;base64,'],
];

const PATHS = [
  { path: '/v1/chat/completions', slugs: ['openai', 'anthropic', 'google', 'mistral-ai', 'cohere', 'bedrock'] },
  { path: '/v1/messages', slugs: ['anthropic', 'bedrock', 'openai', 'google', 'cohere'] },
  { path: '/v1/responses', slugs: ['openai'] },
  { path: '/v1/embeddings', slugs: ['openai', 'google', 'cohere'] },
  { path: '/v1/models', slugs: ['openai', 'anthropic', 'google'] },
  { path: '/v1/responses', slugs: ['anthropic', 'google', 'cohere', 'bedrock', 'mistral-ai'] },
  { path: '/v1/moderations', slugs: ['openai'] },
].flatMap(({ path, slugs }) => slugs.map((slug) => ({ path, slug })));

const GOOD_ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

/** The raw answer of the request with the number; without one the provider answers `{}`. */
const scripts = new Map<string, Buffer>();
const world = setUpFuzzWorld({
  secret: CREDENTIAL,
  aws: AWS,
  env: {
    GATEHOUSE_LOG_LEVEL: 'warn',
    MAX_JSON_PAYLOAD_SIZE_IN_MB: '1',
    // Hosts that a mutation makes up lead to a closed port of this machine.
    HTTP_PROXY: 'http://127.0.0.1:1',
    HTTPS_PROXY: 'http://127.0.0.1:1',
    NO_PROXY: '127.0.0.1',
  },
  answer: async ({ request, socket, write }) => {
    await write(scripts.get(request.headers.get('x-script') ?? '') ?? GOOD_ANSWER);
    socket.end();
  },
});

/** What comes back until the gateway closes or the client times out. */
function throwAt(bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(world.gateway.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.setTimeout(CLIENT_TIMEOUT_MS, () => socket.destroy());
    socket.on('error', () => {}); // resets are an answer, too
    socket.on('close', () => resolve(Buffer.concat(pieces)));
  });
}

const placeholders = () => ({ key: KEY, upstream: world.upstream.url, credential: CREDENTIAL });

/** A well-formed request, closed after its answer. */
function request({ path, slug }: (typeof PATHS)[number], body: Buffer, script = ''): Buffer {
  const head = [
    `${path === '/v1/models' ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    ...['host: gatehouse', `x-gw-api-key: ${KEY}`, `x-gw-provider: @${slug}`, 'content-type: application/json'],
    ...[`x-script: ${script}`, 'x-gw-forward-headers: x-script', 'connection: close', `content-length: ${body.length}`],
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}

interface Case {
  readonly label: string;
  readonly bytes: Buffer;
  run(): Promise<Buffer>;
}

function createCase(kind: keyof typeof COUNTS, seeds: readonly Seed[], index: number): Case {
  const donors = seeds.map(({ bytes }) => bytes);
  const mutator: Mutator = createMutator({ seed: `${SEED} ${kind} ${index}`, dictionary: DICTIONARY, donors });
  const seed = mutator.pick(seeds);
  const bytes = mutator.mutate(seed.bytes);
  const name = `${kind} ${index} from ${seed.name}`;
  if (kind === 'requests') return { label: name, bytes, run: () => throwAt(bytes) };
  const target = mutator.pick(PATHS);
  const label = `${name} at ${target.path} of ${target.slug}`;
  if (kind === 'bodies') return { label, bytes, run: () => throwAt(request(target, bytes)) };
  const stream = mutator.integer(2) === 1;
  const body = Buffer.from(
    JSON.stringify({ model: 'm', stream, max_tokens: 5, input: 'x', messages: [{ role: 'user', content: 'x' }] }),
  );
  return {
    label,
    bytes,
    run: async () => {
      scripts.set(label, bytes);
      const answer = await throwAt(request(target, body, label));
      scripts.delete(label);
      return answer;
    },
  };
}

/** A provider that writes its own key into a good answer has given it away; everything else is cleaned of it. */
const isGood = (answer: Buffer): boolean => /^HTTP\/1\.1 2/.test(answer.subarray(0, 12).toString('latin1'));

function checkAnswer({ label, bytes }: Case, answer: Buffer): void {
  const context = `${label}, FUZZ_SEED=${SEED}, input in base64: ${bytes.toString('base64')}`;
  expect(world.crashes, context).toEqual([]);
  if (answer.length > 0) expect(answer.subarray(0, 9).toString('latin1'), context).toMatch(/^HTTP\/1\.[01] $/);
  if (isGood(answer)) return;
  expect(answer.includes(CREDENTIAL), context).toBe(false);
}

const isHealthy = async (): Promise<boolean> => (await world.gateway.send('/v1/health')).status === 200;

test.each(['requests', 'bodies', 'answers'] as const)(
  'mutated %s neither break the gateway nor reach a secret',
  async (kind) => {
    const seeds = readCorpus(kind, placeholders());
    const cases = Array.from({ length: COUNTS[kind] }, (_, index) => createCase(kind, seeds, index));
    while (cases.length > 0) {
      const batch = cases.splice(0, AT_ONCE);
      const answers = await Promise.all(batch.map((one) => one.run()));
      for (const [at, one] of batch.entries()) checkAnswer(one, answers[at] ?? Buffer.alloc(0));
      expect(await isHealthy()).toBe(true);
      const context = () => `FUZZ_SEED=${SEED}, ${batch[0]?.label} and the ${batch.length - 1} after it`;
      await waitFor(async () => (await world.gateway.metric('gatehouse_requests_in_flight')) === 0, {
        what: `no request in flight: ${context()}`,
      });
      expect(await world.gateway.metric('gatehouse_errors_total', { code: 'INTERNAL' }), context()).toBe(0);
    }
  },
  300_000,
);

/** Rows of 256 MiB and files of 512 MiB pass between clients, the gateway and providers, whatever the memory of the gateway. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { open, send } from '../kit/http.ts';
import { KEY, provider } from '../kit/snapshot.ts';
import { watchMemory } from '../kit/watch-memory.ts';

const MIB = 1024 * 1024;
const ROWS = 256;
/** In MiB. */
const FILE_SIZE = 512;
/** Pass before anything is measured, so that code is compiled and the heap has the size that a few rows need. */
const FIRST_ROWS = 32;
/** Buffers of sockets, rows that are worked on, and garbage that was not collected yet: less than what passes, which would be there several times. */
const ROOM = 128 * MIB;
const TEXT = 'a'.repeat(MIB);
/** The same bytes for every row: what the test itself leaves for the collector would be measured, too. */
const CONTENT = Buffer.from(TEXT);

type Row = (i: number) => readonly [before: string, after: string];

const inputRow: Row = (i) => [
  `{"custom_id":"${i}","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"`,
  '"}]}}\n',
];
const resultRow: Row = (i) => [
  `{"custom_id":"${i}","result":{"type":"succeeded","message":{"id":"msg_${i}","model":"m","content":[{"type":"text","text":"`,
  '"}],"usage":{"input_tokens":1,"output_tokens":1}}}}\n',
];

let rows = FIRST_ROWS;

async function* rowsOf(row: Row): AsyncGenerator<Buffer> {
  for (let i = 0; i < rows; i += 1) {
    const [before, after] = row(i);
    yield Buffer.from(before);
    yield CONTENT;
    yield Buffer.from(after);
  }
}

/** Bytes of bodies by path. */
const received = new Map<string, number>();
let url = '';

const ANSWERS: readonly (readonly [path: RegExp, answer: () => object])[] = [
  [/\/messages\/batches$/, () => ({ id: 'msgbatch_1', processing_status: 'in_progress' })],
  [
    /\/messages\/batches\/msgbatch_1$/,
    () => ({
      ...{ id: 'msgbatch_1', processing_status: 'ended' },
      results_url: `${url}/v1/messages/batches/msgbatch_1/results`,
    }),
  ],
  [/./, () => ({ id: 'b', object: 'batch' })],
];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  if (path.endsWith('/content')) return pipeline(Readable.from(rowsOf(inputRow), { objectMode: false }), response);
  if (path.endsWith('/results')) return pipeline(Readable.from(rowsOf(resultRow), { objectMode: false }), response);
  let bytes = 0;
  let small = '';
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes < 1_000) small += piece;
  }
  received.set(path, bytes);
  const body = path.endsWith(':getUploadEndpoint')
    ? { filenameToSignedUrls: { [Object.keys(JSON.parse(small).filenameToSize)[0] ?? '']: `${url}/bucket` } }
    : ANSWERS.find(([pattern]) => pattern.test(path))?.[1]();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}

const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
let world: World;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on TCP
  const customHost = `${url}/v1`;
  world = await startWorld({
    entries: () => [
      provider('claude', { provider: 'anthropic', customHost }),
      provider('listed', { customHost, models: ['m'] }),
      provider('fireworks', { provider: 'fireworks-ai', customHost, settings: { fireworks_account_id: 'acct1' } }),
    ],
  });
  expect((await create('@claude')).status).toBe(200);
  rows = ROWS;
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  server.close();
});

const headersOf = (name: string, more: Readonly<Record<string, string>> = {}) => ({
  ...{ 'x-gw-api-key': KEY, 'x-gw-provider': name, 'content-type': 'application/json' },
  ...more,
});

const create = (name: string) =>
  send(`${world.url}/v1/batches`, {
    method: 'POST',
    headers: headersOf(name),
    body: JSON.stringify({ input_file_id: 'file_1' }),
  });

test('rows become the requests of a message batch', async () => {
  const memory = watchMemory();
  expect((await create('@claude')).status).toBe(200);
  expect(received.get('/v1/messages/batches')).toBeGreaterThan(ROWS * MIB);
  expect(memory.growth()).toBeLessThan(ROOM);
});

test('results become rows', async () => {
  const memory = watchMemory();
  const { response } = await open(`${world.url}/v1/batches/msgbatch_1/output`, { headers: headersOf('@claude') });
  let bytes = 0;
  for await (const piece of response) bytes += (piece as Buffer).length; // no encoding is set
  expect(bytes).toBeGreaterThan(ROWS * MIB);
  expect(memory.growth()).toBeLessThan(ROOM);
});

test('rows are looked at where the account lists its models', async () => {
  const memory = watchMemory();
  expect((await create('@listed')).status).toBe(200);
  expect(memory.growth()).toBeLessThan(ROOM);
});

test('a file of 512 MiB goes to a signed address', async () => {
  const head = '--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nfine-tune\r\n';
  const file = '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n';
  async function* form(): AsyncGenerator<Buffer> {
    yield Buffer.from(head + file);
    for (let i = 0; i < FILE_SIZE; i += 1) yield CONTENT;
    yield Buffer.from('\r\n--b--\r\n');
  }
  const memory = watchMemory();
  const headers = headersOf('@fireworks', {
    ...{ 'content-type': 'multipart/form-data; boundary=b', 'x-gw-file-upload-size': String(FILE_SIZE * MIB) },
  });
  const body = Readable.from(form(), { objectMode: false });
  const { status } = await send(`${world.url}/v1/files`, { method: 'POST', headers, body });
  expect([status, received.get('/bucket')]).toEqual([200, FILE_SIZE * MIB]);
  expect(memory.growth()).toBeLessThan(ROOM);
});

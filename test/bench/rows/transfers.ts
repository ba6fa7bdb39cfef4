import { once } from 'node:events';
import { type IncomingMessage, request as startRequest } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { createPeer, type Peer, startBare, startGatehouse } from '../peers/index.ts';
import { interleave, median, pairedRatio } from '../rounds.ts';
import type { Row } from '../table.ts';
import { startTransfer } from '../upstream/index.ts';
import { usageOf } from '../usage.ts';
import { verdictAtLeast, verdictAtMost } from './verdict.ts';

const MIB = 1024 * 1024;
const BYTES = 100 * MIB;
const PIECE = Buffer.alloc(64 * 1024, 'x');
const BOUNDARY = 'bench';
const FORM_START = Buffer.from(
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nuser_data\r\n` +
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="file"\r\n\r\n`,
);
const FORM_END = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
/** Of an upload. */
const FORM_HEADERS = {
  'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
  'content-length': FORM_START.length + BYTES + FORM_END.length,
};
const SAMPLE_MS = 20;
/** Of the throughput of the bare proxy. */
const LEAST_PERCENT = 80;
/** MB that a process may grow by while a file passes: buffers, and what the collector has not got to. */
const MOST_GROWTH_MB = 64;

interface Round {
  readonly ms: number;
  readonly rssMb: number;
  readonly growthMb: number;
}

const TRANSFERS = { upload, download } as const;

/** Files of 100 MiB through each peer, one after the other. */
export async function transfers(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startTransfer(bench, BYTES);
  const direct = createPeer('upstream directly', upstream, { port: upstream.port });
  const bare = await startBare(bench, upstream.port);
  const gatehouse = await startGatehouse(bench, upstream.port);
  const peers = [direct, bare, gatehouse];
  const rows: Row[] = [];
  for (const [name, transfer] of Object.entries(TRANSFERS)) {
    for (const peer of peers) await transfer(peer); // warms up
    const rounds = await interleave(peers, bench.rounds, (peer) => measure(peer, transfer));
    const ratesOf = (peer: Peer): readonly number[] => (rounds.get(peer) ?? []).map(({ ms }) => 1 / ms);
    const percent = 100 * pairedRatio(ratesOf(gatehouse), ratesOf(bare));
    const growthMb = Math.max(...(rounds.get(gatehouse) ?? []).map((round) => round.growthMb));
    const verdicts = [
      verdictAtLeast(percent, LEAST_PERCENT, (number) => `${number} % of bare`),
      verdictAtMost(growthMb, MOST_GROWTH_MB, (number) => `${number} MB of growth`),
    ];
    for (const peer of peers) {
      const of = rounds.get(peer) ?? [];
      const p50Ms = median(of.map(({ ms }) => ms));
      const row = { what: `${name} of 100 MiB`, peer: peer.name, p50Ms, rssMb: median(of.map(({ rssMb }) => rssMb)) };
      rows.push(peer === gatehouse ? { ...row, verdicts } : row);
    }
    bench.say(`${name}: ${Math.round(percent)} % of bare`);
  }
  await Promise.all([upstream, bare, gatehouse].map((running) => running.stop()));
  return rows;
}

async function measure(peer: Peer, transfer: (peer: Peer) => Promise<void>): Promise<Round> {
  const { rssMb: before } = await usageOf(peer.pid);
  let most = before;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, (await usageOf(peer.pid)).rssMb);
      await wait(SAMPLE_MS);
    }
  })();
  const beganMs = performance.now();
  await transfer(peer);
  const ms = performance.now() - beganMs;
  isOver = true;
  await watching;
  return { ms, rssMb: most, growthMb: most - before };
}

function call({ target: { host, port, headers } }: Peer, method: string, path: string) {
  const own = Object.entries(headers).map(([name, value]) => [name, value.replace('{key}', '1')]);
  const type = method === 'POST' ? FORM_HEADERS : {};
  return startRequest({ host, port, method, path, agent: false, headers: { ...Object.fromEntries(own), ...type } });
}

async function upload(peer: Peer): Promise<void> {
  const request = call(peer, 'POST', '/v1/files');
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  request.write(FORM_START);
  for (let left = BYTES; left > 0; left -= PIECE.length) {
    if (!request.write(left < PIECE.length ? PIECE.subarray(0, left) : PIECE)) await once(request, 'drain');
  }
  request.end(FORM_END);
  const [response] = await answered;
  await receive(response);
}

async function download(peer: Peer): Promise<void> {
  const request = call(peer, 'GET', '/v1/files/file-1/content');
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  request.end();
  const [response] = await answered;
  const bytes = await receive(response);
  if (bytes !== BYTES) throw new Error(`a download had ${bytes} bytes`);
}

async function receive(response: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const piece of response) bytes += (piece as Buffer).length; // no encoding is set
  if (response.statusCode !== 200) throw new Error(`a transfer was answered with ${response.statusCode}`);
  return bytes;
}

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { type Peer, startGatehouse } from '../peers/index.ts';
import { median } from '../rounds.ts';
import { formatNumber, type Row } from '../table.ts';
import { startTransfer } from '../upstream/index.ts';
import { usageOf } from '../usage.ts';

const SOCKETS = 1_000;
/** Opened at once, and before the first measurement: what the first sockets load is not theirs. */
const AT_ONCE = 50;
const SETTLE_MS = 3_000;

/** What a realtime session costs in memory while nobody speaks: two sockets, to the client and to the provider. */
export async function sockets(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startTransfer(bench, 0);
  const rounds: { readonly rssMb: number; readonly kbEach: number }[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    const gatehouse = await startGatehouse(bench, upstream.port);
    const first = await openSessions(gatehouse, AT_ONCE);
    const before = await settled(gatehouse);
    const more = await openSessions(gatehouse, SOCKETS);
    const after = await settled(gatehouse);
    rounds.push({ rssMb: after, kbEach: ((after - before) * 1_024) / SOCKETS });
    bench.say(`round ${round + 1}: ${Math.round(rounds.at(-1)?.kbEach ?? 0)} KB for each`);
    for (const socket of [...first, ...more]) socket.destroy();
    await gatehouse.stop();
  }
  await upstream.stop();
  const kb = formatNumber(median(rounds.map(({ kbEach }) => kbEach)));
  const rssMb = median(rounds.map((round) => round.rssMb));
  return [{ what: '1,000 idle WebSockets', peer: 'Gatehouse', rssMb, note: `${kb} KB for each` }];
}

async function settled({ pid }: Peer): Promise<number> {
  await wait(SETTLE_MS);
  return (await usageOf(pid)).rssMb;
}

async function openSessions(peer: Peer, count: number): Promise<readonly Socket[]> {
  const open: Socket[] = [];
  while (open.length < count) {
    const some = Math.min(AT_ONCE, count - open.length);
    open.push(...(await Promise.all(Array.from({ length: some }, () => openSession(peer)))));
  }
  return open;
}

async function openSession({ target: { host, port, headers } }: Peer): Promise<Socket> {
  const socket = connect(port, host);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replace('{key}', '1')}\r\n`);
  socket.write(
    `GET /v1/realtime?model=gpt-realtime HTTP/1.1\r\nhost: bench\r\nconnection: upgrade\r\nupgrade: websocket\r\n` +
      `sec-websocket-version: 13\r\nsec-websocket-key: ${Buffer.alloc(16, 'x').toString('base64')}\r\n${lines.join('')}\r\n`,
  );
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  const head = bytes.toString('latin1');
  if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(`a session was refused: ${head.split('\r\n', 1)[0]}`);
  return socket;
}

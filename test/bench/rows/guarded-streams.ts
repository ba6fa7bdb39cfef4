import type { Bench } from '../bench.ts';
import { startGatehouse } from '../peers/index.ts';
import { undisturbed } from '../quiet.ts';
import { interleave, pairedRatio } from '../rounds.ts';
import type { Row } from '../table.ts';
import { startSse } from '../upstream/index.ts';
import { delayRow, measureStreamsOf } from './streams.ts';

/** The CPU of an event when answers are checked as they arrive, and when they are held until their end. */
export async function guardedStreams(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startSse(bench);
  const without = await startGatehouse(bench, upstream.port, { name: 'without checks' });
  const atEnd = await startGatehouse(bench, upstream.port, { features: 'words', name: 'at the end' });
  const windowed = await startGatehouse(bench, upstream.port, { features: 'window', name: 'window of 200' });
  const buffered = await startGatehouse(bench, upstream.port, { features: 'buffer', name: 'buffer' });
  const peers = [without, atEnd, windowed, buffered];
  const rounds = await interleave(peers, bench.rounds, async (peer, round) => {
    const measured = await undisturbed(bench, () => measureStreamsOf(bench, peer));
    bench.say(`round ${round + 1}: ${peer.name}: ${Math.round(measured.cpuUs)} µs an event`);
    return measured;
  });
  await Promise.all([upstream, ...peers].map((running) => running.stop()));

  const costs = (peer: (typeof peers)[number]) => (rounds.get(peer) ?? []).map(({ cpuUs }) => cpuUs);
  return peers.map((peer) => {
    const all = rounds.get(peer) ?? [];
    const row = { ...delayRow(bench, peer, all), what: '1,000 streams, three checks' };
    const failed = all.reduce((sum, round) => sum + round.failed, 0);
    const times = pairedRatio(costs(peer), costs(without)).toFixed(2);
    const note = failed > 0 ? `${failed} streams failed` : peer === without ? '' : `${times} × CPU of without checks`;
    return note === '' ? row : { ...row, note };
  });
}

import type { Bench } from '../bench.ts';
import { startGatehouse } from '../peers/index.ts';
import { undisturbed } from '../quiet.ts';
import { interleave, pairedRatio } from '../rounds.ts';
import type { Row } from '../table.ts';
import { startSse } from '../upstream/index.ts';
import { delayRow, measureStreamsOf } from './streams.ts';
import { verdictAtMost } from './verdict.ts';

/** Times the CPU of an event that passes as it is: four fifths of its streams on the same machine. */
const MOST_CPU = 1.25;

/** The CPU of an event of a chat that passes as it is, and of one that becomes an event of the Messages API. */
export async function adaptedStreams(bench: Bench): Promise<readonly Row[]> {
  const upstream = await startSse(bench);
  const native = await startGatehouse(bench, upstream.port, { name: 'chat as it is' });
  const started = await startGatehouse(bench, upstream.port, { name: 'messages over chat' });
  const adapted = { ...started, target: { ...started.target, path: '/v1/messages' } };
  const peers = [native, adapted];
  const rounds = await interleave(peers, bench.rounds, async (peer, round) => {
    const measured = await undisturbed(bench, () => measureStreamsOf(bench, peer));
    bench.say(`round ${round + 1}: ${peer.name}: ${Math.round(measured.cpuUs)} µs an event`);
    return measured;
  });
  await Promise.all([upstream, ...peers].map((running) => running.stop()));

  const costs = (peer: (typeof peers)[number]) => (rounds.get(peer) ?? []).map(({ cpuUs }) => cpuUs);
  const times = pairedRatio(costs(adapted), costs(native));
  return peers.map((peer) => {
    const all = rounds.get(peer) ?? [];
    const failed = all.reduce((sum, round) => sum + round.failed, 0);
    return {
      ...delayRow(bench, peer, all),
      what: '1,000 streams, adapted',
      ...(failed === 0 ? {} : { note: `${failed} streams failed` }),
      ...(peer === adapted
        ? { verdicts: [verdictAtMost(times, MOST_CPU, (number) => `${number} × CPU of a chat as it is`)] }
        : {}),
    };
  });
}

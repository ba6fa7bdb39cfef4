/** An answer that takes several calls, such as a list in pages. */
import { AppError } from '../../errors/index.ts';
import type { OperationHandler } from '../operations/index.ts';
import { decodeAnswer, type MappedAnswer, map, type UnaryAnswer } from './map/index.ts';
import type { AttemptPorts } from './ports.ts';
import { type Prepared, servicesOf } from './prepare/index.ts';
import { toUpstream } from './request.ts';
import { type Tried, tryWithRetries } from './retries.ts';

/** Each call has the retries and timeouts of the target; the counts are those of all of them. */
export async function collectAnswer(
  ports: AttemptPorts,
  prepared: Prepared,
  collect: NonNullable<OperationHandler['collect']>,
): Promise<Tried<MappedAnswer>> {
  const { input, call, forwarded } = prepared;
  const { signal, memory } = input.exchange;
  const counts = { retries: 0, calls: 0, upstreamMs: 0, isAnswered: false };
  const result = await collect(prepared, {
    forwarded,
    services: servicesOf(ports, prepared),
    signal,
    json: ports.json,
    send: async (request) => {
      const tried = await tryWithRetries<UnaryAnswer>(ports, {
        signal,
        settings: prepared.settings,
        calls: input.calls,
        memory,
        request: async () => toUpstream(await request(), prepared),
        replayable: true,
        isStream: () => false,
        isEventStream: () => false,
        atEnd: () => undefined,
        map: (answer) => {
          if (answer.kind === 'stream') throw new AppError('UPSTREAM_INVALID_RESPONSE', { provider: call.provider });
          return decodeAnswer(answer, { maxBytes: ports.maxResponseBytes, memory });
        },
        evaluate: () => undefined,
        statusOf: ({ status }) => status,
        release: () => undefined,
      });
      counts.retries = tried.retries < 0 ? tried.retries : counts.retries + tried.retries;
      counts.calls += tried.calls;
      counts.upstreamMs += tried.upstreamMs;
      return tried.result;
    },
  });
  if (result.kind === 'error') return { result, ...counts };
  const answer = await map(ports, prepared, { kind: 'unary', ...result.answer });
  return { result: { kind: 'answer', answer }, ...counts };
}

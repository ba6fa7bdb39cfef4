/** The OTLP receiver of the OpenTelemetry Collector. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { waitFor } from '../kit/wait-for.ts';
import { ensurePrograms, pathOf } from './build.ts';

const READY = z.object({ http: z.url(), grpc: z.url() });

/** As JSON of OTLP has it: 64-bit numbers are texts, kinds are numbers. */
const SPAN = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(''),
  traceState: z.string().default(''),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) })).default([]),
});
const EXPORTED = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(SPAN) })) })),
});

export type CollectedSpan = z.output<typeof SPAN>;

export interface Collector extends AsyncDisposable {
  /** Base addresses. */
  readonly http: string;
  readonly grpc: string;
  /** The spans of a trace, once there are so many. */
  trace(traceId: string, count: number): Promise<readonly CollectedSpan[]>;
}

export async function startCollector(): Promise<Collector> {
  const program = pathOf(await ensurePrograms(['collector']), 'collector');
  const child = spawn(program, { env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
  const errors = text(child.stderr);
  const ended = once(child, 'close');
  const lines = createInterface(child.stdout);
  const [line] = await Promise.race([once(lines, 'line'), ended.then(() => [undefined])]);
  if (typeof line !== 'string') throw new Error(`The collector did not start: ${await errors}`);
  const spans: CollectedSpan[] = [];
  lines.on('line', (exported) => {
    const { resourceSpans } = EXPORTED.parse(JSON.parse(exported));
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
  });
  return {
    ...READY.parse(JSON.parse(line)),
    trace: (traceId, count) =>
      waitFor(
        () => {
          const found = spans.filter((span) => span.traceId === traceId);
          return found.length >= count ? found : undefined;
        },
        { what: `${count} spans of ${traceId}` },
      ),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

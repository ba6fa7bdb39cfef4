import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { headerLines, type Target } from '../target.ts';

export interface ClosedLoopTask {
  readonly target: Target;
  readonly body: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface ClosedLoopResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requests: number;
  /** Connections that broke, timeouts, and answers with a status above 399. */
  readonly failed: number;
}

const SCRIPT = new URL('./chat.lua', import.meta.url).pathname;

/** Runs wrk: every connection sends its next request as soon as the last one is answered. */
export async function closedLoop(
  { tools, processes, directory }: Bench,
  { target, body, connections, seconds }: ClosedLoopTask,
): Promise<ClosedLoopResult> {
  const file = join(directory, 'request.txt');
  const lines = headerLines(target, Buffer.byteLength(body)).filter((line) => !line.startsWith('Content-Length:'));
  await writeFile(file, `${lines.join('\n')}\n\n${body}`);
  const url = `http://${target.host}:${target.port}/`;
  const output = await processes.run(tools.wrk, {
    args: ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', SCRIPT, url],
    env: { REQUEST: file, KEYS: String(target.keys ?? 1), METHOD: target.method ?? 'POST', TARGET: target.path },
  });
  return parseResult(output);
}

/** Reads the line that chat.lua prints. Throws when there is none. */
export function parseResult(output: string): ClosedLoopResult {
  const line = /^RESULT (.*)$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`wrk printed no result: ${output.slice(-500)}`);
  const fields = new Map(line.split(' ').map((pair) => pair.split('=', 2) as [string, string])); // name=number
  const field = (name: string): number => Number(fields.get(name));
  return {
    requestsPerSecond: field('requests') / (field('microseconds') / 1e6),
    p50Ms: field('p50') / 1_000,
    p99Ms: field('p99') / 1_000,
    requests: field('requests'),
    failed: field('failed'),
  };
}

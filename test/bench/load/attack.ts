/**
 * Child process: for some seconds sends requests that are made to exhaust the peer, several at once, and counts the answers. Started by
 * index.ts over IPC.
 */
import { request as startRequest } from 'node:http';
import type { Target } from '../target.ts';
import { ATTACKS, type Attack } from './attack-requests.ts';
import { answerTask } from './task.ts';

export type AttackName = keyof typeof ATTACKS;

export interface AttackTask {
  readonly name: AttackName;
  readonly target: Target;
  readonly seconds: number;
}

export interface AttackResult {
  /** How many answers had each status; 0 is a connection that ended without one. */
  readonly statuses: Readonly<Record<string, number>>;
}

async function run({ name, target, seconds }: AttackTask): Promise<AttackResult> {
  const { atOnce, create }: Attack = ATTACKS[name];
  const { headers, body, unfinished = false } = create();
  const deadline = AbortSignal.timeout(seconds * 1_000);
  const statuses: Record<string, number> = {};
  let sent = 0;
  const attacker = async (): Promise<void> => {
    while (!deadline.aborted) {
      const status = await sendOnce(target, { headers: headers(sent++), body, unfinished }, deadline);
      if (status !== undefined) statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, attacker));
  return { statuses };
}

interface Shot {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly unfinished: boolean;
}

/** The status of the answer; undefined when time was up first. */
function sendOnce(
  target: Target,
  { headers, body, unfinished }: Shot,
  deadline: AbortSignal,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    const { host, port, path } = target;
    const own = Object.fromEntries(
      Object.entries(target.headers).map(([name, value]) => [name, value.replace('{key}', '1')]),
    );
    const length = unfinished ? body.length + 1 : body.length;
    const request = startRequest({
      ...{ host, port, path, method: 'POST', agent: false, signal: deadline },
      headers: { 'content-type': 'application/json', 'content-length': length, ...own, ...headers },
    });
    request.on('response', (response) => {
      response.resume();
      response.on('error', () => undefined); // the end of the connection follows
      response.on('close', () => {
        request.destroy();
        resolve(deadline.aborted ? undefined : response.statusCode);
      });
    });
    request.on('error', () => resolve(deadline.aborted ? undefined : 0));
    if (unfinished) request.write(body);
    else request.end(body);
  });
}

answerTask(run);

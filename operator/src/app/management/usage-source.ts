/** Asks the operator what budgets have used. A connection reaches any replica, and the leader alone knows: others are asked again. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { parseJson } from '@gatehouse/crds';
import { MAX_OBJECT_COUNTERS, OBJECT_USAGE_PATH, type ObjectUsage, objectUsage } from '@gatehouse/crds/usage';
import { type PolicyUsage, toGroupCounters } from '../../management/index.ts';
import { type Clock, type Log, sleep, startDeadline } from '../../runtime/index.ts';

export interface UsageSourceOptions {
  /** `https://host:port` of the operator. */
  readonly url: URL;
  /** Folder of `ca.crt` and `token`, which are read for each question. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends questions with the process. */
  readonly signal: AbortSignal;
}

/** How long the leader is looked for, in ms. */
const SEARCH_MS = 5_000;
/** Between two questions, in ms. */
const PAUSE_MS = 50;
/** Of as many counters as an object may have, with the longest ids. */
const MAX_ANSWER_BYTES = MAX_OBJECT_COUNTERS * 16 * 1024;

export function createUsageSource(options: UsageSourceOptions): PolicyUsage {
  const { clock, log, signal } = options;
  return {
    countersOf: async ({ namespace = '', name }) => {
      using deadline = startDeadline({ signal, timeoutMs: SEARCH_MS, onTimeout });
      const object = `UsageLimitPolicy/${namespace}/${name}`;
      try {
        for (;;) {
          const found = await ask(options, object, deadline.signal);
          if (found !== undefined) return found.counters.flatMap(toCounters);
          await sleep(PAUSE_MS, { signal: deadline.signal, clock });
        }
      } catch (error) {
        log.warn({ err: error }, 'Usage could not be read from the operator');
        return undefined;
      }
    },
  };
}

const onTimeout = (): Error => new Error('no leader has answered');

const toCounters = ({ owner, ...row }: ObjectUsage['counters'][number]) =>
  toGroupCounters({ ...row, bucket: owner.bucket });

/** Undefined when the replica does not lead. */
async function ask({ url, folder }: UsageSourceOptions, object: string, signal: AbortSignal) {
  const [ca = '', token = ''] = await Promise.all(
    ['ca.crt', 'token'].map((name) => readFile(join(folder, name), 'utf8')),
  );
  const target = new URL(`${OBJECT_USAGE_PATH}?object=${encodeURIComponent(object)}`, url);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token.trim()}`, accept: 'application/json' };
    const call = request(target, { ca, signal, agent: false, headers });
    call.on('response', resolve);
    call.on('error', reject);
    call.end();
  });
  if (answer.statusCode === NOT_LEADING) {
    answer.resume();
    return undefined;
  }
  if (answer.statusCode !== 200) throw new Error(`the operator answered ${answer.statusCode} to the request for usage`);
  const usage = objectUsage.safeParse(parseJson(await textOf(answer)));
  if (!usage.success) throw new Error('the operator sent no usage');
  return usage.data;
}

const NOT_LEADING = 503;

async function textOf(answer: IncomingMessage): Promise<string> {
  answer.setEncoding('utf8');
  let text = '';
  for await (const chunk of answer) {
    text += String(chunk);
    if (text.length > MAX_ANSWER_BYTES) throw new Error('the answer of the operator is too long');
  }
  return text;
}

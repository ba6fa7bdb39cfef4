/** Streams of a provider, for the tests beside the source; programs do not import it. */
import type { AppError } from '../../../errors/index.ts';
import { CHECKS, compileHook, runHooks } from '../../../guardrails/index.ts';
import type { TextProtocol } from '../../../guardrails/stream/index.ts';
import { subjectOf, toolsOf } from '../../../guardrails/testing.ts';
import { BodyRelay } from '../../../upstream/index.ts';
import { createRelayTransform } from '../../../wire/transform/index.ts';
import type { guardStream, RunHooks } from './index.ts';

interface Source {
  readonly body: { kind: 'stream'; upstream: BodyRelay; transform: ReturnType<typeof createRelayTransform> };
  readonly flow: string[];
}

export function source(protocol: TextProtocol): Source {
  const flow: string[] = [];
  const note = (what: string) => () => void flow.push(what);
  const upstream = new BodyRelay({ pause: note('pause'), resume: note('resume'), abort: note('abort') });
  return { body: { kind: 'stream', upstream, transform: createRelayTransform(protocol) }, flow };
}

/** Everything that the client gets. */
export function received({ upstream, transform }: ReturnType<typeof guardStream>) {
  let text = '';
  const add = (piece: Buffer | string | undefined): void => {
    text += piece?.toString() ?? '';
  };
  const over = new Promise<{ text: string; error: AppError | undefined }>((resolve) => {
    upstream.pipe({
      write: (bytes) => {
        add(transform?.push(bytes));
        return true;
      },
      end: () => {
        add(transform?.end());
        resolve({ text, error: undefined });
      },
      fail: (error) => {
        add(transform?.fail(error));
        resolve({ text, error });
      },
    });
  });
  return { over, soFar: () => text };
}

const TYPES = {
  chat: 'chatComplete',
  completion: 'complete',
  messages: 'messages',
  responses: 'createModelResponse',
} as const;
export const runFor =
  (protocol: TextProtocol): RunHooks =>
  (hooks, answer, given) => {
    const subject = subjectOf([], { phase: 'output', requestType: TYPES[protocol], request: {}, response: answer });
    return runHooks(hooks, { ...subject, client: subject }, () => toolsOf(given && { given }));
  };

/** Denies answers with the word. */
export const noSecret = compileHook(
  {
    type: 'guardrail',
    deny: true,
    window: 40,
    checks: [
      {
        id: 'default.contains',
        enabled: true,
        failOnError: false,
        parameters: { words: ['SECRET'], operator: 'none' },
      },
    ],
  },
  { checks: CHECKS, id: 'no-secret', scope: 'request' },
);

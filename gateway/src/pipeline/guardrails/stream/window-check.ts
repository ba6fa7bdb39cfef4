import type { AppError } from '../../../errors/index.ts';
import {
  type CompiledHook,
  type Denial,
  type GivenPlaceholders,
  type HookPhaseResult,
  StreamPlaceholders,
} from '../../../guardrails/index.ts';
import type { TextProtocol, WindowOptions, WindowVerdict } from '../../../guardrails/stream/index.ts';
import type { Deferred } from '../../../lib/deferred.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { answerGroups, answerOf, textsOf } from './text-answer.ts';

/** Runs hooks on an answer in the client's format. `given`: where it is a piece of a stream. Never rejects. */
export type RunHooks = (
  hooks: readonly CompiledHook[],
  answer: JsonObject,
  given?: GivenPlaceholders,
) => Deferred<HookPhaseResult>;

export interface WindowHooks {
  readonly protocol: TextProtocol;
  readonly run: RunHooks;
  /** The error that ends a stream. */
  refuse(denial: Denial, result: HookPhaseResult): AppError;
}

/** The hooks that check a stream in windows, as its windows need them; undefined: there are none. */
export function windowsOf(hooks: readonly CompiledHook[], port: WindowHooks): WindowOptions<AppError> | undefined {
  const windowed = hooks.filter(({ window, async, mode }) => window !== undefined && !async && mode === 'enforce');
  if (windowed.length === 0) return undefined;
  const placeholders = new StreamPlaceholders();
  return {
    size: Math.min(...windowed.map(({ window }) => window ?? Number.POSITIVE_INFINITY)),
    changesTexts: windowed.some(({ transforms }) => transforms),
    check: async (texts, goesOn) => {
      const given = placeholders.draft({ goesOn });
      const run: RunHooks = (hooks, answer) => port.run(hooks, answer, given);
      const verdict = await checkTexts(windowed, texts, { ...port, run });
      return verdict.kind === 'deny' ? verdict : { ...verdict, released: (text) => placeholders.keep(given, text) };
    },
  };
}

async function checkTexts(
  hooks: readonly CompiledHook[],
  texts: readonly string[],
  { protocol, run, refuse }: WindowHooks,
): Promise<WindowVerdict<AppError>> {
  const now: (string | undefined)[] = [];
  for (const group of answerGroups(protocol, texts)) {
    const result = await run(hooks, answerOf(protocol, group));
    const { denied, body } = result;
    if (denied !== undefined) return { kind: 'deny', denial: refuse(denied, result) };
    now.push(...(body === undefined ? group : textsOf(protocol, body)));
  }
  return { kind: 'pass', texts: now };
}

/** Hooks without a gateway: they run on single texts, and nothing is called. */
import type { CheckPhase, HookSpec } from '@gatehouse/crds/guardrails';
import { Cancellation } from '../lib/cancellation.ts';
import { createRegexScheduler, REQUEST_UNITS } from '../lib/regex.ts';
import type { JsonObject } from '../wire/contract.ts';
import type { CheckTools } from './contract.ts';
import { placesOf } from './extract/index.ts';
import {
  type CompiledHook,
  compileHook,
  type HookResult,
  hookResult,
  runHooks,
  type SubjectFacts,
  watchHooks,
} from './hooks/index.ts';
import { CHECKS } from './register.ts';

/** A text as the last message of a chat completion, or as its answer. */
export interface OfflineText {
  readonly phase: CheckPhase;
  readonly text: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Members of the request: the messages before the text, the model, tools and other parameters. */
  readonly request: JsonObject;
}

export interface OfflineVerdict {
  /** Whether all hooks pass. */
  readonly verdict: boolean;
  /** Whether a request would be stopped. */
  readonly denied: boolean;
  /** The text as the hooks leave it. */
  readonly text: string;
  readonly hooks: readonly HookResult[];
}

/** Compiles hooks for texts of both phases. Throws what `compileHook` throws. */
export function createOfflineHooks(
  specs: Readonly<Record<CheckPhase, readonly HookSpec[]>>,
): (text: OfflineText) => Promise<OfflineVerdict> {
  const nextSlice = createRegexScheduler();
  const compile = (phase: CheckPhase): readonly CompiledHook[] =>
    specs[phase].map((spec, i) => compileHook(spec, { checks: CHECKS, id: `${phase}-${i + 1}`, scope: 'request' }));
  const hooks = { input: compile('input'), output: compile('output') };
  return async (given) => {
    const facts = factsOf(given);
    const tools = toolsOf(nextSlice);
    const [acting, watching] = [hooks[given.phase].filter(acts), hooks[given.phase].filter((hook) => !acts(hook))];
    const acted = await runHooks(acting, facts, () => tools);
    const watched = await watchHooks(watching, facts, () => tools);
    const results = [...acted.results, ...watched.map((ran) => hookResult(ran))];
    return {
      verdict: results.every(({ verdict }) => verdict),
      denied: acted.denied !== undefined,
      text: acted.body === undefined ? given.text : textIn(given.phase, acted.body),
      hooks: results,
    };
  };
}

const acts = ({ async, mode }: CompiledHook): boolean => !async && mode === 'enforce';

function factsOf({ phase, text, metadata, request }: OfflineText): SubjectFacts {
  const before: unknown = request['messages'];
  const messages: readonly unknown[] = Array.isArray(before) ? before : [];
  const message = { role: 'user', content: text };
  const isInput = phase === 'input';
  return {
    phase,
    requestType: 'chatComplete',
    provider: '',
    metadata,
    isStream: request['stream'] === true,
    request: { ...request, messages: isInput ? [...messages, message] : messages },
    response: isInput ? undefined : { choices: [{ index: 0, message: { role: 'assistant', content: text } }] },
    responseStatus: isInput ? undefined : 200,
    client: { header: () => undefined, headers: () => [] },
    traceId: '',
  };
}

function toolsOf(nextSlice: () => Promise<void>): CheckTools {
  return {
    signal: new Cancellation(),
    regex: { left: REQUEST_UNITS, nextSlice },
    nextSlice,
    fetch: () => Promise.reject(new Error('nothing is called offline')),
    cached: async (_key, make) => (await make()).value,
    now: Date.now,
    random: Math.random,
  };
}

const textIn = (phase: CheckPhase, body: JsonObject): string =>
  placesOf('chatComplete', phase, body)
    .map(({ text }) => text)
    .join('\n');

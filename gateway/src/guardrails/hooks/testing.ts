/** Hooks of checks that the tests write; programs do not import it. */
import type { CheckSpec, HookActions } from '@gatehouse/crds/guardrails';
import { z } from 'zod';
import type { JsonObject } from '../../wire/contract.ts';
import type { CheckAnswer, CheckDefinition, CompiledCheck } from '../contract.ts';
import { type CompiledHook, compileHook, type HookOwner, type SubjectFacts } from './index.ts';

export interface TestCheck extends Partial<Omit<CheckSpec, 'id' | 'parameters'>> {
  readonly run: CompiledCheck;
  readonly entry?: {
    readonly callsOut?: true;
    readonly transforms?: true;
    readonly adds?: true;
    readonly quotes?: readonly string[];
  };
}

export type TestHook = HookActions & {
  readonly id?: string;
  readonly type?: 'guardrail' | 'mutator';
  readonly owner?: HookOwner;
};

/** Checks are named `t.0`, `t.1` and so on. */
export function hookOf(checks: readonly TestCheck[], { owner = 'config', ...hook }: TestHook = {}): CompiledHook {
  const specs = checks.map(({ run: _, entry: __, ...spec }, i): CheckSpec => {
    return { id: `t.${i}`, parameters: {}, enabled: true, failOnError: false, ...spec };
  });
  const compiled = compileHook(
    { type: 'guardrail', ...hook, checks: specs },
    { checks: definitionsOf(checks), id: 'unnamed', scope: 'request' },
  );
  return { ...compiled, owner };
}

export const definitionsOf = (checks: readonly TestCheck[]): ReadonlyMap<string, CheckDefinition> =>
  new Map(
    checks.map(({ run, entry }, i) => {
      const id = `t.${i}`;
      const made = { id, summary: '', phases: ['input', 'output'], parameters: z.strictObject({}), ...entry } as const;
      return [id, { entry: made, compile: () => run }];
    }),
  );

export const PASS: TestCheck = { run: () => ({ verdict: true }) };
export const FAIL: TestCheck = { run: () => ({ verdict: false }) };
export const ERROR: TestCheck = { run: () => ({ verdict: false, error: { name: 'E', message: 'm' } }) };
export const THROWS: TestCheck = {
  run: () => {
    throw new Error('token sk-secret');
  },
};

/** Fails on texts that contain the word. */
export const refuses = (word: string): TestCheck => ({ run: ({ text }) => ({ verdict: !text.includes(word) }) });

/** Replaces a word in each part. */
export const replaces = (word: string, by: string): TestCheck => ({
  entry: { transforms: true },
  run: ({ parts }): CheckAnswer => {
    if (!parts.some((part) => part.includes(word))) return { verdict: true };
    const changed = parts.map((part) => part.replaceAll(word, by));
    return { verdict: true, transformed: { kind: 'parts', parts: changed, restore: new Map([[by, word]]) } };
  },
});

export const chat = (content: string): JsonObject => ({ model: 'm', messages: [{ role: 'user', content }] });

export function factsOf(text: string, over: Partial<SubjectFacts> = {}): SubjectFacts {
  return {
    phase: 'input',
    requestType: 'chatComplete',
    provider: 'openai',
    metadata: {},
    isStream: false,
    request: chat(text),
    response: undefined,
    responseStatus: undefined,
    traceId: 'trace-1',
    client: { header: () => undefined, headers: () => [] },
    ...over,
  };
}

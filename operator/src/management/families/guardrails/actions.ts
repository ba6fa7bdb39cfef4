/** The actions of a guardrail in the spellings of clients: docs/behaviour/management.md#guardrails. */
import { type Issue, isObject } from '@gatehouse/crds';
import type { ResourceOf } from '@gatehouse/crds/kinds';
import type { guardrails } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import { invalid } from '../../http/rest-error.ts';
import { givenFields } from '../fields.ts';

type Given = NonNullable<z.output<typeof guardrails.create.body>['actions']>;
type Outcome = Given['on_fail'];
type Feedback = NonNullable<Exclude<NonNullable<Outcome>, string>['feedback']>;
type Actions = NonNullable<ResourceOf<'Guardrail'>['spec']['actions']>;

/** What the words of an outcome say about `deny`. */
const DENIES = { block: true, deny: true, log: false, warn: false, continue: false } as const;

/** The actions that are given, over those that are there. */
export function toActions(given: Given, before: Actions | undefined): Readonly<Record<string, unknown>> {
  const onFail = given.on_fail ?? given.onFail;
  const fromOutcome = typeof onFail === 'string' ? DENIES[onFail] : onFail?.deny;
  return {
    ...before,
    ...givenFields({
      deny: given.deny ?? fromOutcome ?? given.deny,
      async: given.async,
      sequential: given.sequential,
      softDeny200: given.soft_deny_200,
      mode: given.mode,
      buffer: given.buffer,
      window: given.window,
      message: given.message,
      onSuccess: toOutcome(given.on_success ?? given.onSuccess, 'on_success'),
      onFail: toOutcome(onFail, 'on_fail'),
    }),
  };
}

/** Undefined: what is there stays; null: it goes. */
function toOutcome(given: Outcome, member: string): { readonly feedback: object } | null | undefined {
  if (given === undefined || given === null || typeof given === 'string')
    return typeof given === 'string' ? null : given;
  const { feedback } = given;
  if (feedback === undefined || feedback === null) return feedback;
  const { value, weight } = feedback;
  return { feedback: { value, weight, metadata: toMetadata(feedback, ['actions', member, 'feedback', 'metadata']) } };
}

function toMetadata({ metadata }: Feedback, path: Issue['path']): object | undefined {
  if (metadata === undefined || metadata === null || metadata === '') return undefined;
  const value = typeof metadata === 'string' ? parsed(metadata) : metadata;
  if (isObject(value)) return value;
  throw invalid([{ code: 'invalid', path, message: 'expected a JSON object of texts' }], 'body');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same as the API shows it. */
export function showActions(actions: Actions | undefined) {
  const { deny = false, async = false, sequential = false, softDeny200 = false } = actions ?? {};
  const { mode = 'enforce', buffer = false, window, message, onSuccess, onFail } = actions ?? {};
  return {
    deny,
    async,
    sequential,
    soft_deny_200: softDeny200,
    mode,
    buffer,
    ...(window === undefined ? {} : { window }),
    ...(message === undefined ? {} : { message }),
    on_success: showOutcome(onSuccess),
    on_fail: showOutcome(onFail),
  };
}

function showOutcome(outcome: Actions['onFail']) {
  if (outcome?.feedback === undefined) return {};
  const { value, weight, metadata } = outcome.feedback;
  return { feedback: { value, weight, metadata: metadata === undefined ? '' : JSON.stringify(metadata) } };
}

/** Responses: the terminal event carries the whole answer. */
import { isObject } from '@gatehouse/crds';
import type { Frame } from '../../wire/contract.ts';
import { type AnswerBuilder, parseFrame } from './builder.ts';
import type { CharacterBudget } from './draft.ts';

const TERMINAL: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);
const FAILED: ReadonlySet<unknown> = new Set(['response.failed', 'error']);

export function createResponsesBuilder(budget: CharacterBudget): AnswerBuilder {
  let answer: object | undefined;
  return {
    take: (frame) => {
      if (answer !== undefined || !mayEnd(frame)) return true;
      const event = parseFrame(frame);
      if (event === undefined || FAILED.has(event['type'])) return false;
      const { response } = event;
      if (!TERMINAL.has(event['type']) || !isObject(response)) return true;
      answer = response;
      budget.left -= frame.data.length;
      return true;
    },
    finish: () => answer,
    soFar: () => answer,
  };
}

/** Whether an event may be terminal: deltas are recognised by name and not parsed. */
const mayEnd = ({ event }: Frame): boolean => event === undefined || TERMINAL.has(event) || FAILED.has(event);

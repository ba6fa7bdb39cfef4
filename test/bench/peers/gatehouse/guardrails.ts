/** Guardrails of the organisation for the bench: nothing that it sends fails them. */
import { pii } from '@gatehouse/crds/guardrails';
import type { EntryBody } from '@gatehouse/crds/snapshot';

type Body = EntryBody<'guardrail'>;

const WORDS = {
  id: 'default.contains',
  parameters: { words: ['password', 'confidential', 'internal only'], operator: 'none' },
};
const COUNT = { id: 'default.wordCount', parameters: { minWords: 1, maxWords: 10_000, not: false } };
const PATTERN = { id: 'default.regexMatch', parameters: { rule: '\\b[A-Z]{4}-[0-9]{4}\\b', not: true } };
const PERSONAL = { id: 'default.pii', parameters: pii.parameters.parse({}) };

const GUARDRAILS = {
  words: { checks: [WORDS, COUNT, PATTERN] },
  'personal data': { checks: [WORDS, PATTERN, PERSONAL] },
  window: { checks: [WORDS, COUNT, PATTERN], window: 200 },
  buffer: { checks: [WORDS, COUNT, PATTERN], buffer: true },
} satisfies Readonly<Record<string, Pick<Body, 'checks' | 'buffer' | 'window'>>>;

/** Three checks on requests and answers each; the last two act on streams. */
export type Guardrails = keyof typeof GUARDRAILS;

const isGuardrails = (name: string): name is Guardrails => Object.hasOwn(GUARDRAILS, name);

/** Undefined: none of that name. */
export function guardrailOf(name: string = ''): Body | undefined {
  if (!isGuardrails(name)) return undefined;
  const actions = { type: 'guardrail', deny: true, async: false, sequential: false };
  return { slug: 'pg-bench', version: '1', ...actions, ...GUARDRAILS[name] };
}

/** What versions of prompts and partials contain. */
import { z } from 'zod';
import {
  MAX_PROMPT_VERSION,
  MAX_TEMPLATE,
  readPartialText,
  type TextProblem,
  templateIssues,
} from '../../prompts/index.ts';
import { atomicList, type Issue, int, opaque, type Rule, text, withRules } from '../../schema/index.ts';
import { nameRef } from './refs.ts';

const MAX_MESSAGES = 64;
const MAX_CONTENT = 32_768;
const MAX_MEMBERS = 128;

const message = z.strictObject({
  role: z
    .enum(['system', 'developer', 'user', 'assistant'])
    .meta({ description: 'role is who says it in the conversation.' }),
  name: text('name tells participants with the same role apart.', 64).optional(),
  content: text('content is a template (Mustache) of the text.', MAX_CONTENT),
});

const template = z.strictObject({
  messages: atomicList(message, 'messages are a prompt for chat.', MAX_MESSAGES).min(1).optional(),
  text: text(
    'text is a template (Mustache): of the prompt of a text completion, or of a JSON list of messages for chat.',
    MAX_TEMPLATE,
  ).optional(),
  raw: z
    .boolean()
    .meta({
      description:
        'raw true does not escape values of variables in a text that is JSON: the author of the template sees to that.',
    })
    .optional(),
  model: text('model is the model of calls that name none; absent: calls or configs name it.', 256).optional(),
  providerRef: nameRef(
    'providerRef names the Provider or VirtualKey for calls that name none and whose config names none.',
  ).optional(),
  variables: opaque('variables are the values of variables that a call leaves out.', MAX_MEMBERS).optional(),
  parameters: opaque(
    'parameters are the other members of the request body: temperature, tools, response_format … Those of a call replace them.',
    MAX_MEMBERS,
  ).optional(),
  metadata: opaque('metadata is kept for tools that edit prompts; nothing reads it.', MAX_MEMBERS).optional(),
});

type Template = z.output<typeof template>;

const user = [{ role: 'user', content: 'Hello {{name}}' }];

const RULES: readonly Rule<Template>[] = [
  {
    cel: 'has(self.messages) != has(self.text)',
    message: 'either messages or text is needed',
    at: 'messages',
    holds: ({ messages, text: whole }) => (messages === undefined) !== (whole === undefined),
    valid: [{ messages: user }, { text: 'Hello {{name}}' }],
    invalid: [{}, { messages: user, text: 'Hello' }],
  },
  {
    cel: '!has(self.raw) || has(self.text)',
    message: 'raw is for text: messages are no JSON that values could break',
    at: 'raw',
    holds: ({ raw, text: whole }) => raw === undefined || whole !== undefined,
    valid: [{ text: '[{"role": "user", "content": {{json}}}]', raw: true }],
    invalid: [{ messages: user, raw: true }],
  },
];

/** One version of a prompt. */
export const promptTemplate = (description: string) => withRules(template, RULES).meta({ description });

/** The text of one version of a partial. */
export const partialText = text(
  'text is the template (Mustache) that prompts include; it includes no other partials.',
  MAX_TEMPLATE,
);

export const versionNumber = (description: string) => int(description, 1, MAX_PROMPT_VERSION);

/** Members of a request body that have a place of their own. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  messages: 'messages of the template',
  prompt: 'text of the template',
  model: 'model of the template',
  variables: 'variables of the template',
  prompt_id: 'the name of the prompt',
};

/** What the schema cannot say of a template. */
export function promptTemplateIssues(
  source: Template | undefined,
  path: readonly (string | number)[],
): readonly Issue[] {
  if (source === undefined) return [];
  const misplaced = Object.keys(source.parameters ?? {}).flatMap((name): readonly Issue[] => {
    const place = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined;
    if (place === undefined) return [];
    return [{ code: 'invalid', path: [...path, 'parameters', name], message: `this belongs into ${place}` }];
  });
  return [...templateIssues(source).map((problem) => toIssue(problem, path)), ...misplaced];
}

/** What the schema cannot say of the text of a partial. */
export function partialIssues(whole: string | undefined, path: readonly (string | number)[]): readonly Issue[] {
  if (whole === undefined) return [];
  const read = readPartialText(whole);
  return read.ok ? [] : read.error.map((problem) => toIssue(problem, path));
}

const toIssue = ({ path, message: problem }: TextProblem, at: readonly (string | number)[]): Issue => ({
  code: 'invalid',
  path: [...at, ...path],
  message: problem,
});

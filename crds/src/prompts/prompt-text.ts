/** The text of a prompt, in either of its forms: messages written out, or one text. */
import { err, ok, type Result } from '../lib/result.ts';
import { parseTemplate, type Template } from './template.ts';

export interface PromptMessage {
  readonly role: string;
  readonly name?: string | undefined;
  readonly content: string;
}

/** What holds the text: a template of a Prompt, or the entry made of it. */
export interface PromptSource {
  readonly messages?: readonly PromptMessage[] | undefined;
  readonly text?: string | undefined;
  readonly raw?: boolean | undefined;
}

/**
 * `messages`: each content is a template. `json`: the text renders to the JSON of messages. `text`: it renders to the prompt of
 * a text completion.
 */
export type PromptText =
  | {
      readonly kind: 'messages';
      readonly messages: readonly { readonly fixed: Readonly<Record<string, string>>; readonly content: Template }[];
    }
  | { readonly kind: 'json'; readonly template: Template; readonly raw: boolean }
  | { readonly kind: 'text'; readonly template: Template };

/** A problem of a text: the members that lead to it, and what is wrong. */
export interface TextProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The beginning of a JSON list of objects, or of a section that makes them. */
const JSON_MESSAGES = /^\s*\[\s*\{/;

/** Reads the text; all problems at once. */
export function readPromptText({ messages, text = '', raw = false }: PromptSource): Result<PromptText, TextProblem[]> {
  if (messages !== undefined) return readMessages(messages);
  const parsed = parseTemplate(text);
  if (!parsed.ok) return err([{ path: ['text'], message: parsed.error }]);
  const template = parsed.value;
  return ok(raw || JSON_MESSAGES.test(text) ? { kind: 'json', template, raw } : { kind: 'text', template });
}

function readMessages(messages: readonly PromptMessage[]): Result<PromptText, TextProblem[]> {
  const problems: TextProblem[] = [];
  const read = messages.flatMap(({ content, ...rest }, i) => {
    const parsed = parseTemplate(content);
    if (parsed.ok) return [{ fixed: fixedOf(rest), content: parsed.value }];
    problems.push({ path: ['messages', i, 'content'], message: parsed.error });
    return [];
  });
  return problems.length > 0 ? err(problems) : ok({ kind: 'messages', messages: read });
}

const fixedOf = ({ role, name }: Omit<PromptMessage, 'content'>): Readonly<Record<string, string>> =>
  name === undefined ? { role } : { role, name };

/** All templates of a text. */
export const templatesOf = (text: PromptText): readonly Template[] =>
  text.kind === 'messages' ? text.messages.map(({ content }) => content) : [text.template];

/** What is wrong with a text. */
export function templateIssues(source: PromptSource): readonly TextProblem[] {
  const read = readPromptText(source);
  return read.ok ? [] : read.error;
}

/** Reads the text of a partial: one template that includes no others. */
export function readPartialText(text: string): Result<Template, TextProblem[]> {
  const parsed = parseTemplate(text);
  if (!parsed.ok) return err([{ path: ['text'], message: parsed.error }]);
  const { partials, variablePartials } = parsed.value;
  if (partials.length + variablePartials.length === 0) return parsed;
  return err([{ path: ['text'], message: 'a partial includes no other partials' }]);
}

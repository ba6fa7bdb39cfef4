/** The content of a version: as clients write it, and as resources have it. docs/behaviour/management.md#prompts */
import { type Issue, isObject, type Result } from '@gatehouse/crds';
import type { ResourceOf } from '@gatehouse/crds/kinds';
import { templateIssues } from '@gatehouse/crds/prompts';
import type { prompts } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import type { WriteProblem } from '../../store/index.ts';
import { givenFields } from '../fields.ts';
import { type FieldNames, written } from '../write.ts';

export type Template = NonNullable<ResourceOf<'Prompt'>['spec']['template']>;
type Messages = NonNullable<Template['messages']>;
type Body = z.output<typeof prompts.update.body>;
type Members = Readonly<Record<string, unknown>>;

const MEMBERS = [
  'string',
  'parameters',
  'model',
  'virtual_key',
  'functions',
  'tools',
  'tool_choice',
  'template_metadata',
  'is_raw_template',
] as const;

/** What a body says of the content of a version. */
export type Content = { readonly [K in (typeof MEMBERS)[number]]?: Body[K] | undefined };

/** The members of a body that are about a version; undefined: there are none. */
export function contentIn(body: Body): Content | undefined {
  const { prompt_metadata, template_metadata = prompt_metadata, version_description } = body;
  const given = { ...body, template_metadata };
  const present = MEMBERS.filter((member) => given[member] !== undefined);
  if (present.length === 0 && version_description === undefined) return undefined;
  return Object.fromEntries(present.map((member) => [member, given[member]]));
}

const asObjects = (value: unknown): Members[] | undefined =>
  Array.isArray(value) && value.every(isObject) ? value : undefined;
const asChoice = (value: unknown): Members | string | undefined =>
  typeof value === 'string' || isObject(value) ? value : undefined;

/** As the API shows it. Written back, it is the same. */
export function showTemplate({ messages, text = '', raw = false, ...rest }: Template) {
  const parameters = rest.parameters ?? {};
  const apart = {
    functions: asObjects(parameters['functions']),
    tools: asObjects(parameters['tools']),
    tool_choice: asChoice(parameters['tool_choice']),
  };
  const settings = Object.entries(parameters).filter(([name]) => apart[name as keyof typeof apart] === undefined); // or another
  return {
    string: messages === undefined ? text : textOf(messages),
    parameters: {
      ...Object.fromEntries(settings),
      ...(rest.variables === undefined ? {} : { variables: rest.variables }),
    },
    model: rest.model ?? null,
    virtual_key: rest.providerRef?.name ?? null,
    functions: apart.functions ?? null,
    tools: apart.tools ?? null,
    tool_choice: apart.tool_choice ?? null,
    template_metadata: rest.metadata ?? {},
    is_raw_template: raw,
  };
}

/** The template of a content. It is checked where it is written. */
export function toTemplate(content: Content): Members {
  const { string: text = '', model, virtual_key, template_metadata: metadata } = content;
  const { variables, ...settings } = content.parameters ?? {};
  const parameters = {
    ...settings,
    ...(variables === undefined || isObject(variables) ? {} : { variables }),
    ...definedOnly({ functions: content.functions, tools: content.tools, tool_choice: content.tool_choice }),
  };
  const provider = virtual_key?.replace(/^@/, '') ?? '';
  return {
    ...wordsOf(text, Boolean(content.is_raw_template)),
    ...definedOnly({
      model: model === '' ? undefined : model,
      providerRef: provider === '' ? undefined : { name: provider },
      variables: isObject(variables) && !isEmpty(variables) ? variables : undefined,
      parameters: isEmpty(parameters) ? undefined : parameters,
      metadata: metadata && !isEmpty(metadata) ? metadata : undefined,
    }),
  };
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;
const definedOnly = (members: Members): Members =>
  Object.fromEntries(Object.entries(givenFields(members)).filter(([, value]) => value !== undefined));

/** Messages that come back as they were written are written out; any other text stays a text. */
function wordsOf(text: string, raw: boolean): Members {
  if (raw) return { text, raw };
  const messages = messagesIn(text);
  return messages === undefined || templateIssues({ messages }).length > 0 ? { text } : { messages };
}

const textOf = (messages: Messages): string =>
  JSON.stringify(
    messages.map(({ role, name, content }) => ({ role, ...(name === undefined ? {} : { name }), content })),
  );

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);
const MAX_MESSAGES = 64;
const MAX_NAME = 64;
const MAX_CONTENT = 32_768;

function messagesIn(text: string): Messages | undefined {
  const value = parsed(text);
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_MESSAGES || !value.every(isMessage)) {
    return undefined;
  }
  return textOf(value) === text ? value : undefined;
}

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value !== '' && value.length <= max;

const isMessage = (value: unknown): value is Messages[number] =>
  isObject(value) &&
  ROLES.has(value['role']) &&
  isText(value['content'], MAX_CONTENT) &&
  (value['name'] === undefined || isText(value['name'], MAX_NAME));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NAMES: FieldNames = {
  displayName: 'name',
  description: 'version_description',
  collectionRef: 'collection_id',
  providerRef: 'virtual_key',
  metadata: 'template_metadata',
  messages: 'string',
  text: 'string',
  raw: 'is_raw_template',
  publishedVersion: 'version',
  labels: 'label_id',
};

/** As `written`, for members of a prompt or of one of its versions. */
export function writtenPrompt<T>(outcome: Result<T, WriteProblem>, what: string): T {
  if (outcome.ok || outcome.error.kind !== 'invalid') return written(outcome, what, NAMES);
  return written({ ok: false, error: { kind: 'invalid', issues: outcome.error.issues.map(inContent) } }, what, NAMES);
}

/** Members of a template are members of the body. */
function inContent({ path, ...issue }: Issue): Issue {
  if (path[0] !== 'spec' || path[1] !== 'template') return { ...issue, path };
  const [member, ...below] = path.slice(2);
  if (member === undefined) return { ...issue, path: ['spec', 'string'] };
  const isWhole = member === 'messages' || member === 'providerRef';
  return { ...issue, path: ['spec', member, ...(isWhole ? [] : below)] };
}

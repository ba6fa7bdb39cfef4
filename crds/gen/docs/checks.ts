/** The reference page of guardrail checks. */
import { z } from 'zod';
import { CHECK_ENTRIES, type CheckEntry, pluginOf } from '../../src/guardrails/index.ts';
import { PATTERN_NAMES } from '../../src/schema/index.ts';
import { code, page, table } from './markdown.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** Every check with its parameters and its credential. */
export function checksPage(): string {
  const plugins = [...Map.groupBy(CHECK_ENTRIES, ({ id }) => pluginOf(id))].toSorted(byPlugin);
  return page('Guardrail checks', [
    'How checks run and what their answers mean is in [guardrails](../behaviour/guardrails.md). Every check also takes `failOnError` ' +
      '(boolean, `false`): an error of the check fails it. An id without a dot is one of `default`. Unknown checks and parameters are refused. ' +
      'Credentials are entries of the Secret of `parametersSecretRef`, or of an Integration whose provider is the part of the id before the dot; ' +
      'configs of requests write them into `credentials` of the parameters.',
    table(
      ['check', 'passes or does', 'on', 'calls a service', 'changes'],
      plugins.flatMap(([, entries]) => entries.map(overviewRow)),
    ),
    ...plugins.flatMap(([, entries]) => entries.flatMap(checkSection)),
  ]);
}

type Plugin = readonly [plugin: string, entries: readonly CheckEntry[]];

/** The built-in checks first. */
const byPlugin = ([a]: Plugin, [b]: Plugin): number => {
  if (a === 'default' || b === 'default') return a === b ? 0 : a === 'default' ? -1 : 1;
  return a < b ? -1 : 1;
};

const anchorOf = (id: string): string => id.toLowerCase().replace(/[^a-z0-9_-]/g, '');

const overviewRow = ({ id, summary, phases, callsOut, transforms }: CheckEntry): readonly string[] => [
  `[${code(id)}](#${anchorOf(id)})`,
  summary,
  phases.join(', '),
  callsOut ? 'yes' : '',
  transforms ? 'yes' : '',
];

function checkSection({ id, aliases = [], summary, phases, callsOut, transforms, ...entry }: CheckEntry): string[] {
  const facts = [
    `For ${phases.join(' and ')}.`,
    ...(callsOut ? ['Calls a service.'] : []),
    ...(transforms ? ['Changes texts, bodies or headers.'] : []),
    ...(aliases.length === 0 ? [] : [`Also written ${aliases.map(code).join(', ')}.`]),
  ];
  const rows = parameterRows(z.toJSONSchema(entry.parameters, { io: 'input', unrepresentable: 'any' }), '');
  const secret = new Set(entry.secretParameters ?? []);
  const shown = rows.map(([name, ...cells]) => [secret.has(name) ? `${code(name)}, secret` : code(name), ...cells]);
  return [
    `## ${id}`,
    `${summary} ${facts.join(' ')}`,
    rows.length === 0 ? 'It takes no parameters.' : table(['parameter', 'type', 'default', 'meaning'], shown),
    ...credentialTable(entry.credential),
  ];
}

function credentialTable(credential: CheckEntry['credential']): string[] {
  if (credential === undefined) return [];
  const rows = credential.fields.map(({ name, description, secret, required }) => [
    code(name),
    required ? 'yes' : '',
    secret ? 'yes' : '',
    description,
  ]);
  return [table(['credential', 'required', 'secret', 'meaning'], rows)];
}

type Row = readonly [name: string, type: string, fallback: string, description: string];

/** Parameters and, below objects, their members. */
function parameterRows(schema: Schema, prefix: string): readonly Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]): readonly Row[] => {
    if (typeof member === 'boolean') return [];
    const path = `${prefix}${name}`;
    const isRequired = schema.required?.includes(name) ?? false;
    return [
      [path, typeOf(member), fallbackOf(member, isRequired), String(member.description ?? '')],
      ...parameterRows(member, `${path}.`),
    ];
  });
}

/** Longer defaults are said in the description. */
const MAX_FALLBACK = 64;

function fallbackOf(schema: Schema, isRequired: boolean): string {
  if (isRequired) return 'required';
  if (schema.default === undefined || schema.properties !== undefined) return '';
  const text = JSON.stringify(schema.default);
  return text.length > MAX_FALLBACK ? 'see the meaning' : code(text);
}

/** A type with its bounds in words. */
function typeOf(schema: Schema | boolean | undefined): string {
  if (typeof schema !== 'object') return 'any';
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(', ');
  const { anyOf } = schema;
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(', or ');
  switch (schema.type) {
    case 'array':
      return `list${bounds(schema.minItems, schema.maxItems, ' of ')}: ${typeOf(itemsOf(schema))}`;
    case 'string':
      return textType(schema);
    case 'integer':
    case 'number':
      return `${schema.type}${bounds(schema.minimum, schema.maximum, ' ')}`;
    default:
      return [schema.type ?? 'any'].flat().join(' or ');
  }
}

/** Of a list with items of one kind. */
const itemsOf = ({ items }: Schema): Schema | boolean | undefined => (Array.isArray(items) ? undefined : items);

function textType({ pattern, maxLength }: Schema): string {
  const word = PATTERN_NAMES.get(pattern ?? '');
  return word ?? (maxLength === undefined ? 'text' : `text, at most ${maxLength} characters`);
}

/** The greatest safe integer says nothing. */
function bounds(min: number | undefined, max: number | undefined, separator: string): string {
  const most = max === Number.MAX_SAFE_INTEGER ? undefined : max;
  const least = min === Number.MIN_SAFE_INTEGER ? undefined : min;
  if (most === undefined) return least === undefined ? '' : `${separator}from ${least}`;
  return `${separator}${least === undefined ? 'at most ' : `${least} to `}${most}`;
}

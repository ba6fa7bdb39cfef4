/**
 * Schemas for the metadata of new keys and workspaces: the part of JSON Schema (draft-07) that describes an object of texts.
 * Patterns run on RE2: a pattern that somebody writes is matched against texts that somebody else writes.
 */
import { RE2JS } from 're2js';
import { z } from 'zod';
import { patternProblem } from '../../config/index.ts';
import { fromZodError, type Issue } from '../../schema/index.ts';

/** Longest metadata value and most members, as in `requestMetadata`. */
const MAX_VALUE = 128;
const MAX_MEMBERS = 64;

const length = z.int().min(0).max(MAX_VALUE).optional();
const note = z.string().max(1024).optional();

const pattern = z
  .string()
  .superRefine((text, context) => {
    const message = patternProblem(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .optional();

const member = z.strictObject({
  type: z.literal('string'),
  title: note,
  description: note,
  enum: z.array(z.string().max(MAX_VALUE)).min(1).max(256).optional(),
  const: z.string().max(MAX_VALUE).optional(),
  pattern,
  minLength: length,
  maxLength: length,
});

const document = z.strictObject({
  $schema: note,
  $id: note,
  title: note,
  description: note,
  type: z.literal('object').optional(),
  required: z.array(z.string().min(1).max(253)).max(MAX_MEMBERS).optional(),
  properties: z
    .record(z.string().min(1).max(253), member)
    .refine((members) => Object.keys(members).length <= MAX_MEMBERS, { error: `at most ${MAX_MEMBERS} members` })
    .optional(),
  // False would refuse metadata that workspaces and requests add.
  additionalProperties: z.literal(true).optional(),
});

type Member = z.output<typeof member>;

/** What is wrong with a schema; paths begin at the schema. */
export function metadataSchemaIssues(schema: unknown): Issue[] {
  const parsed = document.safeParse(schema);
  return parsed.success ? [] : fromZodError(parsed.error, { schema: document, value: schema });
}

/** How metadata differs from a schema without issues; paths begin at the metadata, and no value is quoted. */
export function metadataIssues(schema: unknown, metadata: Readonly<Record<string, string>>): Issue[] {
  const parsed = document.safeParse(schema);
  if (!parsed.success) return [];
  const { required = [], properties = {} } = parsed.data;
  const issue = (name: string, message: string): Issue => ({ code: 'invalid', path: [name], message });
  const missing = required.filter((name) => !Object.hasOwn(metadata, name));
  const wrong = Object.entries(properties).flatMap(([name, rules]) => {
    const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined;
    const message = value === undefined ? undefined : problemOf(value, rules);
    return message === undefined ? [] : [issue(name, `${message} (metadataSchema of the Organisation)`)];
  });
  return [...missing.map((name) => issue(name, 'is required by the metadataSchema of the Organisation')), ...wrong];
}

/** Lengths are in code points, as JSON Schema counts them. */
function problemOf(value: string, rules: Member): string | undefined {
  const size = [...value].length;
  if (rules.const !== undefined && value !== rules.const) return `must be ${rules.const}`;
  if (rules.enum !== undefined && !rules.enum.includes(value)) return `must be one of ${rules.enum.join(', ')}`;
  if (size < (rules.minLength ?? 0)) return `must have at least ${rules.minLength} characters`;
  if (size > (rules.maxLength ?? MAX_VALUE)) return `must have at most ${rules.maxLength} characters`;
  if (rules.pattern === undefined || RE2JS.compile(rules.pattern).matcher(value).find()) return undefined;
  return `must match ${rules.pattern}`;
}

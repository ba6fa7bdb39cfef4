/** No field of the known operations is lost, unless there is a reason. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../families/index.ts';
import { openApiDocument } from './document.ts';
import { FIELD_DIFFERENCES } from './field-differences.ts';
import { KNOWN_OPERATIONS } from './known-operations.ts';
import { hasField } from './schema-fields.ts';

type Part = 'query' | 'body' | 'answer';
type Fields = Readonly<Record<string, Readonly<Partial<Record<Part, string>>>>>;

/** Names of fields by operation: members with dots between them, `[]` behind lists. */
const KNOWN = JSON.parse(readFileSync(new URL('./testdata/known-fields.json', import.meta.url), 'utf8')) as Fields;

/** The beginnings of the ids of operations whose fields are compared. */
const FAMILIES: ReadonlySet<string> = new Set([
  'analytics',
  'api_keys',
  'audit_logs',
  'collections',
  'configs',
  'feedback',
  'guardrails',
  'integration_models',
  'integration_workspaces',
  'integrations',
  'labels',
  'log_exports',
  'logs',
  'mcp_integrations',
  'mcp_servers',
  'model_pricing',
  'organisation',
  'prompt_partials',
  'prompts',
  'rate_limit_policies',
  'scim',
  'scim_workspace_mappings',
  'providers',
  'secret_references',
  'usage_limit_policies',
  'virtual_keys',
  'workspaces',
]);

interface Described {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: Content;
  readonly responses: { readonly 200: Partial<Content> };
}
interface Content {
  readonly content: { readonly 'application/json': { readonly schema: object } };
}

const document = openApiDocument(OPERATIONS.map(({ operation }) => operation)) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};
const compared = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { operationId }]) => FAMILIES.has(operationId.split('.')[0] ?? ''))
    .map(([method, one]) => ({ call: `${method.toUpperCase()} ${path}`, one })),
);

/** Fields of a part that an operation does not have, as `METHOD /path part field`. */
function missing(call: string, one: Described, part: Part): readonly string[] {
  const names = (KNOWN[call]?.[part] ?? '').split(' ').filter((name) => name !== '');
  const lost = names.filter((name) => !has(one, part, name));
  // Of a member that is lost, its own members are, too.
  const whole = lost.filter(
    (name) => !lost.some((other) => name !== other && new RegExp(`^${escaped(other)}(\\[\\])?\\.`).test(name)),
  );
  return whole.map((name) => `${call} ${part} ${name}`);
}

const escaped = (text: string): string => RegExp.escape(text);

function has({ parameters, requestBody, responses }: Described, part: Part, name: string): boolean {
  if (part === 'query') return parameters.some((one) => one.in === 'query' && one.name === name);
  const content = part === 'body' ? requestBody?.content : responses[200].content;
  return content !== undefined && hasField(content['application/json'].schema, name);
}

const lost = compared.flatMap(({ call, one }) =>
  (['query', 'body', 'answer'] as const).flatMap((part) => missing(call, one, part)),
);
const covers = (pattern: string, field: string): boolean =>
  new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`).test(field);

describe('the fields of known operations', () => {
  test('are compared for many operations', () => {
    expect(new Set(compared.map(({ one }) => one.operationId.split('.')[0]))).toEqual(FAMILIES);
  });

  test('are all there, but for those that are listed with a reason', () => {
    const listed = FIELD_DIFFERENCES.flatMap(({ fields }) => fields);
    expect(lost.filter((field) => !listed.some((pattern) => covers(pattern, field)))).toEqual([]);
  });

  test('are listed only where they are lost', () => {
    const listed = FIELD_DIFFERENCES.flatMap(({ fields }) => fields);
    expect(listed.filter((pattern) => !lost.some((field) => covers(pattern, field)))).toEqual([]);
    expect(FIELD_DIFFERENCES.filter(({ reason }) => !reason.endsWith('.'))).toEqual([]);
  });

  test('are known of every operation', () => {
    const calls = KNOWN_OPERATIONS.flatMap(({ calls: all }) => all);
    expect(Object.keys(KNOWN).sort()).toEqual([...calls].sort());
  });
});

/** A page of the reference per Kind. */
import { stringify } from 'yaml';
import { type AnyKind, API_VERSION, immutableFields, UNSUPPORTED } from '../../src/kinds/index.ts';
import { schemaOf } from '../crd.ts';
import { examplesOf, toFileName } from '../samples.ts';
import { toStructural } from '../structural.ts';
import { fieldRows } from './fields.ts';
import { code, page, table } from './markdown.ts';

const HEAD = ['field', 'type', 'required', 'default', 'meaning'];

/** The reference page of a Kind. */
export function kindPage(kind: AnyKind): string {
  return page(kind.kind, [
    `${kind.summary} Behaviour and debugging: [${kind.kind}](../../kinds/${toFileName(kind.kind)}.md).`,
    table(
      ['', ''],
      [
        ['API version', code(API_VERSION)],
        ['scope', kind.scope],
        ['plural', code(kind.plural)],
        ['short name', kind.shortNames.map(code).join(', ')],
      ],
    ),
    '## Spec',
    fieldTable(kind.spec, 'spec'),
    ...rules(kind),
    ...notServed(kind),
    '## Status',
    fieldTable(kind.status, 'status', (path) => path === 'status.conditions'),
    'Conditions and their reasons: [conditions](../conditions.md).',
    '## Example',
    `\`\`\`yaml\n${stringify(examplesOf(kind)[0]?.object)}\`\`\``,
  ]);
}

function fieldTable(schema: AnyKind['spec'], path: string, stop?: (path: string) => boolean): string {
  const { schema: structural } = toStructural(schema, path, { levels: 0, defaultsInLists: true });
  const rows = fieldRows(structural, path, stop).map((row) => [
    code(row.path),
    row.type,
    row.required ? 'yes' : '',
    row.fallback === '' ? '' : code(row.fallback),
    row.description,
  ]);
  return table(HEAD, rows);
}

/** Each rule once, at the first path where it applies. */
function rules(kind: AnyKind): string[] {
  const rows = new Map<string, readonly string[]>();
  for (const { path, rule } of schemaOf(kind).rules) {
    const field = [path, rule.at ?? ''].filter((part) => part !== '').join('.');
    if (!rows.has(rule.message)) rows.set(rule.message, [code(field), rule.message]);
  }
  for (const { name, message } of immutableFields(kind)) rows.set(message, [code(`spec.${name}`), message]);
  return rows.size === 0 ? [] : ['## Rules', table(['field', 'rule'], [...rows.values()])];
}

function notServed({ kind }: AnyKind): string[] {
  const rows = UNSUPPORTED.flatMap(({ feature, fields, value }) => {
    const text = `${feature} not part of this version`;
    const paths = Object.entries(fields).find(([name]) => name === kind)?.[1] ?? [];
    return paths.map((path) => [code(path) + (value === undefined ? '' : ` = ${code(String(value))}`), text]);
  });
  if (rows.length === 0) return [];
  return ['## Not served yet', 'Refused with reason `UnsupportedValue`:', table(['field', ''], rows)];
}

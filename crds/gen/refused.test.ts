import { describe, expect, test } from 'vitest';
import { type AnyKind, KINDS, UNSUPPORTED } from '../src/kinds/index.ts';
import { schemaOf } from './crd.ts';
import type { Structural } from './structural.ts';

const kinds: readonly AnyKind[] = Object.values(KINDS);

/** Paths of fields whose description says that something is refused. */
function refusedIn(node: Structural, path = ''): string[] {
  const own = /\b(Refused|is refused):/.test(node.description ?? '') ? [path] : [];
  const members = Object.entries(node.properties ?? {}).flatMap(([name, member]) =>
    refusedIn(member, path === '' ? name : `${path}.${name}`),
  );
  return [...own, ...members, ...(node.items === undefined ? [] : refusedIn(node.items, `${path}[]`))];
}

describe.for(kinds)('the schema of $kind', (kind) => {
  test('says of each refused field that it is', () => {
    const fields = UNSUPPORTED.flatMap(({ fields: all = {} }) =>
      Object.entries(all).flatMap(([name, paths]) => (name === kind.kind ? paths : [])),
    );
    const found = new Set(refusedIn(schemaOf(kind).schema));
    expect(fields.filter((field) => !found.has(field))).toEqual([]);
  });
});

test('a routing config says so at every level that is written out', () => {
  const found = refusedIn(schemaOf(KINDS.GatewayConfig).schema);
  for (const at of ['spec.config', 'spec.config.targets[]', 'spec.config.targets[].targets[]']) {
    expect(found).toEqual(expect.arrayContaining([`${at}.cache.mode`]));
  }
});

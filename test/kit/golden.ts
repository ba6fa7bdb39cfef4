import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { parse, stringify } from 'yaml';

type Golden = Record<string, unknown>;

export interface GoldenCase {
  readonly name: string;
  readonly given: Golden;
  /** Compares one member of the file with what the code made of it; with UPDATE=1 the file is rewritten instead. */
  check(member: string, actual: unknown): void;
}

/** Every `*.yaml` of a folder as a test case, in name order. A folder without cases is an error. */
export function goldenCases(folder: URL, filter: (name: string) => boolean = () => true): GoldenCase[] {
  const path = fileURLToPath(folder);
  const names = readdirSync(path)
    .filter((name) => name.endsWith('.yaml') && filter(name))
    .sort();
  if (names.length === 0) throw new Error(`no golden files in ${path}`);
  return names.map((name) => toCase(`${path.replace(/\/$/, '')}/${name}`, name.replace(/\.yaml$/, '')));
}

function toCase(file: string, name: string): GoldenCase {
  const given = parse(readFileSync(file, 'utf8')) as Golden;
  return {
    name,
    given,
    check(member, actual) {
      const plain: unknown = JSON.parse(JSON.stringify(actual));
      if (process.env['UPDATE'] === '1') {
        const fresh = parse(readFileSync(file, 'utf8')) as Golden;
        writeFileSync(file, stringify({ ...fresh, [member]: plain }, { lineWidth: 120 }));
        return;
      }
      expect(plain).toEqual(given[member]);
    },
  };
}

/** Turns the tables of import rules into overrides of Biome. Pure. */
import type { ImportRule, Layers } from './import-rules.ts';

interface Pattern {
  readonly group: readonly string[];
  readonly message: string;
}

export interface Override {
  readonly includes: readonly string[];
  readonly linter: { readonly rules: { readonly style: { readonly noRestrictedImports: unknown } } };
}

const TESTS = ['**/*.test.ts', '**/testing.ts', 'test/**'];

const isFile = (path: string): boolean => path.endsWith('.ts');
const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** A rule per folder that may not import all of its siblings. */
export function layerRules({ parent, mayImport }: Layers): ImportRule[] {
  return Object.entries(mayImport).flatMap(([folder, allowed]) => {
    if (allowed === 'any') return [];
    const forbidden = Object.keys(mayImport).filter((name) => name !== folder && !allowed.includes(name));
    const may = allowed.length === 0 ? 'none' : `only ${allowed.toSorted().join(', ')}`;
    return {
      in: [`${parent}/${folder}`],
      forbids: forbidden.toSorted().map((name) => `**/${name}/**`),
      message: `Of its siblings ${parent}/${folder} may import ${may}: pass what it needs as an argument.`,
    };
  });
}

const toPattern = ({ forbids, message }: ImportRule): Pattern => ({ group: forbids, message });

const toOverride = (includes: readonly string[], patterns: readonly Pattern[]): Override => ({
  includes,
  linter: {
    rules: {
      style: { noRestrictedImports: patterns.length === 0 ? 'off' : { level: 'error', options: { patterns } } },
    },
  },
});

/**
 * One override per folder that a rule or an exception names. Biome takes the last override that matches a file and does
 * not merge their patterns, so each repeats the rules of the folders above it and a folder comes after its parents.
 */
export function toOverrides(rules: readonly ImportRule[], everywhere: readonly ImportRule[]): Override[] {
  const all = [...everywhere, ...rules];
  const paths = [...new Set(all.flatMap((rule) => [...rule.in, ...(rule.except ?? [])]))].toSorted();
  const covers = (rule: ImportRule, path: string): boolean =>
    rule.in.some((folder) => isWithin(path, folder)) && !rule.except?.some((free) => isWithin(path, free));
  return [
    ...paths.map((path) =>
      toOverride([isFile(path) ? path : `${path}/**`], all.filter((rule) => covers(rule, path)).map(toPattern)),
    ),
    toOverride(TESTS, everywhere.map(toPattern)),
  ];
}

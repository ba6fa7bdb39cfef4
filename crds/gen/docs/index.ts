import type { AnyKind } from '../../src/kinds/index.ts';
import { toFileName } from '../samples.ts';
import { checksPage } from './checks.ts';
import { configPage } from './config.ts';
import { kindPage } from './kinds.ts';
import { code, page, table } from './markdown.ts';
import { conditionsPage, errorsPage, providersPage, scopesPage } from './tables.ts';

/** Every page of the reference by its path below `docs/reference`. */
export function referencePages(kinds: readonly AnyKind[]): ReadonlyMap<string, string> {
  return new Map([
    ['kinds/index.md', kindsIndex(kinds)],
    ...kinds.map((kind) => [`kinds/${toFileName(kind.kind)}.md`, kindPage(kind)] as const),
    ['config.md', configPage()],
    ['conditions.md', conditionsPage()],
    ['errors.md', errorsPage()],
    ['checks.md', checksPage()],
    ['providers.md', providersPage()],
    ['scopes.md', scopesPage()],
  ]);
}

function kindsIndex(kinds: readonly AnyKind[]): string {
  const rows = kinds.map(({ kind, shortNames, scope, summary }) => [
    `[${kind}](${toFileName(kind)}.md)`,
    shortNames.map(code).join(', '),
    scope,
    summary,
  ]);
  return page('Kinds', [table(['kind', 'short name', 'scope', 'what it is'], rows)]);
}

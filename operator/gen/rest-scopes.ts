/** The scopes of all operations that are served, for gateways: `crds/src/rest/operation-scopes.generated.ts`. */
import { OPERATIONS } from '../src/management/index.ts';

const HEAD = `import type { RestMethod } from './operation.ts';

export interface ScopedOperation {
  readonly method: RestMethod;
  /** Below \`/v1\`, with named segments in braces. */
  readonly path: string;
  /** A key needs one of them; none: the operation is public. */
  readonly scopes: readonly string[];
}
`;

/** A module without schemas: gateways load no others for it. */
export function scopesModule(notice: string): string {
  const rows = OPERATIONS.flatMap(({ operation: { method, path, aliases = [], scopes } }) =>
    [path, ...aliases].map((one) => ({ method, path: one, scopes })),
  ).sort((a, b) => (`${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1));
  const lines = rows.map(
    ({ method, path, scopes }) =>
      `  { method: '${method}', path: '${path}', scopes: [${scopes.map((scope) => `'${scope}'`).join(', ')}] },`,
  );
  const table = `export const OPERATION_SCOPES: readonly ScopedOperation[] = [\n${lines.join('\n')}\n];\n`;
  return `// ${notice}\n${HEAD}\n${table}`;
}

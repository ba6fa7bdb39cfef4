/** Where documents of the request log are in a store of objects: docs/behaviour/request-logs.md#a-store-of-documents */
import type { LogRow } from './row.ts';

/** The installation is the organisation. */
export const ORGANISATION_ID = '937c1102-b4eb-84e1-846c-0569f2a7ef17';

export const PATH_FORMATS = ['v1', 'v2'] as const;
export type PathFormat = (typeof PATH_FORMATS)[number];

export interface KeyOptions {
  readonly format: PathFormat;
  /** By which rules of the store delete what is old; 0: it is kept for ever. */
  readonly retentionDays: number;
}

/** `DAYS/ORGANISATION/ID.json`; v2 has the workspace and the hour of UTC before the id. No part of it leads out of its folder. */
export function objectKey(
  { id, created_at, workspace }: Pick<LogRow, 'id' | 'created_at' | 'workspace'>,
  { format, retentionDays }: KeyOptions,
): string {
  const name = `${segment(id)}.json`;
  const parts = format === 'v1' ? [name] : [segment(workspace), ...hourOf(created_at), name];
  return [String(retentionDays), ORGANISATION_ID, ...parts].join('/');
}

/** Undefined: the document is in no store of objects. */
export function pathFormatOf(document: string): PathFormat | undefined {
  const parts = document.split('/').length;
  if (parts === 1) return undefined;
  return parts === 3 ? 'v1' : 'v2';
}

const MAX_SEGMENT = 128;
const segment = (text: string): string => text.replace(/[^\w-]/g, '_').slice(0, MAX_SEGMENT) || '_';

/** Year, month, day, hour. */
const hourOf = (ms: number): readonly string[] => new Date(ms).toISOString().slice(0, 13).split(/[-T]/);

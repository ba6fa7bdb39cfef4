/** The batch that a call names, as a segment of a path: below it there are results, which are an operation of their own. */
import { AppError } from '../../errors/index.ts';
import type { Call } from '../contract.ts';
import { pathSegment } from '../engine/index.ts';

const SEPARATOR = /[/\\?#%]/;

/** Throws PARAMETER_INVALID. */
export const batchId = ({ route }: Pick<Call, 'route'>): string => batchSegment(route['batch_id'] ?? '', 'batch_id');

/** Throws PARAMETER_INVALID, which names `name`. */
export function batchSegment(id: string, name: string): string {
  if (!SEPARATOR.test(id)) return pathSegment(id, name);
  throw new AppError('PARAMETER_INVALID', { param: name, detail: `${name} may contain no slash, ?, # or %` });
}

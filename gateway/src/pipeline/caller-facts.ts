import type { CallerFacts } from '../record/index.ts';
import type { Caller } from './exchange.ts';

/** The caller as records name it. */
export function callerFacts({ key, workspace }: Pick<Caller, 'key' | 'workspace'>): CallerFacts {
  const facts = { keyId: key.id, key: key.name, user: key.user, workspace: workspace.name };
  const lists = [workspace.headersToMask ?? [], key.headersToMask ?? []].filter(({ length }) => length > 0);
  return lists.length === 0 ? facts : { ...facts, headersToMask: lists };
}

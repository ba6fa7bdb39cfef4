import type { CallerFacts } from '../record/index.ts';
import type { Caller } from './exchange.ts';

/** The caller as records name it. */
export function callerFacts({ key, workspace }: Pick<Caller, 'key' | 'workspace'>): CallerFacts {
  return { keyId: key.id, key: key.name, user: key.user, workspace: workspace.name };
}

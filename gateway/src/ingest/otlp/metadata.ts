/**
 * Metadata of a row from attributes that are known to say nothing of what was asked and answered: instrumentations write
 * prompts under names of their own. Source: docs/behaviour/request-logs.md#spans
 */
import { isCredentialHeader } from '../../lib/header-names.ts';
import { type Entry, plainUrl } from '../entry.ts';
import type { Attributes, AttributeValue } from './span.ts';

const OF_RESOURCE: readonly string[] = [
  ...['service.name', 'service.namespace', 'service.version', 'deployment.environment', 'deployment.environment.name'],
];
const OF_SPAN: ReadonlySet<string> = new Set([
  ...['user.id', 'enduser.id', 'session.id', 'gen_ai.conversation.id', 'gen_ai.agent.id', 'gen_ai.agent.name'],
  ...['gen_ai.tool.name', 'error.type', 'deployment.environment', 'deployment.environment.name'],
]);
/** They may have a user and a password in them. */
const HOSTS: ReadonlySet<string> = new Set(['server.address']);
/** What the sender means to be metadata has its name without them. */
const PREFIX = /^(?:gatehouse\.)?metadata\.(?=.)/s;
const MASKED = '********';

/** Values of lists and objects are left out; of those that a sender names like credentials nothing is shown. */
export function metadataOf(attributes: Attributes, resource: Attributes): Entry['metadata'] {
  const out: Record<string, unknown> = Object.create(null); // names come from clients
  const keep = (name: string, value: AttributeValue | undefined): void => {
    if (isScalar(value)) out[name] = value;
  };
  for (const name of OF_RESOURCE) keep(name, resource.get(name));
  for (const [name, value] of attributes) {
    if (OF_SPAN.has(name)) keep(name, value);
    else if (HOSTS.has(name)) keep(name, typeof value === 'string' ? plainUrl(value) : undefined);
    else if (PREFIX.test(name)) keep(name.replace(PREFIX, ''), shownOf(name.replace(PREFIX, ''), value));
  }
  return out;
}

const shownOf = (name: string, value: AttributeValue): AttributeValue =>
  typeof value === 'string' && isCredentialHeader(name.toLowerCase().replaceAll('.', '-')) ? MASKED : value;

export const isScalar = (value: AttributeValue | undefined): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** Names of tools in a chat, which has no namespaces. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../wire/contract.ts';
import { textAt } from '../../../wire/json/json.ts';

/** Longest name of a function that providers take. */
const MAX_NAME_CHARS = 64;
const DIGEST_CHARS = 16;

/** What a client calls a tool. */
export interface ToolName {
  readonly name: string;
  readonly namespace?: string;
}

/** The name of a tool, of a call of one or of a choice; undefined: it has none. */
export function toolNameOf(item: JsonObject): ToolName | undefined {
  const name = textAt(item, 'name');
  const namespace = textAt(item, 'namespace') ?? '';
  if (name === undefined) return undefined;
  return namespace === '' ? { name } : { name, namespace };
}

/** Always the same for the same tool, so that calls of earlier turns keep their names. */
export function toChatName({ name, namespace }: ToolName): string {
  if (namespace === undefined) return name;
  const whole = `${namespace}__${name}`;
  if (whole.length <= MAX_NAME_CHARS) return whole;
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, DIGEST_CHARS);
  return `${whole.slice(0, MAX_NAME_CHARS - DIGEST_CHARS - 1)}_${digest}`;
}

/**
 * What a model needs of its own thinking in the next turn, as `encrypted_content` of reasoning items: clients that keep their
 * conversation themselves send it back. The text is the summary of the item; here are signatures alone.
 */
import type { JsonObject } from '../../../wire/contract.ts';
import { objectsAt, textAt } from '../../../wire/json/json.ts';
import { type ContentPart, OWN_SEAL } from '../../../wire/openai/index.ts';

/** Tells our contents from those of providers with the API, which mean nothing to others. */
const SIGNED = `${OWN_SEAL}signed.`;
const REDACTED = `${OWN_SEAL}redacted.`;

/** The member of `include` that asks for it. */
export const INCLUDE_THOUGHTS = 'reasoning.encrypted_content';

export interface Seal {
  readonly signature: string;
  /** Thinking that the provider shows to nobody. */
  readonly redacted: string;
}

/** Undefined: the model needs nothing back. */
export function sealOf({ signature, redacted }: Seal): string | undefined {
  if (redacted !== '') return REDACTED + redacted;
  return signature === '' ? undefined : SIGNED + signature;
}

/** The thinking of a reasoning item as a block of a message; undefined: not from here, and left out. */
export function toThinkingBlock(item: JsonObject): ContentPart | undefined {
  const sealed = textAt(item, 'encrypted_content') ?? '';
  if (sealed.startsWith(REDACTED)) return { type: 'redacted_thinking', data: sealed.slice(REDACTED.length) };
  if (!sealed.startsWith(SIGNED)) return undefined;
  const thinking = objectsAt(item, 'summary')
    .map((part) => textAt(part, 'text') ?? '')
    .join('');
  return { type: 'thinking', thinking, signature: sealed.slice(SIGNED.length) };
}

/** The order of turns that Converse requires. */
import type { Block } from './media.ts';

export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/** Prepended to a conversation that starts with the assistant: the upstream requires a user turn first, and no blank text. */
const OPENING: Turn = { role: 'user', content: [{ text: '.' }] };

/** Alternating turns: adjacent turns of one role are merged, empty ones are left out, and a user turn is first. */
export function toAlternatingTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged: Turn[] = [];
  for (const turn of turns) {
    if (turn.content.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role === turn.role) merged[merged.length - 1] = { ...last, content: [...last.content, ...turn.content] };
    else merged.push(turn);
  }
  const complete = merged.map(withDocumentText);
  return complete[0]?.role === 'assistant' ? [OPENING, ...complete] : complete;
}

/** A document requires text in the same turn. */
function withDocumentText(turn: Turn): Turn {
  const { content } = turn;
  if (!content.some((block) => 'document' in block) || content.some((block) => 'text' in block)) return turn;
  // Tool results stay first: they must directly follow their calls.
  const at = content.findIndex((block) => !('toolResult' in block) && !('cachePoint' in block));
  return { ...turn, content: [...content.slice(0, at), { text: ' ' }, ...content.slice(at)] };
}
